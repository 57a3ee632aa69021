#include "importers/api/xla_texts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "base/text.h"
#include "importers/api/bounds.h"
#include "model/copy_name.h"

namespace warpsight::xla {
namespace {

constexpr std::string_view kDigits = "0123456789";

template <typename T>
std::optional<T> Parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Calls visit(part) for each part of `text` between separators.
template <typename Visit>
void ForEachPart(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// A number of blocks, threads, registers or bytes of a launch; larger ones are treated as damage.
int64_t LaunchNumber(std::string_view text) {
  const int64_t value = Parse<int64_t>(text).value_or(kMissing);
  return value >= 0 && value <= kLargestLaunch ? value : kMissing;
}

std::array<int64_t, 3> CommaTriple(std::string_view text) {
  std::array<int64_t, 3> values{kMissing, kMissing, kMissing};
  size_t i = 0;
  ForEachPart(text, ',', [&](std::string_view part) {
    if (i < values.size()) values[i++] = LaunchNumber(part);
  });
  return values;
}

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return IsUpper(c) || IsLower(c) || IsDigit(c) || c == '_'; }

// After `prefix`, the name of a function continues in camel case: cuGraphLaunch, but not cuDNN.
bool IsFunctionOf(std::string_view prefix, std::string_view name) {
  return name.size() > prefix.size() + 1 && name.starts_with(prefix) &&
         IsUpper(name[prefix.size()]) && IsLower(name[prefix.size() + 1]);
}

// Removes the number: "fusion.44", "fusion_44" and "fusion" all become "fusion".
std::string_view WithoutNumber(std::string_view name) {
  const size_t end = name.find_last_not_of(kDigits);
  const bool numbered = end != std::string_view::npos && end > 0 && end + 1 < name.size() &&
                        (name[end] == '.' || name[end] == '_');
  return numbered ? name.substr(0, end) : name;
}

// The scope of an HLO op; if it has none, the TensorFlow op from which it was compiled, without its
// type.
std::string_view ScopeOf(const OpStats& stats) {
  if (!stats.scope.empty()) return stats.scope;
  const std::string_view scope = stats.tf_op.substr(0, stats.tf_op.rfind(':'));
  return scope == "XlaModule" ? std::string_view() : scope;
}

}  // namespace

std::optional<int64_t> NumberBehind(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + mark.size());
  return Parse<int64_t>(rest.substr(0, rest.find_first_not_of(kDigits)));
}

TracePart::LaunchConfig ReadKernelDetails(std::string_view details) {
  TracePart::LaunchConfig launch;
  ForEachPart(details, ' ', [&](std::string_view word) {
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = word.substr(0, colon);
    const std::string_view value = word.substr(colon + 1);
    if (key == "regs") launch.registers = LaunchNumber(value);
    if (key == "grid") launch.grid = CommaTriple(value);
    if (key == "block") launch.block = CommaTriple(value);
    if (key == "occ_pct") {
      const double percent = Parse<double>(value).value_or(0);
      if (percent > 0 && percent <= 100) launch.occupancy_percent = percent;
    }
    if (key == "static_shared" || key == "dynamic_shared" || key == "shm" || key == "group_mem") {
      const int64_t bytes = std::max<int64_t>(0, LaunchNumber(value));
      launch.shared_bytes = (launch.shared_bytes == kMissing ? 0 : launch.shared_bytes) + bytes;
    }
  });
  return launch;
}

int64_t CopiedBytes(std::string_view details) {
  const int64_t bytes = NumberBehind(details, "size:").value_or(kMissing);
  return bytes >= 0 && bytes <= kLargestCount ? bytes : kMissing;
}

HostMemory HostMemoryOf(std::string_view details, CopyDirection direction) {
  if (Contains(details, "pageable")) return HostMemory::kPageable;
  if (Contains(details, "pinned")) return HostMemory::kPinned;
  const bool touches_host = direction == CopyDirection::kHostToDevice ||
                            direction == CopyDirection::kDeviceToHost ||
                            direction == CopyDirection::kHostToHost;
  return touches_host ? HostMemory::kUnknown : HostMemory::kNone;
}

GpuKind GpuKindOf(std::string_view name, bool has_kernel_details) {
  if (has_kernel_details) return GpuKind::kKernel;
  if (const auto kind = RuntimeWorkKind(name)) return *kind;
  if (Contains(name, "Memset") || Contains(name, "MEMSET")) return GpuKind::kMemset;
  if (Contains(name, "Memcpy") || Contains(name, "MEMCPY")) return GpuKind::kCopy;
  return GpuKind::kKernel;
}

bool IsApiFunction(std::string_view name) {
  name = name.substr(0, name.find(" ("));
  return std::all_of(name.begin(), name.end(), IsWord) &&
         (IsFunctionOf("cu", name) || IsFunctionOf("cuda", name) || IsFunctionOf("hip", name));
}

std::string_view ApiFunctionOf(std::string_view name, std::string_view copy_details) {
  if (IsApiFunction(name)) return name.substr(0, name.find(" ("));
  const bool async = Contains(copy_details, "async:1");
  if (name.starts_with("Memset")) return async ? "cuMemsetAsync" : "cuMemset";
  if (!name.starts_with("Memcpy")) return "cuLaunchKernel";
  switch (CopyDirectionOf(name)) {
    case CopyDirection::kHostToDevice:
      return async ? "cuMemcpyHtoDAsync" : "cuMemcpyHtoD";
    case CopyDirection::kDeviceToHost:
      return async ? "cuMemcpyDtoHAsync" : "cuMemcpyDtoH";
    case CopyDirection::kDeviceToDevice:
      return async ? "cuMemcpyDtoDAsync" : "cuMemcpyDtoD";
    case CopyDirection::kPeerToPeer:
      return async ? "cuMemcpyPeerAsync" : "cuMemcpyPeer";
    default:
      return async ? "cuMemcpyAsync" : "cuMemcpy";
  }
}

ApiKind ApiKindOf(std::string_view function) {
  return function.starts_with("cuda") || function.starts_with("hip") ? ApiKind::kRuntime
                                                                     : ApiKind::kDriver;
}

std::optional<OpName> ParseTensorFlowOp(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view full = text.substr(0, colon);
  const std::string_view type = text.substr(colon + 1);
  const auto in_name = [](char c) {
    return IsWord(c) || c == '.' || c == '-' || c == '/' || c == '>';
  };
  const bool is_type = !type.empty() && (IsUpper(type[0]) || type[0] == '_') &&
                       std::all_of(type.begin(), type.end(), IsWord);
  if (!is_type || !std::all_of(full.begin(), full.end(), in_name)) return std::nullopt;
  const size_t slash = full.rfind('/');
  if (slash == std::string_view::npos) return OpName{full, type, {}};
  if (slash + 1 == full.size()) return std::nullopt;
  return OpName{full.substr(slash + 1), type, full.substr(0, slash)};
}

OpName NamedOp(const OpStats& stats) {
  if (!stats.hlo_op.empty()) {
    const std::string_view scope = ScopeOf(stats);
    return {stats.hlo_op, WithoutNumber(stats.hlo_op), scope.empty() ? stats.hlo_module : scope};
  }
  if (const auto op = ParseTensorFlowOp(stats.tf_op)) return *op;
  // A part of the runtime rather than an op of the graph: it has a name but no type.
  if (stats.tf_op.empty() || Contains(stats.tf_op, ":")) return {};
  return {stats.tf_op, stats.tf_op, {}};
}

}  // namespace warpsight::xla
