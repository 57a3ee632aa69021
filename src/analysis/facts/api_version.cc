#include "analysis/facts/api_version.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace warpsight {
namespace {

int64_t Parse(std::string_view args) {
  // Importers write the version before all other arguments.
  constexpr std::string_view kBegin = "{\"version\": ";
  if (!args.starts_with(kBegin)) return kMissing;
  args.remove_prefix(kBegin.size());
  int64_t version = 0;
  const auto [end, error] = std::from_chars(args.data(), args.data() + args.size(), version);
  return error == std::errc() && version > 0 ? version : kMissing;
}

}  // namespace

int64_t ApiVersions::Of(StringId args, const Trace& trace) {
  if (args == StringId::kEmpty) return kMissing;
  const auto [at, is_new] = known_.try_emplace(args, kMissing);
  if (is_new) at->second = Parse(trace.Text(args));
  return at->second;
}

std::string NameWithVersion(std::string_view name, int64_t version) {
  return version == kMissing ? std::string(name) : fmt::format("{}_v{}", name, version);
}

std::string NsightName(std::string_view name, int64_t version) {
  constexpr int64_t kFiveDigits = 10000;
  return NameWithVersion(name, version >= kFiveDigits ? version : kMissing);
}

}  // namespace warpsight
