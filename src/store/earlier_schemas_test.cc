#include "store/earlier_schemas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "model/compare.h"
#include "model/limits.h"
#include "store/database.h"
#include "store/profile_file.h"
#include "store/query.h"
#include "store/test_profile.h"

namespace warpsight::store {
namespace {

using ::testing::HasSubstr;

class EarlierSchemas : public ::testing::Test {
 protected:
  // Saves the profile, changes the file's schema version, and runs the SQL on the file.
  void Save(int schema_version, const std::string& sql) {
    SaveOrFail(profile_, path_);
    auto database = Database::Open(path_, {});
    ASSERT_TRUE(database.ok()) << database.error().message;
    auto connection = Connection::Open(*database);
    ASSERT_TRUE(connection.ok());
    const std::string version = std::to_string(schema_version);
    const Status status = connection->Run("UPDATE warpsight SET value = '" + version +
                                          "' WHERE key = 'schema_version'; " + sql);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  std::string LoadError() const {
    const auto stored = LoadTrace(path_);
    return stored.ok() ? "" : stored.error().message;
  }

  // 0 if the file has the current schema.
  int SchemaToldToQueries() const {
    class Sink : public QuerySink {
     public:
      void EarlierSchema(int version) override { told = version; }
      void Columns(std::span<const QueryColumn> columns) override { (void)columns; }
      bool Row(std::span<const QueryCell> cells) override { return !cells.empty(); }
      int told = 0;
    };
    Sink sink;
    const Status status = RunQuery(path_, "SELECT 1", sink);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return sink.told;
  }

  TestFolder folder_;
  std::string path_ = folder_.Path("run.warpsight");
  Profile profile_ = MakeTestProfile();
};

TEST_F(EarlierSchemas, TracesOfTheCurrentSchemaAreReadCompletely) {
  Save(kSchemaVersion, "SELECT 1");
  const auto stored = LoadTrace(path_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ("", FirstDifference(profile_.trace, stored->trace));
  EXPECT_EQ(kSchemaVersion, stored->schema_version);
  EXPECT_EQ(0, SchemaToldToQueries());
}

TEST_F(EarlierSchemas, FactsAreNeitherReadNorNeeded) {
  Save(6,
       "DROP TABLE iterations; DROP TABLE ledger; UPDATE gaps SET cause = 200; "
       "DROP VIEW IF EXISTS kernels; DROP TABLE kernel_names");
  EXPECT_THAT(LoadProfile(path_).error().code, kOlderSchema);
  const auto stored = LoadTrace(path_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ("", FirstDifference(profile_.trace, stored->trace));
  EXPECT_EQ(6, SchemaToldToQueries());
}

TEST_F(EarlierSchemas, ColumnsAddedLaterAreMissing) {
  Save(2,
       "DROP TABLE nvtx_ranges; DROP TABLE kernel_counters; "
       "DROP TABLE step_times; DROP TABLE clean_stretches; "
       "ALTER TABLE streams DROP COLUMN process_id; "
       "ALTER TABLE streams DROP COLUMN recorded_device; "
       "ALTER TABLE host_extras DROP COLUMN op_type_id; "
       "ALTER TABLE gpu_extras DROP COLUMN op_name_id; "
       "ALTER TABLE gpu_extras DROP COLUMN bandwidth");
  const auto stored = LoadTrace(path_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  TraceTables& t = profile_.trace.tables;
  t.nvtx = {};
  t.kernel_counters = {};
  t.step_times = {};
  t.clean_stretches = {};
  const size_t rows = RowCount(t.streams);
  t.streams.process.assign(rows, kNone<ProcessId>);
  t.streams.recorded_device.assign(rows, kMissing);
  t.host_extras.op_type.assign(rows, StringId::kEmpty);
  t.gpu_extras.op_name.assign(rows, StringId::kEmpty);
  t.gpu_extras.bandwidth.assign(rows, kMissingReal);
  EXPECT_EQ("", FirstDifference(profile_.trace, stored->trace));
}

TEST_F(EarlierSchemas, OriginalColumnsAreRequired) {
  Save(1, "ALTER TABLE gpu_activities DROP COLUMN bytes");
  EXPECT_EQ(path_ + " is damaged: gpu_activities.bytes is missing", LoadError());
  Save(7, "ALTER TABLE streams DROP COLUMN process_id");
  EXPECT_EQ(path_ + " is damaged: streams.process_id is missing", LoadError());
  Save(5, "DROP TABLE kernel_counters");
  EXPECT_EQ(path_ + " is damaged: kernel_counters is missing", LoadError());
}

TEST_F(EarlierSchemas, ViewsAndComputedColumnsAreRejected) {
  Save(2, "DROP TABLE nvtx_ranges; CREATE VIEW nvtx_ranges AS SELECT * FROM range(1000000000000)");
  EXPECT_EQ(path_ + " is damaged: nvtx_ranges is a view and not a table", LoadError());
  Save(2, "ALTER TABLE gpu_extras ALTER COLUMN bandwidth SET DEFAULT 3");
  EXPECT_EQ(path_ + " is damaged: gpu_extras.bandwidth is computed", LoadError());
}

TEST_F(EarlierSchemas, IdsKindsAndTimesAreChecked) {
  for (const char* sql :
       {"UPDATE gpu_activities SET stream_id = 4000000000", "UPDATE gpu_activities SET kind = 100",
        "UPDATE gpu_activities SET duration_ns = 9223372036854775807",
        "UPDATE host_ranges SET start_ns = -1 WHERE rowid = 0",
        "UPDATE host_ranges SET start_ns = 0 WHERE rowid = 3",
        "UPDATE api_calls SET name_id = 4000000"}) {
    Save(1, sql);
    EXPECT_THAT(LoadError(), HasSubstr(" is damaged: ")) << sql;
  }
}

TEST_F(EarlierSchemas, NumbersStoredByEarlierVersionsAreReplacedAsInAnImport) {
  const std::string sql =
      "UPDATE devices SET ordinal = NULL WHERE rowid = 0; "
      "UPDATE gpu_activities SET bytes = -5 WHERE rowid = 1";
  Save(4, sql);
  const auto stored = LoadTrace(path_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  const TraceTables& t = stored->trace.tables;
  EXPECT_EQ(-1, t.devices.ordinal[0]);
  EXPECT_EQ(kMissing, t.gpu.bytes[1]);
  EXPECT_EQ(kAbsurdNumber, stored->trace.Text(t.import_log.code.back()));
  EXPECT_EQ(2, t.import_log.count.back());
  Save(5, sql);
  EXPECT_THAT(LoadError(), HasSubstr(" is damaged: "));
}

// Two processes of one file that work on different GPUs are two ranks.
TEST_F(EarlierSchemas, ProcessesWithSeparateGpusBecomeSources) {
  TraceTables& t = profile_.trace.tables;
  const size_t rows = RowCount(t.streams);
  for (size_t i = 0; i < rows; ++i) {
    t.processes.source[i] = t.devices.source[i] = MakeId<SourceId>(0);
    t.streams.device[i] = MakeId<DeviceId>(i % 2);
    t.streams.process[i] = MakeId<ProcessId>(i % 2);
    t.gpu.stream[i] = MakeId<StreamId>(i);
  }
  ASSERT_EQ("", CheckIntegrity(profile_.trace));
  Save(5, "SELECT 1");
  const auto stored = LoadTrace(path_);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  const TraceTables& split = stored->trace.tables;
  ASSERT_EQ(rows + 1, RowCount(split.sources));
  EXPECT_EQ(MakeId<SourceId>(0), split.devices.source[0]);
  EXPECT_EQ(MakeId<SourceId>(rows), split.devices.source[1]);
  EXPECT_EQ(MakeId<SourceId>(rows), split.processes.source[1]);
  EXPECT_EQ(0, split.sources.events[rows]);
}

}  // namespace
}  // namespace warpsight::store
