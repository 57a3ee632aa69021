#include "analysis/facts/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/facts/clean_steps.h"
#include "analysis/facts/named_op.h"
#include "analysis/facts/range_names.h"
#include "model/hash_map.h"
#include "model/import_log_effects.h"

namespace warpsight {
namespace {

class Counter {
 public:
  Counter(Trace& trace, FactTables& facts) : trace_(trace), facts_(facts) {}

  void Run() {
    CountEvents();
    CountGpuWork();
    CountMeasured();
    CountLaunches();
    CountOverlaps();
    CountExternalIds();
    CountOverhead();
    CountAddedByRecording();
  }

 private:
  void Add(std::string_view code, int64_t count, int64_t of, std::string_view meaning) {
    TrustTable& t = facts_.trust;
    t.code.push_back(trace_.strings.Intern(code));
    t.count.push_back(count);
    t.of.push_back(of);
    t.meaning.push_back(trace_.strings.Intern(meaning));
  }

  void CountEvents() {
    int64_t events = 0;
    for (const int64_t n : trace_.tables.sources.events) events += n;
    std::array<int64_t, 6> by_effect{};
    const ImportLogTable& log = trace_.tables.import_log;
    for (size_t i = 0; i < log.code.size(); ++i) {
      by_effect[static_cast<size_t>(EffectOf(trace_.Text(log.code[i])))] += log.count[i];
    }
    const auto count = [&](LogEffect effect) { return by_effect[static_cast<size_t>(effect)]; };
    Add("events_read", events, events, "records in the files");
    Add("events_skipped", count(LogEffect::kLostRecord), events,
        "records that could not be used; the import log lists the reasons");
    Add("file_truncated", count(LogEffect::kCut) > 0 ? 1 : 0, 1,
        "the file is truncated: everything after the cut is missing");
    // These are rare, and reported only if there are any.
    if (const int64_t changed = count(LogEffect::kChangedRecord); changed > 0) {
      Add("events_changed", std::min(changed, events), events,
          "records with impossible values, which were corrected or left out; the import log lists "
          "them");
    }
    if (const int64_t unread = count(LogEffect::kUnreadPart); unread > 0) {
      Add("parts_unread", unread, unread,
          "parts of the files that could not be read, or were not recorded; the import log lists "
          "them");
    }
    if (const int64_t changed = count(LogEffect::kChangedFile); changed > 0) {
      Add("files_changed", changed, changed,
          "files that changed while they were read: the data may mix two versions");
    }
  }

  void CountGpuWork() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const auto rows = static_cast<int64_t>(gpu.start.size());
    DurationNs total = 0, no_op = 0, kernel_time = 0, unknown_family = 0, unknown_tensor = 0;
    int64_t no_launch = 0, early = 0, zero = 0, graph = 0;
    ByName<bool> is_graph_launch(trace_, IsGraphLaunch);
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const DurationNs duration = gpu.duration[g];
      total += duration;
      zero += duration == 0 ? 1 : 0;
      if (!HasOp(trace_, facts_, g)) no_op += duration;
      const ApiId call = facts_.gpu.api[g];
      if (!IsSet(call)) {
        ++no_launch;
      } else {
        early += gpu.start[g] < trace_.tables.api.start[Index(call)] ? 1 : 0;
        const bool unnamed = !IsSet(NamingExtra(trace_, g));
        graph += unnamed && is_graph_launch[trace_.tables.api.name[Index(call)]] ? 1 : 0;
      }
      if (gpu.kind[g] != GpuKind::kKernel) continue;
      kernel_time += duration;
      const KernelKind& kind = facts_.KindOf(gpu.name[g]);
      if (kind.family == KernelFamily::kUnknown) unknown_family += duration;
      if (kind.tensor_cores == TensorCores::kUnknown) unknown_tensor += duration;
    }
    Add("gpu_time_without_op_ns", no_op, total,
        "GPU time that is not attributed to a framework op");
    Add("gpu_work_without_launch", no_launch, rows, "GPU work whose launch was not recorded");
    Add("gpu_work_from_graphs", graph, rows,
        "GPU work of CUDA graphs: counted under the graph launch, not under the captured ops");
    Add("gpu_work_before_launch", early, rows,
        "GPU work that starts before its launch: clocks differ");
    Add("gpu_zero_durations", zero, rows, "GPU work without a duration");
    Add("kernel_time_unknown_family_ns", unknown_family, kernel_time,
        "time of kernels whose family cannot be determined from the name");
    Add("kernel_time_unknown_tensor_cores_ns", unknown_tensor, kernel_time,
        "time of kernels whose Tensor Core use is unknown");
  }

  // Counts how much of the Tensor Core classification was measured by hardware counters, and where
  // they contradict the names. Only for profiles with counters.
  void CountMeasured() {
    if (RowCount(trace_.tables.kernel_counters) == 0) return;
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const KernelNamesTable& names = facts_.kernel_names;
    DurationNs all = 0, measured = 0;
    std::vector<DurationNs> times(names.name.size());
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel) continue;
      const size_t row = facts_.KernelRow(gpu.name[g]);
      all += gpu.duration[g];
      times[row] += gpu.duration[g];
      if (names.measured_launches[row] > 0) measured += gpu.duration[g];
    }
    DurationNs refuted = 0;
    size_t longest = names.name.size();
    for (size_t row = 0; row < names.name.size(); ++row) {
      if (names.measured_launches[row] == 0 ||
          names.tensor_cores_by_name[row] == TensorCores::kUnknown ||
          names.tensor_cores_by_name[row] == names.tensor_cores[row]) {
        continue;
      }
      refuted += times[row];
      if (longest == names.name.size() || times[row] > times[longest]) longest = row;
    }
    Add("kernel_time_measured_tensor_cores_ns", measured, all,
        "time of kernels whose Tensor Core use was measured with hardware counters");
    std::string meaning = "time of kernels whose name contradicts the hardware counters";
    if (longest < names.name.size()) {
      meaning +=
          fmt::format("; mostly {}, which {} Tensor Cores", trace_.Text(names.short_name[longest]),
                      names.tensor_cores[longest] == TensorCores::kYes ? "uses" : "uses no");
    }
    Add("kernel_time_refuted_tensor_cores_ns", refuted, all, meaning);
  }

  void CountLaunches() {
    const ApiCallsTable& api = trace_.tables.api;
    std::vector<bool> has_work(api.start.size());
    for (const ApiId call : facts_.gpu.api) {
      if (IsSet(call)) has_work[Index(call)] = true;
    }
    ByName<bool> is_launch(trace_, IsLaunch);
    const std::vector<bool> recorded = RecordedIntoGraphs();
    int64_t launches = 0, empty = 0;
    for (size_t a = 0; a < api.start.size(); ++a) {
      // A launch without a correlation id cannot be matched to work. A launch made while a graph is
      // recorded may belong to another stream, and run.
      if (!is_launch[api.name[a]] || api.correlation[a] == kMissing) continue;
      if (recorded[a] && !has_work[a]) continue;
      ++launches;
      empty += has_work[a] ? 0 : 1;
    }
    Add("launches_without_work", empty, launches, "launches whose GPU work was not recorded");
  }

  // By API call: whether it was made while its thread was recording a graph.
  std::vector<bool> RecordedIntoGraphs() {
    const HostRangesTable& host = trace_.tables.host;
    const ApiCallsTable& api = trace_.tables.api;
    ByName<bool> is_recording(trace_, IsGraphRecording);
    ByName<bool> begins(trace_, IsCaptureBegin), ends(trace_, IsCaptureEnd);
    std::vector<bool> recorded(api.start.size());
    std::vector<TimeNs> until(RowCount(trace_.tables.threads), kMissing);
    std::vector<bool> captures(RowCount(trace_.tables.threads));
    size_t h = 0;
    for (size_t a = 0; a < api.start.size(); ++a) {
      for (; h < host.start.size() && host.start[h] <= api.start[a]; ++h) {
        if (!is_recording[host.name[h]]) continue;
        TimeNs& end = until[Index(host.thread[h])];
        end = std::max(end, host.start[h] + host.duration[h]);
      }
      const size_t thread = Index(api.thread[a]);
      if (begins[api.name[a]]) captures[thread] = true;
      if (ends[api.name[a]]) captures[thread] = false;
      recorded[a] = captures[thread] || api.start[a] < until[thread];
    }
    return recorded;
  }

  // Slices of one stream normally run one after the other. Overlaps of a tenth of a microsecond are
  // common, since a kernel may start before the last blocks of the previous one end; long overlaps
  // indicate damage.
  void CountOverlaps() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    std::vector<TimeNs> busy_until(RowCount(trace_.tables.streams), kMissing);
    int64_t overlaps = 0;
    DurationNs total = 0, overlapping = 0;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      TimeNs& until = busy_until[Index(gpu.stream[g])];
      const TimeNs end = gpu.start[g] + gpu.duration[g];
      total += gpu.duration[g];
      if (until != kMissing && gpu.start[g] < until) {
        ++overlaps;
        overlapping += std::min(until, end) - gpu.start[g];
      }
      until = std::max(until, end);
    }
    Add("stream_overlaps", overlaps, static_cast<int64_t>(gpu.start.size()),
        "GPU work that overlaps other work of its stream");
    Add("stream_overlap_ns", overlapping, total, "GPU time that overlaps other work of its stream");
  }

  // If the trace has external ids, they must identify the op that nesting found. Some writers
  // repeat the correlation id instead; an id that belongs to no op is ignored.
  void CountExternalIds() {
    const ApiCallsTable& api = trace_.tables.api;
    const HostRangesTable& host = trace_.tables.host;
    int64_t compared = 0;
    std::vector<int64_t> different;
    for (size_t a = 0; a < api.start.size(); ++a) {
      const HostId op = facts_.api.op[a];
      if (!IsSet(op) || api.external_id[a] == kMissing || api.external_id[a] <= 0) continue;
      const int64_t expected = host.external_id[Index(op)];
      if (expected == kMissing) continue;
      ++compared;
      if (expected != api.external_id[a]) different.push_back(api.external_id[a]);
    }
    if (!different.empty()) {
      const HashSet<int64_t> known(host.external_id.begin(), host.external_id.end());
      const auto all = static_cast<int64_t>(different.size());
      std::erase_if(different, [&](int64_t id) { return !known.contains(id); });
      compared -= all - static_cast<int64_t>(different.size());
    }
    Add("external_id_mismatches", static_cast<int64_t>(different.size()), compared,
        "API calls that the profiler attributes to a different op than the enclosing one");
  }

  void CountOverhead() {
    const HostRangesTable& host = trace_.tables.host;
    DurationNs overhead = 0;
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (host.kind[h] == HostKind::kOverhead) overhead += host.duration[h];
    }
    Add("profiler_overhead_ns", overhead, trace_.end, "the profiler's own time, as recorded");
  }

  // In the process in which recording adds the largest part of a step. Only if clean stretches show
  // it.
  void CountAddedByRecording() {
    DurationNs added = 0, step = 0;
    for (size_t s = 0; s < RowCount(trace_.tables.sources); ++s) {
      const CleanSteps steps = FindCleanSteps(trace_, MakeId<SourceId>(s));
      if (!steps.Added()) continue;
      const DurationNs its = std::max<DurationNs>(0, *steps.Added());
      const auto product = [](DurationNs a, DurationNs b) {
        return static_cast<double>(a) * static_cast<double>(b);
      };
      if (step > 0 && product(its, step) <= product(added, *steps.clean_step)) continue;
      added = its;
      step = *steps.clean_step;
    }
    if (step > 0) {
      Add("recording_added_ns", added, step,
          "what recording adds to a step, measured against steps that were not recorded");
    }
  }

  Trace& trace_;
  FactTables& facts_;
};

}  // namespace

void CountTrust(Trace& trace, FactTables& facts) { Counter(trace, facts).Run(); }

}  // namespace warpsight
