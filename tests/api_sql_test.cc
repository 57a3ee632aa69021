// SQL through the API: its responses, and what it prevents.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api_client.h"
#include "documented_number.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using simdjson::dom::element;
using ::testing::HasSubstr;

class ApiSqlTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const std::string file = folder_->Path("run.warpsight");
    ASSERT_EQ(
        RunWarpsight({"import", BundledTracePath("resnet18_cuda_graph_inference"), "-o", file})
            .exit_code,
        0);
    api_ = new ApiClient({file});
    api_->viewer().profiles().Wait();
  }
  static void TearDownTestSuite() {
    delete api_;
    delete folder_;
  }

  static ApiAnswer Run(const std::string& sql, Params params = {}) {
    return api_->Ask("POST", "/api/profiles/run/sql", std::move(params), sql);
  }
  static std::string Rows(const ApiAnswer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? simdjson::to_string(answer.json["rows"]) : "";
  }

  static TemporaryFolder* folder_;
  static ApiClient* api_;
};

TemporaryFolder* ApiSqlTest::folder_ = nullptr;
ApiClient* ApiSqlTest::api_ = nullptr;

TEST_F(ApiSqlTest, AnswersWithTypedRows) {
  const ApiAnswer answer = Run("SELECT count(*) AS n, sum(duration_ns) AS total FROM kernels");
  EXPECT_EQ(Rows(answer), "[[990,5134593]]");
  EXPECT_EQ(simdjson::to_string(answer.json["columns"]),
            R"([{"name":"n","type":"BIGINT","kind":"number"},)"
            R"({"name":"total","type":"HUGEINT","kind":"number"}])");
  EXPECT_FALSE(answer.json["truncated"].get_bool().value());
  EXPECT_GE(answer.json["elapsed_ms"].get_double().value(), 0);
  EXPECT_EQ(answer.response.keep, server::Keep::kNever);
  EXPECT_EQ(
      Rows(Run("SELECT 'a\"b' AS t, true AS b, false AS c, NULL AS n, 0.5 AS d, 1.5::DOUBLE")),
      "[[\"a\\\"b\",true,false,null,0.5,1.5]]");
  EXPECT_EQ(Rows(Run("SELECT 1 WHERE false")), "[]");
  EXPECT_EQ(Rows(Run("SELECT 1; SELECT 2;")), "[[2]]");
}

TEST_F(ApiSqlTest, NumbersThatJavaScriptCannotRepresentAreTexts) {
  EXPECT_EQ(Rows(Run("SELECT 9007199254740992, 9007199254740993, -9007199254740993")),
            "[[9007199254740992,\"9007199254740993\",\"-9007199254740993\"]]");
  EXPECT_EQ(
      Rows(Run("SELECT 9223372036854775807, 170141183460469231731687303715884105727::HUGEINT")),
      "[[\"9223372036854775807\",\"170141183460469231731687303715884105727\"]]");
  EXPECT_EQ(Rows(Run("SELECT 'nan'::DOUBLE, 'inf'::DOUBLE, '-inf'::DOUBLE")),
            "[[\"nan\",\"inf\",\"-inf\"]]");
  EXPECT_EQ(Rows(Run("SELECT 12345678901234567890.123::DECIMAL(38, 3), 12345.678::DECIMAL(38, 3)")),
            "[[\"12345678901234567890.123\",12345.678]]");
  EXPECT_EQ(Rows(Run("SELECT 0.1::DOUBLE + 0.2::DOUBLE, 1e300::DOUBLE")),
            "[[0.30000000000000004,1e+300]]");
}

TEST_F(ApiSqlTest, RowsAreTruncatedAtTheLimit) {
  const ApiAnswer cut = Run("SELECT * FROM range(100)", {{"limit", "3"}});
  EXPECT_EQ(Rows(cut), "[[0],[1],[2]]");
  EXPECT_TRUE(cut.json["truncated"].get_bool().value());
  EXPECT_FALSE(
      Run("SELECT * FROM range(3)", {{"limit", "3"}}).json["truncated"].get_bool().value());
  const ApiAnswer usual = Run("SELECT * FROM range(100000000)");
  EXPECT_EQ(usual.json["rows"].get_array().value().size(), 1000u);
  EXPECT_TRUE(usual.json["truncated"].get_bool().value());
  EXPECT_EQ(Run("SELECT 1", {{"limit", "x"}}).status, 400);
  EXPECT_EQ(Rows(Run("SELECT 1", {{"limit", "0"}})), "[]");
}

TEST_F(ApiSqlTest, HugeResultsAreTruncated) {
  const ApiAnswer texts =
      Run("SELECT repeat('x', 100000) FROM range(5000)", {{"limit", "1000000"}});
  EXPECT_EQ(texts.status, 200);
  EXPECT_LT(texts.body.size(), 200u << 20);
  EXPECT_TRUE(texts.json["truncated"].get_bool().value());
}

TEST_F(ApiSqlTest, ErrorsAreOneLine) {
  for (const char* sql : {"SELEKT 1", "SELECT nonsense FROM kernels", "", ";", "SELECT 1 +",
                          "SELECT * FROM nowhere", "\xff\xfe\x00garbage"}) {
    const ApiAnswer answer = Run(sql);
    EXPECT_EQ(answer.status, 400) << sql;
    EXPECT_EQ(answer.code(), "sql-error") << sql;
    EXPECT_EQ(TextOf(answer.json, "message").find('\n'), std::string::npos);
  }
}

TEST_F(ApiSqlTest, CannotAccessFilesOrChangeData) {
  const std::string before = ReadFile(folder_->Path("run.warpsight"));
  std::ofstream(folder_->Path("secret.csv")) << "secret\n4711\n";
  const std::string out = folder_->Path("out");
  const std::vector<std::string> refused = {
      "SELECT * FROM read_csv('" + folder_->Path("secret.csv") + "')",
      "SELECT * FROM '" + folder_->Path("secret.csv") + "'",
      "SELECT * FROM read_text('/etc/passwd')",
      "SELECT * FROM glob('/*')",
      "COPY kernels TO '" + out + "'",
      "ATTACH '" + out + "'",
      "INSTALL httpfs",
      "LOAD httpfs",
      "SET enable_external_access = true",
      "SET memory_limit = '100GB'",
      "SET threads = 64",
      "CREATE TABLE t (x INT)",
      "DROP TABLE strings",
      "UPDATE warpsight SET value = '9'",
      "DELETE FROM strings"};
  for (const std::string& sql : refused) {
    const ApiAnswer answer = Run(sql);
    EXPECT_EQ(answer.status, 400) << sql;
    EXPECT_EQ(answer.body.find("4711"), std::string::npos) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_TRUE(ReadFile(folder_->Path("run.warpsight")) == before);
}

// A statement that is nested too deeply for the parser's stack must not end the program.
TEST_F(ApiSqlTest, DeepStatementsAreSafe) {
  for (const size_t depth : {100u, 5000u, 30000u}) {
    const std::string open(depth, '(');
    const std::string close(depth, ')');
    for (const std::string& sql :
         {"SELECT " + open + "1" + close, "SELECT " + open, "SELECT 1 " + close}) {
      const ApiAnswer answer = Run(sql);
      EXPECT_TRUE(answer.status == 200 || answer.status == 400) << depth << ": " << answer.body;
    }
    std::string sum = "SELECT 1";
    for (size_t i = 0; i < depth; ++i) sum += "+1";
    EXPECT_TRUE(Run(sum).status == 200 || Run(sum).status == 400) << depth;
  }
}

TEST_F(ApiSqlTest, EndlessQueriesAreStoppedAndFurtherOnesGetBusy) {
  const std::string endless =
      "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT sum(n) FROM t";
  // DuckDB does not check for interrupts while it computes this.
  const std::string long_one = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))";
  const auto begin = std::chrono::steady_clock::now();
  ApiAnswer first;
  ApiAnswer second;
  std::thread one([&] { first = Run(endless); });
  std::thread two([&] { second = Run(long_one); });
  int busy = 0;
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(8) && busy == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const ApiAnswer third = Run("SELECT 1");
    if (third.status != 200) {
      EXPECT_EQ(third.status, 503) << third.body;
      EXPECT_EQ(third.code(), "busy");
      EXPECT_GT(third.response.retry_after_seconds, 0);
      ++busy;
    }
  }
  EXPECT_EQ(busy, 1);
  // Everything else continues.
  EXPECT_EQ(api_->Get("/api/profiles/run/aggregations/default/dashboard").status, 200);
  one.join();
  two.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const auto longest = static_cast<double>(DocumentedNumber("api.md", "\\| time \\| ([0-9]+) s "));
  EXPECT_GT(took.count(), longest - 0.1);
  EXPECT_LT(took.count(), longest + 3);
  // The recursion may run out of its memory first.
  EXPECT_TRUE(first.status == 408 || first.status == 400) << first.body;
  EXPECT_EQ(second.status, 408) << second.body;
  EXPECT_EQ(second.code(), "timeout");
  EXPECT_EQ(Rows(Run("SELECT 1")), "[[1]]") << "queries run again";
}

TEST_F(ApiSqlTest, MemoryIsLimited) {
  const ApiAnswer answer =
      Run("SELECT count(*) FROM (SELECT DISTINCT hash(range)::VARCHAR || repeat('x', 100) FROM "
          "range(100000000))");
  EXPECT_TRUE(answer.status == 400 || answer.status == 408) << answer.body;
}

TEST_F(ApiSqlTest, OtherMethodsAndPaths) {
  EXPECT_EQ(api_->Get("/api/profiles/run/sql").status, 405);
  EXPECT_EQ(api_->Ask("POST", "/api/profiles/run/sql/nonsense", {}, "SELECT 1").status, 404);
}

// Statements that crashed the viewer, filled the memory or ran past the limits.
TEST_F(ApiSqlTest, HostileStatementsDoNotEndTheViewer) {
  for (const std::string& sql :
       {std::string("SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))"),
        "SELECT json_structure('" + std::string(30'000, '[') + std::string(30'000, ']') + "')",
        std::string("SELECT list_transform(range(100000000), x -> x + 1)[1]")}) {
    const ApiAnswer answer = Run(sql);
    // On a busy machine the time limit can come before the memory limit.
    EXPECT_TRUE(answer.status == 200 || answer.status == 400 || answer.status == 408)
        << answer.body.substr(0, 300);
    EXPECT_EQ(Rows(Run("SELECT 1")), "[[1]]");
  }
  EXPECT_EQ(Run("SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))").code(),
            "query-stopped");
  const ApiAnswer completed = Run("SELECT * FROM sql_auto_complete(repeat('SELECT (', 3000))");
  EXPECT_TRUE(completed.status == 200 || completed.status == 400 || completed.status == 408)
      << completed.body;
  EXPECT_EQ(api_->Get("/api/profiles/run/aggregations/default/dashboard").status, 200);
}

TEST_F(ApiSqlTest, ResultsAreAsLargeAsDocumented) {
  const auto documented = [](const char* pattern) { return DocumentedNumber("api.md", pattern); };
  const size_t most_rows = documented("\\| rows \\| `limit`, at most ([0-9,]+) ");
  const std::string from = fmt::format(" FROM range({})", most_rows + 1);
  const ApiAnswer rows = Run("SELECT 1" + from, {{"limit", "2000000"}});
  EXPECT_EQ(rows.json["rows"].get_array().value().size(), most_rows);
  EXPECT_TRUE(rows.json["truncated"].get_bool().value());
  const ApiAnswer cells = Run("SELECT 1, 2, 3, 4" + from, {{"limit", "2000000"}});
  EXPECT_EQ(cells.json["rows"].get_array().value().size(),
            documented("\\| cells \\| ([0-9,]+) ") / 4);
  EXPECT_TRUE(cells.json["truncated"].get_bool().value());
  const size_t row = documented("\\| one row \\| ([0-9]+) MB") << 20;
  EXPECT_EQ(Run(fmt::format("SELECT repeat('x', {})", row - (1 << 20))).status, 200);
  const ApiAnswer wide = Run(fmt::format("SELECT repeat('x', {})", row + 1));
  EXPECT_EQ(wide.code(), "sql-error");
  EXPECT_THAT(wide.body, HasSubstr("a row of the result is larger than 16 MB"));
  const size_t texts = documented("\\| texts of all cells \\| ([0-9]+) MB") << 20;
  const ApiAnswer cut = Run("SELECT repeat('x', 10000) FROM range(20000)", {{"limit", "1000000"}});
  EXPECT_TRUE(cut.json["truncated"].get_bool().value());
  EXPECT_NEAR(10'000.0 * static_cast<double>(cut.json["rows"].get_array().value().size()),
              static_cast<double>(texts), 20'000);
  const ApiAnswer memory = Run("SELECT list(range) FROM range(100000000)");
  EXPECT_EQ(memory.code(), "query-stopped");
  EXPECT_THAT(memory.body,
              HasSubstr(fmt::format("more than {} MB", documented("([0-9]+) MB for DuckDB"))));
}

TEST_F(ApiSqlTest, ADisconnectEndsTheQuery) {
  server::Request request;
  request.method = "POST";
  request.path = {"api", "profiles", "run", "sql"};
  request.body = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))";
  const auto begin = std::chrono::steady_clock::now();
  const auto left = std::make_shared<std::atomic<bool>>(false);
  request.cancelled = left;
  std::thread leaving([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    *left = true;
  });
  api_->viewer().Handle(request);
  leaving.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

class ApiSqlFile : public ::testing::Test {
 protected:
  ApiSqlFile() { Import("resnet18_cuda_graph_inference", "run.warpsight"); }

  void Import(const char* trace, const std::string& name) const {
    ASSERT_EQ(RunWarpsight({"import", BundledTracePath(trace), "-o", folder_.Path(name)}).exit_code,
              0);
  }
  static std::string Changed(ApiClient& api) {
    const ApiAnswer answer = api.Get("/api/profiles");
    return simdjson::to_string(answer.json["profiles"].at(0)["changed"]);
  }
  static ApiAnswer Kernels(ApiClient& api) {
    return api.Ask("POST", "/api/profiles/run/sql", {}, "SELECT count(*) FROM kernels");
  }

  const TemporaryFolder folder_;
};

// The tables in memory and SQL use the same file, even after it was replaced.
TEST_F(ApiSqlFile, TheFileIsReplaced) {
  ApiClient api({folder_.Path("run.warpsight")});
  api.viewer().profiles().Wait();
  EXPECT_EQ(Changed(api), "false");
  Import("gpt2_bf16", "other");
  std::filesystem::rename(folder_.Path("other"), folder_.Path("run.warpsight"));
  EXPECT_EQ(Changed(api), "true");
  EXPECT_EQ(simdjson::to_string(Kernels(api).json["rows"]), "[[990]]");
  EXPECT_EQ(api.Get("/api/profiles/run/aggregations/default/dashboard").status, 200);

  std::filesystem::remove(folder_.Path("run.warpsight"));
  EXPECT_EQ(Changed(api), "true");
  EXPECT_EQ(simdjson::to_string(Kernels(api).json["rows"]), "[[990]]");
}

TEST_F(ApiSqlFile, WritingToItIsNoticed) {
  ApiClient api({folder_.Path("run.warpsight")});
  api.viewer().profiles().Wait();
  std::ofstream(folder_.Path("run.warpsight"), std::ios::in | std::ios::out | std::ios::ate) << "x";
  EXPECT_EQ(Changed(api), "true");
  const ApiAnswer sql = Kernels(api);
  EXPECT_EQ(sql.status, 409);
  EXPECT_EQ(sql.code(), "changed");
  EXPECT_THAT(sql.body, HasSubstr("run.warpsight"));
  EXPECT_EQ(api.Get("/api/profiles/run/aggregations/default/dashboard").status, 200)
      << "the data in memory stay";
}

}  // namespace
}  // namespace warpsight::testing
