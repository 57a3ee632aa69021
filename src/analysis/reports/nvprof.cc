#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/report_parts/memory_operations.h"
#include "analysis/report_parts/summary_table.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "base/printable.h"

namespace warpsight::reports::nvprof {
namespace {

struct Line {
  std::string_view name;
  Statistics statistics;
  size_t longest = 0;  // row of the longest instance
};

struct Section {
  std::string_view type;     // with the colon, as printed
  std::string_view nothing;  // the text that nvprof prints if there are no lines
  PlaceOf place;
  std::vector<Line> lines;
  int64_t total = 0;

  double Percent(const Line& line) const {
    if (total == 0) return 0;
    return 100.0 * static_cast<double>(line.statistics.total) / static_cast<double>(total);
  }
};

template <typename NameOf>
void Fill(const ValueGroups& groups, NameOf name_of, Section& section) {
  const auto before = [&](size_t a, size_t b) { return name_of(a) < name_of(b); };
  for (const auto& [number, statistics, longest] : groups.Summarize(before)) {
    section.lines.push_back({name_of(number), statistics, longest});
    section.total += statistics.total;
  }
}

Section GpuActivities(const Trace& trace) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  ValueGroups groups;  // memory operations, then kernels by name
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const size_t group = gpu.kind[g] == GpuKind::kKernel
                             ? kMemoryOperationCount + Index(gpu.name[g])
                             : MemoryOperationOf(gpu, g);
    groups.Add(group, gpu.duration[g], g);
  }
  Section section{"GPU activities:", "No kernels were profiled.", PlaceOfRow<GpuId>, {}};
  const auto name_of = [&](size_t group) {
    return group < kMemoryOperationCount
               ? NameOfMemoryOperation(group).nvprof
               : trace.Text(MakeId<StringId>(group - kMemoryOperationCount));
  };
  Fill(groups, name_of, section);
  return section;
}

Section ApiCalls(const Trace& trace) {
  const ApiCallsTable& api = trace.tables.api;
  ValueGroups groups;
  for (size_t a = 0; a < api.start.size(); ++a) groups.Add(Index(api.name[a]), api.duration[a], a);
  Section section{"API calls:", "No API activities were profiled.", PlaceOfRow<ApiId>, {}};
  Fill(
      groups, [&](size_t group) { return trace.Text(MakeId<StringId>(group)); }, section);
  return section;
}

// nvprof uses integer division.
DurationNs WholeAverage(const Statistics& statistics) {
  return statistics.total / statistics.count;
}

void Compute(const ReportInput& input, RowSink& sink) {
  sink.Note("Covers the whole trace, warm-up included, as nvprof does.");
  for (const Section& section :
       {GpuActivities(input.profile.trace), ApiCalls(input.profile.trace)}) {
    if (section.lines.empty()) sink.Note(section.nothing);
    const std::string_view type = section.type.substr(0, section.type.size() - 1);
    for (const Line& line : section.lines) {
      const Statistics& s = line.statistics;
      const Cell cells[] = {
          type, section.Percent(line), s.total, s.count, WholeAverage(s), s.min, s.max, line.name};
      sink.Row(cells);
      sink.Link(section.place(line.longest));
    }
  }
}

// At most eight characters, as in nvprof: "608ns", "1.2770us", "17.031ms", "1.27759s".
std::string Scaled(DurationNs ns) {
  struct Unit {
    double factor;
    std::string_view name;
  };
  static constexpr Unit kUnits[] = {{1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
  if (ns < 1000) return fmt::format("{}ns", ns);
  std::string text;
  for (const Unit& unit : kUnits) {
    const double value = static_cast<double>(ns) / unit.factor;
    const int digits = unit.name == "s" ? 6 : 5;
    int decimals = digits - 1;
    for (double limit = 10; value >= limit && decimals > 0; limit *= 10) --decimals;
    text = fmt::format("{:.{}f}{}", value, decimals, unit.name);
    if (value < 1000) break;
  }
  return text;
}

// How wide the columns of numbers are together, with two blanks between them.
constexpr size_t kNumbers = 7 + 5 * (2 + 8);

std::string Numbers(std::string_view share, std::string_view time, std::string_view calls,
                    std::string_view average, std::string_view min, std::string_view max) {
  return fmt::format("{:>7}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}", share, time, calls, average, min,
                     max);
}

std::string NumbersOf(const Section& section, const Line& line) {
  const Statistics& s = line.statistics;
  return Numbers(fmt::format("{:.2f}%", section.Percent(line)), Scaled(s.total),
                 fmt::format("{}", s.count), Scaled(WholeAverage(s)), Scaled(s.min), Scaled(s.max));
}

std::string HiddenRows(size_t count, size_t indent) {
  return fmt::format("{:{}}… and {} more rows (use --format csv for all)\n", "", indent,
                     FormatCount(static_cast<int64_t>(count)));
}

size_t PrintedRows(const Section& section, const TextStyle& style) {
  const size_t rows = section.lines.size();
  return style.max_rows > 0 ? std::min(rows, static_cast<size_t>(style.max_rows)) : rows;
}

// As nvprof prints it.
std::string WideText(const std::vector<Section>& sections, const TextStyle& style,
                     size_t type_width, size_t name_width) {
  const auto line = [&](std::string_view type, std::string_view numbers, std::string_view name) {
    return fmt::format("{:>{}}  {}  {}\n", type, type_width, numbers, name);
  };
  std::string text = line("Type", Numbers("Time(%)", "Time", "Calls", "Avg", "Min", "Max"), "Name");
  for (const Section& section : sections) {
    if (section.lines.empty()) text += fmt::format("{}\n", section.nothing);
    const size_t rows = PrintedRows(section, style);
    for (size_t i = 0; i < rows; ++i) {
      text += line(i == 0 ? section.type : "", NumbersOf(section, section.lines[i]),
                   Shorten(Printable(section.lines[i].name), name_width));
    }
    const size_t hidden = section.lines.size() - rows;
    if (hidden > 0) text += HiddenRows(hidden, type_width + 2);
  }
  return text;
}

// For terminals that have no room for names beside the numbers: they are on lines of their own.
std::string NarrowText(const std::vector<Section>& sections, const TextStyle& style) {
  constexpr size_t kIndent = 4;
  std::string text = Numbers("Time(%)", "Time", "Calls", "Avg", "Min", "Max") + '\n' +
                     fmt::format("{:{}}Name\n", "", kIndent);
  for (const Section& section : sections) {
    text += fmt::format("{}\n", section.lines.empty() ? section.nothing : section.type);
    const size_t rows = PrintedRows(section, style);
    for (size_t i = 0; i < rows; ++i) {
      const std::string name = Printable(section.lines[i].name);
      text += fmt::format("{}\n{:{}}{}\n", NumbersOf(section, section.lines[i]), "", kIndent,
                          Shorten(name, static_cast<size_t>(style.width) - kIndent));
    }
    const size_t hidden = section.lines.size() - rows;
    if (hidden > 0) text += HiddenRows(hidden, kIndent);
  }
  return text;
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  constexpr size_t kTypeWidth = 16;
  constexpr size_t kNameColumn = kTypeWidth + 2 + kNumbers + 2;
  constexpr size_t kShortestName = 20;
  const std::vector<Section> sections = {GpuActivities(input.profile.trace),
                                         ApiCalls(input.profile.trace)};
  const auto width = static_cast<size_t>(style.width);
  if (width < kNameColumn + kShortestName) return NarrowText(sections, style);
  return WideText(sections, style, kTypeWidth, width - kNameColumn);
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {"nvprof",
          "GPU activities and API calls",
          "the whole trace in nvprof's layout; nanoseconds in csv and json",
          {{"Type", ColumnType::kText, "GPU activities or API calls"},
           {"Time (%)", ColumnType::kPercent, "share of the type's total time; derived"},
           {"Time (ns)", kNs, "sum of the durations; measured"},
           {"Calls", ColumnType::kInteger, "how many there were in the whole trace; measured"},
           {"Avg (ns)", kNs, "mean duration, rounded down; measured"},
           {"Min (ns)", kNs, "shortest duration; measured"},
           {"Max (ns)", kNs, "longest duration; measured"},
           {"Name", ColumnType::kText, "kernel, copy, memset or function"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::nvprof
