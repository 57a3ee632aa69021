#include "agent/core/options.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace warpsight::agent {
namespace {

// nullopt in a program with more privileges than its user (setuid, capabilities): the environment
// belongs to the user, and could name files that would be written with these privileges.
const char* Variable(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

DurationNs Milliseconds(const std::string& text) {
  constexpr DurationNs kMillisecond = 1'000'000;
  constexpr DurationNs kMost = std::numeric_limits<DurationNs>::max() / kMillisecond / 4;
  return std::clamp<DurationNs>(std::strtoll(text.c_str(), nullptr, 10), 0, kMost) * kMillisecond;
}

void Apply(std::string_view option, Options& options) {
  const size_t equals = std::min(option.find('='), option.size());
  const std::string_view name = option.substr(0, equals);
  const std::string value(option.substr(std::min(equals + 1, option.size())));
  if (name == "shapes") options.shapes = true;
  if (name == "stacks") options.stacks = true;
  if (name == "memory") options.memory = true;
  if (name == "counters") {
    options.counters = true;
    const unsigned long count = std::strtoul(value.c_str(), nullptr, 10);
    if (count > 0) options.counted_launches = static_cast<uint32_t>(count);
  }
  if (name == "stretches") options.stretches = true;
  if (name == "nocalls") options.calls = false;
  if (name == "syncs") options.syncs = true;
  if (name == "overhead") options.overhead = true;
  if (name == "raw") options.raw = true;
  if (name == "nocompress") options.compress = false;
  if (name == "delay") options.delay = Milliseconds(value);
  if (name == "duration") options.duration = Milliseconds(value);
  if (name == "limit") options.file_limit = std::strtoull(value.c_str(), nullptr, 10);
  if (name == "steps") {
    char* end = nullptr;
    options.first_step = std::strtoll(value.c_str(), &end, 10);
    if (*end == ':') options.step_after_last = std::strtoll(end + 1, nullptr, 10);
  }
}

}  // namespace

std::optional<Options> Options::FromEnvironment() {
  Options options;
  options.folder = Variable("WARPSIGHT_CAPTURE");
  if (options.folder.empty()) return std::nullopt;
  options.run = std::strtoull(Variable("WARPSIGHT_RUN"), nullptr, 16);
  options.distributed = std::strtol(Variable("WORLD_SIZE"), nullptr, 10) > 1;
  std::string_view rest = Variable("WARPSIGHT_OPTIONS");
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    Apply(rest.substr(0, comma), options);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return options;
}

}  // namespace warpsight::agent
