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

int Run(int argc, char** argv) {
  CommandLine line(
      "warpsight",
      "Warpsight shows where a GPU program spends its time.\n"
      "It records programs (warpsight profile) and reads traces from PyTorch (Kineto), Nsight "
      "Systems, JAX, TensorFlow, nvprof, TensorRT, ONNX Runtime and MXNet, plain or compressed "
      "(.gz, .zst), and its own profiles (.warpsight). A FILE alone is shown as warpsight report "
      "shows it.",
      std::string("warpsight ") + WARPSIGHT_VERSION,
      static_cast<size_t>(StandardOutputStyle().width));
  line.SetDefaultCommand("report");
  line.SetFooter(
      "Record a program:  warpsight profile -- python train.py\n"
      "Look at a trace:   warpsight trace.json.gz\n"
      "More:              warpsight help, warpsight help COMMAND",
      "Record a program:   warpsight profile -- python train.py\n"
      "A first look:       warpsight trace.json.gz\n"
      "What to change:     warpsight advise trace.json.gz\n"
      "In the browser:     warpsight view trace.json.gz --open\n"
      "Keep the analysis:  warpsight import trace.json.gz\n"
      "Help on a command:  warpsight help COMMAND");
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
int RunProgram(int argc, char** argv) {
  if (RanQueryWorker(argc, argv)) return kExitOk;
  KeepFreedMemory();
  try {
    const SignalWatch signals;
    return Run(argc, argv);
  } catch (const std::bad_alloc&) {
    return Fail("out of memory");
  } catch (const std::exception& error) {
    return Fail(fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace warpsight
