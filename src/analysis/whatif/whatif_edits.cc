#include "analysis/whatif/whatif_edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "analysis/facts/range_names.h"
#include "analysis/text/screen_text.h"

namespace warpsight {
namespace {

// Launching a straight graph takes about 10 us on the CPU. The gaps between kernels of a graph are
// 0.26 and 0.42 us in our two recordings of graphs on an H200.
constexpr DurationNs kGraphLaunch = 10'000;
constexpr DurationNs kGraphGap = 400;
// The number of names that an error suggests, and the length of each.
constexpr size_t kMaxSuggestions = 3;
constexpr size_t kSuggestionWidth = 60;

struct TargetName {
  EditTarget target;
  std::string_view name;    // in an edit
  std::string_view plural;  // in a sentence
};
constexpr std::array<TargetName, 5> kTargets = {{
    {EditTarget::kKernel, "kernel", "kernels"},
    {EditTarget::kCopy, "copy", "copies"},
    {EditTarget::kOp, "op", "ops"},
    {EditTarget::kCpu, "cpu", "ops"},
    {EditTarget::kApi, "api", "CUDA calls"},
}};

std::string_view PluralOf(EditTarget target) {
  return kTargets[static_cast<size_t>(target)].plural;
}

// Parses KIND~REGEX.
Status ParseTarget(std::string_view text, NamedEdit& edit) {
  const size_t tilde = text.find('~');
  const auto known = std::find_if(kTargets.begin(), kTargets.end(), [&](const TargetName& t) {
    return t.name == text.substr(0, tilde);
  });
  if (tilde == text.npos || known == kTargets.end()) {
    return Error{fmt::format("'{}' must begin with kernel~, copy~, op~, cpu~ or api~", edit.text)};
  }
  edit.target = known->target;
  edit.pattern = text.substr(tilde + 1);
  if (edit.pattern.empty()) {
    return Error{fmt::format("'{}' has an empty pattern: '{}~.' matches all {}", edit.text,
                             known->name, known->plural)};
  }
  const RE2 regex(edit.pattern, RE2::Quiet);
  if (!regex.ok()) {
    return Error{
        fmt::format("'{}' is not a valid regular expression: {}", edit.pattern, regex.error())};
  }
  return {};
}

// Whether a name matches; cached by name id, since millions of rows share a few hundred names.
class NameFilter {
 public:
  NameFilter(const Trace& trace, const std::string& pattern)
      : trace_(trace), regex_(pattern, RE2::Quiet), known_(trace.strings.size(), kUnknown) {}

  bool operator()(StringId name) {
    char& answer = known_[Index(name)];
    if (answer == kUnknown) {
      const std::string_view text = trace_.Text(name);
      answer = RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex_) ? kYes : kNo;
    }
    return answer == kYes;
  }

 private:
  static constexpr char kUnknown = 0;
  static constexpr char kNo = 1;
  static constexpr char kYes = 2;
  const Trace& trace_;
  const RE2 regex_;
  std::vector<char> known_;
};

class Editor {
 public:
  Editor(const RangeSummary& range, Scenario& scenario)
      : profile_(scenario.base().profile()),
        trace_(profile_.trace),
        range_(range),
        scenario_(scenario) {}

  Result<EditEffect> Apply(const NamedEdit& edit) {
    effect_ = {edit.text, PluralOf(edit.target), 0, 0};
    NameFilter matches(trace_, edit.pattern);
    ForEachRow(edit.target, [&](size_t row, StringId name, DurationNs time) {
      if (matches(name)) Take(row, time);
    });
    if (rows_.empty()) return NothingMatches(edit);
    switch (edit.target) {
      case EditTarget::kKernel:
      case EditTarget::kCopy:
        ChangeGpuWork(edit);
        break;
      case EditTarget::kOp:
        ChangeOps(edit);
        break;
      case EditTarget::kCpu:
        scenario_.ScaleCpuTime(TimesOf(trace_.tables.host), edit.factor);
        break;
      case EditTarget::kApi:
        scenario_.ScaleCpuTime(TimesOf(trace_.tables.api), edit.factor);
        break;
    }
    return Finish();
  }

  Result<EditEffect> FreeDataLoader() {
    effect_ = {"--free-dataloader", "fetches of a batch", 0, 0};
    RangeNames names(trace_);
    ForEachRow(EditTarget::kOp, [&](size_t row, StringId name, DurationNs time) {
      if (names[name].loader_next) Take(row, time);
    });
    if (rows_.empty()) return Error{"--free-dataloader: the trace contains no DataLoader"};
    scenario_.RemoveCpuTime(TimesOf(trace_.tables.host));
    return Finish();
  }

  Result<EditEffect> NoSyncs() {
    effect_ = {"--no-syncs", "host synchronizations", 0, 0};
    ByName<bool> launches(trace_, IsLaunch);
    const ApiCallsTable& api = trace_.tables.api;
    ForEachCall([&](const CallNode& call) {
      // A launch waits only if the queue is full.
      const size_t a = Index(call.api);
      if (call.wait_for == kNoNode || launches[api.name[a]]) return;
      Take(a, api.duration[a]);
      scenario_.DropWait(call.api);
    });
    for (const StepGraph& graph : scenario_.base().graphs()) {
      for (const CallNode& wait : graph.calls) {
        if (wait.resumed == 0) continue;
        ++effect_.count;
        effect_.time += wait.resumed - wait.measured.end;
      }
    }
    scenario_.DropWaitsWithoutCall();
    if (effect_.count == 0)
      return Error{"--no-syncs: the host never waits for the GPU in the step"};
    return Finish();
  }

  Result<EditEffect> AsyncCopies() {
    effect_ = {"--async-copies", "copies", 0, 0};
    std::vector<GpuId> copies;
    ForEachRow(EditTarget::kCopy, [&](size_t row, StringId, DurationNs time) {
      if (trace_.tables.gpu.kind[row] != GpuKind::kCopy) return;
      Take(row, time);
      copies.push_back(MakeId<GpuId>(row));
      const ApiId call = profile_.facts.gpu.api[row];
      if (IsSet(call)) scenario_.MakeAsynchronous(call);
    });
    if (rows_.empty()) return Error{"--async-copies: the step contains no copies"};
    scenario_.MoveToOwnStream(copies);
    return Finish();
  }

  Result<EditEffect> FreeLaunches() {
    effect_ = {"--free-launches", "CUDA calls", 0, 0};
    std::vector<bool> starts_work(trace_.tables.api.start.size());
    for (const ApiId call : profile_.facts.gpu.api) {
      if (IsSet(call)) starts_work[Index(call)] = true;
    }
    ForEachRow(EditTarget::kApi, [&](size_t row, StringId, DurationNs time) {
      if (starts_work[row]) Take(row, time);
    });
    if (rows_.empty())
      return Error{"--free-launches: the trace contains no call that launches work"};
    for (const size_t row : rows_) scenario_.FreeCall(MakeId<ApiId>(row));
    return Finish();
  }

  Result<EditEffect> CudaGraph() {
    effect_ = {"--cuda-graph", "CUDA calls", 0, 0};
    ForEachCall([&](const CallNode& call) {
      Take(Index(call.api), trace_.tables.api.duration[Index(call.api)]);
    });
    if (rows_.empty()) return Error{"--cuda-graph: the trace contains no CUDA calls"};
    rows_.clear();
    scenario_.DropWaitsWithoutCall();
    // A graph replaces the work of the framework, but not of the data loader.
    scenario_.LaunchAsGraph(kGraphLaunch, kGraphGap, DataLoadingTimes(trace_), {});
    return Finish();
  }

 private:
  void Take(size_t row, DurationNs time) {
    rows_.push_back(row);
    ++effect_.count;
    effect_.time += time;
  }

  EditEffect Finish() {
    rows_.clear();
    return effect_;
  }

  template <typename Visit>
  void ForEachCall(const Visit& visit) const {
    for (const StepGraph& graph : scenario_.base().graphs()) {
      for (const CallNode& call : graph.calls) {
        if (IsSet(call.api)) visit(call);
      }
    }
  }

  // Calls visit(row, name, duration) for everything that a target refers to in the aggregated
  // iterations.
  template <typename Visit>
  void ForEachRow(EditTarget target, const Visit& visit) const {
    const auto each = [&](const auto& table, const auto& facts, const auto& belongs) {
      for (size_t i = 0; i < table.start.size(); ++i) {
        if (!belongs(i) || !range_.Contains(profile_, facts.iteration[i])) continue;
        visit(i, table.name[i], table.duration[i]);
      }
    };
    const TraceTables& t = trace_.tables;
    if (target == EditTarget::kApi) {
      each(t.api, profile_.facts.api, [](size_t) { return true; });
    } else if (target == EditTarget::kKernel || target == EditTarget::kCopy) {
      each(t.gpu, profile_.facts.gpu, [&](size_t i) {
        return (t.gpu.kind[i] == GpuKind::kKernel) == (target == EditTarget::kKernel);
      });
    } else {
      each(t.host, profile_.facts.host, [&](size_t i) {
        return t.host.kind[i] != HostKind::kOverhead && t.host.kind[i] != HostKind::kSpan;
      });
    }
  }

  // The times of rows_ by thread.
  template <typename Table>
  CpuTimes TimesOf(const Table& table) const {
    CpuTimesCollector times(trace_);
    for (const size_t row : rows_) times.AddRow(table, row);
    return times.Take();
  }

  void ChangeGpuWork(const NamedEdit& edit) {
    for (const size_t row : rows_) {
      if (edit.remove) {
        scenario_.Remove(MakeId<GpuId>(row));
      } else {
        scenario_.Scale(MakeId<GpuId>(row), edit.factor);
      }
    }
  }

  // Nested ops count once.
  void ChangeOps(const NamedEdit& edit) {
    const CpuTimes times = TimesOf(trace_.tables.host);
    effect_.time = 0;
    for (const IntervalSet& set : times) effect_.time += set.Length();
    if (edit.remove) {
      std::vector<HostId> ops;
      for (const size_t row : rows_) ops.push_back(MakeId<HostId>(row));
      scenario_.RemoveOps(ops);
      return;
    }
    scenario_.ScaleCpuTime(times, edit.factor);
    const ApiCallsTable& api = trace_.tables.api;
    for (size_t g = 0; g < profile_.facts.gpu.api.size(); ++g) {
      const ApiId call = profile_.facts.gpu.api[g];
      if (!IsSet(call)) continue;
      const IntervalSet& set = times[Index(api.thread[Index(call)])];
      if (set.Contains(api.start[Index(call)])) scenario_.Scale(MakeId<GpuId>(g), edit.factor);
    }
  }

  // A readable name, since kernel names are long.
  std::string_view NameOf(EditTarget target, StringId name) const {
    const FactTables& facts = profile_.facts;
    return trace_.Text(target == EditTarget::kKernel
                           ? facts.kernel_names.short_name[facts.KernelRow(name)]
                           : name);
  }

  Error NothingMatches(const NamedEdit& edit) const {
    std::map<StringId, DurationNs> times;
    ForEachRow(edit.target, [&](size_t, StringId name, DurationNs time) { times[name] += time; });
    if (times.empty()) {
      return Error{
          fmt::format("{}: the analyzed steps contain no {}", edit.text, PluralOf(edit.target))};
    }
    std::vector<std::pair<DurationNs, StringId>> longest;
    longest.reserve(times.size());
    for (const auto& [name, time] : times) longest.emplace_back(time, name);
    std::sort(longest.begin(), longest.end(), std::greater<>());
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(kMaxSuggestions, longest.size()); ++i) {
      names.push_back(ShortenMiddle(NameOf(edit.target, longest[i].second), kSuggestionWidth));
    }
    return Error{fmt::format("{}: matches none of the {} of the step; the longest are: {}",
                             edit.text, PluralOf(edit.target), fmt::join(names, ", "))};
  }

  ProfileView profile_;
  const Trace& trace_;
  const RangeSummary& range_;
  Scenario& scenario_;
  EditEffect effect_;
  std::vector<size_t> rows_;  // rows that the current edit changes
};

}  // namespace

Result<NamedEdit> ParseScale(std::string_view text) {
  NamedEdit edit;
  edit.text = text;
  // The last one, since the pattern may contain others.
  const size_t equals = text.rfind('=');
  if (equals == text.npos) {
    return Error{
        fmt::format("'{}' has no factor: write KIND~REGEX=FACTOR, such as kernel~gemm=0.5", text)};
  }
  const std::string_view number = text.substr(equals + 1);
  const auto [end, code] =
      std::from_chars(number.data(), number.data() + number.size(), edit.factor);
  if (code != std::errc() || end != number.data() + number.size() || !std::isfinite(edit.factor)) {
    return Error{fmt::format("'{}' has no factor: '{}' is not a number", text, number)};
  }
  if (edit.factor < 0) {
    return Error{fmt::format("'{}': a factor cannot be negative; 0.5 means half the time", text)};
  }
  if (const Status status = ParseTarget(text.substr(0, equals), edit); !status.ok()) {
    return status.error();
  }
  return edit;
}

Result<NamedEdit> ParseRemove(std::string_view text) {
  NamedEdit edit;
  edit.text = text;
  edit.factor = 0;
  edit.remove = true;
  if (const Status status = ParseTarget(text, edit); !status.ok()) return status.error();
  return edit;
}

Result<std::vector<EditEffect>> ApplyEdits(const WhatIfEdits& edits, const RangeSummary& range,
                                           Scenario& scenario) {
  Editor editor(range, scenario);
  std::vector<EditEffect> effects;
  Status status;
  const auto add = [&](bool wanted, auto&& apply) {
    if (!wanted || !status.ok()) return;
    Result<EditEffect> effect = apply();
    if (effect.ok()) {
      effects.push_back(std::move(*effect));
    } else {
      status = effect.error();
    }
  };
  for (const NamedEdit& edit : edits.named) add(true, [&] { return editor.Apply(edit); });
  add(edits.free_dataloader, [&] { return editor.FreeDataLoader(); });
  add(edits.no_syncs, [&] { return editor.NoSyncs(); });
  add(edits.async_copies, [&] { return editor.AsyncCopies(); });
  add(edits.free_launches, [&] { return editor.FreeLaunches(); });
  add(edits.cuda_graph, [&] { return editor.CudaGraph(); });
  if (!status.ok()) return status.error();
  return effects;
}

}  // namespace warpsight
