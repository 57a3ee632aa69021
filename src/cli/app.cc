#include "cli/app.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unfinished_files.h"
#include "cli/commands.h"
#include "cli/terminal/console.h"
#include "cli/terminal/interrupts.h"
#include "cli/write_manual.h"
#include "store/query_worker.h"

namespace warpsight {
namespace {

// Removes the arguments after "--" from those of `warpsight profile`: they belong to another
// program, and the parser would split, unquote and reorder them.
std::vector<std::string> TakeProgram(int& argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<size_t>(argc));
  if (arguments.size() < 2 || std::string_view(arguments[1]) != "profile") return {};
  const auto mark = std::find_if(arguments.begin(), arguments.end(),
                                 [](const char* text) { return std::string_view(text) == "--"; });
  if (mark == arguments.end()) return {};
  argc = static_cast<int>(mark - arguments.begin());
  return {mark + 1, arguments.end()};
}

ProgramHelp DescribeProgram() {
  ProgramHelp program;
  program.name = "warpsight";
  program.version = std::string("Warpsight ") + WARPSIGHT_VERSION;
  program.text =
      "Warpsight shows where a GPU program spends its time.\n"
      "It records programs (warpsight profile) and reads traces from PyTorch (Kineto), Nsight "
      "Systems, JAX, TensorFlow, nvprof, TensorRT, ONNX Runtime and MXNet, plain or compressed "
      "(.gz, .zst), and its own profiles (.warpsight). A FILE alone is shown as warpsight report "
      "shows it.";
  program.default_command = "report";
  program.overview_end =
      "Record a program:  warpsight profile -- python train.py\n"
      "Look at a trace:   warpsight trace.json.gz\n"
      "More:              warpsight help, warpsight help COMMAND\n";
  program.examples = {{"warpsight profile -- python train.py", "Record a program"},
                      {"warpsight trace.json.gz", "A first look"},
                      {"warpsight advise trace.json.gz", "What to change"},
                      {"warpsight view trace.json.gz --open", "In the browser"},
                      {"warpsight import trace.json.gz", "Keep the analysis"},
                      {"warpsight help report", "Help on a command"}};
  program.variables = {
      {"COLUMNS", "The width of texts in columns, in place of that of the terminal."}};
  program.files = {
      {"*.warpsight", "A profile: a DuckDB database, which any client of DuckDB opens."}};
  program.exit_codes = {
      {"0", "Success."},
      {"1", "Failure, such as a file that cannot be read or written."},
      {"2",
       "The command line is wrong, or an output would replace an input or, without `--force`, "
       "a file of another program."},
      {"130, 143, 129", "Ended by Ctrl-C (SIGINT), SIGTERM or SIGHUP."}};
  return program;
}

int Run(int argc, char** argv, const BuildCommit& commit) {
  CommandLine line(DescribeProgram(), static_cast<size_t>(StandardOutputStyle().width));
  AddProfileCommand(line, TakeProgram(argc, argv));
  AddImportCommand(line);
  AddReportCommand(line);
  AddAdviseCommand(line);
  AddWhatIfCommand(line);
  AddInfoCommand(line);
  AddKernelCommand(line);
  AddQueryCommand(line);
  AddViewCommand(line);
  AddExportCommand(line);
  AddMcpCommand(line);
  AddVersionCommand(line, commit);
  if (argc == 3 && std::string_view(argv[1]) == kWriteManual) {
    const Status status = WriteManual(line.description(), argv[2]);
    return status.ok() ? kExitOk : Fail(status.error().message);
  }
  const CommandLine::Parsed parsed = line.Parse({argv + std::min(argc, 1), argv + argc});
  if (!parsed.output.empty()) PrintRendered(PrintableLines(parsed.output));
  if (!parsed.error.empty()) return FailUsage(parsed.error);
  if (!parsed.run) return FinishOutput(kExitOk);
  const int exit_code = parsed.run();
  for (const std::string& message : TakeLeftoverMessages()) Fail(message);
  const int signal = InterruptingSignal();
  // Work that was completed anyway is not a failure.
  if (exit_code == kExitFailed && signal != 0) return FinishOutput(kExitSignal + signal);
  return FinishOutput(exit_code);
}

// Columns of a large trace are allocated and freed in turns; by default the C library gives such
// memory back to the system every time and pays for it in page faults when it is needed again.
void KeepFreedMemory() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace

// No exception may leave the program; running out of memory is the only one that can occur.
int RunProgram(int argc, char** argv, const BuildCommit& commit) {
  if (RanQueryWorker(argc, argv)) return kExitOk;
  KeepFreedMemory();
  try {
    const SignalWatch signals;
    return Run(argc, argv, commit);
  } catch (const std::bad_alloc&) {
    return Fail("out of memory");
  } catch (const std::exception& error) {
    return Fail(fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace warpsight
