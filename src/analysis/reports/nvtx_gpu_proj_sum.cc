#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/reporting/enclosing_ranges.h"
#include "analysis/reporting/summary_table.h"

namespace warpsight::reports::nvtx_gpu_proj_sum {
namespace {

// The GPU work launched inside a host range.
struct Projection {
  TimeNs start = 0;
  TimeNs end = 0;
  int64_t operations = 0;

  void Add(TimeNs from, TimeNs to) {
    start = operations == 0 ? from : std::min(start, from);
    end = operations == 0 ? to : std::max(end, to);
    ++operations;
  }
};

// What a row sums over the instances of a range name, besides the projected times.
struct Totals {
  DurationNs range_time = 0;
  int64_t operations = 0, level = 0, children = 0;
};

// By host range: the work launched while it was open.
std::vector<Projection> Project(ProfileView profile, const EnclosingRanges& ranges, RowSink& sink) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  std::vector<Projection> result(profile.trace.tables.host.start.size());
  int64_t outside = 0;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    bool inside = false;
    const auto add = [&](HostId range) {
      result[Index(range)].Add(gpu.start[g], gpu.start[g] + gpu.duration[g]);
      inside = true;
    };
    const ApiId call = profile.facts.gpu.api[g];
    if (IsSet(call)) ranges.ForEachAroundCall(call, add);
    if (!inside) ++outside;
  }
  NoteWorkOutsideRanges(outside, static_cast<int64_t>(gpu.start.size()), "GPU activities", sink);
  return result;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const HostRangesTable& host = trace.tables.host;
  const EnclosingRanges ranges(input.profile);
  const std::vector<Projection> projections = Project(input.profile, ranges, sink);
  ValueGroups groups;
  std::vector<Totals> totals(trace.strings.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (projections[h].operations == 0) continue;
    groups.Add(Index(host.name[h]), projections[h].end - projections[h].start, h);
    Totals& row = totals[Index(host.name[h])];
    row.range_time += host.duration[h];
    row.operations += projections[h].operations;
    bool direct = true;
    ranges.ForEachAroundRange(MakeId<HostId>(h), [&](HostId outer) {
      ++row.level;
      if (direct) ++totals[Index(host.name[Index(outer)])].children;
      direct = false;
    });
  }
  const auto name_of = [&](size_t number) { return trace.Text(MakeId<StringId>(number)); };
  const auto summary =
      groups.Summarise([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? "No GPU work was launched inside an annotation or module."
                            : kWholeTraceNote);
  std::vector<Cell> cells;
  for (const auto& [number, statistics, longest] : summary) {
    const Totals& row = totals[number];
    const auto per_instance = [count = static_cast<double>(statistics.count)](int64_t sum) {
      return static_cast<double>(sum) / count;
    };
    cells.assign({name_of(number), kPushPop, statistics.total, row.range_time, statistics.count});
    AppendSpread(statistics, cells);
    cells.insert(cells.end(), {row.operations, per_instance(row.operations),
                               per_instance(row.level), per_instance(row.children)});
    sink.Row(cells);
    sink.Link(RowLink::To(MakeId<HostId>(longest)));
  }
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {"nvtx_gpu_proj_sum",
          "NVTX GPU Projection Summary",
          "annotations and modules of the whole trace, as long as the GPU work launched in them "
          "(Nsight Systems' report)",
          {{"Range", ColumnType::kText, "annotation or module with GPU work"},
           {"Style", ColumnType::kText, "PushPop: nested on a thread"},
           {"Total Proj Time (ns)", kNs,
            "sum over instances of: start of the first GPU work launched inside to the end of the "
            "last; derived"},
           {"Total Range Time (ns)", kNs, "sum of the ranges' own durations; measured"},
           {"Range Instances", ColumnType::kInteger, "instances with GPU work; measured"},
           {"Proj Avg (ns)", kNs, "mean projected time; derived"},
           {"Proj Med (ns)", kNs, "median projected time; derived"},
           {"Proj Min (ns)", kNs, "shortest projected time; derived"},
           {"Proj Max (ns)", kNs, "longest projected time; derived"},
           {"Proj StdDev (ns)", kNs, "standard deviation of the sample; derived"},
           {"Total GPU Ops", ColumnType::kInteger, "kernels, copies and memsets inside; measured"},
           {"Avg GPU Ops", ColumnType::kReal, "the same per instance; measured"},
           {"Avg Range Lvl", ColumnType::kReal, "ranges around it, mean; measured"},
           {"Avg Num Child", ColumnType::kReal,
            "ranges with GPU work directly inside it, mean; measured"}},
          Compute};
}

}  // namespace warpsight::reports::nvtx_gpu_proj_sum
