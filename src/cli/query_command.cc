#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/text/csv_text.h"
#include "analysis/text/display_width.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/open_input.h"
#include "cli/terminal/console.h"
#include "cli/terminal/interrupts.h"
#include "cli/terminal/progress_bar.h"
#include "profiles/open_profile.h"
#include "store/held_file.h"
#include "store/profile_file.h"
#include "store/query.h"

namespace warpsight {
namespace {

// Says where a profile of an earlier schema is queried.
class Table : public QuerySink {
 public:
  explicit Table(const std::string& profile) : profile_(profile) {}
  void EarlierSchema(int version) override { Inform(NoticeForQueries(profile_, version)); }

 private:
  const std::string& profile_;
};

// Aligned columns for people; keeps the first rows only, since widths must be known before
// printing.
class TextTable : public Table {
 public:
  using Table::Table;

  void Columns(std::span<const QueryColumn> columns) override {
    columns_.assign(columns.begin(), columns.end());
    for (QueryColumn& column : columns_) {
      column.name = Printable(column.name);
      widths_.push_back(DisplayWidth(column.name));
    }
  }

  bool Row(std::span<const QueryCell> cells) override {
    ++count_;
    if (rows_.size() >= kMostRows) return true;
    auto& row = rows_.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) {
      row.push_back(Shorten(cells[i] ? Printable(*cells[i]) : "NULL", kWidestCell));
      widths_[i] = std::max(widths_[i], DisplayWidth(row.back()));
    }
    return true;
  }

  void Finish() {
    if (columns_.empty()) return;
    std::vector<std::string> header;
    for (const QueryColumn& column : columns_) header.push_back(column.name);
    PrintRow(header);
    size_t width = 2 * (widths_.size() - 1);
    for (const size_t w : widths_) width += w;
    std::string rule;
    for (size_t i = 0; i < width; ++i) rule += "─";
    Print("{}\n", rule);
    for (const auto& row : rows_) PrintRow(row);
    if (count_ > rows_.size()) {
      Print("… and {} more rows (--format csv prints all)\n", count_ - rows_.size());
    }
  }

 private:
  static constexpr size_t kMostRows = 200;
  static constexpr size_t kWidestCell = 80;

  void PrintRow(const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string pad(widths_[i] - DisplayWidth(cells[i]), ' ');
      const bool right = columns_[i].kind == QueryColumn::Kind::kNumber;
      line += right ? pad + cells[i] : cells[i] + pad;
      if (i + 1 < cells.size()) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    Print("{}\n", line);
  }

  std::vector<QueryColumn> columns_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
  size_t count_ = 0;
};

class CsvTable : public Table {
 public:
  using Table::Table;

  void Columns(std::span<const QueryColumn> columns) override {
    std::string line;
    for (const QueryColumn& column : columns) Append(column.name, line);
    PrintData(line + '\n');
  }

  bool Row(std::span<const QueryCell> cells) override {
    std::string line;
    started_ = false;
    for (const QueryCell& cell : cells) Append(cell.value_or(""), line);
    PrintData(line + '\n');
    return true;
  }

 private:
  void Append(std::string_view text, std::string& line) {
    if (started_) line += ',';
    started_ = true;
    AppendCsvField(text, line);
  }

  bool started_ = false;
};

// An array of objects, one per row.
class JsonTable : public Table {
 public:
  using Table::Table;

  void Columns(std::span<const QueryColumn> columns) override {
    columns_.assign(columns.begin(), columns.end());
    Print("[");
  }

  bool Row(std::span<const QueryCell> cells) override {
    std::string line = first_ ? "\n {" : ",\n {";
    first_ = false;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += ", ";
      AppendJsonString(columns_[i].name, line);
      line += ": ";
      AppendJsonValue(columns_[i], cells[i], line);
    }
    PrintData(line + '}');
    return true;
  }

  void Finish() { PrintData(columns_.empty() ? "[]\n" : "\n]\n"); }

 private:
  std::vector<QueryColumn> columns_;
  bool first_ = true;
};

struct Options {
  std::string profile;
  std::string sql;
  std::string format = "text";
};

// The file to query: a saved profile as it is, also one of an earlier schema; a trace is imported
// into a profile without a name.
Result<HeldFile> OpenForQueries(const std::string& path) {
  if (LooksLikeProfile(path)) return HeldFile::Open(path);
  LoadOptions everything;
  everything.skip.clear();
  auto profile = OpenInput({path}, {}, everything);
  if (!profile.ok()) return profile.error();
  Progress progress;
  const ProgressBar bar(progress);
  return SaveWithoutName(*profile, progress);
}

int Run(const Options& options) {
  const auto file = OpenForQueries(options.profile);
  if (!file.ok()) return Fail(file.error().message);
  std::atomic<bool> cancelled = false;
  const OnInterrupt on_interrupt({.ask = [&] { cancelled = true; }, .leave = {}});
  QueryLimits limits;
  limits.cancelled = [&] { return cancelled.load(); };
  Status status;
  if (options.format == "csv") {
    CsvTable table(options.profile);
    status = RunQuery(*file, options.sql, table, limits);
  } else if (options.format == "json") {
    JsonTable table(options.profile);
    status = RunQuery(*file, options.sql, table, limits);
    if (status.ok()) table.Finish();
  } else {
    TextTable table(options.profile);
    status = [&] {
      const PhaseBar bar("querying");
      return RunQuery(*file, options.sql, table, limits);
    }();
    if (status.ok()) table.Finish();
  }
  if (status.ok()) return kExitOk;
  return Fail(cancelled ? "interrupted" : status.error().message);
}

}  // namespace

void AddQueryCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("query", "Query a profile or a trace with SQL");
  command
      .AddOption("PROFILE|TRACE", options->profile,
                 "A saved profile, or a trace or folder, which is imported first; - is standard "
                 "input")
      .Files(InputEndings())
      .Required();
  command.AddOption("SQL", options->sql, "An SQL statement; SHOW TABLES lists all tables")
      .Required();
  command.AddChoice("--format", options->format, {"text", "csv", "json"}, "text, csv or json")
      .Type("FORMAT");
  command.SetFooter(
      "The statement is one of DuckDB's SQL. It cannot change the profile, and runs in a process "
      "of "
      "its own. docs/schema.md describes tables and columns.");
  command.AddExample("warpsight query run.warpsight \"SHOW TABLES\"", "The tables there are");
  command.AddExample(
      "warpsight query run.warpsight \"SELECT short_name, count(*) FROM kernels GROUP BY 1\"",
      "How often each kernel ran");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
