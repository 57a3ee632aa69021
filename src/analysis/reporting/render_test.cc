#include "analysis/reporting/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "analysis/text/display_width.h"

namespace warpsight {
namespace {

Report ExampleReport(void (*compute)(const ReportInput&, RowSink&)) {
  return {
      .id = "example",
      .title = "Example",
      .description = "For tests.",
      .columns = {{"Time (%)", ColumnType::kPercent, "share"},
                  {"Total Time (ns)", ColumnType::kDurationNs, "sum"},
                  {"Avg (ns)", ColumnType::kDurationNs, "mean"},
                  {"Size (MB)", ColumnType::kReal, "size"},
                  {"Good", ColumnType::kYesNo, "verdict"},
                  {"Name", ColumnType::kText, "the \"name\""}},
      .compute = compute,
  };
}

void TwoRows(const ReportInput&, RowSink& sink) {
  const Cell first[] = {66.66, int64_t{1234567}, 1234.56, 8.388608, int64_t{1}, "f<int>(a, \"b\")"};
  const Cell second[] = {33.34, kMissing, {}, 0.0, int64_t{0}, "a|b*\n"};
  sink.Row(first);
  sink.Note("Only two.");
  sink.Row(second);
}

void NoRows(const ReportInput&, RowSink& sink) { sink.Note("No kernels in the trace."); }

void ManyRows(const ReportInput&, RowSink& sink) {
  for (int64_t i = 0; i < 1500; ++i) {
    const std::string name(200, 'x');
    const Cell cells[] = {0.1, i, 1.0, 1.0, int64_t{1}, name};
    sink.Row(cells);
  }
}

void BadUtf8(const ReportInput&, RowSink& sink) {
  const Cell cells[] = {0.1, int64_t{1}, 1.0, 1.0, int64_t{1}, "caf\xC3\xA9 \xFF\x1b[2J"};
  sink.Row(cells);
}

std::string Render(const Report& report, ReportFormat format, const TextStyle& style = {}) {
  const Profile profile;
  const RangeSummary range;
  StringOutput output;
  RenderReport(report, {profile, range}, format, style, output);
  return output.text();
}

size_t WidestLine(std::string_view text) {
  size_t widest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, DisplayWidth(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

TEST(RenderTest, CsvQuotesAndLeavesMissingValuesEmpty) {
  EXPECT_EQ(Render(ExampleReport(TwoRows), ReportFormat::kCsv),
            "Time (%),Total Time (ns),Avg (ns),Size (MB),Good,Name\n"
            "66.7,1234567,1234.6,8.389,yes,\"f<int>(a, \"\"b\"\")\"\n"
            "33.3,,,0.000,no,\"a|b*\n\"\n");
}

TEST(RenderTest, JsonHasColumnsRowsAndNotes) {
  EXPECT_EQ(
      Render(ExampleReport(TwoRows), ReportFormat::kJson),
      "{\n\"report\": \"example\",\n\"title\": \"Example\",\n\"columns\": [\n"
      "{\"name\": \"Time (%)\", \"type\": \"percent\", \"unit\": \"%\", \"doc\": \"share\"},\n"
      "{\"name\": \"Total Time (ns)\", \"type\": \"duration\", \"unit\": \"ns\", \"doc\": "
      "\"sum\"},\n"
      "{\"name\": \"Avg (ns)\", \"type\": \"duration\", \"unit\": \"ns\", \"doc\": \"mean\"},\n"
      "{\"name\": \"Size (MB)\", \"type\": \"real\", \"unit\": \"MB\", \"doc\": \"size\"},\n"
      "{\"name\": \"Good\", \"type\": \"boolean\", \"doc\": \"verdict\"},\n"
      "{\"name\": \"Name\", \"type\": \"text\", \"doc\": \"the \\\"name\\\"\"}\n],\n\"rows\": [\n"
      "{\"Time (%)\": 66.66, \"Total Time (ns)\": 1234567, \"Avg (ns)\": 1234.56, "
      "\"Size (MB)\": 8.388608, \"Good\": true, \"Name\": \"f<int>(a, \\\"b\\\")\"},\n"
      "{\"Time (%)\": 33.34, \"Total Time (ns)\": null, \"Avg (ns)\": null, "
      "\"Size (MB)\": 0, \"Good\": false, \"Name\": \"a|b*\\n\"}\n],\n"
      "\"notes\": [\"Only two.\"]\n}\n");
}

TEST(RenderTest, JsonReplacesInvalidUtf8) {
  const std::string json = Render(ExampleReport(BadUtf8), ReportFormat::kJson);
  EXPECT_NE(json.find("\"caf\xC3\xA9 \xEF\xBF\xBD\\u001b[2J\""), std::string::npos) << json;
}

TEST(RenderTest, MarkdownEscapesItsSyntax) {
  EXPECT_EQ(Render(ExampleReport(TwoRows), ReportFormat::kMarkdown),
            "## Example\n\n"
            "| Time (%) | Total Time (ns) | Avg (ns) | Size (MB) | Good | Name |\n"
            "| ---: | ---: | ---: | ---: | --- | --- |\n"
            "| 66.7 | 1,234,567 | 1,234.6 | 8.389 | yes | f&lt;int&gt;(a, \"b\") |\n"
            "| 33.3 |  |  | 0.000 | no | a\\|b\\*\\\\n |\n"
            "\nOnly two.\n\n");
}

TEST(RenderTest, TextAlignsNumbersRight) {
  EXPECT_EQ(Render(ExampleReport(TwoRows), ReportFormat::kText),
            "Example\n\n"
            "Time (%)  Total Time (ns)  Avg (ns)  Size (MB)  Good  Name\n"
            "--------  ---------------  --------  ---------  ----  --------------\n"
            "    66.7        1,234,567   1,234.6      8.389  yes   f<int>(a, \"b\")\n"
            "    33.3                -         -      0.000  no    a|b*\\n\n"
            "\nOnly two.\n");
}

TEST(RenderTest, TextSaysWhyItIsEmpty) {
  EXPECT_EQ(Render(ExampleReport(NoRows), ReportFormat::kText),
            "Example\n\nNothing to show.\n\nNo kernels in the trace.\n");
}

TEST(RenderTest, TextFitsItsWidthAndItsRows) {
  const Report report = ExampleReport(ManyRows);
  const std::string text = Render(report, ReportFormat::kText, {.width = 90, .max_rows = 3});
  EXPECT_EQ(WidestLine(text), 90u) << text;
  EXPECT_NE(text.find("\n… and 1,497 more rows (use --format csv for all)\n"), std::string::npos);
  const std::string narrow = Render(report, ReportFormat::kText, {.width = 60, .max_rows = 3});
  EXPECT_NE(narrow.find("Too wide for 60 columns: Avg (ns) not shown"), std::string::npos)
      << narrow;
  const std::string all = Render(report, ReportFormat::kText, {.width = 0, .max_rows = 0});
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 1504);
}

void LongKernelName(const ReportInput&, RowSink& sink) {
  const Cell cells[] = {
      0.1, int64_t{1}, 1.0,
      1.0, int64_t{1}, "void at::native::(anonymous namespace)::softmax<4, at::Half>(float)"};
  sink.Row(cells);
}

TEST(RenderTest, TextDropsNamespacesOfNamesThatAreTooLong) {
  const std::string text =
      Render(ExampleReport(LongKernelName), ReportFormat::kText, {.width = 80});
  EXPECT_NE(text.find("  softmax<4, at::Half>(floa…\n"), std::string::npos) << text;
}

TEST(RenderTest, TextEscapesSequencesInItsInput) {
  const std::string text = Render(ExampleReport(BadUtf8), ReportFormat::kText);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const std::string colored = Render(ExampleReport(BadUtf8), ReportFormat::kText, {.color = true});
  EXPECT_EQ(colored.find("\x1b[2J"), std::string::npos);
  EXPECT_NE(colored.find("\x1b[1mExample\x1b[0m"), std::string::npos);
}

TEST(RenderTest, ReportsWithTheirOwnTextUseIt) {
  Report report = ExampleReport(TwoRows);
  report.text = [](const ReportInput&, const TextStyle&) { return std::string("mine\n"); };
  EXPECT_EQ(Render(report, ReportFormat::kText), "mine\n");
  EXPECT_TRUE(Render(report, ReportFormat::kCsv).starts_with("Time (%),"));
}

TEST(RenderTest, FormatNames) {
  EXPECT_EQ(ParseReportFormat("md"), ReportFormat::kMarkdown);
  EXPECT_EQ(ParseReportFormat("xml"), std::nullopt);
  EXPECT_EQ(ReportFileName(ExampleReport(TwoRows), ReportFormat::kText), "example.txt");
}

}  // namespace
}  // namespace warpsight
