#include "analysis/accounting/range_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "analysis/iterations/gpu_windows.h"
#include "analysis/text/format.h"
#include "base/statistics.h"

namespace warpsight {

std::string_view ToString(IterationSource source) {
  switch (source) {
    case IterationSource::kMarkers:
      return "markers";
    case IterationSource::kKeyOp:
      return "key-op";
    case IterationSource::kOptimizer:
      return "optimizer";
    case IterationSource::kDataLoader:
      return "data-loader";
    case IterationSource::kKernelPeriod:
      return "kernel-period";
    case IterationSource::kRepeatedCalls:
      return "repeated-calls";
    case IterationSource::kNone:
      break;
  }
  return "none";
}

std::string_view ToString(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return "fprop";
    case Direction::kBackward:
      return "bprop";
    case Direction::kOptimizer:
      return "optimizer";
    case Direction::kDataLoading:
      break;
  }
  return "data loading";
}

std::span<const LedgerEntry> GpuTime::View() const {
  if (gpus.empty()) return kHostEntries;
  return kGpuEntries;
}

double GpuTime::Share(DurationNs time) const {
  return capacity == 0 ? 0 : static_cast<double>(time) / static_cast<double>(capacity);
}

void GpuTime::AddGpu(DeviceId device, Interval window, const EntryTimes& times,
                     DurationNs unrecorded) {
  const auto of = [&](LedgerEntry entry) { return times[static_cast<size_t>(entry)]; };
  if (gpus.empty()) capacity = 0;  // it was the processes' time, which is no longer shown
  for (size_t i = 0; i < times.size(); ++i) entries[i] += times[i];
  GpuUse use{device, window};
  use.kernel_busy = of(LedgerEntry::kTensorCores) + of(LedgerEntry::kOtherKernels) +
                    of(LedgerEntry::kCommunication);
  use.busy = use.kernel_busy + of(LedgerEntry::kCopies);
  gpus.push_back(use);
  capacity += window.end - window.start - unrecorded;
  kernel_busy += use.kernel_busy;
  busy += use.busy;
  idle = capacity - busy;
  overlapped_communication += of(LedgerEntry::kHiddenCommunication);
  communication += of(LedgerEntry::kCommunication) + of(LedgerEntry::kHiddenCommunication);
}

void GpuTime::AddHost(Interval window, const EntryTimes& times) {
  for (size_t i = 0; i < times.size(); ++i) entries[i] += times[i];
  host_capacity += window.end - window.start;
  if (gpus.empty()) capacity += window.end - window.start;
}

int64_t RangeSummary::steps() const {
  const auto used = std::count_if(windows.begin(), windows.end(),
                                  [](const Interval& window) { return window.end > window.start; });
  return iterations() * std::max<int64_t>(1, used);
}

const RankStep& RangeSummary::SlowestRank() const {
  return *std::max_element(ranks.begin(), ranks.end(),
                           [](const RankStep& a, const RankStep& b) { return a.step < b.step; });
}

DurationNs RangeSummary::MedianStep() const {
  std::vector<DurationNs> steps;
  for (const RankStep& rank : ranks) steps.push_back(rank.step);
  return static_cast<DurationNs>(Summarize(steps).median);
}

double RangeSummary::SamplesPerSecond() const {
  if (samples_per_iteration == kMissing || average_iteration <= 0) return kMissingReal;
  return 1e9 * static_cast<double>(samples_per_iteration) / static_cast<double>(average_iteration);
}

Interval RangeSummary::PartOfGap(ProfileView profile, size_t gap) const {
  const GapsTable& gaps = profile.facts.gaps;
  const Interval window = gpu_windows[Index(gaps.device[gap])];
  return {std::max(gaps.start[gap], window.start), std::min(gaps.end[gap], window.end)};
}

namespace {

// Groups with a smaller share are not mentioned. Our choice.
constexpr double kMinGroup = 0.01;
constexpr size_t kMaxGroups = 4;

class Summarizer {
 public:
  explicit Summarizer(ProfileView profile) : trace_(profile.trace), facts_(profile.facts) {}

  RangeSummary Run() {
    const AggregationsTable& a = facts_.aggregations;
    range_.first = a.first.front();
    range_.last = a.last.front();
    range_.source = a.source.front();
    range_.explanation = trace_.Text(a.explanation.front());
    range_.samples_per_iteration = a.batch_size.front();
    ReadIterations();
    ReadLedger();
    Judge();
    return std::move(range_);
  }

 private:
  void ReadIterations() {
    const IterationsTable& t = facts_.iterations;
    range_.windows.assign(RowCount(trace_.tables.sources), Interval{0, 0});
    ReadGpuWindows();
    std::vector<std::vector<DurationNs>> times(range_.windows.size());
    for (size_t i = 0; i < t.start.size(); ++i) {
      range_.total = std::max(range_.total, t.number[i] + 1);
      if (t.number[i] < range_.first || t.number[i] > range_.last) continue;
      const size_t source = Index(t.source[i]);
      Interval& window = range_.windows[source];
      if (window.end == 0) window.start = t.window_start[i];
      window.end = t.window_end[i];
      times[source].push_back(longest_[i] == kMissing
                                  ? WorkedTime(t, i, {t.window_start[i], t.window_end[i]})
                                  : longest_[i]);
      range_.reader_time += t.reader[i];
      range_.synchronizations += t.synchronizations[i];
      ++iterations_;
    }
    for (size_t s = 0; s < times.size(); ++s) {
      if (times[s].empty()) continue;
      const DurationNs wall = WallOf(MakeId<SourceId>(s));
      range_.wall = std::max(range_.wall, wall);
      range_.ranks.push_back({MakeId<SourceId>(s), wall / static_cast<DurationNs>(times[s].size()),
                              Mean(times[s]), Deviation(times[s])});
    }
    if (range_.ranks.empty()) return;
    range_.average_iteration = range_.SlowestRank().step;
    range_.worked_iteration = range_.SlowestRank().worked;
    range_.iteration_deviation = range_.SlowestRank().deviation;
  }

  // The longest window of the source's GPUs; if it has none, its own window.
  DurationNs WallOf(SourceId source) const {
    DurationNs wall = kMissing;
    for (size_t d = 0; d < range_.gpu_windows.size(); ++d) {
      const Interval& window = range_.gpu_windows[d];
      if (window.end == window.start || trace_.tables.devices.source[d] != source) continue;
      wall = std::max(wall, window.end - window.start);
    }
    if (wall != kMissing) return wall;
    const Interval& window = range_.windows[Index(source)];
    return window.end - window.start;
  }

  // Finds the GPUs that worked in the range, or takes all GPUs if none did. Others are not included
  // in any figure.
  void FindGpusInUse() {
    const LedgerTotalsTable& t = facts_.ledger_totals;
    in_use_.assign(RowCount(trace_.tables.devices), false);
    for (size_t i = 0; i < t.entry.size(); ++i) {
      if (IsSet(t.device[i]) && t.entry[i] < LedgerEntry::kIdleData) {
        in_use_[Index(t.device[i])] = true;
      }
    }
    if (std::find(in_use_.begin(), in_use_.end(), true) == in_use_.end()) {
      in_use_.assign(in_use_.size(), true);
    }
  }

  void ReadGpuWindows() {
    FindGpusInUse();
    const GpuWindowsTable& t = facts_.gpu_windows;
    range_.gpu_windows.assign(RowCount(trace_.tables.devices), Interval{0, 0});
    longest_.assign(facts_.iterations.start.size(), kMissing);
    for (size_t i = 0; i < t.start.size(); ++i) {
      const size_t iteration = Index(t.iteration[i]);
      const int64_t number = facts_.iterations.number[iteration];
      if (number < range_.first || number > range_.last) continue;
      if (!in_use_[Index(t.device[i])]) continue;
      Interval& window = range_.gpu_windows[Index(t.device[i])];
      if (number == range_.first) window.start = t.start[i];
      window.end = t.end[i];
      longest_[iteration] = std::max(
          longest_[iteration], WorkedTime(facts_.iterations, iteration, {t.start[i], t.end[i]}));
    }
  }

  static DurationNs Mean(const std::vector<DurationNs>& times) {
    return std::accumulate(times.begin(), times.end(), DurationNs{0}) /
           static_cast<DurationNs>(times.size());
  }

  static DurationNs Deviation(std::vector<DurationNs> times) {
    return times.size() < 2 ? kMissing : std::llround(Summarize(times).deviation);
  }

  void ReadLedger() {
    const LedgerTotalsTable& t = facts_.ledger_totals;
    for (size_t i = 0; i < t.entry.size();) {
      const SourceId source = t.source[i];
      const DeviceId device = t.device[i];
      EntryTimes times{};
      for (; i < t.entry.size() && t.source[i] == source && t.device[i] == device; ++i) {
        times[static_cast<size_t>(t.entry[i])] = t.time[i];
      }
      if (IsSet(device)) {
        if (!in_use_[Index(device)]) continue;
        range_.AddGpu(device, range_.gpu_windows[Index(device)], times);
      } else {
        range_.AddHost(range_.windows[Index(source)], times);
      }
    }
    range_.gpu_utilization = range_.Share(range_.kernel_busy);
    range_.gpu_utilization_all = range_.Share(range_.busy);
    if (range_.gpus.empty()) range_.gpu_utilization = range_.gpu_utilization_all = 0;
  }

  // Chooses the verdict: the largest group of the displayed view.
  void Judge() {
    std::array<DurationNs, kTimeGroupCount> groups{};
    for (const LedgerEntry entry : range_.View()) {
      groups[static_cast<size_t>(GroupOf(entry))] += range_.Of(entry);
    }
    std::vector<std::pair<DurationNs, TimeGroup>> sorted;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i] > 0) sorted.emplace_back(groups[i], static_cast<TimeGroup>(i));
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (sorted.empty()) {
      range_.verdict = range_.gpus.empty() ? TimeGroup::kHostOther : TimeGroup::kIdleUnknown;
      range_.verdict_reason = "the analyzed steps have no length";
      return;
    }
    range_.verdict = sorted.front().second;
    std::string& text = range_.verdict_reason;
    for (size_t i = 0; i < sorted.size() && i < kMaxGroups; ++i) {
      const double share = range_.Share(sorted[i].first);
      if (i > 0 && share < kMinGroup) break;
      text += i == 0 ? fmt::format("{} of the {}", FormatShare(share, 1), TimeWord())
                     : fmt::format(", {} {}", ToString(sorted[i].second), FormatShare(share, 1));
    }
    if (range_.gpus.empty()) text += "; no GPU work was recorded";
    AddSynchronizations(text);
    if (range_.verdict == TimeGroup::kIdleUnknown) text += WhatToRecord();
  }

  std::string_view TimeWord() const {
    if (range_.gpus.empty()) return "time";
    return range_.gpus.size() == 1 ? "GPU's time" : "GPUs' time";
  }

  void AddSynchronizations(std::string& text) const {
    const double each = static_cast<double>(range_.synchronizations) /
                        static_cast<double>(std::max<int64_t>(1, iterations_));
    // A single one at the end of a step is common and cheap.
    if (each >= 2) text += fmt::format("; {:.0f} host synchronizations per iteration", each);
  }

  // Says what to record to find out why a GPU is idle.
  std::string_view WhatToRecord() const {
    const Column<int64_t>& calls = facts_.sources.api_calls;
    if (std::none_of(calls.begin(), calls.end(), [](int64_t count) { return count > 0; })) {
      return "; record API calls and CPU ops to find out why the GPU is idle";
    }
    return "; record stream waits, and from before the first step on, to find out why the GPU is "
           "idle";
  }

  const Trace& trace_;
  const FactTables& facts_;
  RangeSummary range_;
  int64_t iterations_ = 0;  // aggregated iterations of all sources together
  // By iteration: its longest window on a GPU; kMissing if no GPU worked on it.
  std::vector<DurationNs> longest_;
  std::vector<bool> in_use_;  // by device
};

}  // namespace

RangeSummary SummarizeRange(ProfileView profile) { return Summarizer(profile).Run(); }

}  // namespace warpsight
