#include "importers/capture/range_ops.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "model/hash_map.h"

namespace warpsight::importers::capture {
namespace {

struct Call {
  int64_t thread;
  TimeNs start;
};

bool HasOps(const RowPart& rows) {
  const auto& kinds = rows.part().tables.host.kind;
  return std::find(kinds.begin(), kinds.end(), HostKind::kOp) != kinds.end();
}

// The calls that started GPU work, by thread and time.
std::vector<Call> WorkingCalls(const std::vector<const RowPart*>& parts) {
  HashSet<int64_t> started;
  for (const RowPart* rows : parts) {
    const auto& correlations = rows->part().tables.gpu.correlation;
    started.insert(correlations.begin(), correlations.end());
  }
  std::vector<Call> calls;
  for (const RowPart* rows : parts) {
    const ApiCallsTable& api = rows->part().tables.api;
    for (size_t a = 0; a < api.start.size(); ++a) {
      if (api.correlation[a] == kMissing || !started.contains(api.correlation[a])) continue;
      calls.push_back({rows->TidOf(api.thread[a]), api.start[a]});
    }
  }
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return std::tuple(a.thread, a.start) < std::tuple(b.thread, b.start);
  });
  return calls;
}

struct Range {
  int64_t thread;
  TimeNs start, end;
  size_t row;
  bool starts_work = false;  // itself, outside nested ranges
  bool work_inside = false;  // in a nested range
};

// The annotations on threads, enclosing ones first.
std::vector<Range> Annotations(const RowPart& rows) {
  const HostRangesTable& host = rows.part().tables.host;
  std::vector<Range> ranges;
  for (size_t h = 0; h < host.start.size(); ++h) {
    const int64_t thread = rows.TidOf(host.thread[h]);
    if (host.kind[h] != HostKind::kAnnotation || thread == 0) continue;
    ranges.push_back({thread, host.start[h], host.start[h] + host.duration[h], h});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tuple(a.thread, a.start, b.end, a.row) <
           std::tuple(b.thread, b.start, a.end, b.row);
  });
  return ranges;
}

}  // namespace

void MakeRangesOps(const std::vector<const RowPart*>& parts, RowPart& ranges) {
  if (std::any_of(parts.begin(), parts.end(), [](const RowPart* rows) { return HasOps(*rows); })) {
    return;
  }
  std::vector<Range> annotations = Annotations(ranges);
  const std::vector<Call> calls = WorkingCalls(parts);
  std::vector<Range*> open;
  size_t next = 0;
  for (const Call& call : calls) {
    const auto begun = [&](const Range& range) {
      return std::tuple(range.thread, range.start) <= std::tuple(call.thread, call.start);
    };
    const auto close = [&](int64_t thread, TimeNs time) {
      while (!open.empty() && (open.back()->thread != thread || open.back()->end <= time)) {
        open.pop_back();
      }
    };
    for (; next < annotations.size() && begun(annotations[next]); ++next) {
      close(annotations[next].thread, annotations[next].start);
      open.push_back(&annotations[next]);
    }
    close(call.thread, call.start);
    if (open.empty()) continue;
    open.back()->starts_work = true;
    for (size_t i = 0; i + 1 < open.size(); ++i) open[i]->work_inside = true;
  }
  for (const Range& range : annotations) {
    if (range.starts_work && !range.work_inside) {
      ranges.tables().host.kind[range.row] = HostKind::kOp;
    }
  }
}

}  // namespace warpsight::importers::capture
