#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/facts/gpu_work.h"
#include "analysis/facts/named_op.h"
#include "analysis/facts/range_summary.h"
#include "analysis/reporting/format.h"
#include "analysis/reporting/json_text.h"
#include "analysis/reporting/system_info.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/iteration_flags.h"
#include "cli/open_profile.h"
#include "cli/progress_bar.h"
#include "store/profile_file.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string format = "text";
  IterationOptions iterations;
};

// The key figures of a profile, over the whole trace unless they speak of iterations.
struct Info {
  int64_t events = 0, kernels = 0, memcpys = 0, memsets = 0, ops = 0, api_calls = 0;
  DurationNs kernel_sum = 0, busy = 0, span = 0, unassociated = 0;
  int64_t problems = 0;
};

Info Collect(const Profile& profile) {
  const Trace& trace = profile.trace;
  const TraceTables& t = trace.tables;
  Info info;
  for (const int64_t n : t.sources.events) info.events += n;
  for (const int64_t n : t.import_log.count) info.problems += n;
  info.ops = std::count(t.host.kind.begin(), t.host.kind.end(), HostKind::kOp);
  info.api_calls = static_cast<int64_t>(t.api.start.size());
  TimeNs first = 0;
  TimeNs last = 0;
  for (size_t g = 0; g < t.gpu.start.size(); ++g) {
    if (g == 0) first = t.gpu.start[g];
    last = std::max(last, t.gpu.start[g] + t.gpu.duration[g]);
    if (!HasOp(trace, profile.facts, g)) info.unassociated += t.gpu.duration[g];
    switch (t.gpu.kind[g]) {
      case GpuKind::kKernel:
        ++info.kernels;
        info.kernel_sum += t.gpu.duration[g];
        break;
      case GpuKind::kCopy:
        ++info.memcpys;
        break;
      case GpuKind::kMemset:
        ++info.memsets;
        break;
    }
  }
  info.span = last - first;
  for (const GpuWork& gpu : CollectGpuWork(trace, profile.facts)) info.busy += gpu.All().Length();
  return info;
}

std::string Number(int64_t value) { return value == kMissing ? "null" : fmt::format("{}", value); }

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
    fmt::format_to(out, "  \"{}\": {},\n", name, value);
  };
  field("files", static_cast<int64_t>(SourceFiles(profile.trace).count()));
  field("events", info.events);
  field("kernels", info.kernels);
  field("kernel_sum_ns", info.kernel_sum);
  field("copies", info.memcpys + info.memsets);
  field("memcpys", info.memcpys);
  field("memsets", info.memsets);
  field("ops", info.ops);
  field("api_calls", info.api_calls);
  field("gpu_busy_ns", info.busy);
  field("gpu_span_ns", info.span);
  field("trace_ns", profile.trace.end);
  field("iterations", range.total);
  fmt::format_to(out, "  \"iteration_source\": {},\n", JsonString(ToString(range.source)));
  field("first_iteration", range.first);
  field("last_iteration", range.last);
  field("wall_ns", range.wall);
  field("average_iteration_ns", range.average_iteration);
  fmt::format_to(out, "  \"gpu_utilization\": {:.6f},\n", range.gpu_utilization);
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
  fmt::format_to(out, "}},\n  \"idle_ns\": {{");
  for (size_t i = 0; i < kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    fmt::format_to(out, "{}{}: {}", i == 0 ? "" : ", ", JsonString(ToString(cause)),
                   range.Of(cause));
  }
  fmt::format_to(out,
                 "}},\n  \"verdict\": {},\n  \"verdict_group\": {},\n  \"verdict_reason\": {},\n",
                 JsonString(VerdictId(range.verdict)), JsonString(ToString(range.verdict)),
                 JsonString(range.verdict_reason));
  field("unassociated_gpu_ns", info.unassociated);
  fmt::format_to(out, "  \"problems\": {}\n}}\n", info.problems);
  PrintData(json);
}

void PrintText(const Profile& profile, const RangeSummary& range, const Info& info,
               std::string_view format) {
  const auto line = [](std::string_view name, const std::string& value) {
    Print("{:<22} {}\n", name, value);
  };
  const auto time = [](DurationNs ns) { return FormatDuration(static_cast<double>(ns)); };
  line("profile", profile.trace.profile_name);
  line("format", std::string(format));
  for (const auto& [name, value] : ListDevices(profile.trace)) line(name, value);
  line("events", FormatCount(info.events));
  line("kernels", fmt::format("{} taking {}", FormatCount(info.kernels), time(info.kernel_sum)));
  line("copies, memsets",
       fmt::format("{}, {}", FormatCount(info.memcpys), FormatCount(info.memsets)));
  line("GPU busy", fmt::format("{} of {}", time(info.busy), time(info.span)));
  line("without an op", time(info.unassociated));
  line("iterations", range.explanation);
  line("average iteration", time(range.average_iteration));
  line("GPU utilization", fmt::format("{:.1f} %", 100 * range.gpu_utilization));
  line("verdict", fmt::format("{}: {}", ToString(range.verdict), range.verdict_reason));
}

int Run(const Options& options) {
  if (options.format != "text" && options.format != "json") {
    return FailUsage(fmt::format("--format: '{}' is none of text, json", options.format));
  }
  const auto profile = [&] {
    Progress progress;
    const ProgressBar bar(progress);
    return OpenProfile(options.paths, options.iterations, progress);
  }();
  if (!profile.ok()) return Fail(profile.error().message);
  const RangeSummary range = SummariseRange(*profile);
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

void AddInfoCommand(CLI::App& app, const SetCommand& set) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("info", "Key figures of a profile or trace");
  command->add_option("PROFILE|TRACE", options->paths, "A saved profile, or trace files or folders")
      ->required();
  command->add_option("--format", options->format, "text or json")->type_name("FORMAT");
  AddIterationFlags(*command, options->iterations);
  command->callback([options, set] { set([options] { return Run(*options); }); });
}

}  // namespace warpsight
