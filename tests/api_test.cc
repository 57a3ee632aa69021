// The API's reports are those of the command line, and its tables page, sort and filter as
// docs/api.md says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reporting/report.h"
#include "analysis/screens/render_advice.h"
#include "api_client.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using simdjson::dom::element;

std::string Told(element value) { return simdjson::to_string(value); }

double NumberOf(element value) {
  return value.is_double() ? value.get_double().value()
                           : static_cast<double>(value.get_int64().value());
}

class EveryTrace : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryTrace, ReportsEqualThoseOfTheProgram) {
  const TemporaryFolder folder;
  const std::string file = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", BundledTracePath(GetParam()), "-o", file}).exit_code, 0);
  ASSERT_EQ(RunWarpsight({"report", file, "--report", "all", "--format", "json", "-o",
                          folder.Path("reports")})
                .exit_code,
            0);
  ApiClient api({file});
  api.viewer().profiles().Wait();
  for (const Report& report : AllReports()) {
    SCOPED_TRACE(std::string(report.id));
    simdjson::dom::parser parser;
    element printed;
    ASSERT_EQ(parser.load(folder.Path(fmt::format("reports/{}.json", report.id))).get(printed),
              simdjson::SUCCESS);
    const ApiAnswer answer =
        api.Get(fmt::format("/api/profiles/run/aggregations/default/reports/{}", report.id),
                {{"limit", "all"}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(TextOf(answer.json, "title"), TextOf(printed, "title"));
    EXPECT_EQ(Told(answer.json["notes"]), Told(printed["notes"]));
    const auto rows = answer.json["rows"].get_array().value();
    const auto expected = printed["rows"].get_array().value();
    ASSERT_EQ(rows.size(), expected.size());
    EXPECT_EQ(answer.json["links"].get_array().value().size(), rows.size());
    EXPECT_EQ(IntegerOf(answer.json, "total"), static_cast<int64_t>(rows.size()));
    EXPECT_EQ(IntegerOf(answer.json, "filtered"), static_cast<int64_t>(rows.size()));
    auto printed_row = expected.begin();
    int different = 0;
    for (const element row : rows) {
      size_t column = 0;
      auto cell = row.get_array().value().begin();
      const simdjson::dom::object object = (*printed_row).get_object();
      for (const auto field : object) {
        ASSERT_EQ(field.key, report.columns[column].name);
        // Numbers in a text column come as text, whose digits may differ from simdjson's.
        const bool as_text =
            report.columns[column].type == ColumnType::kText && field.value.is_number();
        const bool same =
            as_text ? std::stod(std::string((*cell).get_string().value())) == NumberOf(field.value)
                    : Told(*cell) == Told(field.value);
        if (!same && ++different < 4) {
          ADD_FAILURE() << field.key << ": " << Told(*cell) << " is printed as "
                        << Told(field.value);
        }
        ++cell;
        ++column;
      }
      ++printed_row;
    }
    EXPECT_EQ(different, 0);
  }
}

TEST_P(EveryTrace, AdviceEqualsThatOfTheProgram) {
  const std::string path = BundledTracePath(GetParam());
  ApiClient api({path});
  api.viewer().profiles().Wait();
  const ApiAnswer advice =
      api.Get(fmt::format("/api/profiles/{}/aggregations/default/advice", GetParam()));
  ASSERT_EQ(advice.status, 200) << advice.body;
  EXPECT_EQ(advice.body, RunWarpsight({"advise", path, "--all", "--format", "json"}).output);
}

INSTANTIATE_TEST_SUITE_P(Traces, EveryTrace, ::testing::ValuesIn(BundledTraces()),
                         [](const auto& info) { return info.param; });

class TablesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    api_ = new ApiClient({BundledTracePath("gpt2_bf16")});
    api_->viewer().profiles().Wait();
  }
  static void TearDownTestSuite() {
    delete api_;
    api_ = nullptr;
  }

  static ApiAnswer Detail(Params params) {
    return api_->Get("/api/profiles/gpt2_bf16/aggregations/default/reports/detail",
                     std::move(params));
  }
  // The cells of one column, as JSON.
  static std::vector<std::string> Column(const ApiAnswer& answer, std::string_view name) {
    size_t index = 0;
    for (const element column : answer.json["columns"].get_array()) {
      if (column["name"].get_string().value() == name) break;
      ++index;
    }
    std::vector<std::string> cells;
    for (const element row : answer.json["rows"].get_array()) {
      cells.push_back(Told(row.at(index).value()));
    }
    return cells;
  }

  static ApiClient* api_;
};

ApiClient* TablesTest::api_ = nullptr;

TEST_F(TablesTest, PagesMakeUpTheWhole) {
  const ApiAnswer all = Detail({{"limit", "all"}});
  const auto ids = Column(all, "Op ID");
  ASSERT_GT(ids.size(), 30u);
  std::vector<std::string> paged;
  for (size_t offset = 0; offset < ids.size(); offset += 10) {
    const ApiAnswer page = Detail({{"offset", std::to_string(offset)}, {"limit", "10"}});
    EXPECT_EQ(IntegerOf(page.json, "offset"), static_cast<int64_t>(offset));
    EXPECT_EQ(IntegerOf(page.json, "total"), static_cast<int64_t>(ids.size()));
    const auto cells = Column(page, "Op ID");
    paged.insert(paged.end(), cells.begin(), cells.end());
  }
  EXPECT_EQ(paged, ids);
  EXPECT_EQ(Column(Detail({}), "Op ID").size(), 25u);
  EXPECT_TRUE(Column(Detail({{"limit", "0"}}), "Op ID").empty());
  EXPECT_TRUE(Column(Detail({{"offset", "9223372036854775807"}}), "Op ID").empty());
}

TEST_F(TablesTest, LinksStayWithTheirRows) {
  const ApiAnswer all = Detail({{"limit", "all"}});
  const ApiAnswer turned = Detail({{"limit", "all"}, {"sort", "No. Calls"}, {"order", "desc"}});
  const auto by_id = [](const ApiAnswer& answer) {
    std::map<std::string, std::string> links;
    const auto ids = Column(answer, "Op ID");
    size_t row = 0;
    for (const element link : answer.json["links"].get_array()) links[ids[row++]] = Told(link);
    return links;
  };
  EXPECT_NE(Column(all, "Op ID"), Column(turned, "Op ID"));
  EXPECT_EQ(by_id(all), by_id(turned));
}

TEST_F(TablesTest, SortsByNumbersAndTexts) {
  const ApiAnswer up = Detail({{"limit", "all"}, {"sort", "No. Calls"}});
  std::vector<int64_t> calls;
  for (const std::string& cell : Column(up, "No. Calls")) calls.push_back(std::stoll(cell));
  EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end()));
  auto names =
      Column(Detail({{"limit", "all"}, {"sort", "Op Name"}, {"order", "desc"}}), "Op Name");
  EXPECT_TRUE(std::is_sorted(names.rbegin(), names.rend()));
}

TEST_F(TablesTest, FiltersCountMatchingRows) {
  const ApiAnswer backward = Detail({{"limit", "all"}, {"f.Direction", "=bprop"}});
  const auto directions = Column(backward, "Direction");
  ASSERT_FALSE(directions.empty());
  EXPECT_EQ(std::count(directions.begin(), directions.end(), "\"bprop\""),
            static_cast<std::ptrdiff_t>(directions.size()));
  EXPECT_EQ(IntegerOf(backward.json, "filtered"), static_cast<int64_t>(directions.size()));
  EXPECT_LT(directions.size(), static_cast<size_t>(IntegerOf(backward.json, "total")));

  for (const std::string& cell :
       Column(Detail({{"limit", "all"}, {"f.No. Calls", "10..100"}}), "No. Calls")) {
    EXPECT_GE(std::stoll(cell), 10);
    EXPECT_LE(std::stoll(cell), 100);
  }
  const auto yes = Detail({{"limit", "all"}, {"f.Using TC", "1"}});
  const auto no = Detail({{"limit", "all"}, {"f.Using TC", "0"}});
  for (const std::string& cell : Column(yes, "Using TC")) EXPECT_EQ(cell, "true");
  EXPECT_EQ(IntegerOf(yes.json, "filtered") + IntegerOf(no.json, "filtered"),
            IntegerOf(yes.json, "total"))
      << "every row of this trace has it";
}

TEST_F(TablesTest, SearchIgnoresCase) {
  const auto lower = Detail({{"limit", "all"}, {"search", "aten::mm"}});
  const auto upper = Detail({{"limit", "all"}, {"search", "ATEN::MM"}});
  EXPECT_GT(IntegerOf(lower.json, "filtered"), 0);
  EXPECT_EQ(lower.body, upper.body);
  EXPECT_EQ(IntegerOf(Detail({{"search", "no such thing 8731"}}).json, "filtered"), 0);
}

TEST_F(TablesTest, ErrorsNameTheInvalidParameter) {
  EXPECT_EQ(Detail({{"sort", "Nonsense"}}).status, 400);
  EXPECT_EQ(Detail({{"sort", "Nonsense"}}).code(), "bad-parameter");
  EXPECT_EQ(Detail({{"f.Nonsense", "1"}}).status, 400);
  EXPECT_EQ(Detail({{"f.No. Calls", "many"}}).status, 400);
  EXPECT_EQ(Detail({{"order", "sideways"}}).status, 400);
  EXPECT_EQ(Detail({{"limit", "-1"}}).status, 400);
  EXPECT_EQ(Detail({{"offset", "x"}}).status, 400);
  EXPECT_EQ(Detail({{"search", std::string(2000, 'x')}}).status, 400);
}

TEST_F(TablesTest, UnknownPaths) {
  const std::map<std::string, std::pair<int, std::string>> expected = {
      {"/api", {404, "unknown-address"}},
      {"/api/nonsense", {404, "unknown-address"}},
      {"/api/reports/detail", {404, "unknown-address"}},
      {"/api/profiles/nobody", {404, "unknown-profile"}},
      {"/api/profiles/..%2f..%2fetc%2fpasswd", {404, "unknown-profile"}},
      {"/api/profiles/gpt2_bf16/nonsense", {404, "unknown-address"}},
      {"/api/profiles/gpt2_bf16/aggregations/7-9", {404, "unknown-aggregation"}},
      {"/api/profiles/gpt2_bf16/aggregations/default/nonsense", {404, "unknown-address"}},
      {"/api/profiles/gpt2_bf16/aggregations/default/dashboard/x", {404, "unknown-address"}},
      {"/api/profiles/gpt2_bf16/aggregations/default/reports", {404, "unknown-address"}},
      {"/api/profiles/gpt2_bf16/aggregations/default/reports/nope", {404, "unknown-report"}},
      {"/api/profiles/gpt2_bf16/aggregations/default/timeline/nope", {404, "unknown-address"}},
      {"/api/profiles/gpt2_bf16/sql", {405, "wrong-method"}},
  };
  for (const auto& [path, failure] : expected) {
    const ApiAnswer answer = api_->Get(path);
    EXPECT_EQ(answer.status, failure.first) << path;
    EXPECT_EQ(answer.code(), failure.second) << path;
  }
  EXPECT_EQ(api_->Ask("DELETE", "/api/profiles").status, 405);
  EXPECT_EQ(api_->Ask("POST", "/api/profiles/gpt2_bf16/key-ops").status, 405);
  EXPECT_EQ(api_->Ask("POST", "/api/profiles/gpt2_bf16/aggregations/default/dashboard").status,
            405);
}

TEST_F(TablesTest, TimelineErrorsNameTheInvalidParameter) {
  const std::string base = "/api/profiles/gpt2_bf16/aggregations/default/timeline";
  EXPECT_EQ(api_->Get(base + "/tiles/0/0").status, 200);
  EXPECT_EQ(api_->Get(base + "/tiles/0/0").response.type, "application/octet-stream");
  for (const char* place :
       {"/tiles/0/1", "/tiles/-1/0", "/tiles/x/0", "/tiles/0/-1", "/tiles/99/0",
        "/tiles/0/99999999999999999999", "/events/nope", "/events/gpu:999999999", "/events/gpu:-1",
        "/events/%00", "/selection"}) {
    const ApiAnswer answer = api_->Get(base + place);
    EXPECT_GE(answer.status, 400) << place;
    EXPECT_LT(answer.status, 500) << place;
  }
  EXPECT_EQ(api_->Get(base + "/tiles/0/0", {{"lanes", "0,x"}}).status, 400);
  EXPECT_EQ(api_->Get(base + "/tiles/0/0", {{"lanes", "-1"}}).status, 400);
  EXPECT_EQ(api_->Get(base + "/selection", {{"start", "5"}, {"end", "4"}}).status, 400);
  EXPECT_EQ(api_->Get(base + "/search", {{"q", "mm"}, {"after", "x"}}).status, 400);
}

TEST_F(TablesTest, KeyOpsAreCountedAndSearched) {
  const std::string path = "/api/profiles/gpt2_bf16/key-ops";
  const ApiAnswer all = api_->Get(path);
  int64_t before = INT64_MAX;
  for (const element op : all.json["ops"].get_array()) {
    EXPECT_LE(IntegerOf(op, "calls"), before);
    before = IntegerOf(op, "calls");
  }
  const ApiAnswer linear = api_->Get(path, {{"search", "LINEAR"}, {"limit", "1"}});
  EXPECT_EQ(linear.json["ops"].get_array().value().size(), 1u);
  EXPECT_GE(IntegerOf(linear.json, "total"), 1);
  EXPECT_EQ(api_->Get(path, {{"limit", "x"}}).status, 400);
}

TEST_F(TablesTest, ReportsAreListedLikeThoseOfTheProgram) {
  const ApiAnswer list = api_->Get("/api/reports");
  const std::string printed = "\n" + RunWarpsight({"report", "--list"}).output;
  size_t count = 0;
  for (const element report : list.json["reports"].get_array()) {
    ++count;
    EXPECT_NE(printed.find("\n" + TextOf(report, "id") + " "), std::string::npos);
  }
  EXPECT_EQ(count, AllReports().size());
}

TEST_F(TablesTest, DescribesTheProfile) {
  const ApiAnswer profile = api_->Get("/api/profiles/gpt2_bf16");
  ASSERT_EQ(profile.status, 200);
  EXPECT_EQ(TextOf(profile.json, "format"), "chrome");
  EXPECT_EQ(IntegerOf(profile.json, "gpus"), 1);
  EXPECT_TRUE(profile.json["sql"].get_bool().value());
  EXPECT_EQ(TextOf(profile.json, "stamp").size(), 8u);
}

TEST_F(TablesTest, FilesOfTheApplication) {
  const ApiAnswer index = api_->Get("/");
  EXPECT_EQ(index.status, 200);
  EXPECT_TRUE(index.response.type.starts_with("text/html"));
  EXPECT_EQ(index.response.keep, server::Keep::kRevalidate);
  EXPECT_FALSE(index.response.gzip_body.empty());
  EXPECT_EQ(api_->Get("/offline.html").status, 404) << "part of exports, not a page";
  EXPECT_EQ(api_->Get("/assets/nope.js").status, 404);
  EXPECT_EQ(api_->Ask("POST", "/").status, 405);
}

}  // namespace
}  // namespace warpsight::testing
