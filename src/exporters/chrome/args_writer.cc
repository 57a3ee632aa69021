#include "exporters/chrome/args_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "exporters/api/json_fields.h"
#include "exporters/api/json_text.h"

namespace warpsight::exporters::chrome {
namespace {

// Arguments that the importer reads into columns, or recognizes and ignores.
constexpr std::array<std::string_view, 66> kKnownKeys = {
    "External id",
    "external id",
    "Ev Idx",
    "Record function id",
    "Sequence number",
    "Fwd thread id",
    "Input Dims",
    "Input type",
    "Input Strides",
    "Concrete Inputs",
    "In msg nelems",
    "Out msg nelems",
    "Group size",
    "Collective name",
    "dtype",
    "Process Group Name",
    "Process Group Description",
    "Process Group Ranks",
    "Call stack",
    "Module Hierarchy",
    "Python id",
    "Python parent id",
    "Python module id",
    "Profiler Event Index",
    "correlation",
    "correlation_id",
    "cbid",
    "context",
    "device",
    "stream",
    "sort_index",
    "shared memory",
    "registers per thread",
    "grid",
    "block",
    "blocks per SM",
    "warps per SM",
    "est. achieved occupancy %",
    "bytes",
    "memory bandwidth (GB/s)",
    "graph id",
    "graph node id",
    "external ts",
    "queued",
    "wait_on_stream",
    "wait_on_cuda_event_record_corr_id",
    "wait_on_cuda_event_id",
    "name",
    "labels",
    "Trace name",
    "Trace iteration",
    "Total Allocated",
    "Total Reserved",
    "Bytes",
    "Addr",
    "Device Type",
    "Device Id",
    "Device",
    "Op count",
    "warpsight:copy direction",
    "warpsight:host memory",
    "warpsight:kind",
    "warpsight:process",
    "warpsight:op",
    "warpsight:op type",
    "warpsight:op path",
};

// Those of them that never become a column of a slice.
constexpr std::array<std::string_view, 18> kIdleKeys = {"Ev Idx",
                                                        "Record function id",
                                                        "Profiler Event Index",
                                                        "cbid",
                                                        "sort_index",
                                                        "queued",
                                                        "external ts",
                                                        "name",
                                                        "labels",
                                                        "Trace name",
                                                        "Op count",
                                                        "Trace iteration",
                                                        "Total Allocated",
                                                        "Total Reserved",
                                                        "Addr",
                                                        "Device Type",
                                                        "Device Id",
                                                        "memory bandwidth (GB/s)"};

template <size_t N>
bool IsIn(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool SameValue(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto real = [](std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  double x = 0;
  double y = 0;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return real(a, x) && real(b, y) && x == y && x < kExact && x > -kExact;
}

}  // namespace

void ArgsWriter::Clear() {
  text_.clear();
  fields_.clear();
}

std::string& ArgsWriter::Begin(std::string_view key) {
  fields_.push_back({key, text_.size(), 0});
  return text_;
}

void ArgsWriter::Integer(std::string_view key, int64_t value) {
  if (value == kMissing) return;
  JsonText(Begin(key)).Integer(value);
  End();
}

void ArgsWriter::Real(std::string_view key, double value) {
  if (value == kMissingReal) return;
  JsonText(Begin(key)).Real(value);
  End();
}

void ArgsWriter::Text(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  JsonText(Begin(key)).Quoted(text);
  End();
}

void ArgsWriter::Json(std::string_view key, std::string_view json) {
  if (json.empty()) return;
  Begin(key).append(json);
  End();
}

bool ArgsWriter::SaysTheSame(std::string_view original) const {
  size_t found = 0;
  bool has_others = false;  // otherwise the importer would not keep it
  const bool same = ForEachField(original, [&](std::string_view key, std::string_view value) {
    const auto field =
        std::find_if(fields_.begin(), fields_.end(), [&](const Field& f) { return f.key == key; });
    if (field != fields_.end()) {
      ++found;
      return SameValue(TrimJson(ValueOf(*field)), value);
    }
    if (!IsIn(kKnownKeys, key)) has_others = true;
    return !IsIn(kKnownKeys, key) || IsIn(kIdleKeys, key);
  });
  return same && has_others && found == fields_.size();
}

void ArgsWriter::Append(Original state, std::string_view original, std::string& out) const {
  if (state == Original::kGiven && SaysTheSame(original)) {
    out.append(",\"args\":").append(original);
    return;
  }
  if (fields_.empty() && state == Original::kNone) return;
  out.append(",\"args\":{");
  const size_t begin = out.size();
  const auto add = [&](std::string_view key, std::string_view value) {
    out.append(out.size() == begin ? "\"" : ",\"").append(key).append("\":").append(value);
  };
  for (const Field& field : fields_) add(field.key, ValueOf(field));
  if (state != Original::kNone) {
    add("warpsight:args", state == Original::kEmpty ? "null" : original);
  }
  out.append("}");
}

}  // namespace warpsight::exporters::chrome
