#include "importers/nsys/file_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/utf8.h"
#include "model/hash_map.h"

namespace warpsight::importers::nsys {
namespace {

// The newest known version of the schema.
constexpr int64_t kKnownSchema = 3;
// In the year 2116. Its sum with any time of the file does not overflow.
constexpr int64_t kLatestBase = int64_t{1} << 62;

class FactReader {
 public:
  FactReader(const SqliteDatabase& database, TablePart& part, TraceBuilder& builder)
      : database_(database), part_(part.part()), table_part_(part), builder_(builder) {}

  void ReadClock() {
    if (!database_.HasTable("TARGET_INFO_SESSION_START_TIME")) return;
    enum { kUtc, kClock };
    const auto rows =
        database_.Select("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs", "systemClockNs"});
    // Times count from the session's start, or from the system clock's zero if the export contains
    // that clock.
    if (!rows->Next() || rows->IsNull(kUtc)) return;
    const int64_t utc = rows->Integer(kUtc);
    const int64_t clock = rows->Integer(kClock);
    if (utc <= 0 || utc >= kLatestBase || clock < 0 || clock > utc) return;
    builder_.SetUnixBase(part_.source(), utc - clock);
  }

  void ReadGpus() {
    if (!database_.HasTable("TARGET_INFO_GPU")) return;
    enum { kId, kName, kMajor, kMinor, kSms, kMemory, kWarps, kWarpSize, kRegisters, kShared };
    const auto rows =
        database_.Select("TARGET_INFO_GPU",
                         {"id", "name", "computeMajor", "computeMinor", "smCount", "totalMemory",
                          "maxWarpsPerSm", "threadsPerWarp", "maxRegistersPerSm", "maxShmemPerSm"});
    DevicesTable& t = part_.tables.devices;
    while (rows->Next()) {
      const size_t row = Index(part_.Device(rows->Integer(kId)));
      const auto number = [&](int column) {
        return table_part_.Within(*rows, column, kLatestBase);
      };
      t.name[row] = Text(rows->Text(kName));
      t.compute_major[row] = number(kMajor);
      t.compute_minor[row] = number(kMinor);
      t.sms[row] = number(kSms);
      t.memory_bytes[row] = number(kMemory);
      t.warp_size[row] = number(kWarpSize);
      t.regs_per_sm[row] = number(kRegisters);
      t.shared_per_sm[row] = number(kShared);
      const int64_t warps = number(kWarps);
      const bool sane =
          warps > 0 && warps < 4096 && t.warp_size[row] > 0 && t.warp_size[row] < 4096;
      if (sane) t.threads_per_sm[row] = warps * t.warp_size[row];
    }
  }

  // Reads the multiprocessors if only the newer table of GPUs exists.
  void ReadCudaDevices(const DeviceNumbers& numbers) {
    if (!database_.HasTable("TARGET_INFO_CUDA_DEVICE")) return;
    enum { kPid, kCudaId, kSms };
    const auto rows =
        database_.Select("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "numMultiprocessors"});
    while (rows->Next()) {
      if (rows->IsNull(kCudaId)) continue;
      const size_t row =
          Index(part_.Device(numbers.Of(rows->Integer(kPid), rows->Integer(kCudaId))));
      int64_t& sms = part_.tables.devices.sms[row];
      if (sms == kMissing) sms = table_part_.Within(*rows, kSms, kLatestBase);
    }
  }

  void ReadExport() {
    enum { kName, kValue };
    for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
      if (!database_.HasTable(table)) continue;
      const auto rows = database_.Select(table, {"name", "value"});
      while (rows->Next()) {
        const std::string_view name = rows->Text(kName);
        const std::string_view value = rows->Text(kValue);
        if (name == "EXPORT_PRODUCT_VERSION") Add("nsight_systems_version", value);
        if (name == "EXPORT_SCHEMA_VERSION") Add("export_schema_version", value);
        if (name == "EXPORT_SCHEMA_VERSION_MAJOR") CheckSchema(rows->Integer(kValue));
      }
    }
  }

  // Reads facts about the machine, but not its name or owner.
  void ReadSystem() {
    static constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
        {"NvDriverVersion", "gpu_driver_version"}, {"CudaDriverVersion", "cuda_driver_version"},
        {"CpuDescription", "cpu_description"},     {"CpuCores", "cpu_cores"},
        {"CpuArchitecture", "cpu_architecture"},   {"OsDescription", "os_description"}};
    if (!database_.HasTable("TARGET_INFO_SYSTEM_ENV")) return;
    enum { kName, kValue };
    const auto rows = database_.Select("TARGET_INFO_SYSTEM_ENV", {"name", "value"});
    while (rows->Next()) {
      const std::string_view row_name = rows->Text(kName);
      const std::string_view value = rows->Text(kValue);
      for (const auto& [name, key] : kKeys) {
        if (row_name == name && value != "unknown") Add(key, value);
      }
      if (row_name == "DeviceEnvironment") ReadVersions(value);
    }
  }

 private:
  StringId Text(std::string_view text) { return part_.Intern(ValidUtf8(text, repaired_)); }

  void Add(std::string_view key, std::string_view value) {
    if (value.empty() || !added_.insert(std::string(key)).second) return;
    MetadataTable& t = part_.tables.metadata;
    t.source.push_back(part_.source());
    t.key.push_back(part_.Intern(key));
    t.value.push_back(part_.Intern(JsonString(value)));
  }

  // NVIDIA's containers list library versions in environment variables.
  void ReadVersions(std::string_view environment) {
    static constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
        {"CUDA_VERSION=", "cuda_version"},
        {"NCCL_VERSION=", "nccl_version"},
        {"NV_CUDNN_VERSION=", "cudnn_version"},
        {"PYTORCH_VERSION=", "pytorch_version"}};
    while (!environment.empty()) {
      const size_t end = std::min(environment.find(';'), environment.size());
      const std::string_view entry = environment.substr(0, end);
      for (const auto& [variable, key] : kVariables) {
        if (entry.starts_with(variable)) Add(key, entry.substr(variable.size()));
      }
      environment.remove_prefix(std::min(end + 1, environment.size()));
    }
  }

  void CheckSchema(int64_t major) {
    if (major <= kKnownSchema) return;
    part_.Log("unknown_version", kMissing,
              fmt::format("the export's schema version is {}, the newest known one is {}; its "
                          "tables were read by name",
                          major, kKnownSchema));
  }

  const SqliteDatabase& database_;
  TracePart& part_;
  TablePart& table_part_;
  TraceBuilder& builder_;
  std::string repaired_;
  HashSet<std::string> added_;
};

using Lane = std::pair<std::string, std::string>;

struct UsedLanes {
  HashSet<std::string> pids;
  HashSet<Lane> threads;
};

UsedLanes LanesOf(const std::vector<const TracePart*>& parts) {
  UsedLanes used;
  for (const TracePart* part : parts) {
    const TraceTables& t = part->tables;
    const auto text = [&](StringId id) { return std::string(part->strings.View(id)); };
    for (const StringId pid : t.processes.pid) used.pids.insert(text(pid));
    for (size_t i = 0; i < t.threads.tid.size(); ++i) {
      used.threads.insert(
          {text(t.processes.pid[Index(t.threads.process[i])]), text(t.threads.tid[i])});
    }
  }
  return used;
}

void NameLanes(const SqliteDatabase& database, const UsedLanes& used, TablePart& part) {
  std::string repaired;
  if (database.HasTable("PROCESSES")) {
    enum { kPid, kName };
    const auto rows = database.Select("PROCESSES", {"globalPid", "name"});
    while (rows->Next()) {
      const std::string pid = std::to_string(PidOf(rows->Integer(kPid)));
      if (!used.pids.contains(pid)) continue;
      const ProcessId process = part.part().Process(pid);
      part.tables().processes.name[Index(process)] =
          part.part().Intern(ValidUtf8(rows->Text(kName), repaired));
    }
  }
  if (!database.HasTable("ThreadNames")) return;
  enum { kTid, kName };
  const auto rows = database.Select("ThreadNames", {"globalTid", "nameId"});
  while (rows->Next()) {
    const int64_t tid = rows->Integer(kTid);
    if (!used.threads.contains(Lane{std::to_string(PidOf(tid)), std::to_string(TidOf(tid))})) {
      continue;
    }
    part.tables().threads.name[Index(part.Thread(tid))] = part.Text(rows->Integer(kName));
  }
}

}  // namespace

void AddFileFacts(const SqliteDatabase& database, const std::vector<const TracePart*>& parts,
                  TablePart& part, TraceBuilder& builder) {
  FactReader reader(database, part, builder);
  reader.ReadClock();
  reader.ReadGpus();
  reader.ReadCudaDevices(part.facts().devices);
  reader.ReadExport();
  reader.ReadSystem();
  NameLanes(database, LanesOf(parts), part);
}

}  // namespace warpsight::importers::nsys
