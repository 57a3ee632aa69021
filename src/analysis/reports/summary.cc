#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/reporting/report.h"
#include "analysis/reporting/system_info.h"
#include "analysis/text/format.h"
#include "analysis/text/wrap_text.h"
#include "analysis/whatif/replay.h"
#include "base/printable.h"
#include "model/hash_map.h"

namespace warpsight::reports::summary {
namespace {

// One figure. The unit determines how it is printed: ns as a duration, % as a share.
struct Line {
  std::string_view section;
  std::string name;
  std::variant<std::monostate, int64_t, double, std::string> value;
  std::string_view unit;
};

constexpr std::string_view kSystem = "System Configuration";
constexpr std::string_view kTime = "Time";
constexpr std::string_view kBreakdown = "Resource Breakdown";
constexpr std::string_view kBreakdownTime = "Resource Breakdown, All GPUs";
constexpr std::string_view kHost = "Launching Threads";
constexpr std::string_view kHostTime = "Launching Threads, All Processes";
constexpr std::string_view kPath = "Critical Path Per Step";
constexpr std::string_view kIterations = "Iterations";
constexpr std::string_view kOps = "All Ops";
constexpr std::string_view kKernels = "All Kernels";

constexpr std::string_view kNs = "ns";
constexpr std::string_view kPercent = "%";

double Percent(DurationNs part, DurationNs whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void AddSystem(const ReportInput& input, std::vector<Line>& lines) {
  for (auto& [name, value] : DescribeSystem(input.profile)) {
    lines.push_back({kSystem, std::move(name), std::move(value), ""});
  }
}

void AddTime(const RangeSummary& range, const KernelTotals& kernels, std::vector<Line>& lines) {
  Line wall{kTime, "Wall Clock Time", {}, kNs};
  if (range.wall > 0) wall.value = range.wall;
  lines.push_back(wall);
  Line efficiency{kTime, "Tensor Core Kernel Efficiency", {}, kPercent};
  if (kernels.Efficiency() >= 0) efficiency.value = 100 * kernels.Efficiency();
  lines.push_back(efficiency);
  Line utilization{kTime, "GPU Utilization", {}, kPercent};
  Line with_copies{kTime, "GPU Utilization With Copies", {}, kPercent};
  if (kernels.all.count > 0 && range.capacity > 0) {
    utilization.value = 100 * range.gpu_utilization;
    with_copies.value = 100 * range.gpu_utilization_all;
  }
  lines.push_back(utilization);
  lines.push_back(with_copies);
  Line idle{kTime, "GPU Idle", {}, kPercent};
  if (!range.gpus.empty()) idle.value = Percent(range.idle, range.capacity);
  lines.push_back(idle);
  lines.push_back({kTime, "Verdict", std::string(ToString(range.verdict)), ""});
  lines.push_back({kTime, "Reason", range.verdict_reason, ""});
}

void AddShares(const RangeSummary& range, std::vector<Line>& lines) {
  if (range.capacity > 0) {
    for (const LedgerEntry entry : range.View()) {
      lines.push_back({kBreakdown, std::string(ToString(entry)),
                       Percent(range.Of(entry), range.capacity), kPercent});
    }
  }
}

// What the launching threads did. Without GPUs, the breakdown already contains it.
void AddHostShares(const RangeSummary& range, std::vector<Line>& lines) {
  if (range.gpus.empty() || range.host_capacity == 0) return;
  for (const LedgerEntry entry : kHostEntries) {
    lines.push_back({kHost, std::string(ToString(entry)),
                     Percent(range.Of(entry), range.host_capacity), kPercent});
  }
}

// The critical path as replayed at import. `whatif` computes it for changed steps.
void AddCriticalPath(ProfileView profile, std::vector<Line>& lines) {
  const CriticalPathTable& path = profile.facts.critical_path;
  for (size_t i = 0; i < path.part.size(); ++i) {
    lines.push_back({kPath, std::string(ToString(path.part[i])), path.time[i], kNs});
  }
}

void AddIterations(const RangeSummary& range, std::vector<Line>& lines) {
  lines.push_back({kIterations, "Total Iterations", range.total, ""});
  lines.push_back({kIterations, "Aggregated Iterations", range.iterations(), ""});
  lines.push_back({kIterations, "Start Iteration", range.first, ""});
  lines.push_back({kIterations, "Stop Iteration", range.last, ""});
  Line average{kIterations, "Average Iteration Time", {}, kNs};
  if (range.wall > 0) average.value = range.average_iteration;
  lines.push_back(average);
  Line deviation{kIterations, "Iteration Time Standard Deviation", {}, kNs};
  if (range.iteration_deviation != kMissing) deviation.value = range.iteration_deviation;
  lines.push_back(deviation);
  lines.push_back({kIterations, "Found By", std::string(ToString(range.source)), ""});
  lines.push_back({kIterations, "Explanation", range.explanation, ""});
}

// A row of the tables of ops and of kernels; unknown values are missing.
struct Part {
  std::string_view name;
  std::optional<DurationNs> gpu;
  std::optional<DurationNs> cpu;
  std::optional<int64_t> count;  // ops, or kernels with distinct short names
  std::optional<int64_t> runs = {};
};

// Without recorded GPU work, nothing is known about GPUs, not even that they were idle.
std::optional<int64_t> OfGpus(const ReportInput& input, int64_t figure) {
  if (input.profile.trace.tables.gpu.start.empty()) return {};
  return figure;
}

std::vector<Part> OpParts(const ReportInput& input, const OpTotals& ops) {
  const auto part = [&](std::string_view name, const OpTotals::Part& of) {
    return Part{name, OfGpus(input, of.gpu), of.cpu, of.count};
  };
  return {part("All ops", ops.all), part("Ops using TC", ops.using_tensor_cores),
          part("Ops eligible for TC but not using", ops.eligible_only),
          part("Ops eligible for TC, not known", ops.eligible_unknown),
          part("All other ops", ops.other)};
}

// The number of distinct short names of the kernels for which `counts` is true.
template <typename Counts>
int64_t CountNames(const ReportInput& input, const std::vector<KernelUse>& uses, Counts counts) {
  HashSet<std::string_view> names;
  for (const KernelUse& use : uses) {
    if (counts(use)) names.insert(ShortName(input.profile, use));
  }
  return static_cast<int64_t>(names.size());
}

std::vector<Part> KernelParts(const ReportInput& input, const std::vector<KernelUse>& uses,
                              const KernelTotals& kernels) {
  const auto is_kernel = [](const KernelUse& use) { return use.kind == GpuKind::kKernel; };
  const auto on_tensor_cores = [&](const KernelUse& use) {
    return is_kernel(use) && use.tensor_cores == TensorCores::kYes;
  };
  const auto part = [&](std::string_view name, const KernelTotals::Part& of, auto counts) {
    return Part{name, OfGpus(input, of.gpu), OfGpus(input, of.api),
                OfGpus(input, CountNames(input, uses, counts)), OfGpus(input, of.count)};
  };
  return {part("All kernels", kernels.all, [](const KernelUse&) { return true; }),
          part("Kernels using TC", kernels.tensor_cores, on_tensor_cores),
          part("Memory", kernels.memory, [&](const KernelUse& use) { return !is_kernel(use); }),
          part("All other kernels", kernels.other,
               [&](const KernelUse& use) { return is_kernel(use) && !on_tensor_cores(use); })};
}

void AddParts(std::string_view section, std::string_view count, const std::vector<Part>& parts,
              std::vector<Line>& lines) {
  const auto add = [&](const Part& part, std::string_view what, std::optional<int64_t> value,
                       std::string_view unit) {
    Line line{section, fmt::format("{}: {}", part.name, what), {}, unit};
    if (value) line.value = *value;
    lines.push_back(line);
  };
  const bool runs = section == kKernels;
  for (const Part& part : parts) {
    add(part, "GPU Time", part.gpu, kNs);
    add(part, "CPU Time", part.cpu, kNs);
    add(part, count, part.count, "");
    if (runs) add(part, "Runs", part.runs, "");
  }
}

struct Summary {
  std::vector<Line> lines;
  std::vector<Part> ops;
  std::vector<Part> kernels;
};

Summary Summarize(const ReportInput& input) {
  const auto ops = OpTableOf(input);
  const OpTable& table = *ops;
  const auto uses = KernelUsesOf(input, table);
  const KernelTotals kernels = SumKernels(input.profile.facts);
  Summary summary;
  AddSystem(input, summary.lines);
  AddTime(input.range, kernels, summary.lines);
  AddShares(input.range, summary.lines);
  AddHostShares(input.range, summary.lines);
  AddCriticalPath(input.profile, summary.lines);
  AddIterations(input.range, summary.lines);
  summary.ops = OpParts(input, SumOps(table));
  summary.kernels = KernelParts(input, *uses, kernels);
  return summary;
}

void Compute(const ReportInput& input, RowSink& sink) {
  Summary summary = Summarize(input);
  for (const LedgerEntry entry : input.range.View()) {
    summary.lines.push_back(
        {kBreakdownTime, std::string(ToString(entry)), input.range.Of(entry), kNs});
  }
  if (!input.range.gpus.empty()) {
    for (const LedgerEntry entry : kHostEntries) {
      summary.lines.push_back(
          {kHostTime, std::string(ToString(entry)), input.range.Of(entry), kNs});
    }
  }
  AddParts(kOps, "# Ops", summary.ops, summary.lines);
  AddParts(kKernels, "# Kernels", summary.kernels, summary.lines);
  for (const Line& line : summary.lines) {
    Cell value;
    if (const auto* text = std::get_if<std::string>(&line.value)) value = std::string_view(*text);
    if (const auto* integer = std::get_if<int64_t>(&line.value)) value = *integer;
    if (const auto* real = std::get_if<double>(&line.value)) value = *real;
    const Cell cells[] = {Cell(line.section), Cell(line.name), value, Cell(line.unit)};
    sink.Row(cells);
  }
}

std::string ForPeople(const Line& line) {
  if (const auto* text = std::get_if<std::string>(&line.value)) return Printable(*text);
  if (const auto* real = std::get_if<double>(&line.value)) return FormatShare(*real, 100);
  if (const auto* integer = std::get_if<int64_t>(&line.value)) {
    return line.unit == kNs ? FormatDuration(static_cast<double>(*integer)) : FormatCount(*integer);
  }
  return "not available";
}

std::string Heading(std::string_view text, const TextStyle& style) {
  return style.color ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

// The columns of the tables of ops and kernels.
struct PartColumns {
  size_t name = 36, number = 12, runs = 10;

  // Narrow terminals have less room for each.
  explicit PartColumns(const TextStyle& style) {
    const auto width = static_cast<size_t>(style.width);
    if (width >= name + 3 * number + runs) return;
    number = 10;
    runs = 8;
    name = std::min(name, width - 3 * number - runs);
  }
};

void AppendTable(std::string_view title, std::string_view count, const std::vector<Part>& parts,
                 const TextStyle& style, std::string& text) {
  const bool runs = title == kKernels;
  const PartColumns columns(style);
  text += fmt::format(
      "\n{}\n", Heading(fmt::format("{:<{}}{:>{}}{:>{}}{:>{}}{:>{}}", title, columns.name,
                                    "GPU Time", columns.number, "CPU Time", columns.number, count,
                                    columns.number, runs ? "Runs" : "", runs ? columns.runs : 0),
                        style));
  const auto time = [](std::optional<DurationNs> ns) {
    return ns ? FormatDuration(static_cast<double>(*ns)) : "-";
  };
  const auto number = [](std::optional<int64_t> value) {
    return value ? FormatCount(*value) : "-";
  };
  for (const Part& part : parts) {
    // µ is two bytes, but fmt pads by display width.
    const std::vector<std::string> name = WrapText(part.name, columns.name - 3);
    text += fmt::format("  {:<{}}{:>{}}{:>{}}{:>{}}", name.front(), columns.name - 2,
                        time(part.gpu), columns.number, time(part.cpu), columns.number,
                        number(part.count), columns.number);
    if (runs) text += fmt::format("{:>{}}", number(part.runs), columns.runs);
    text += '\n';
    for (size_t i = 1; i < name.size(); ++i) text += fmt::format("    {}\n", name[i]);
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  constexpr size_t kValueColumn = 32;
  const auto width = static_cast<size_t>(style.width);
  const Summary summary = Summarize(input);
  std::string text;
  std::string_view section;
  for (const Line& line : summary.lines) {
    if (line.section != section) {
      text += fmt::format("{}{}\n", section.empty() ? "" : "\n", Heading(line.section, style));
      section = line.section;
    }
    text += HangingText("  " + line.name, kValueColumn, ForPeople(line), width);
  }
  AppendTable(kOps, "# Ops", summary.ops, style, text);
  AppendTable(kKernels, "# Kernels", summary.kernels, style, text);
  return text;
}

}  // namespace

Report Define() {
  return {"summary",
          "Summary",
          "the system, the iterations, where the time goes, Tensor Core use (DLProf's summary)",
          {{"Section", ColumnType::kText, "part of the summary"},
           {"Name", ColumnType::kText, "what the value is"},
           {"Value", ColumnType::kText, "value; empty when not available"},
           {"Unit", ColumnType::kText, "unit of the value"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::summary
