#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/accounting/range_clean_steps.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/reporting/system_info.h"
#include "analysis/screens/clean_step_text.h"
#include "analysis/text/format.h"
#include "analysis/text/wrap_text.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/iteration_flags.h"
#include "cli/open_input.h"
#include "cli/terminal/console.h"
#include "store/profile_file.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string format = "text";
  IterationOptions iterations;
};

// The key figures of a profile, over the whole trace except those about iterations.
struct Info {
  int64_t events = 0, kernels = 0, memcpys = 0, memsets = 0, ops = 0, api_calls = 0;
  DurationNs kernel_sum = 0, busy = 0, span = 0, unassociated = 0;
  int64_t problems = 0;
};

Info Collect(const Profile& profile) {
  Info info;
  const auto sum = [](const Column<int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), int64_t{0});
  };
  const TraceTables& t = profile.trace.tables;
  info.events = sum(t.sources.events);
  info.problems = sum(t.import_log.count);
  info.ops = sum(profile.facts.sources.ops);
  info.api_calls = sum(profile.facts.sources.api_calls);
  const DeviceFactsTable& devices = profile.facts.devices;
  info.kernels = sum(devices.kernels);
  info.memcpys = sum(devices.copies);
  info.memsets = sum(devices.memsets);
  info.kernel_sum = sum(devices.kernel_time);
  info.busy = sum(devices.busy);
  info.unassociated = sum(devices.without_op);
  TimeNs first = profile.trace.end;
  TimeNs last = 0;
  for (size_t d = 0; d < devices.first.size(); ++d) {
    if (!devices.Worked(d)) continue;
    first = std::min(first, devices.first[d]);
    last = std::max(last, devices.last[d]);
  }
  info.span = std::max<DurationNs>(0, last - first);
  return info;
}

std::string Number(int64_t value) { return value == kMissing ? "null" : fmt::format("{}", value); }

// Without recorded GPU work, nothing is known about GPUs, not even that they were idle.
bool KnowsGpus(const Profile& profile) { return CountUsedDevices(profile) > 0; }

DurationNs OfGpus(const Profile& profile, DurationNs time) {
  return KnowsGpus(profile) ? time : kMissing;
}

bool KnowsUtilization(const Profile& profile, const RangeSummary& range) {
  return KnowsGpus(profile) && !range.gpus.empty() && range.capacity > 0;
}

// The idle causes of the GPUs; null where no GPU did anything.
void AppendIdle(const RangeSummary& range, std::string& json) {
  if (range.gpus.empty()) {
    json += "null";
    return;
  }
  std::string_view separator = "{";
  for (size_t i = 0; i < kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    json += fmt::format("{}{}: {}", separator, JsonString(ToString(cause)), range.Of(cause));
    separator = ", ";
  }
  json += '}';
}

void PrintJson(const Profile& profile, const RangeSummary& range, const Info& info,
               std::string_view format) {
  const TraceTables& t = profile.trace.tables;
  std::string json;
  const auto out = std::back_inserter(json);
  fmt::format_to(out, "{{\n  \"profile_name\": {},\n  \"format\": {},\n  \"devices\": [",
                 JsonString(profile.trace.profile_name), JsonString(format));
  for (size_t d = 0; d < t.devices.ordinal.size(); ++d) {
    fmt::format_to(
        out,
        "{}\n    {{\"ordinal\": {}, \"name\": {}, \"compute_major\": {}, \"compute_minor\": {}, "
        "\"sms\": {}, \"memory_bytes\": {}, \"rank\": {}}}",
        d == 0 ? "" : ",", t.devices.ordinal[d], JsonString(profile.trace.Text(t.devices.name[d])),
        Number(t.devices.compute_major[d]), Number(t.devices.compute_minor[d]),
        Number(t.devices.sms[d]), Number(t.devices.memory_bytes[d]),
        Number(t.sources.rank[Index(t.devices.source[d])]));
  }
  fmt::format_to(out, "{}],\n", t.devices.ordinal.empty() ? "" : "\n  ");
  const auto field = [&](std::string_view name, int64_t value) {
    fmt::format_to(out, "  \"{}\": {},\n", name, Number(value));
  };
  field("files", static_cast<int64_t>(SourceFiles(profile.trace).count()));
  field("events", info.events);
  field("kernels", info.kernels);
  field("kernel_sum_ns", OfGpus(profile, info.kernel_sum));
  field("copies", info.memcpys + info.memsets);
  field("memcpys", info.memcpys);
  field("memsets", info.memsets);
  field("ops", info.ops);
  field("api_calls", info.api_calls);
  field("gpu_busy_ns", OfGpus(profile, info.busy));
  field("gpu_span_ns", OfGpus(profile, info.span));
  field("trace_ns", profile.trace.end);
  field("iterations", range.total);
  fmt::format_to(out, "  \"iteration_source\": {},\n", JsonString(ToString(range.source)));
  field("first_iteration", range.first);
  field("last_iteration", range.last);
  field("wall_ns", range.wall == 0 ? kMissing : range.wall);
  field("average_iteration_ns", range.wall == 0 ? kMissing : range.average_iteration);
  fmt::format_to(
      out, "  \"gpu_utilization\": {},\n",
      KnowsUtilization(profile, range) ? fmt::format("{:.6f}", range.gpu_utilization) : "null");
  fmt::format_to(out, "  \"breakdown_ns\": {{");
  std::string_view separator;
  for (const LedgerEntry entry : range.View()) {
    fmt::format_to(out, "{}{}: {}", separator, JsonString(ToString(entry)), range.Of(entry));
    separator = ", ";
  }
  fmt::format_to(out, "}},\n  \"host_ns\": {{");
  separator = "";
  for (const LedgerEntry entry : kHostEntries) {
    fmt::format_to(out, "{}{}: {}", separator, JsonString(ToString(entry)), range.Of(entry));
    separator = ", ";
  }
  fmt::format_to(out, "}},\n  \"idle_ns\": ");
  AppendIdle(range, json);
  fmt::format_to(out,
                 ",\n  \"verdict\": {},\n  \"verdict_group\": {},\n  \"verdict_reason\": {},\n",
                 JsonString(VerdictId(range.verdict)), JsonString(ToString(range.verdict)),
                 JsonString(range.verdict_reason));
  const CleanSteps clean = CleanStepsOf(profile.trace, range);
  field("clean_step_ns", clean.clean_step.value_or(kMissing));
  field("clean_steps", clean.Known() ? clean.clean_steps : kMissing);
  field("recorded_step_ns", clean.recorded_step.value_or(kMissing));
  field("recording_added_ns", clean.Added().value_or(kMissing));
  field("unassociated_gpu_ns", OfGpus(profile, info.unassociated));
  fmt::format_to(out, "  \"problems\": {}\n}}\n", info.problems);
  PrintData(json);
}

// "55.9 ms of 8 GPUs, from the first to the last work 19.7 ms": it may exceed the interval.
std::string GpuBusy(const Profile& profile, const Info& info) {
  const auto time = [](DurationNs ns) { return FormatDuration(static_cast<double>(ns)); };
  const int64_t gpus = CountUsedDevices(profile);
  return fmt::format("{}{}, from the first to the last work {}", time(info.busy),
                     gpus > 1 ? fmt::format(" of {} GPUs", gpus) : "", time(info.span));
}

void PrintText(const Profile& profile, const RangeSummary& range, const Info& info,
               std::string_view format) {
  constexpr size_t kNameColumns = 23;
  const size_t width = ListWidth();
  const auto line = [&](std::string_view name, const std::string& value) {
    PrintRendered(HangingText(Printable(name), kNameColumns, Printable(value), width));
  };
  const auto time = [](DurationNs ns) { return FormatDuration(static_cast<double>(ns)); };
  const std::string unknown = "not available";
  const bool gpus = KnowsGpus(profile);
  line("profile", profile.trace.profile_name);
  line("format", std::string(format));
  for (const auto& [name, value] : ListDevices(profile)) line(name, value);
  line("events", FormatCount(info.events));
  line("kernels",
       gpus ? fmt::format("{} taking {}", FormatCount(info.kernels), time(info.kernel_sum))
            : "none recorded");
  line("copies, memsets",
       gpus ? fmt::format("{}, {}", FormatCount(info.memcpys), FormatCount(info.memsets))
            : "none recorded");
  line("GPU busy", gpus ? GpuBusy(profile, info) : unknown);
  line("without an op", gpus ? time(info.unassociated) : unknown);
  line("iterations", range.explanation);
  line("average iteration", range.wall == 0 ? unknown : time(range.average_iteration));
  if (const std::string clean = CleanStepText(CleanStepsOf(profile.trace, range)); !clean.empty()) {
    line("without the profiler", clean);
  }
  line("GPU utilization",
       KnowsUtilization(profile, range) ? FormatShare(range.gpu_utilization, 1) : unknown);
  line("verdict", fmt::format("{}: {}", ToString(range.verdict), range.verdict_reason));
}

int Run(const Options& options) {
  const auto profile = OpenInput(options.paths, options.iterations, LoadOptions::WithoutEvents());
  if (!profile.ok()) return Fail(profile.error().message);
  const RangeSummary range = SummarizeRange(*profile);
  const SourcesTable& sources = profile->trace.tables.sources;
  const std::string_view format =
      sources.format.empty() ? "" : profile->trace.Text(sources.format.front());
  const Info info = Collect(*profile);
  if (options.format == "json") {
    PrintJson(*profile, range, info, format);
  } else {
    PrintText(*profile, range, info, format);
  }
  return kExitOk;
}

}  // namespace

void AddInfoCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("info", "Key figures of a profile or trace");
  command.AddOption("PROFILE|TRACE", options->paths, kProfileOrTraces)
      .Files(InputEndings())
      .Required();
  command.AddChoice("--format", options->format, {"text", "json"}, "text or json").Type("FORMAT");
  AddIterationFlags(command, options->iterations);
  command.AddExample("warpsight info run.warpsight", "What a profile holds");
  command.AddExample("warpsight info run.warpsight --format json", "The same numbers for a script");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
