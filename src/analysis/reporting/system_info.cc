#include "analysis/reporting/system_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "analysis/text/format.h"

namespace warpsight {
namespace {

// Longer values of metadata are not shown, since they do not fit on one line.
constexpr size_t kLongestValue = 60;

struct KnownKey {
  std::string_view key;
  std::string_view name;
};

// Kineto's keys. Other keys are shown with their own names.
constexpr KnownKey kKnownKeys[] = {
    {"cuda_driver_version", "CUDA driver"},
    {"cuda_runtime_version", "CUDA runtime"},
    {"cupti_version", "CUPTI"},
    {"hip_driver_version", "HIP driver"},
    {"hip_runtime_version", "HIP runtime"},
    {"cuda_version", "CUDA"},
    {"cudnn_version", "cuDNN"},
    {"nccl_version", "NCCL"},
    {"gpu_driver_version", "GPU driver"},
    {"nsight_systems_version", "Nsight Systems"},
    {"export_schema_version", "Export schema"},
    {"cpu_description", "CPU"},
    {"cpu_cores", "CPU cores"},
    {"cpu_architecture", "CPU architecture"},
    {"os_description", "Operating system"},
    {"pytorch_version", "PyTorch"},
    {"record_shapes", "Shapes recorded"},
    {"with_stack", "Call stacks recorded"},
    {"with_modules", "Modules recorded"},
    {"profile_memory", "Memory recorded"},
    {"with_flops", "FLOPs recorded"},
};

// Keys that importers already converted to rows, or that do not describe the system.
constexpr std::string_view kHiddenKeys[] = {
    "displayTimeUnit", "schemaVersion",       "traceName",          "trace_id",
    "distributedInfo", "baseTimeNanoseconds", "clean_steps_missing"};

// CUDA encodes versions as 1000 * major + 10 * minor.
std::string ReadableVersion(std::string_view value) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return std::string(value);
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string Readable(std::string_view key, std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  if (key.starts_with("cuda_") && key.ends_with("_version") && key != "cuda_version")
    return ReadableVersion(value);
  const bool is_switch =
      key.starts_with("with_") || key.starts_with("record_") || key == "profile_memory";
  if (is_switch && value == "1") return "yes";
  if (is_switch && value == "0") return "no";
  return std::string(value);
}

std::vector<bool> UsedDevices(const FactTables& facts) {
  std::vector<bool> used(RowCount(facts.devices));
  for (size_t row = 0; row < used.size(); ++row) used[row] = facts.devices.Worked(row);
  return used;
}

// Describes some GPUs of the trace: "NVIDIA H200, 2 × NVIDIA A100".
std::string DescribeDevices(const Trace& trace, const std::vector<bool>& which) {
  std::vector<std::pair<StringId, int>> names;  // in order of the table
  for (size_t row = 0; row < which.size(); ++row) {
    if (!which[row]) continue;
    const StringId name = trace.tables.devices.name[row];
    const auto at = std::find_if(names.begin(), names.end(),
                                 [name](const auto& entry) { return entry.first == name; });
    if (at == names.end()) {
      names.emplace_back(name, 1);
    } else {
      ++at->second;
    }
  }
  std::string text;
  for (const auto& [id, count] : names) {
    const std::string_view name = id == StringId::kEmpty ? "GPU" : trace.Text(id);
    if (!text.empty()) text += ", ";
    text += count == 1 ? std::string(name) : fmt::format("{} × {}", count, name);
  }
  return text;
}

std::string_view NameOf(std::string_view key) {
  for (const KnownKey& known : kKnownKeys) {
    if (known.key == key) return known.name;
  }
  return key;
}

}  // namespace

std::string DescribeDevice(const Trace& trace, DeviceId device) {
  const DevicesTable& devices = trace.tables.devices;
  const size_t row = Index(device);
  const std::string_view name = trace.Text(devices.name[row]);
  std::string text = name.empty() ? "GPU of unknown type" : std::string(name);
  if (devices.compute_major[row] != kMissing && devices.compute_minor[row] != kMissing) {
    text += fmt::format(", compute capability {}.{}", devices.compute_major[row],
                        devices.compute_minor[row]);
  }
  if (devices.sms[row] != kMissing) text += fmt::format(", {} SMs", devices.sms[row]);
  if (devices.memory_bytes[row] != kMissing) {
    text += ", " + FormatBytes(static_cast<double>(devices.memory_bytes[row]));
  }
  return text;
}

std::string DescribeUsedDevices(ProfileView profile) {
  return DescribeDevices(profile.trace, UsedDevices(profile.facts));
}

std::string DescribeUsedDevices(const Trace& trace, const GpuTime& time) {
  std::vector<bool> used(RowCount(trace.tables.devices), false);
  for (const GpuUse& use : time.gpus) used[Index(use.device)] = true;
  return DescribeDevices(trace, used);
}

int64_t CountUsedDevices(ProfileView profile) {
  const std::vector<bool> used = UsedDevices(profile.facts);
  return std::count(used.begin(), used.end(), true);
}

std::string DescribeRank(const Trace& trace, SourceId source) {
  const SourcesTable& sources = trace.tables.sources;
  const size_t row = Index(source);
  if (sources.rank[row] == kMissing) return "";
  std::string text = fmt::format("rank {}", sources.rank[row]);
  if (sources.world_size[row] != kMissing) text += fmt::format(" of {}", sources.world_size[row]);
  const std::string_view backend = trace.Text(sources.backend[row]);
  if (!backend.empty()) text += fmt::format(" ({})", backend);
  return text;
}

std::vector<std::pair<std::string, std::string>> DescribeSoftware(const Trace& trace) {
  const MetadataTable& metadata = trace.tables.metadata;
  std::vector<std::pair<std::string, std::string>> lines;
  for (size_t i = 0; i < metadata.key.size(); ++i) {
    const std::string_view key = trace.Text(metadata.key[i]);
    const std::string_view value = trace.Text(metadata.value[i]);
    if (value.empty() || value.size() > kLongestValue) continue;
    if (std::find(std::begin(kHiddenKeys), std::end(kHiddenKeys), key) != std::end(kHiddenKeys)) {
      continue;
    }
    std::pair line(std::string(NameOf(key)), Readable(key, value));
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> ListDevices(ProfileView profile) {
  const Trace& trace = profile.trace;
  const std::vector<bool> used = UsedDevices(profile.facts);
  const bool any_used = std::find(used.begin(), used.end(), true) != used.end();
  const bool ranks = RowCount(trace.tables.sources) > 1;
  // In order of the table: each kind, and its numbers.
  std::vector<std::pair<std::string, std::vector<int64_t>>> kinds;
  for (size_t row = 0; row < used.size(); ++row) {
    if (ranks && any_used && !used[row]) continue;
    std::string kind = DescribeDevice(trace, MakeId<DeviceId>(row));
    auto at = std::find_if(kinds.begin(), kinds.end(),
                           [&](const auto& entry) { return entry.first == kind; });
    if (at == kinds.end()) at = kinds.emplace(kinds.end(), std::move(kind), std::vector<int64_t>{});
    at->second.push_back(trace.tables.devices.ordinal[row]);
  }
  std::vector<std::pair<std::string, std::string>> lines;
  for (auto& [kind, numbers] : kinds) {
    const size_t count = numbers.size();
    std::sort(numbers.begin(), numbers.end());
    const bool run = std::adjacent_find(numbers.begin(), numbers.end(), [](int64_t a, int64_t b) {
                       return b != a + 1;
                     }) == numbers.end();
    if (count == 1) {
      lines.emplace_back(fmt::format("GPU {}", numbers.front()), std::move(kind));
    } else {
      // Ranks on several machines have GPUs with equal numbers.
      lines.emplace_back(run ? fmt::format("GPUs {}-{}", numbers.front(), numbers.back()) : "GPUs",
                         fmt::format("{} × {}", count, kind));
    }
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> DescribeSystem(ProfileView profile) {
  const Trace& trace = profile.trace;
  std::vector<std::pair<std::string, std::string>> lines = {{"Profile Name", trace.profile_name}};
  const std::vector<bool> timeline = SourcesWithTimeline(trace);
  const auto ranks = std::count(timeline.begin(), timeline.end(), true);
  for (size_t row = 0; row < timeline.size() && ranks == 1; ++row) {
    if (!timeline[row]) continue;
    std::string rank = DescribeRank(trace, MakeId<SourceId>(row));
    if (!rank.empty()) lines.emplace_back("Distributed", std::move(rank));
  }
  if (ranks > 1) lines.emplace_back("Distributed", fmt::format("{} ranks", ranks));
  for (auto& line : ListDevices(profile)) lines.push_back(std::move(line));
  for (auto& line : DescribeSoftware(trace)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace warpsight
