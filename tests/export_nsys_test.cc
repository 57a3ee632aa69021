// What Nsight Systems' tables hold of a profile.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "exported_files.h"
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
  EXPECT_EQ(count("NVTX_EVENTS WHERE eventType = 59"), static_cast<int64_t>(RowCount(t.host)));
  EXPECT_EQ(time("NVTX_EVENTS WHERE eventType = 59"), Sum(t.host.duration));
  EXPECT_EQ(count("TARGET_INFO_GPU"), static_cast<int64_t>(RowCount(t.devices)));
}

TEST(ExportNsys, CountsAndSumsAreTheModels) {
  for (const std::string& name : BundledTraces()) {
    const TemporaryFolder folder;
    const Profile profile = ImportForTest({BundledTracePath(name)});
    ExportForTest("nsys-sqlite", profile, folder.Path("run.sqlite"));
    Database nsys(folder.Path("run.sqlite"));
    SCOPED_TRACE(name);
    ExpectEqual(profile, nsys);
  }
}

// The joins of nsys' own scripts find their partners.
TEST(ExportNsys, RowsJoin) {
  const TemporaryFolder folder;
  const Profile profile = ImportForTest({BundledTracePath("gpt2_bf16")});
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

}  // namespace
}  // namespace warpsight::testing
