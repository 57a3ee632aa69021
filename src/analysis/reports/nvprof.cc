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

std::string Text(const ReportInput& input, const TextStyle& style) {
  constexpr std::string_view kLayout = "{:>16}  {:>7}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}  ";
  constexpr size_t kNameColumn = 16 + 2 + 7 + 5 * (2 + 8) + 2;
  // If the terminal is narrower than the numbers, lines wrap anyway, so names are not shortened.
  const size_t name_width = style.width > static_cast<int>(kNameColumn) + 20
                                ? static_cast<size_t>(style.width) - kNameColumn
                                : SIZE_MAX;
  std::string text =
      fmt::format(fmt::runtime(kLayout), "Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max");
  text += "Name\n";
  for (const Section& section :
       {GpuActivities(input.profile.trace), ApiCalls(input.profile.trace)}) {
    if (section.lines.empty()) text += fmt::format("{}\n", section.nothing);
    size_t printed = 0;
    for (const Line& line : section.lines) {
      if (style.max_rows > 0 && printed == static_cast<size_t>(style.max_rows)) break;
      const Statistics& s = line.statistics;
      text += fmt::format(fmt::runtime(kLayout), printed == 0 ? section.type : "",
                          fmt::format("{:.2f}%", section.Percent(line)), Scaled(s.total), s.count,
                          Scaled(WholeAverage(s)), Scaled(s.min), Scaled(s.max));
      text += Shorten(Printable(line.name), name_width) + "\n";
      ++printed;
    }
    if (printed < section.lines.size()) {
      text += fmt::format("{:>{}}… and {} more rows (use --format csv for all)\n", "", kNameColumn,
                          FormatCount(static_cast<int64_t>(section.lines.size() - printed)));
    }
  }
  return text;
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
