// The exported tables of Nsight Systems contain the profile.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "exported_files.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

class Database {
 public:
  explicit Database(const std::string& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  int64_t Number(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(database_);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << sql;
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
  }

 private:
  sqlite3* database_ = nullptr;
};

struct Sums {
  int64_t rows = 0, time = 0, bytes = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
  friend void PrintTo(const Sums& sums, std::ostream* out) {
    *out << sums.rows << " rows, " << sums.time << " ns, " << sums.bytes << " bytes";
  }
};

Sums SumsOf(const GpuActivitiesTable& gpu, GpuKind kind) {
  Sums sums;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    if (gpu.kind[i] != kind) continue;
    ++sums.rows;
    sums.time += gpu.duration[i];
    if (gpu.bytes[i] != kMissing) sums.bytes += gpu.bytes[i];
  }
  return sums;
}

template <typename Column>
int64_t Sum(const Column& values) {
  int64_t sum = 0;
  for (const int64_t value : values) sum += value;
  return sum;
}

void ExpectEqual(const Profile& profile, Database& nsys) {
  const TraceTables& t = profile.trace.tables;
  const auto count = [&](const std::string& from) {
    return nsys.Number("SELECT count(*) FROM " + from);
  };
  const auto time = [&](const std::string& from) {
    return nsys.Number("SELECT coalesce(sum(end - start), 0) FROM " + from);
  };
  const std::pair<GpuKind, std::string> kinds[] = {
      {GpuKind::kKernel, "CUPTI_ACTIVITY_KIND_KERNEL"},
      {GpuKind::kCopy, "CUPTI_ACTIVITY_KIND_MEMCPY"},
      {GpuKind::kMemset, "CUPTI_ACTIVITY_KIND_MEMSET"}};
  for (const auto& [kind, table] : kinds) {
    const Sums sums = SumsOf(t.gpu, kind);
    EXPECT_EQ(count(table), sums.rows) << table;
    EXPECT_EQ(time(table), sums.time) << table;
    if (kind != GpuKind::kKernel) {
      EXPECT_EQ(nsys.Number("SELECT coalesce(sum(bytes), 0) FROM " + table), sums.bytes) << table;
    }
  }
  EXPECT_EQ(count("CUPTI_ACTIVITY_KIND_RUNTIME"), static_cast<int64_t>(RowCount(t.api)));
  EXPECT_EQ(time("CUPTI_ACTIVITY_KIND_RUNTIME"), Sum(t.api.duration));
  EXPECT_EQ(count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"), static_cast<int64_t>(RowCount(t.syncs)));
  const std::string ranges = "NVTX_EVENTS WHERE eventType IN (59, 60)";
  EXPECT_EQ(count(ranges) + count("OSRT_API"), static_cast<int64_t>(RowCount(t.host)));
  EXPECT_EQ(time(ranges) + time("OSRT_API"), Sum(t.host.duration));
  EXPECT_EQ(count("TARGET_INFO_GPU"), static_cast<int64_t>(RowCount(t.devices)));
}

TEST(ExportNsys, CountsAndSumsEqualTheModels) {
  for (const std::string& name : BundledTraces()) {
    const TemporaryFolder folder;
    const Profile& profile = ImportOnce({BundledTracePath(name)});
    ExportForTest("nsys-sqlite", profile, folder.Path("run.sqlite"));
    Database nsys(folder.Path("run.sqlite"));
    SCOPED_TRACE(name);
    ExpectEqual(profile, nsys);
  }
}

// The joins of nsys's own scripts find matching rows.
TEST(ExportNsys, RowsJoin) {
  const TemporaryFolder folder;
  const Profile& profile = ImportOnce({BundledTracePath("gpt2_bf16")});
  ExportForTest("nsys-sqlite", profile, folder.Path("run.sqlite"));
  Database nsys(folder.Path("run.sqlite"));
  int64_t launched = 0;
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    launched += gpu.kind[i] == GpuKind::kKernel && IsSet(profile.facts.gpu.api[i]) ? 1 : 0;
  }
  EXPECT_EQ(nsys.Number("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                        "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON k.correlationId = r.correlationId "
                        "AND k.globalPid = r.globalTid / 0x1000000 * 0x1000000"),
            launched);
  const int64_t kernels = nsys.Number("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL");
  EXPECT_EQ(nsys.Number("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                        "JOIN StringIds s ON s.id = k.shortName "
                        "JOIN StringIds n ON n.id = k.demangledName "
                        "JOIN TARGET_INFO_CUDA_DEVICE d ON d.cudaId = k.deviceId "
                        "AND d.pid = (k.globalPid >> 24) & 0xFFFFFF "
                        "JOIN TARGET_INFO_GPU g ON g.id = d.gpuId WHERE g.name = 'NVIDIA H200'"),
            kernels);
  EXPECT_EQ(nsys.Number("SELECT count(*) FROM NVTX_EVENTS n JOIN StringIds s ON s.id = n.textId "
                        "WHERE n.domainId = 0 AND s.value LIKE 'ProfilerStep#%'"),
            static_cast<int64_t>(RowCount(profile.facts.iterations)));
}

// The content that a round trip must keep: the number, total duration and bytes of the slices of
// each kind and name, and how many GPU activities have a launch.
using Content = std::map<std::string, Sums>;

Content ContentOf(const Profile& profile) {
  const Trace& trace = profile.trace;
  const TraceTables& t = trace.tables;
  Content content;
  const auto add = [&](const std::string& what, DurationNs duration, int64_t bytes = kMissing) {
    Sums& sums = content[what];
    ++sums.rows;
    sums.time += duration;
    if (bytes != kMissing) sums.bytes += bytes;
  };
  for (size_t i = 0; i < t.gpu.start.size(); ++i) {
    // Copies and memsets have no name in Nsight's tables.
    const bool kernel = t.gpu.kind[i] == GpuKind::kKernel;
    add(fmt::format("gpu {} {} {} {}", Index(t.gpu.kind[i]), Index(t.gpu.copy_direction[i]),
                    Index(t.gpu.host_memory[i]), kernel ? trace.Text(t.gpu.name[i]) : ""),
        t.gpu.duration[i], t.gpu.bytes[i]);
    const size_t stream = Index(t.gpu.stream[i]);
    add(fmt::format("device {} stream {}", t.devices.ordinal[Index(t.streams.device[stream])],
                    t.streams.stream[stream]),
        t.gpu.duration[i]);
    if (IsSet(profile.facts.gpu.api[i])) {
      add(fmt::format("launched by {}", trace.Text(t.api.name[Index(profile.facts.gpu.api[i])])),
          t.gpu.duration[i]);
    }
  }
  for (size_t i = 0; i < t.api.start.size(); ++i) {
    add(fmt::format("api {} {}", Index(t.api.kind[i]), trace.Text(t.api.name[i])),
        t.api.duration[i]);
  }
  for (size_t i = 0; i < t.host.start.size(); ++i) {
    add(fmt::format("host {} {}", Index(t.host.kind[i]), trace.Text(t.host.name[i])),
        t.host.duration[i]);
  }
  for (const DurationNs duration : t.syncs.duration) add("sync", duration);
  for (const StringId category : t.instants.category) {
    if (trace.Text(category) != "counter") add("mark", 0);
  }
  return content;
}

void ExpectSurvives(const std::string& path) {
  SCOPED_TRACE(path);
  const TemporaryFolder folder;
  const Profile profile = ImportForTest({path});
  ExportForTest("nsys-sqlite", profile, folder.Path("run.sqlite"));
  const Content before = ContentOf(profile);
  const Content after = ContentOf(ImportForTest({folder.Path("run.sqlite")}));
  EXPECT_FALSE(before.empty());
  for (const auto& [what, sums] : before) {
    const auto found = after.find(what);
    if (found == after.end()) {
      ADD_FAILURE() << what << " is lost";
    } else {
      EXPECT_EQ(found->second, sums) << what;
    }
  }
  EXPECT_EQ(after.size(), before.size());
}

TEST(ExportNsys, RecordedTracesRoundTrip) {
  for (const std::string& name : BundledTraces()) ExpectSurvives(BundledTracePath(name));
  ExpectSurvives(SourcePath("tests/data/h200/jax_mlp.xplane.pb"));
}

TEST(ExportNsys, TracesOfOtherProjectsRoundTrip) {
  if (!std::filesystem::exists(SharedTraces())) GTEST_SKIP() << "no " << SharedTraces();
  for (const char* name : {"nsys_2022_saxpy_mpi.sqlite.gz", "nsys_2026_2gpu_nccl.sqlite.gz",
                           "nvprof_v12_lm.sql.gz", "tf_v100_multi_worker.xplane.pb.gz",
                           "hta_a100_nccl_metadata.json.gz", "param_v100_dlrm_8ranks"}) {
    ExpectSurvives(SharedTraces() + "/" + name);
  }
}

}  // namespace
}  // namespace warpsight::testing
