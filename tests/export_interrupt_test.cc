// An export that does not complete leaves nothing behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "exporters/api/exporter.h"
#include "import_once.h"
#include "running_program.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().string());
  return names;
}

TEST(ExportInterrupt, EveryFormatStopsAndCleansUp) {
  const Profile& profile = ImportOnce({BundledTracePath("gpt2_bf16_stacks_memory")});
  for (const Exporter& exporter : AllExporters()) {
    const TemporaryFolder folder;
    Progress progress;
    progress.cancel = true;
    const auto result = exporter.run({profile, folder.Path("out"), progress});
    ASSERT_FALSE(result.ok()) << exporter.name;
    EXPECT_EQ(result.error().message, "interrupted") << exporter.name;
    EXPECT_EQ(FilesIn(folder.Path("")), std::vector<std::string>()) << exporter.name;
  }
}

// Waits until the pipe is full, so that the program blocks.
bool WaitUntilBlocked(const RunningProgram& program) {
  const int size = fcntl(program.output(), F_GETPIPE_SZ);
  for (int tries = 0; tries < 3000; ++tries) {
    int waiting = 0;
    if (ioctl(program.output(), FIONREAD, &waiting) == 0 && waiting >= size) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// Until the program has ended, with nobody reading what it writes.
bool WaitUntilEnded(const RunningProgram& program) {
  for (int tries = 0; tries < 3000; ++tries) {
    siginfo_t ended = {};
    if (waitid(P_PID, static_cast<id_t>(program.pid()), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == program.pid()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(ExportInterrupt, ExitCodesAreThoseOfShells) {
  const std::string trace = BundledTracePath("gpt2_bf16");
  for (const char* format : {"chrome", "perfetto"}) {
    const std::vector<std::string> command = {"export", trace, "--to", format, "-o", "-"};
    const RunningProgram::Options piped = {.output = RunningProgram::Stream::kPiped};
    RunningProgram undisturbed(command, piped);
    ASSERT_EQ(undisturbed.Wait(), 0) << format;
    for (const int signal : {SIGINT, SIGTERM}) {
      RunningProgram run(command, piped);
      ASSERT_TRUE(WaitUntilBlocked(run)) << format;
      run.Send(signal);
      ASSERT_TRUE(WaitUntilEnded(run)) << format;
      EXPECT_EQ(run.Wait(), 128 + signal) << format;
      EXPECT_LT(run.printed().size(), undisturbed.printed().size()) << format;
    }
  }
}

// Like a full disk: files cannot grow beyond a few kilobytes.
TEST(ExportInterrupt, FailedWritesLeaveNothingBehind) {
  for (const char* format :
       {"html", "chrome", "perfetto", "csv", "json", "parquet", "nsys-sqlite", "tensorboard"}) {
    const TemporaryFolder folder;
    const std::string command = "trap '' XFSZ; ulimit -f 8; '" WARPSIGHT_PROGRAM "' export '" +
                                BundledTracePath("gpt2_bf16_stacks_memory") + "' --to " + format +
                                " -o '" + folder.Path("out") + "' >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << format;
    EXPECT_EQ(WEXITSTATUS(status), 1) << format;
    EXPECT_EQ(FilesIn(folder.Path("")), std::vector<std::string>()) << format;
  }
}

}  // namespace
}  // namespace warpsight::testing
