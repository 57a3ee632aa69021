#include "store/query.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include "store/test_profile.h"
#include "store/views.h"

namespace warpsight::store {
namespace {

using ::testing::HasSubstr;

// Collects the result as text: the columns with their types, then the rows.
class TextSink : public QuerySink {
 public:
  explicit TextSink(size_t most_rows = SIZE_MAX) : most_rows_(most_rows) {}

  void Columns(std::span<const QueryColumn> columns) override {
    for (const QueryColumn& column : columns) {
      const char* kinds[] = {"", "#", "?"};
      text +=
          fmt::format("{}:{}{} ", column.name, column.type, kinds[static_cast<int>(column.kind)]);
    }
  }
  bool Row(std::span<const QueryCell> cells) override {
    text += "|";
    for (const QueryCell& cell : cells) text += fmt::format(" {}", cell.value_or("NULL"));
    return ++rows < most_rows_;
  }

  std::string text;
  size_t rows = 0;

 private:
  size_t most_rows_;
};

class Query : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    SaveOrFail(MakeTestProfile(), Path());
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string Path() { return folder_->Path("run.warpsight"); }
  static std::string Run(const std::string& sql) {
    TextSink sink;
    const Status status = RunQuery(Path(), sql, sink);
    if (status.ok()) return sink.text;
    EXPECT_EQ(status.error().message.find('\n'), std::string::npos) << status.error().message;
    return "error: " + status.error().message;
  }

  static TestFolder* folder_;
};

TestFolder* Query::folder_ = nullptr;

TEST_F(Query, GivesNamesTypesAndRows) {
  EXPECT_EQ("a:INTEGER# b:VARCHAR c:BOOLEAN? d:DOUBLE# | 1 x true 0.5",
            Run("SELECT 1 AS a, 'x' AS b, true AS c, 0.5::DOUBLE AS d;  "));
  EXPECT_EQ(
      "a:INTEGER[] d:DECIMAL(4,2)# t:TIMESTAMP m:MAP(VARCHAR, INTEGER) | [1, NULL] 12.50 "
      "2024-01-02 03:04:05 {k=1}",
      Run("SELECT [1, NULL] AS a, 12.50::DECIMAL(4,2) AS d, TIMESTAMP '2024-01-02 03:04:05' "
          "AS t, MAP {'k': 1} AS m -- a comment"));
  EXPECT_EQ("a:INTEGER# a:INTEGER# | 1 2", Run("SELECT 1 AS a, 2 AS a"));
  EXPECT_EQ("x:VARCHAR | NULL| ", Run("SELECT unnest([NULL, ''])::VARCHAR AS x"));
  EXPECT_EQ("n:BIGINT# | 3| 2| 1", Run("SELECT n FROM range(1, 4) r(n) ORDER BY n DESC"));
  EXPECT_EQ("n:BIGINT# ", Run("FROM range(0) r(n)"));
}

TEST_F(Query, StopsWhenTheSinkHasEnough) {
  TextSink sink(3);
  EXPECT_TRUE(RunQuery(Path(), "SELECT * FROM range(100000000)", sink).ok());
  EXPECT_EQ(3U, sink.rows);
}

TEST_F(Query, RunsOtherStatements) {
  EXPECT_THAT(Run("SHOW TABLES"), HasSubstr("| kernels"));
  EXPECT_THAT(Run("DESCRIBE kernels"), HasSubstr("| short_name VARCHAR"));
  EXPECT_THAT(Run("EXPLAIN SELECT 1"), HasSubstr("explain_value"));
  EXPECT_THAT(Run("PRAGMA version"), HasSubstr("library_version"));
  EXPECT_THAT(Run("CREATE TEMP TABLE t AS SELECT 7 AS x; SELECT sum(x) AS s FROM t"),
              HasSubstr("s:HUGEINT# | 7"));
}

TEST_F(Query, SaysWhatIsWrong) {
  EXPECT_THAT(Run("SELECT * FROM kernel"), HasSubstr("docs/schema.md"));
  EXPECT_THAT(Run("SELECT nme FROM kernels"), HasSubstr("docs/schema.md"));
  EXPECT_THAT(Run("SELEKT 1"), HasSubstr("error: "));
  EXPECT_THAT(Run(" ; "), HasSubstr("error: there is no SQL"));
  EXPECT_THAT(Run("-- nothing"), HasSubstr("error: "));
  EXPECT_THAT(Run("SELECT error('x\ny')"), HasSubstr("error: "));
  TextSink sink;
  const Status status = RunQuery(folder_->Path("missing"), "SELECT 1", sink);
  EXPECT_THAT(status.error().message, HasSubstr("No such file"));
}

TEST_F(Query, IsClosedOff) {
  const std::string before = ReadFile(Path());
  const std::string out = folder_->Path("out");
  WriteFile(folder_->Path("in.csv"), "secret\n1\n");
  const std::vector<std::string> refused = {
      "SELECT * FROM read_csv('" + folder_->Path("in.csv") + "')",
      "SELECT * FROM '" + folder_->Path("in.csv") + "'",
      "SELECT * FROM read_text('/etc/passwd')",
      "SELECT * FROM read_blob('/etc/passwd')",
      "SELECT * FROM glob('/etc/*')",
      "COPY (SELECT 1) TO '" + out + "'",
      "EXPORT DATABASE '" + out + "'",
      "ATTACH '" + out + "' AS other",
      "ATTACH '" + Path() + "' AS other (READ_WRITE)",
      "INSTALL httpfs",
      "LOAD httpfs",
      "SET enable_external_access = true",
      "SET lock_configuration = false",
      "SET temp_directory = '" + folder_->Path("") + "'",
      "SET profiling_output = '" + out + "'",
      "PRAGMA profiling_output = '" + out + "'",
      "SET log_query_path = '" + out + "'",
      "CALL enable_logging(storage = 'file', storage_path = '" + out + "'); SELECT 1",
      "CALL enable_logging('QueryLog', storage = 'file', storage_path = '" + out +
          "'); SELECT 1; CALL disable_logging()",
      "CREATE TABLE t (x INT)",
      "INSERT INTO warpsight VALUES ('a', 'b')",
      "DELETE FROM strings",
      "DROP VIEW kernels",
      "SELECT * FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)",
  };
  for (const std::string& sql : refused) {
    const std::string answer = Run(sql);
    EXPECT_THAT(answer, HasSubstr("error: ")) << sql;
    EXPECT_EQ(std::string::npos, answer.find("secret")) << answer;
  }
  // These statements have no effect.
  Run("CHECKPOINT");
  Run("VACUUM");
  EXPECT_EQ(before, ReadFile(Path()));
  EXPECT_EQ(2U, folder_->FileCount());
  std::filesystem::remove(folder_->Path("in.csv"));
}

// Limits of a small viewer.
QueryLimits SmallLimits() {
  QueryLimits limits;
  limits.time = std::chrono::seconds(10);
  limits.memory_bytes = 128 << 20;
  limits.threads = 1;
  limits.row_bytes = 1 << 20;
  return limits;
}

// Statements that made DuckDB 1.4 crash in the calling process, take gigabytes, or continue after
// duckdb_interrupt().
TEST_F(Query, NothingCanHurtTheCaller) {
  const std::vector<std::pair<std::string, std::string_view>> hostile = {
      {"SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))", "query-stopped"},
      {"SELECT json_transform(repeat('[', 200000) || repeat(']', 200000), '\"JSON\"')", ""},
      {"SELECT * FROM sql_auto_complete(repeat('SELECT (', 3000))", ""},
      {"SELECT * FROM sql_auto_complete('SELECT ' || repeat('(', 100000))", ""},
      {"SELECT list_transform(range(100000000), x -> x + 1)[1]", "query-stopped"},
      {"SELECT count(*) FROM (SELECT DISTINCT hash(range)::VARCHAR || repeat('x', 100) FROM "
       "range(100000000))",
       "query-stopped"},
      {"SELECT repeat('x', 2000000)", "sql-error"},
  };
  // So much time that the memory limit always comes first, on a busy machine too.
  QueryLimits limits = SmallLimits();
  limits.time = std::chrono::seconds(60);
  for (const auto& [sql, code] : hostile) {
    TextSink sink;
    const Status status = RunQuery(Path(), sql, sink, limits);
    if (code.empty()) continue;  // any result is fine if the call returns
    ASSERT_FALSE(status.ok()) << sql;
    EXPECT_EQ(status.error().code, code) << sql << ": " << status.error().message;
  }
  EXPECT_EQ("a:INTEGER# | 1", Run("SELECT 1 AS a"));
}

TEST_F(Query, StopsAtTheTimeLimit) {
  QueryLimits limits = SmallLimits();
  limits.time = std::chrono::milliseconds(500);
  const std::vector<std::string> endless = {
      "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))",
      "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
      "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
  };
  for (const std::string& sql : endless) {
    TextSink sink;
    const auto begin = std::chrono::steady_clock::now();
    const Status status = RunQuery(Path(), sql, sink, limits);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    ASSERT_FALSE(status.ok()) << sql;
    EXPECT_EQ(status.error().code, "timeout") << sql;
    EXPECT_EQ(status.error().message, "the query was stopped after 0.5 s");
    EXPECT_LT(took.count(), 2) << sql;
  }
}

TEST_F(Query, CancellingEndsItAtOnce) {
  QueryLimits limits;
  const auto begin = std::chrono::steady_clock::now();
  limits.cancelled = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(200);
  };
  TextSink sink;
  const Status status = RunQuery(
      Path(), "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))", sink, limits);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the query was canceled");
  EXPECT_LT(took.count(), 2);
}

TEST_F(Query, NothingIsPrinted) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Run("PRAGMA enable_profiling; SELECT 1");
  Run("PRAGMA enable_profiling = 'query_tree'; SELECT count(*) FROM kernels");
  Run("PRAGMA enable_progress_bar; PRAGMA enable_print_progress_bar; SELECT 1");
  Run("CALL enable_logging(storage = 'stdout'); SELECT 1");
  Run("CALL enable_logging('QueryLog', storage = 'stdout', level = 'trace'); SELECT 1");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(Query, AnswersFromTheFileThatWasOpened) {
  const std::string path = folder_->Path("replaced");
  std::filesystem::copy_file(Path(), path);
  const auto file = HeldFile::Open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::remove(path);
  WriteFile(path, "something else");
  TextSink sink;
  EXPECT_TRUE(RunQuery(*file, "SELECT count(*) > 0 AS a FROM kernels", sink).ok());
  EXPECT_EQ(sink.text, "a:BOOLEAN? | true");
  std::filesystem::remove(path);
}

TEST_F(Query, TablesMayBeNamedInFull) {
  for (const char* name : {"kernels", "main.kernels", "profile.kernels", "profile.main.kernels"}) {
    EXPECT_EQ(Run(fmt::format("SELECT count(*) > 0 AS a FROM {}", name)), "a:BOOLEAN? | true");
  }
  EXPECT_EQ(Run("SELECT count(*) AS n FROM duckdb_tables() WHERE database_name <> 'profile'"),
            "n:BIGINT# | 0");
}

TEST_F(Query, NotAProfile) {
  const std::string path = folder_->Path("other");
  WriteFile(path, "something else");
  TextSink sink;
  const Status status = RunQuery(path, "SELECT 1", sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "not-a-profile");
  EXPECT_THAT(status.error().message, HasSubstr(path));
  std::string damaged = ReadFile(Path());
  damaged.resize(damaged.size() / 2);
  WriteFile(path, damaged);
  const Status cut = RunQuery(path, "SELECT * FROM kernels", sink);
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message.find("/proc/"), std::string::npos) << cut.error().message;
  std::filesystem::remove(path);
}

TEST_F(Query, EveryViewHasItsColumnsAndRows) {
  for (const View& view : Views()) {
    const std::string answer = Run(fmt::format("SELECT * FROM {}", view.name));
    for (const ViewColumn& column : view.columns) {
      EXPECT_THAT(answer, HasSubstr(fmt::format("{}:", column.name))) << view.name;
    }
    EXPECT_THAT(answer, HasSubstr("|")) << view.name;
  }
}

// Joins must not duplicate rows.
TEST_F(Query, ViewsHaveARowForEachRow) {
  EXPECT_EQ("a:BOOLEAN? | true",
            Run("SELECT (SELECT count(*) FROM kernels) + (SELECT count(*) FROM copies) + (SELECT "
                "count(*) FROM memsets) = (SELECT count(*) FROM gpu_activities) AS a"));
  EXPECT_EQ("a:BOOLEAN? | true",
            Run("SELECT (SELECT count(*) FROM api) = (SELECT count(*) FROM api_calls) AS a"));
  EXPECT_EQ("a:BOOLEAN? | true", Run("SELECT (SELECT count(*) FROM idle) = (SELECT count(*) FROM "
                                     "gaps) AS a"));
}

TEST_F(Query, MetadataIsATable) {
  EXPECT_EQ("value:VARCHAR | 8", Run("SELECT value FROM warpsight WHERE key = 'schema_version'"));
}

}  // namespace
}  // namespace warpsight::store
