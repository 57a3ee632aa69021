#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/report_parts/enclosing_ranges.h"
#include "analysis/report_parts/summary_table.h"
#include "analysis/report_parts/user_ranges.h"

namespace warpsight::reports::nvtx_gpu_proj_sum {
namespace {

// The GPU work launched inside a range.
struct Projection {
  TimeNs start = 0;
  TimeNs end = 0;
  int64_t launches = 0;  // API calls that launched work; a graph launch counts once

  void Add(TimeNs from, TimeNs to, bool first_of_call) {
    start = launches == 0 ? from : std::min(start, from);
    end = launches == 0 ? to : std::max(end, to);
    launches += first_of_call ? 1 : 0;
  }
};

// The domain, text and style of a row.
using Key = std::tuple<StringId, StringId, NvtxStyle>;

// The sums of a row over the instances of a range name, in addition to the projected times.
struct Totals {
  DurationNs range_time = 0;
  int64_t launches = 0, level = 0, children = 0;
};

constexpr uint32_t kNoRange = UINT32_MAX;

// By range: the shortest range around it. This may not be the innermost open one, since start/end
// ranges may overlap.
std::vector<uint32_t> ParentsOf(const EnclosingRanges& enclosing) {
  const std::vector<UserRange>& ranges = enclosing.ranges();
  const auto length = [&](size_t range) { return ranges[range].end - ranges[range].start; };
  std::vector<uint32_t> parents(ranges.size(), kNoRange);
  for (size_t i = 0; i < ranges.size(); ++i) {
    enclosing.ForEachAroundRange(i, [&](size_t outer) {
      if (parents[i] == kNoRange || length(outer) < length(parents[i])) {
        parents[i] = static_cast<uint32_t>(outer);
      }
    });
  }
  return parents;
}

int64_t LevelOf(size_t range, const std::vector<uint32_t>& parents) {
  int64_t level = 0;
  // A parent comes before its children.
  for (uint32_t at = parents[range]; at != kNoRange; at = parents[at]) ++level;
  return level;
}

// By range: the work launched while it was open.
std::vector<Projection> Project(ProfileView profile, const EnclosingRanges& ranges, RowSink& sink) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  std::vector<Projection> result(ranges.ranges().size());
  std::vector<bool> seen(profile.trace.tables.api.start.size());
  int64_t outside = 0;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    bool inside = false;
    const ApiId call = profile.facts.gpu.api[g];
    if (IsSet(call)) {
      ranges.ForEachAroundCall(call, [&](size_t range) {
        result[range].Add(gpu.start[g], gpu.start[g] + gpu.duration[g], !seen[Index(call)]);
        inside = true;
      });
      seen[Index(call)] = true;
    }
    if (!inside) ++outside;
  }
  NoteWorkOutsideRanges(outside, static_cast<int64_t>(gpu.start.size()), "GPU activities", sink);
  return result;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const EnclosingRanges enclosing(input.profile);
  const std::vector<UserRange>& ranges = enclosing.ranges();
  const std::vector<Projection> projections = Project(input.profile, enclosing, sink);
  const std::vector<uint32_t> parents = ParentsOf(enclosing);
  KeyNumbers<Key> keys;
  ValueGroups groups;
  std::vector<Totals> totals;
  const auto row_of = [&](const UserRange& range) {
    const size_t row = keys.NumberOf({range.domain, range.text, range.style});
    if (row >= totals.size()) totals.resize(row + 1);
    return row;
  };
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (projections[i].launches == 0) continue;
    const size_t number = row_of(ranges[i]);
    groups.Add(number, projections[i].end - projections[i].start, i);
    totals[number].range_time += ranges[i].end - ranges[i].start;
    totals[number].launches += projections[i].launches;
    totals[number].level += LevelOf(i, parents);
    if (parents[i] != kNoRange) {
      const size_t parent = row_of(ranges[parents[i]]);
      ++totals[parent].children;
    }
  }
  const auto names_of = [&](size_t number) {
    const auto& [domain, text, style] = keys[number];
    return std::tuple(trace.Text(domain), trace.Text(text), style);
  };
  const auto summary =
      groups.Summarize([&](size_t a, size_t b) { return names_of(a) < names_of(b); });
  sink.Note(summary.empty() ? "No GPU work was launched inside an annotation or module."
                            : kWholeTraceNote);
  std::vector<Cell> cells;
  for (const auto& [number, statistics, longest] : summary) {
    const auto& [domain, text, style] = keys[number];
    const Totals& row = totals[number];
    const auto per_instance = [count = static_cast<double>(statistics.count)](int64_t sum) {
      return ToOneDecimal(static_cast<double>(sum) / count);
    };
    const std::string name = NameOfRange(trace, domain, text);
    cells.assign({name, ToString(style), statistics.total, row.range_time, statistics.count});
    AppendSpread(statistics, cells);
    cells.insert(cells.end(), {row.launches, per_instance(row.launches), per_instance(row.level),
                               per_instance(row.children)});
    sink.Row(cells);
    sink.Link(PlaceOfRange(ranges[longest]));
  }
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {"nvtx_gpu_proj_sum",
          "NVTX GPU Projection Summary",
          "NVTX ranges, annotations and modules of the whole trace, with the duration of the GPU "
          "work launched in them (Nsight Systems' report)",
          {{"Range", ColumnType::kText,
            "domain:text of a range with GPU work; the default domain is empty"},
           {"Style", ColumnType::kText,
            "PushPop: nested on one thread; StartEnd: may start and end on different threads"},
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
           {"Total GPU Ops", ColumnType::kInteger,
            "API calls inside that started GPU work; a graph launch is one; measured"},
           {"Avg GPU Ops", ColumnType::kReal, "the same per instance; measured"},
           {"Avg Range Lvl", ColumnType::kReal, "ranges around it, mean; measured"},
           {"Avg Num Child", ColumnType::kReal,
            "ranges with GPU work directly inside it, mean; measured"}},
          Compute};
}

}  // namespace warpsight::reports::nvtx_gpu_proj_sum
