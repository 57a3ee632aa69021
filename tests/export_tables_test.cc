// Exported tables contain the rows and sums of the profile: every column of every table as Parquet,
// every report as CSV and JSON.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "exported_files.h"
#include "import_once.h"
#include "store/database.h"
#include "store/stored_tables.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using store::StoredColumn;
using store::StoredTable;
using store::StoredType;

// Sums of ids and addresses would overflow, so each value is added modulo this.
constexpr int64_t kModulus = 1'000'003;

// A summary of a column: the number of its values, and their sum (of texts: of their lengths).
struct ColumnSum {
  int64_t values = 0;
  double sum = 0;
};

template <typename T>
ColumnSum SumOf(const StoredColumn& column, T missing) {
  ColumnSum result;
  const auto* values = static_cast<const T*>(column.data());
  for (size_t i = 0; i < column.size(); ++i) {
    if (values[i] == missing) continue;
    ++result.values;
    if constexpr (std::is_same_v<T, double>) {
      result.sum += values[i];
    } else {
      result.sum += static_cast<double>(static_cast<int64_t>(values[i]) % kModulus);
    }
  }
  return result;
}

ColumnSum TextSum(const Trace& trace, const StoredColumn& column) {
  ColumnSum result;
  const auto* values = static_cast<const StringId*>(column.data());
  for (size_t i = 0; i < column.size(); ++i) {
    if (values[i] == StringId::kEmpty) continue;
    ++result.values;
    result.sum += static_cast<double>(trace.Text(values[i]).size());
  }
  return result;
}

ColumnSum InModel(const Profile& profile, const StoredColumn& column) {
  switch (column.type) {
    case StoredType::kInteger:
      return SumOf<int64_t>(column, kMissing);
    case StoredType::kReal:
      return SumOf<double>(column, kMissingReal);
    case StoredType::kRow:
      return SumOf<uint32_t>(column, UINT32_MAX);
    case StoredType::kKind:
      return SumOf<uint8_t>(column, UINT8_MAX);
    case StoredType::kText:
      break;
  }
  return TextSum(profile.trace, column);
}

// The Parquet files of an export in a folder.
class ParquetFiles {
 public:
  explicit ParquetFiles(std::string folder) : folder_(std::move(folder)) {
    auto database = store::Database::Open("", {});
    database_ = std::make_unique<store::Database>(std::move(*database));
    auto connection = store::Connection::Open(*database_);
    connection_ = std::make_unique<store::Connection>(std::move(*connection));
  }

  bool Has(std::string_view table) const {
    return std::filesystem::exists(folder_ + "/" + std::string(table));
  }

  double Number(const std::string& what, std::string_view table) const {
    const std::string sql = fmt::format(
        "SELECT ({})::DOUBLE FROM read_parquet('{}/{}/*/*.parquet')", what, folder_, table);
    auto rows = connection_->Query(sql);
    double value = -1;
    if (!rows.ok()) {
      ADD_FAILURE() << sql << ": " << rows.error().message;
      return value;
    }
    const Status status = rows->ForEachChunk([&](const store::Chunk& chunk) {
      if (chunk.rows() > 0) value = static_cast<const double*>(chunk.data(0))[0];
      return Status();
    });
    EXPECT_TRUE(status.ok());
    return value;
  }

  ColumnSum Sum(std::string_view table, const StoredColumn& column) const {
    std::string name = column.name == "rank" ? "recorded_rank" : column.name;
    if (column.type == StoredType::kText && name.ends_with("_id")) name.resize(name.size() - 3);
    std::string value = fmt::format("\"{}\"::BIGINT % {}", name, kModulus);
    if (column.type == StoredType::kText) value = fmt::format("strlen(\"{}\")", name);
    if (column.type == StoredType::kReal) value = fmt::format("\"{}\"", name);
    return {static_cast<int64_t>(Number(fmt::format("count(\"{}\")", name), table)),
            Number(fmt::format("coalesce(sum({}), 0)", value), table)};
  }

 private:
  const std::string folder_;
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<store::Connection> connection_;
};

void ExpectTables(const Profile& profile, const ParquetFiles& files) {
  for (const StoredTable& table : store::ListTables(profile)) {
    EXPECT_EQ(files.Has(table.name), table.rows > 0) << table.name;
    if (table.rows == 0) continue;
    EXPECT_EQ(files.Number("count(*)", table.name), static_cast<double>(table.rows)) << table.name;
    for (const StoredColumn& column : table.columns) {
      const ColumnSum expected = InModel(profile, column);
      const ColumnSum found = files.Sum(table.name, column);
      EXPECT_EQ(found.values, expected.values) << table.name << '.' << column.name;
      EXPECT_NEAR(found.sum, expected.sum, 1e-9 * std::abs(expected.sum))
          << table.name << '.' << column.name;
    }
  }
}

template <typename Table, typename Kind>
ColumnSum DurationsOf(const Table& table, Kind kind) {
  ColumnSum result;
  for (size_t i = 0; i < table.kind.size(); ++i) {
    if (table.kind[i] != kind) continue;
    ++result.values;
    result.sum += static_cast<double>(table.duration[i]);
  }
  return result;
}

void ExpectViews(const Profile& profile, const ParquetFiles& files) {
  const TraceTables& t = profile.trace.tables;
  const std::pair<const char*, ColumnSum> views[] = {
      {"kernels", DurationsOf(t.gpu, GpuKind::kKernel)},
      {"copies", DurationsOf(t.gpu, GpuKind::kCopy)},
      {"memsets", DurationsOf(t.gpu, GpuKind::kMemset)},
      {"ops", DurationsOf(t.host, HostKind::kOp)},
      {"annotations", DurationsOf(t.host, HostKind::kAnnotation)}};
  for (const auto& [view, expected] : views) {
    EXPECT_EQ(files.Number("count(*)", view), static_cast<double>(expected.values)) << view;
    EXPECT_EQ(files.Number("coalesce(sum(duration_ns), 0)", view), expected.sum) << view;
  }
  EXPECT_EQ(files.Number("count(*)", "api"), static_cast<double>(RowCount(t.api)));
}

void ExpectParquet(const std::string& path) {
  SCOPED_TRACE(path);
  const TemporaryFolder folder;
  const Profile profile = ImportForTest({path});
  ExportForTest("parquet", profile, folder.Path("tables"));
  const ParquetFiles files(folder.Path("tables"));
  ExpectTables(profile, files);
  ExpectViews(profile, files);
}

TEST(ExportTables, ParquetContainsEveryColumn) {
  for (const char* name : {"gpt2_bf16_stacks_memory", "resnet50_amp_workers8_nhwc"}) {
    ExpectParquet(BundledTracePath(name));
  }
  ExpectParquet(SourcePath("tests/data/h200/jax_mlp.xplane.pb"));
}

TEST(ExportTables, ParquetContainsEveryRank) {
  const std::string ranks = SharedTraces() + "/param_v100_dlrm_8ranks";
  if (!std::filesystem::exists(ranks)) GTEST_SKIP() << "no " << ranks;
  ExpectParquet(ranks);
}

// The number of rows of a report, and the sum of each numeric column.
struct ReportSums {
  int64_t rows = 0;
  std::map<std::string, ColumnSum> columns;

  void Add(std::string_view column, double value) {
    ColumnSum& sum = columns[std::string(column)];
    ++sum.values;
    sum.sum += value;
  }
};

class SummingSink : public RowSink {
 public:
  explicit SummingSink(const Report& report) : report_(report) {}

  void Row(std::span<const Cell> cells) override {
    ++sums_.rows;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!IsNumeric(report_.columns[i]) || IsMissing(cells[i])) continue;
      const auto* integer = std::get_if<int64_t>(&cells[i]);
      sums_.Add(report_.columns[i].name,
                integer != nullptr ? static_cast<double>(*integer) : std::get<double>(cells[i]));
    }
  }
  void Note(std::string_view /*text*/) override {}

  const ReportSums& sums() const { return sums_; }

 private:
  const Report& report_;
  ReportSums sums_;
};

// Splits a CSV text into records and their fields.
std::vector<std::vector<std::string>> ReadCsv(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  std::string field;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      record.push_back(std::exchange(field, {}));
      if (c == '\n') records.push_back(std::exchange(record, {}));
    } else {
      field += c;
    }
  }
  return records;
}

ReportSums InCsv(const Report& report, const std::string& path) {
  ReportSums sums;
  const auto records = ReadCsv(ReadFile(path));
  for (size_t i = 1; i < records.size(); ++i) {
    ++sums.rows;
    EXPECT_EQ(records[i].size(), report.columns.size()) << path << " row " << i;
    for (size_t k = 0; k < std::min(records[i].size(), report.columns.size()); ++k) {
      const std::string& field = records[i][k];
      if (!IsNumeric(report.columns[k]) || field.empty()) continue;
      double value = 0;
      const auto parsed = std::from_chars(field.data(), field.data() + field.size(), value);
      EXPECT_EQ(parsed.ptr, field.data() + field.size()) << path << ": " << field;
      sums.Add(report.columns[k].name, value);
    }
  }
  return sums;
}

ReportSums InJson(const Report& report, const std::string& path) {
  ReportSums sums;
  simdjson::dom::parser parser;
  simdjson::dom::array rows;
  EXPECT_EQ(parser.load(path)["rows"].get(rows), simdjson::SUCCESS) << path;
  for (const auto& row : rows) {
    ++sums.rows;
    for (const ReportColumn& column : report.columns) {
      double value = 0;
      if (IsNumeric(column) && row[column.name].get(value) == simdjson::SUCCESS) {
        sums.Add(column.name, value);
      }
    }
  }
  return sums;
}

// `rounding` is the largest difference between a written and an exact number.
void ExpectSame(const ReportSums& found, const ReportSums& expected, double rounding) {
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.columns.size(), expected.columns.size());
  for (const auto& [name, sum] : expected.columns) {
    const auto it = found.columns.find(name);
    if (it == found.columns.end()) {
      ADD_FAILURE() << name << " is missing";
      continue;
    }
    EXPECT_EQ(it->second.values, sum.values) << name;
    EXPECT_NEAR(it->second.sum, sum.sum,
                rounding * static_cast<double>(sum.values) + 1e-9 * std::abs(sum.sum))
        << name;
  }
}

TEST(ExportTables, ReportsHaveEqualRowsAndSums) {
  const TemporaryFolder folder;
  // CSV has at least one decimal.
  constexpr double kCsvRounding = 0.05;
  for (const char* trace : {"gpt2_bf16_stacks_memory", "resnet50_amp_workers8_nhwc"}) {
    SCOPED_TRACE(trace);
    const Profile& profile = ImportOnce({BundledTracePath(trace)});
    ExportForTest("csv", profile, folder.Path("csv"));
    ExportForTest("json", profile, folder.Path("json"));
    const RangeSummary range = SummarizeRange(profile);
    for (const Report& report : AllReports()) {
      SCOPED_TRACE(report.id);
      SummingSink expected(report);
      report.compute({profile, range}, expected);
      const auto path = [&](ReportFormat format, const char* name) {
        return folder.Path(name) + "/" + ReportFileName(report, format);
      };
      ExpectSame(InCsv(report, path(ReportFormat::kCsv, "csv")), expected.sums(), kCsvRounding);
      ExpectSame(InJson(report, path(ReportFormat::kJson, "json")), expected.sums(), 0);
    }
  }
}

// Reports about the whole trace add up to its totals.
TEST(ExportTables, KernelsAndCallsAddUpToTheTrace) {
  const TemporaryFolder folder;
  const Profile& profile = ImportOnce({BundledTracePath("gpt2_bf16")});
  ExportForTest("csv", profile, folder.Path("csv"));
  const TraceTables& t = profile.trace.tables;
  ColumnSum calls{static_cast<int64_t>(RowCount(t.api)), 0};
  for (const DurationNs duration : t.api.duration) calls.sum += static_cast<double>(duration);
  const std::tuple<std::string_view, const char*, ColumnSum> reports[] = {
      {"cuda_gpu_kern_sum", "Instances", DurationsOf(t.gpu, GpuKind::kKernel)},
      {"cuda_api_sum", "Num Calls", calls}};
  for (const Report& report : AllReports()) {
    for (const auto& [id, count, expected] : reports) {
      if (report.id != id) continue;
      ReportSums sums = InCsv(report, folder.Path("csv/") + std::string(id) + ".csv");
      EXPECT_EQ(sums.columns["Total Time (ns)"].sum, expected.sum) << id;
      EXPECT_EQ(sums.columns[count].sum, static_cast<double>(expected.values)) << id;
    }
  }
}

}  // namespace
}  // namespace warpsight::testing
