#include "importers/chrome/arg_fields.h"

#include <iterator>

namespace warpsight::importers::chrome {
namespace {

using Args = RawEvent::Args;
using Kind = ArgField::Kind;

// Names with the same first letter are compared in this order, so frequent ones come first.
constexpr ArgField kFields[] = {
    // Ops.
    {"External id", Kind::kId, &Args::external_id},
    {"external id", Kind::kId, &Args::external_id},
    {"Record function id", Kind::kNothing},
    {"Ev Idx", Kind::kNothing},
    {"Sequence number", Kind::kId, &Args::sequence},
    {"Fwd thread id", Kind::kInteger, &Args::forward_thread},
    {"Input Dims", Kind::kJson, &Args::dims},
    {"Input type", Kind::kJson, &Args::types},
    {"Input Strides", Kind::kJson, &Args::strides},
    {"Concrete Inputs", Kind::kJson, &Args::values},
    {"Call stack", Kind::kText, &Args::call_stack},
    {"Module Hierarchy", Kind::kText, &Args::module_hierarchy},
    // Calls and what the GPU does.
    {"correlation", Kind::kId, &Args::correlation},
    {"cbid", Kind::kNothing},
    {"context", Kind::kInteger, &Args::context},
    {"correlation_id", Kind::kIdAndOther, &Args::correlation},
    {"device", Kind::kInteger, &Args::device},
    {"stream", Kind::kStream, &Args::stream},
    {"queued", Kind::kNothing},
    {"registers per thread", Kind::kInteger, &Args::registers},
    {"shared memory", Kind::kInteger, &Args::shared_bytes},
    {"blocks per SM", &Args::blocks_per_sm},
    {"block", Kind::kJson, &Args::block},
    {"warps per SM", &Args::warps_per_sm},
    {"grid", Kind::kJson, &Args::grid},
    {"est. achieved occupancy %", &Args::occupancy_percent},
    {"graph id", Kind::kId, &Args::graph},
    {"graph node id", Kind::kId, &Args::graph_node},
    {"bytes", Kind::kInteger, &Args::bytes},
    {"memory bandwidth (GB/s)", &Args::bandwidth},
    {"wait_on_stream", Kind::kId, &Args::wait_stream},
    {"wait_on_cuda_event_record_corr_id", Kind::kId, &Args::wait_record_correlation},
    {"wait_on_cuda_event_id", Kind::kId, &Args::wait_event},
    // Python.
    {"Python id", Kind::kId, &Args::python_id},
    {"Python parent id", Kind::kId, &Args::python_parent},
    {"Python module id", Kind::kId, &Args::python_module},
    // Memory.
    {"Addr", Kind::kId, &Args::address},
    {"Bytes", Kind::kInteger, &Args::bytes},
    {"Device Id", Kind::kInteger, &Args::device_id},
    {"Device Type", Kind::kInteger, &Args::device_type},
    {"Total Allocated", Kind::kInteger, &Args::total_allocated},
    {"Total Reserved", Kind::kInteger, &Args::total_reserved},
    // Collectives.
    {"Collective name", Kind::kText, &Args::collective},
    {"dtype", Kind::kText, &Args::collective_dtype},
    {"In msg nelems", Kind::kInteger, &Args::elements_in},
    {"Out msg nelems", Kind::kInteger, &Args::elements_out},
    {"Group size", Kind::kInteger, &Args::group_size},
    {"Process Group Name", Kind::kText, &Args::group_name},
    {"Process Group Description", Kind::kText, &Args::group_description},
    {"Process Group Ranks", Kind::kJson, &Args::group_ranks},
    // Metadata.
    {"name", Kind::kText, &Args::label},
    {"labels", Kind::kText, &Args::label},
    {"sort_index", Kind::kNothing},
    {"Device", Kind::kNothing},
    {"external ts", Kind::kNothing},
    {"Op count", Kind::kNothing},
    {"Profiler Event Index", Kind::kNothing},
    {"Trace name", Kind::kNothing},
    {"Trace iteration", Kind::kNothing},
    // Fields of files written by `warpsight export`.
    {"warpsight:args", Kind::kJson, &Args::own},
    {"warpsight:copy direction", Kind::kInteger, &Args::copy_direction},
    {"warpsight:host memory", Kind::kInteger, &Args::host_memory},
    {"warpsight:kind", Kind::kInteger, &Args::host_kind},
    {"warpsight:process", Kind::kText, &Args::process},
    {"warpsight:domain", Kind::kText, &Args::nvtx_domain},
    {"warpsight:recorded device", Kind::kInteger, &Args::recorded_device},
    {"warpsight:only shown", &Args::only_shown},
    {"warpsight:op", Kind::kText, &Args::op_name},
    {"warpsight:op type", Kind::kText, &Args::op_type},
    {"warpsight:op path", Kind::kText, &Args::op_path},
};

}  // namespace

struct ArgFinder::Index {
  consteval Index() {
    entries[0] = {QuotedName(""), nullptr};
    size_t size = 1;
    for (size_t letter = 0; letter <= UCHAR_MAX; ++letter) {
      begin[letter] = static_cast<uint8_t>(size);
      for (const ArgField& field : kFields) {
        if (static_cast<unsigned char>(field.name[0]) != letter) continue;
        entries[size++] = {QuotedName(field.name), &field};
      }
    }
    begin[UCHAR_MAX + 1] = static_cast<uint8_t>(size);
  }

  static const Index kIndex;

  std::array<Entry, std::size(kFields) + 1> entries{};
  std::array<uint8_t, UCHAR_MAX + 2> begin{};  // the first entry with that letter
};

constexpr ArgFinder::Index ArgFinder::Index::kIndex;
constinit const ArgFinder::Entry* const ArgFinder::kEntries = Index::kIndex.entries.data();

uint8_t ArgFinder::Search(const char* key) {
  const auto letter = static_cast<unsigned char>(*key);
  const Index& index = Index::kIndex;
  for (uint8_t i = index.begin[letter]; i < index.begin[letter + 1]; ++i) {
    if (index.entries[i].name.IsAt(key)) return i;
  }
  return 0;
}

}  // namespace warpsight::importers::chrome
