// What an export that does not come to its end leaves behind: nothing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "exporters/api/exporter.h"
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
  const Profile profile = ImportForTest({BundledTracePath("gpt2_bf16_stacks_memory")});
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

// The program with its standard output in a pipe; what it says of the interruption is not shown.
class Running {
 public:
  explicit Running(std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    output_ = ends[0];
    arguments.insert(arguments.begin(), WARPSIGHT_PROGRAM);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
      execv(WARPSIGHT_PROGRAM, argv.data());
      _exit(127);
    }
    close(ends[1]);
  }
  ~Running() { close(output_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Until the pipe is full, so that the program cannot go on.
  bool WaitUntilBlocked() const {
    const int size = fcntl(output_, F_GETPIPE_SZ);
    for (int tries = 0; tries < 3000; ++tries) {
      int waiting = 0;
      if (ioctl(output_, FIONREAD, &waiting) == 0 && waiting >= size) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  void Send(int signal) const { kill(pid_, signal); }

  struct End {
    int exit_code = -1;
    size_t bytes = 0;
  };
  End ReadToEnd() const {
    End end;
    std::array<char, 65536> buffer{};
    while (true) {
      const ssize_t got = read(output_, buffer.data(), buffer.size());
      if (got <= 0) break;
      end.bytes += static_cast<size_t>(got);
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
    return end;
  }

 private:
  int output_ = -1;
  pid_t pid_ = -1;
};

TEST(ExportInterrupt, ExitCodesAreThoseOfShells) {
  const std::string trace = BundledTracePath("gpt2_bf16");
  for (const char* format : {"chrome", "perfetto"}) {
    const std::vector<std::string> command = {"export", trace, "--to", format, "-o", "-"};
    const size_t whole = Running(command).ReadToEnd().bytes;
    for (const int signal : {SIGINT, SIGTERM}) {
      const Running run(command);
      ASSERT_TRUE(run.WaitUntilBlocked()) << format;
      run.Send(signal);
      const Running::End end = run.ReadToEnd();
      EXPECT_EQ(end.exit_code, 128 + signal) << format;
      EXPECT_LT(end.bytes, whole) << format;
    }
  }
}

// As on a full disk: no file may grow beyond a few kilobytes.
TEST(ExportInterrupt, FailedWritesLeaveNothingBehind) {
  for (const char* format :
       {"html", "chrome", "perfetto", "csv", "json", "parquet", "nsys-sqlite"}) {
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
