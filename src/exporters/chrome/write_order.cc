#include "exporters/chrome/write_order.h"

#include <algorithm>
#include <utility>

namespace warpsight::exporters::chrome {
namespace {

constexpr std::array kTables = {SliceTable::kHost, SliceTable::kApi, SliceTable::kGpu,
                                SliceTable::kGpuAnnotation, SliceTable::kSync};
// Importers do not create longer chains of numbers that depend on each other.
constexpr int kDeepest = 100;
// Nor do they create this many slices with equal times.
constexpr uint32_t kMaxTiedRows = 10000;

template <typename Id>
uint32_t Number(Id id) {
  return static_cast<uint32_t>(id);  // kNone equals kNothing
}

template <typename Table>
bool SameSpan(const Table& t, uint32_t a, uint32_t b) {
  return t.start[a] == t.start[b] && t.duration[a] == t.duration[b];
}

}  // namespace

WriteOrder::WriteOrder(const Trace& trace) : trace_(trace), files_(trace) {
  const TraceTables& t = trace.tables;
  const std::array<size_t, kSpaces> sizes = {RowCount(t.host_extras), RowCount(t.gpu_extras),
                                             RowCount(t.collectives), RowCount(t.signatures),
                                             RowCount(t.launch_configs)};
  for (size_t i = 0; i < kSpaces; ++i) {
    numbers_[i].definer.resize(sizes[i]);
    numbers_[i].rank.resize(sizes[i]);
    numbers_[i].defined.resize(sizes[i]);
  }
  for (const SliceTable table : kTables) written_[static_cast<size_t>(table)].resize(Rows(table));
}

size_t WriteOrder::Rows(SliceTable table) const {
  const TraceTables& t = trace_.tables;
  switch (table) {
    case SliceTable::kHost:
      return t.host.start.size();
    case SliceTable::kApi:
      return t.api.start.size();
    case SliceTable::kGpu:
      return t.gpu.start.size();
    case SliceTable::kGpuAnnotation:
      return t.gpu_annotations.start.size();
    case SliceTable::kSync:
      return t.syncs.start.size();
  }
  return 0;
}

SourceId WriteOrder::FileOf(SliceRow slice) const {
  const TraceTables& t = trace_.tables;
  const auto file = [&](auto lane) { return files_.FileOf(trace_.SourceOf(lane)); };
  switch (slice.table) {
    case SliceTable::kHost:
      return file(t.host.thread[slice.row]);
    case SliceTable::kApi:
      return file(t.api.thread[slice.row]);
    case SliceTable::kGpu:
      return file(t.gpu.stream[slice.row]);
    case SliceTable::kGpuAnnotation:
      return file(t.gpu_annotations.stream[slice.row]);
    case SliceTable::kSync:
      return file(t.syncs.stream[slice.row]);
  }
  return {};
}

bool WriteOrder::TiesWithPrevious(SliceRow slice) const {
  if (slice.row == 0) return false;
  const TraceTables& t = trace_.tables;
  const uint32_t row = slice.row;
  switch (slice.table) {
    case SliceTable::kHost:
      return SameSpan(t.host, row, row - 1);
    case SliceTable::kApi:
      return SameSpan(t.api, row, row - 1);
    case SliceTable::kGpu:
      return SameSpan(t.gpu, row, row - 1);
    case SliceTable::kGpuAnnotation:
      return SameSpan(t.gpu_annotations, row, row - 1);
    case SliceTable::kSync:
      return SameSpan(t.syncs, row, row - 1);
  }
  return false;
}

WriteOrder::Needs WriteOrder::NeedsOf(SliceRow slice) const {
  const TraceTables& t = trace_.tables;
  Needs needs;
  needs.id.fill(kNothing);
  switch (slice.table) {
    case SliceTable::kHost: {
      const HostExtraId extra = t.host.extra[slice.row];
      needs.id[kSignatures] = Number(t.host.signature[slice.row]);
      needs.id[kHostExtras] = Number(extra);
      if (IsSet(extra)) needs.id[kCollectives] = Number(t.host_extras.collective[Index(extra)]);
      break;
    }
    case SliceTable::kGpu: {
      const GpuExtraId extra = t.gpu.extra[slice.row];
      needs.id[kLaunches] = Number(t.gpu.launch_config[slice.row]);
      needs.id[kGpuExtras] = Number(extra);
      if (IsSet(extra)) needs.id[kCollectives] = Number(t.gpu_extras.collective[Index(extra)]);
      break;
    }
    case SliceTable::kApi:
    case SliceTable::kGpuAnnotation:
    case SliceTable::kSync:
      break;  // nothing
  }
  return needs;
}

// A slice suits the definition of a number better the fewer other numbers it would define early.
void WriteOrder::Offer(SliceRow slice, const Needs& needs) {
  const bool detailed = needs.id[kHostExtras] != kNothing || needs.id[kGpuExtras] != kNothing;
  uint8_t rank = 3;
  if (detailed) {
    rank = 1;
  } else if (TiesWithPrevious(slice)) {
    rank = 2;
  }
  for (size_t space = 0; space < kSpaces; ++space) {
    const uint32_t id = needs.id[space];
    Numbers& numbers = numbers_[space];
    if (id == kNothing || numbers.rank[id] > rank) continue;
    const auto extra_of = [&](SliceRow other) {
      const Needs its = NeedsOf(other);
      return std::min(its.id[kHostExtras], its.id[kGpuExtras]);
    };
    const bool better =
        numbers.rank[id] < rank || (rank == 1 && extra_of(slice) < extra_of(numbers.definer[id]));
    if (!better) continue;
    numbers.rank[id] = rank;
    numbers.definer[id] = slice;
  }
}

void WriteOrder::ChooseDefiners(SourceId file) {
  for (Numbers& numbers : numbers_) numbers.rank.assign(numbers.rank.size(), 0);
  for (const SliceTable table : kTables) {
    if (table == SliceTable::kApi) continue;
    for (uint32_t row = 0; row < Rows(table); ++row) {
      const SliceRow slice{table, row};
      if (FileOf(slice) == file) Offer(slice, NeedsOf(slice));
    }
  }
}

std::vector<SliceRow> WriteOrder::Of(SourceId file) {
  ChooseDefiners(file);
  order_.clear();
  for (const SliceTable table : kTables) {
    for (uint32_t row = 0; row < Rows(table); ++row) {
      if (FileOf({table, row}) == file) Emit({table, row}, 0);
    }
  }
  return std::move(order_);
}

void WriteOrder::Define(Space space, size_t id) {
  Numbers& numbers = numbers_[space];
  numbers.defined[id] = true;
  while (numbers.next < numbers.defined.size() && numbers.defined[numbers.next]) ++numbers.next;
}

void WriteOrder::Require(Space space, uint32_t id, int depth) {
  Numbers& numbers = numbers_[space];
  while (numbers.next < id) {
    const size_t missing = numbers.next;
    if (numbers.rank[missing] > 0) Emit(numbers.definer[missing], depth + 1);
    Define(space, missing);
  }
}

void WriteOrder::EmitTied(SliceRow slice, int depth) {
  const std::vector<bool>& written = written_[static_cast<size_t>(slice.table)];
  uint32_t first = slice.row;
  while (slice.row - first < kMaxTiedRows && TiesWithPrevious({slice.table, first}) &&
         !written[first - 1]) {
    --first;
  }
  if (first == slice.row) return;
  const SourceId file = FileOf(slice);
  for (uint32_t row = first; row < slice.row; ++row) {
    if (FileOf({slice.table, row}) == file) Emit({slice.table, row}, depth + 1);
  }
}

void WriteOrder::Emit(SliceRow slice, int depth) {
  std::vector<bool>& written = written_[static_cast<size_t>(slice.table)];
  if (written[slice.row]) return;
  written[slice.row] = true;
  const Needs needs = NeedsOf(slice);
  if (depth < kDeepest) {
    EmitTied(slice, depth);
    for (size_t space = 0; space < kSpaces; ++space) {
      if (needs.id[space] != kNothing) Require(static_cast<Space>(space), needs.id[space], depth);
    }
  }
  order_.push_back(slice);
  for (size_t space = 0; space < kSpaces; ++space) {
    if (needs.id[space] != kNothing) Define(static_cast<Space>(space), needs.id[space]);
  }
}

}  // namespace warpsight::exporters::chrome
