#include <algorithm>

#include "analysis/reporting/enclosing_ranges.h"
#include "analysis/reporting/summary_table.h"

namespace warpsight::reports::nvtx_gpu_proj_sum {
namespace {

// The GPU work launched inside a host range.
struct Projection {
  TimeNs start = 0;
  TimeNs end = 0;
  int64_t operations = 0;

  void Add(const Projection& other) {
    start = operations == 0 ? other.start : std::min(start, other.start);
    end = operations == 0 ? other.end : std::max(end, other.end);
    operations += other.operations;
  }
};

// What a row sums over the instances of a range name, besides the projected times.
struct Totals {
  DurationNs range_time = 0;
  int64_t operations = 0, level = 0, children = 0;
};

// By host range, from the launches inside it. Children hand theirs on to their parents, whose rows
// come before theirs.
std::vector<Projection> Project(const Profile& profile) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  std::vector<Projection> result(profile.trace.tables.host.start.size());
  const std::vector<HostId> innermost = InnermostRanges(profile);
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const ApiId call = profile.facts.gpu.api[g];
    if (!IsSet(call) || !IsSet(innermost[Index(call)])) continue;
    result[Index(innermost[Index(call)])].Add({gpu.start[g], gpu.start[g] + gpu.duration[g], 1});
  }
  for (size_t h = result.size(); h-- > 0;) {
    const HostId parent = profile.facts.host.parent[h];
    if (result[h].operations > 0 && IsSet(parent)) result[Index(parent)].Add(result[h]);
  }
  return result;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const Profile& profile = input.profile;
  const Trace& trace = profile.trace;
  const HostRangesTable& host = trace.tables.host;
  const std::vector<Projection> projections = Project(profile);
  const std::vector<HostId> user = InnermostUserRanges(profile);
  ValueGroups groups;
  std::vector<Totals> totals(trace.strings.size());
  std::vector<int32_t> level(host.start.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (!IsUserRange(host.kind[h]) || projections[h].operations == 0) continue;
    groups.Add(Index(host.name[h]), projections[h].end - projections[h].start);
    Totals& row = totals[Index(host.name[h])];
    row.range_time += host.duration[h];
    row.operations += projections[h].operations;
    // What launched work lies in ranges that launched work: the outer one is a row as well.
    const HostId outer = OuterUserRange(profile, user, MakeId<HostId>(h));
    if (!IsSet(outer)) continue;
    level[h] = level[Index(outer)] + 1;
    row.level += level[h];
    ++totals[Index(host.name[Index(outer)])].children;
  }
  const auto name_of = [&](size_t number) { return trace.Text(MakeId<StringId>(number)); };
  const auto summary =
      groups.Summarise([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? "No GPU work was launched inside an annotation or module."
                            : kWholeTraceNote);
  std::vector<Cell> cells;
  for (const auto& [number, statistics] : summary) {
    const Totals& row = totals[number];
    const auto per_instance = [&](int64_t sum) {
      return static_cast<double>(sum) / static_cast<double>(statistics.count);
    };
    cells.assign({name_of(number), kPushPop, statistics.total, row.range_time, statistics.count});
    AppendSpread(statistics, cells);
    cells.insert(cells.end(), {row.operations, per_instance(row.operations),
                               per_instance(row.level), per_instance(row.children)});
    sink.Row(cells);
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
