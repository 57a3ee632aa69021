#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/screens/one_screen.h"
#include "cli/app.h"
#include "cli/capture/agent_files.h"
#include "cli/capture/capture_environment.h"
#include "cli/capture/child_process.h"
#include "cli/capture/driver_library.h"
#include "cli/capture/program_name.h"
#include "cli/capture/repeated_run.h"
#include "cli/capture/run_folder.h"
#include "cli/capture/run_processes.h"
#include "cli/color_option.h"
#include "cli/commands.h"
#include "cli/iteration_flags.h"
#include "cli/output_rules.h"
#include "cli/saved_profile.h"
#include "cli/terminal/console.h"
#include "cli/terminal/interrupts.h"
#include "cli/terminal/progress_bar.h"
#include "profiles/open_profile.h"
#include "store/profile_place.h"
#include "wire/records.h"

namespace warpsight {
namespace {

// As in shells: the program cannot be executed, or does not exist.
constexpr int kExitCannotRun = 126;
constexpr int kExitNotFound = 127;

// Larger values are mistakes, and would overflow the agent's numbers.
constexpr double kMaxSeconds = 1e7;

struct Options {
  std::vector<std::string> program;
  std::string output;
  std::string name;
  std::string delay, duration, steps;
  std::string record = "auto";
  CaptureOptions capture;
  IterationOptions iterations;
  bool counters = false;
  bool keep_capture = false;
  bool quiet = false;
  bool force = false;
  std::string color = "auto";
};

template <typename... Args>
void Say(const Options& options, fmt::format_string<Args...> format, Args&&... args) {
  if (options.quiet) return;
  Inform(fmt::format(format, std::forward<Args>(args)...));
}

Status ReadSeconds(const char* flag, const std::string& text, double& seconds) {
  if (text.empty()) return {};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size();
  if (!number || !std::isfinite(value)) {
    return Error{fmt::format("{}: '{}' is not a number of seconds", flag, text)};
  }
  if (value <= 0 || value > kMaxSeconds) {
    return Error{fmt::format("{} must be more than 0 and at most {:.0f} seconds, got {}", flag,
                             kMaxSeconds, text)};
  }
  seconds = value;
  return {};
}

Status ReadSteps(const char* flag, const std::string& text, CaptureOptions& capture) {
  std::pair<int64_t, int64_t> steps;
  const char* const last = text.data() + text.size();
  const auto first = std::from_chars(text.data(), last, steps.first);
  bool good = first.ec == std::errc() && first.ptr != last && *first.ptr == ':';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, last, steps.second);
    good = second.ec == std::errc() && second.ptr == last;
  }
  if (!good) {
    const bool record = std::string_view(flag) == "--record";
    return Error{fmt::format("{}: '{}' is not {}A:B, such as 10:20 for steps 10 to 19", flag, text,
                             record ? "auto, all or " : "of the form ")};
  }
  if (steps.first < 0 || steps.second <= steps.first) {
    return Error{fmt::format(
        "{}: {} is empty: the first step must be at least 0, and the end must be greater", flag,
        text)};
  }
  capture.steps = steps;
  return {};
}

Status ReadWindow(Options& options) {
  Status status = ReadSeconds("--delay", options.delay, options.capture.delay_seconds);
  if (status.ok()) {
    status = ReadSeconds("--duration", options.duration, options.capture.duration_seconds);
  }
  const bool some_time = !options.delay.empty() || !options.duration.empty();
  const bool some_steps = options.record != "auto" && options.record != "all";
  if (some_steps && !options.steps.empty()) {
    return Error{"--record cannot be combined with --steps, which selects steps as well"};
  }
  const char* flag = some_steps ? "--record" : "--steps";
  if (some_steps) options.steps = options.record;
  if (status.ok() && !options.steps.empty()) {
    status = ReadSteps(flag, options.steps, options.capture);
  }
  if (status.ok() && options.capture.steps && some_time) {
    return Error{fmt::format("{} cannot be combined with --delay or --duration", flag)};
  }
  // What the user selected is recorded as a whole, and so is memory, whose sums need everything.
  options.capture.stretches =
      options.record == "auto" && options.steps.empty() && !some_time && !options.capture.memory;
  return status;
}

// Where the profile goes if the current folder cannot be written: a new private folder in the
// temporary folder. It is removed if nothing was put there.
class TemporaryPlace {
 public:
  TemporaryPlace() = default;
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace() {
    if (!path_.empty()) rmdir(path_.c_str());
  }

  bool Make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "warpsight-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) return false;
    path_ = std::move(path);
    return true;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<RunFolder> MakeRunFolder(Options& options, bool output_was_named,
                                TemporaryPlace& temporary) {
  auto folder = RunFolder::Create(options.output);
  if (folder.ok() || output_was_named || !temporary.Make()) return folder;
  Say(options, "the current folder is not writable; choose another path with -o");
  options.output = temporary.path() + "/" + options.output;
  return RunFolder::Create(options.output);
}

// The program itself and its input files, as far as the command line shows.
std::vector<std::string> FilesNamedIn(const std::vector<std::string>& program) {
  std::vector<std::string> files;
  std::error_code ignored;
  std::copy_if(
      program.begin(), program.end(), std::back_inserter(files),
      [&](const std::string& word) { return !std::filesystem::is_directory(word, ignored); });
  return files;
}

int FailToStart(const std::string& program, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  std::error_code ignored;
  if (missing && program.find('/') != std::string::npos &&
      std::filesystem::exists(program, ignored)) {
    Fail(fmt::format("{}: cannot be started: its interpreter does not exist", program));
  } else if (missing) {
    Fail(fmt::format("{}: no such program", program));
  } else {
    Fail(fmt::format("{}: cannot be started: {}", program, std::strerror(error)));
  }
  return missing ? kExitNotFound : kExitCannotRun;
}

int ExitCodeOf(const ChildEnd& end) {
  return end.signal != 0 ? kExitSignal + end.signal : end.exit_code;
}

// "was killed by SIGINT"; "" where it ended well.
std::string DescribeEnd(const ChildEnd& end) {
  if (end.signal != 0) {
    const char* name = sigabbrev_np(end.signal);
    return fmt::format("was killed by {}", name != nullptr ? fmt::format("SIG{}", name)
                                                           : fmt::format("signal {}", end.signal));
  }
  return end.exit_code == 0 ? "" : fmt::format("ended with exit code {}", end.exit_code);
}

// If no process wrote anything, CUDA was never initialized; otherwise it may have been.
std::string WhyNoGpuWork(const Options& options, bool has_captures) {
  if (!HasNvidiaDriver()) return "no NVIDIA driver was found (libcuda.so.1)";
  if (!has_captures) return "the program made no CUDA call";
  if (!options.steps.empty()) return fmt::format("none was in steps {}", options.steps);
  if (!options.delay.empty() || !options.duration.empty()) {
    return "none was in the interval selected by --delay and --duration";
  }
  return "the program launched none, or it could not be recorded";
}

// Where no process wrote anything.
std::string WhyNothingWasRecorded(const Options& options, const RunFolder& folder,
                                  const ChildEnd& end) {
  if (folder.WasRemoved()) {
    return fmt::format("the folder of the recording, {}, was removed while the program ran",
                       folder.path());
  }
  if (folder.HasEmptyCaptures()) {
    return fmt::format("nothing could be written to {}; is the disk full?", folder.path());
  }
  if (end.user != getuid()) {
    return fmt::format(
        "the program dropped privileges (it ended as user id {}) before the recording began, and "
        "only the user who started it can write to the recording folder, {}",
        end.user, folder.path());
  }
  return WhyNoGpuWork(options, false);
}

void SayWhatStillRuns(const Options& options, const std::string& run_id) {
  const std::vector<pid_t> processes = ProcessesStillRunning(run_id);
  if (processes.empty()) return;
  Say(options, "{} of the program still {}: what {} after this point is not recorded",
      processes.size() == 1
          ? fmt::format("process {}", processes.front())
          : fmt::format("{} processes (the first is {})", processes.size(), processes.front()),
      processes.size() == 1 ? "runs" : "run", processes.size() == 1 ? "it does" : "they do");
}

bool HasGpuWork(const Profile& profile) { return RowCount(profile.trace.tables.gpu) > 0; }

bool IsEmpty(const Profile& profile) {
  const TraceTables& tables = profile.trace.tables;
  return RowCount(tables.gpu) == 0 && RowCount(tables.host) == 0 && RowCount(tables.api) == 0 &&
         RowCount(tables.instants) == 0 && RowCount(tables.memory) == 0;
}

// The summary and the next commands. The program's own output is not modified: ours goes to
// standard output only on a terminal.
void PrintSummary(const Options& options, const Profile& profile, double seconds) {
  if (options.quiet) return;
  const bool terminal = IsTerminal(STDOUT_FILENO);
  std::FILE* const out = terminal ? stdout : stderr;
  ReportCache cache;
  const RangeSummary range = SummarizeRange(profile);
  const ReportInput input{profile, range, std::nullopt, &cache};
  const std::string path = ShellQuoted(options.output);
  const TextStyle style =
      OutputStyle(terminal ? STDOUT_FILENO : STDERR_FILENO, ReadColorOption(options.color));
  PrintRendered(fmt::format("\n{}\n", OneScreen(input, style)), out);
  if (!HasGpuWork(profile)) {
    Print(out, "No GPU work was recorded: {}.\n", WhyNoGpuWork(options, true));
  }
  PrintRendered(DescribeSaved(profile, options.output, seconds) + DescribeProblems(profile, path),
                out);
  Print(out, "  warpsight view {0} --open    show everything in the browser\n", path);
  Print(out, "  warpsight advise {0}         what to change\n", path);
}

// Runs the program again, with the agent reading hardware counters. The timeline is kept whatever
// happens.
void RunForCounters(const Options& options, const AgentFiles& files, const RunFolder& folder,
                    const std::string& run_id, RepeatedInput& input) {
  const auto counters_folder = folder.MakeCountersFolder();
  if (!counters_folder.ok()) {
    Fail(counters_folder.error().message);
    return;
  }
  CaptureOptions capture;
  capture.shapes = false;
  capture.counters = true;
  capture.delay_seconds = options.capture.delay_seconds;
  capture.duration_seconds = options.capture.duration_seconds;
  capture.steps = options.capture.steps;
  const auto environment = CaptureEnvironment(capture, files, *counters_folder, run_id);
  if (!environment.ok()) {
    Fail(environment.error().message);
    return;
  }
  const HiddenOutput output(*counters_folder);
  const ChildStreams streams{input.Again(), output.descriptor()};
  Say(options, "starting the second run, for hardware counters; its output is hidden{}",
      input.used_up() ? ", and its input is empty, because the input of the first run was a pipe"
                      : "");
  const ChildEnd end = RunInForeground(options.program, *environment, streams);
  if (end.start_error != 0) {
    FailToStart(options.program.front(), end.start_error);
    return;
  }
  if (end.signal == SIGINT) {
    Say(options, "the second run was interrupted: the counters read until then are used");
  } else if (const std::string how = DescribeEnd(end); !how.empty()) {
    const std::string tail = output.Tail();
    Fail(fmt::format("the second run, for hardware counters, {}; the counters read are used{}{}",
                     how, tail.empty() ? "" : ". End of its output:\n", tail));
  }
}

// The texts that the program's processes noted under a name, each once.
std::set<std::string_view> FactsNamed(std::string_view name, const Trace& trace) {
  const MetadataTable& metadata = trace.tables.metadata;
  std::set<std::string_view> values;
  for (size_t i = 0; i < metadata.key.size(); ++i) {
    if (trace.Text(metadata.key[i]) != name) continue;
    std::string_view value = trace.Text(metadata.value[i]);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    values.insert(value);
  }
  return values;
}

// How PyTorch's ops came into the profile (python/warpsight/_op_hook.py), for each way that was
// used.
void SayHowOpsWereRecorded(const Options& options, const Profile& profile) {
  std::string rejected;
  for (const std::string_view reason : FactsNamed("prebuilt_hook", profile.trace)) {
    rejected += fmt::format("; the prebuilt hook was not used: {}", reason);
  }
  for (const std::string_view how : FactsNamed("torch_ops", profile.trace)) {
    if (how == "prebuilt") {
      Say(options, "PyTorch's ops were recorded by the prebuilt hook");
    } else if (how == "compiled") {
      Say(options, "PyTorch's ops were recorded by a hook compiled on this machine{}", rejected);
    } else {
      Say(options, "PyTorch's ops were recorded without a hook, through {}{}", how, rejected);
    }
  }
}

// Set if a process could not write its complete recording.
void SayWhatWasCutShort(const Profile& profile) {
  const ImportLogTable& log = profile.trace.tables.import_log;
  std::set<std::string_view> reasons;
  for (const StringId message : log.message) {
    const std::string_view text = profile.trace.Text(message);
    const size_t reason = text.find(wire::kCutShort);
    if (reason != std::string_view::npos) reasons.insert(text.substr(reason));
  }
  for (const std::string_view reason : reasons) {
    Fail(fmt::format("{}; the profile contains everything recorded until then", reason));
  }
}

// The hardware counters that were read, and why others were not.
void SayWhatWasCounted(const Options& options, const Profile& profile) {
  const TraceTables& tables = profile.trace.tables;
  const ImportLogTable& log = tables.import_log;
  std::set<std::string_view> reasons;
  for (size_t i = 0; i < log.code.size(); ++i) {
    if (profile.trace.Text(log.code[i]) == "counters") {
      reasons.insert(profile.trace.Text(log.message[i]));
    }
  }
  const size_t launches = RowCount(tables.kernel_counters);
  if (launches > 0) {
    const std::set<StringId> names(tables.kernel_counters.name.begin(),
                                   tables.kernel_counters.name.end());
    Say(options, "hardware counters were read for {} launches of {} kernels", launches,
        names.size());
    for (const std::string_view reason : reasons) Say(options, "counters: {}", reason);
    return;
  }
  for (const std::string_view reason : reasons) Fail(reason);
  if (reasons.empty()) Fail("hardware counters were not read: the second run launched no kernel");
}

std::string WhereItIsKept(const Options& options, const RunFolder& folder) {
  return fmt::format("the recording was kept: warpsight import {} -o {}",
                     ShellQuoted(folder.path()), ShellQuoted(options.output));
}

// Called after the program has ended. Returns the exit code if the program itself succeeded.
int MakeProfile(const Options& options, const OutputPlace& place, RunFolder& folder,
                const ChildEnd& end, bool counted) {
  if (!folder.HasCaptures()) {
    Fail(fmt::format("no profile was written, because nothing was recorded: {}",
                     WhyNothingWasRecorded(options, folder, end)));
    return kExitOk;
  }
  const auto begin = std::chrono::steady_clock::now();
  Progress progress;
  std::string name = options.name;
  if (name.empty()) name = std::filesystem::path(options.output).stem().string();
  const std::string kept = WhereItIsKept(options, folder);
  // Until the profile is there, or this function itself says where the recording is.
  std::optional<OnInterrupt> on_interrupt;
  on_interrupt.emplace(OnInterrupt::Actions{{}, [&] { EndMessage("warpsight: " + kept + "\n"); }});
  auto profile = [&]() -> Result<Profile> {
    const ProgressBar bar(progress, !options.quiet);
    auto imported = ImportProfile({folder.path()}, name, options.iterations, progress);
    if (!imported.ok() || IsEmpty(*imported)) return imported;
    const Status saved = SaveProfile(*imported, place, progress);
    if (!saved.ok()) return saved.error();
    return imported;
  }();
  if (!profile.ok()) {
    folder.Keep();
    Fail(profile.error().message);
    return Fail(kept);
  }
  on_interrupt.reset();
  if (IsEmpty(*profile)) {
    Fail(fmt::format("no profile was written, because nothing was recorded: {}",
                     WhyNoGpuWork(options, true)));
    return kExitOk;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  PrintSummary(options, *profile, seconds.count());
  SayHowOpsWereRecorded(options, *profile);
  SayWhatWasCutShort(*profile);
  if (counted) SayWhatWasCounted(options, *profile);
  return kExitOk;
}

int Run(Options& options) {
  if (options.program.empty()) {
    return FailUsage("profile: specify the program after --: warpsight profile -- python train.py");
  }
  if (const Status status = ReadWindow(options); !status.ok()) {
    return FailUsage(status.error().message);
  }
  const bool output_was_named = !options.output.empty();
  OutputRules rules = RulesFor(FilesNamedIn(options.program), options.force);
  rules.only_new = !output_was_named;
  if (!output_was_named) options.output = NewProfilePath(ProgramName(options.program));
  std::error_code ignored;
  if (std::filesystem::is_directory(options.output, ignored)) {
    return FailUsage(fmt::format("{}: is a folder; specify the profile to write", options.output));
  }
  auto target = FindProfilePlace(options.output, rules);
  if (!target.ok()) return FailUsage(target.error().message);
  if (!CanIsolateDescriptors()) {
    return FailUsage(
        "cannot record here: recording needs a thread with its own file descriptor table, and both "
        "close_range(2) (Linux 5.9) and unshare(2) are denied. In a container, allow one of them");
  }
  const auto files = FindAgentFiles();
  if (!files.ok()) return FailUsage(files.error().message);
  TemporaryPlace temporary;
  auto folder = MakeRunFolder(options, output_was_named, temporary);
  if (!folder.ok()) return FailUsage(folder.error().message);
  if (!temporary.path().empty()) target = FindProfilePlace(options.output, rules);
  if (!target.ok()) return FailUsage(target.error().message);
  const std::string run_id = NewRunId();
  const auto environment = CaptureEnvironment(options.capture, *files, folder->path(), run_id);
  if (!environment.ok()) return FailUsage(environment.error().message);

  Say(options, "recording to {}", options.output);
  if (options.counters) {
    Say(options,
        "the program runs twice: first for the timeline, then for hardware counters, much slower");
  }
  RepeatedInput input;
  const ChildEnd end = RunInForeground(options.program, *environment);
  if (end.start_error != 0) return FailToStart(options.program.front(), end.start_error);
  if (end.left_by != 0) {
    folder->Keep();
    Fail(fmt::format("the program ignores SIG{} and is still running; {}",
                     sigabbrev_np(end.left_by), WhereItIsKept(options, *folder)));
    return kExitSignal + end.left_by;
  }
  if (options.keep_capture && folder->HasCaptures()) {
    folder->Keep();
    Say(options, "the capture files are in {}", folder->path());
  }
  const std::string how = DescribeEnd(end);
  if (!how.empty()) Say(options, "the program {}", how);
  SayWhatStillRuns(options, run_id);
  bool counted = false;
  if (options.counters && !how.empty()) {
    Say(options, "skipping the second run because the first one failed: no hardware counters");
  } else if (options.counters && folder->HasCaptures()) {
    RunForCounters(options, *files, *folder, run_id, input);
    counted = true;
  }
  // A limit on the size of files, meant for the program, is an error here and not our end.
  std::signal(SIGXFSZ, SIG_IGN);
  const int exit_code = MakeProfile(options, *target, *folder, end, counted);
  return ExitCodeOf(end) != 0 ? ExitCodeOf(end) : exit_code;
}

void AddManual(Command& command) {
  command.AddExample("warpsight profile -- python train.py --epochs 1", "Record a whole run");
  command.AddExample("warpsight profile --steps 10:20 -- torchrun --nproc-per-node 8 train.py",
                     "Steps 10 to 19 of all processes of a job");
  command.AddExample(
      "warpsight profile -o run.warpsight --delay 30 --duration 10 -- ./simulate input.dat",
      "Ten seconds, half a minute after the start");
  command.AddVariable("WARPSIGHT_CUPTI",
                      "The libcupti to record with, before those that are found otherwise.");
  command.AddVariable("CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX",
                      "Folders in which libcupti is looked for, among others.");
  command.AddVariable("WARPSIGHT_AGENT",
                      "The library to load into the program, in place of the "
                      "one that is installed with Warpsight.");
  command.AddVariable("XDG_CACHE_HOME",
                      "Where the compiled hook for PyTorch's ops is kept (default: ~/.cache).");
  command.AddVariable("TMPDIR",
                      "Where temporary files go, and the profile if the current folder cannot be "
                      "written (default: /tmp).");
  command.AddFile("NAME.capture",
                  "With `--keep-capture`, the folder with the capture files of all processes.");
  command.SetExitCodes(
      {{"that of the program", "The program ran, whether it was recorded or not."},
       {"126, 127", "The program cannot be executed; it does not exist."},
       {"128 + N", "Signal N killed the program; 130 for Ctrl-C."},
       {"1", "The program succeeded, but its profile could not be saved."},
       {"2", "The command line is wrong, or the output would replace a file of another program."}});
}

}  // namespace

void AddProfileCommand(CommandLine& line, std::vector<std::string> program) {
  auto options = std::make_shared<Options>();
  options->program = std::move(program);
  Command command =
      line.AddCommand("profile", "Record a program, analyze the recording and save a profile");
  command
      .AddOption("-o,--output", options->output,
                 "Profile to write (default: named after the program, a new file)")
      .Type("FILE.warpsight")
      .Files({".warpsight"});
  command.AddOption("--delay", options->delay, "Start recording after this many seconds").Type("S");
  command.AddOption("--duration", options->duration, "Record for this many seconds").Type("S");
  command
      .AddOption("--record", options->record,
                 "auto: stretches of steps with pauses between them, in which the program's own "
                 "step time is measured; all: everything; A:B: only steps A to B - 1")
      .Type("auto|all|A:B");
  command.AddOption("--steps", options->steps, "Record only steps A to B - 1, counted from 0")
      .Type("A:B");
  command.AddFlagPair("shapes", options->capture.shapes,
                      "Record shapes and types of op inputs (the default)",
                      "Do not record shapes and types of op inputs");
  command.AddFlag("--stacks", options->capture.stacks, "Record the Python call stacks of ops");
  command.AddFlag("--memory", options->capture.memory, "Record GPU memory allocations");
  command.AddFlag("--counters", options->counters,
                  "Also record hardware counters of kernels; the program runs twice");
  command.AddOption("--profile-name", options->name, "Name of the profile (default: the file's)")
      .Type("TEXT");
  command.AddFlag("--keep-capture", options->keep_capture, "Keep the capture files");
  AddForceFlag(command, options->force);
  command.AddFlag("-q,--quiet", options->quiet, "Print only errors");
  AddColorOption(command, options->color);
  AddIterationFlags(command, options->iterations);
  command.SetUsageEnd("-- PROGRAM [ARGUMENTS]", "put the program after --");
  command.SetFooter(
      "The program runs unchanged. Ctrl-C ends it; everything recorded until then becomes the "
      "profile. The exit code is that of the program; 127 if the program does not exist, 126 if it "
      "cannot be executed.");
  AddManual(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
