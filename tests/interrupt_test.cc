// Ctrl-C, SIGTERM and SIGHUP end the program within a second, whatever it is doing, and leave
// nothing behind. tests/torture/interrupt.py has the whole matrix.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "http_client.h"
#include "running_program.h"
#include "store/database.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Work has 0.3 seconds to stop by itself before the program ends; the rest is for a machine that is
// busy with other tests.
constexpr milliseconds kLongestEnd{1500};

// Whether a process blocks signals, as a child does for a moment after fork() and before exec().
bool BlocksInterrupts(pid_t process) {
  std::error_code error;
  const fs::path program = fs::read_symlink(fmt::format("/proc/{}/exe", process), error);
  if (error || program == fs::read_symlink("/proc/self/exe")) return false;
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("SigBlk:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
  }
  return false;
}

// Waits until the program handles signals, which a busy machine may delay, and a little longer.
void WaitUntilBusy(const RunningProgram& program, milliseconds more = milliseconds(200)) {
  for (int i = 0; i < 2000 && !BlocksInterrupts(program.pid()); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  std::this_thread::sleep_for(more);
}

// Waits until any thread of a process has started a child, and returns that; -1 if none appears.
pid_t WaitForChild(pid_t process, milliseconds patience) {
  const auto end = Clock::now() + patience;
  while (Clock::now() < end) {
    for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process))) {
      std::ifstream file(task.path() / "children");
      if (pid_t child = 0; file >> child) return child;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return -1;
}

bool IsRunning(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');
  return name_end != text.npos && text.substr(name_end + 2, 1) != "Z";
}

void ExpectGone(pid_t process) {
  for (int i = 0; i < 100 && IsRunning(process); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_FALSE(IsRunning(process));
}

class InterruptTest : public ::testing::Test {
 protected:
  InterruptTest() { fs::create_directory(Temporary()); }

  std::string Temporary() const { return folder_.Path("tmp"); }
  // With temporary files in a folder that the test checks.
  RunningProgram::Options Quiet() const { return {.environment = {"TMPDIR=" + Temporary()}}; }
  std::string Pipe() const {
    std::string path = folder_.Path("pipe");
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  // Sends the signal after the program has been running for a while.
  void ExpectEnd(const std::vector<std::string>& arguments, int signal,
                 milliseconds after = milliseconds(200)) {
    RunningProgram run(arguments, Quiet());
    WaitUntilBusy(run, after);
    run.SendWhenReady(signal);
    EXPECT_EQ(run.Wait(kLongestEnd), 128 + signal) << arguments.front();
    EXPECT_TRUE(fs::is_empty(Temporary())) << arguments.front();
  }

  const TemporaryFolder folder_;
};

TEST_F(InterruptTest, EveryCommandThatOpensAPipeWithoutWriter) {
  const std::string pipe = Pipe();
  const std::string out = folder_.Path("out");
  ExpectEnd({"import", pipe, "-o", out}, SIGINT);
  ExpectEnd({"report", pipe}, SIGTERM);
  ExpectEnd({"advise", pipe}, SIGINT);
  ExpectEnd({"whatif", pipe, "--no-syncs"}, SIGTERM);
  ExpectEnd({"info", pipe}, SIGHUP);
  ExpectEnd({"export", pipe, "-o", out}, SIGINT);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(InterruptTest, APipeWhoseWriterIsSlow) {
  const std::string pipe = Pipe();
  const int writer = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(write(writer, "{\"traceEvents\": [", 17), 17);
  ExpectEnd({"report", pipe}, SIGINT);
  ExpectEnd({"import", pipe, "-o", folder_.Path("out")}, SIGTERM);
  close(writer);
}

// A pager that is not scrolled, or a stopped terminal.
TEST_F(InterruptTest, OutputThatIsNotRead) {
  using Stream = RunningProgram::Stream;
  const std::string pipe = Pipe();
  const std::string trace = BundledTracePath("resnet18_cuda_graph_inference");
  RunningProgram::Options errors = Quiet(), output = Quiet(), both = Quiet();
  errors.errors = both.errors = Stream::kFull;
  output.output = both.output = Stream::kFull;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const auto& [command, options] :
         std::vector<std::pair<std::vector<std::string>, RunningProgram::Options>>{
             {{"report", pipe}, errors},
             {{"report", trace, "--report", "all"}, output},
             {{"report", "no-such-file"}, errors},
             {{"import", folder_.path(), "-o", folder_.Path("out")}, both},
             {{"query", pipe, "SELECT 1"}, both}}) {
      RunningProgram run(command, options);
      WaitUntilBusy(run);
      run.SendWhenReady(signal);
      EXPECT_EQ(run.Wait(kLongestEnd), 128 + signal) << command[0] << ' ' << command[1];
    }
  }
}

TEST_F(InterruptTest, AnImportThatIsBusy) {
  std::vector<std::string> command = {"import", "-o", folder_.Path("out")};
  const std::string trace = BundledTracePath("gpt2_bf16_stacks_memory");
  for (int i = 0; i < 40; ++i) {
    command.push_back(folder_.Path(fmt::format("{}{}", i, fs::path(trace).filename().string())));
    fs::copy_file(trace, command.back());
  }
  // The whole import takes a few hundred milliseconds.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ExpectEnd(command, signal, milliseconds(30));
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().string().find("out"), std::string::npos) << entry.path();
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
  }
}

TEST_F(InterruptTest, AnEndlessQueryAndItsProcess) {
  const std::string profile = folder_.Path("run.warpsight");
  const std::string trace = BundledTracePath("resnet18_cuda_graph_inference");
  ASSERT_EQ(RunWarpsight({"import", trace, "-o", profile}).exit_code, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    RunningProgram run(
        {"query", profile, "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))"},
        Quiet());
    const pid_t child = WaitForChild(run.pid(), milliseconds(10'000));
    ASSERT_GT(child, 0);
    std::this_thread::sleep_for(milliseconds(100));
    run.SendWhenReady(signal);
    EXPECT_EQ(run.Wait(kLongestEnd), 128 + signal);
    ExpectGone(child);
  }
}

// A hostile profile: reading one of its tables never ends, or is rejected.
TEST_F(InterruptTest, AHostileProfile) {
  const std::string profile = folder_.Path("run.warpsight");
  const std::string trace = BundledTracePath("resnet18_cuda_graph_inference");
  ASSERT_EQ(RunWarpsight({"import", trace, "-o", profile}).exit_code, 0);
  {
    auto database = store::Database::Open(profile, {});
    ASSERT_TRUE(database.ok());
    auto connection = store::Connection::Open(*database);
    ASSERT_TRUE(connection.ok());
    const Status status = connection->Run(
        "DROP TABLE warpsight; CREATE VIEW warpsight AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL "
        "SELECT n % 2 FROM t) SELECT max(n)::VARCHAR AS key, '' AS value FROM t");
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningProgram run({"report", profile}, Quiet());
    WaitUntilBusy(run);
    run.SendWhenReady(signal);
    EXPECT_THAT(run.Wait(kLongestEnd), ::testing::AnyOf(1, 128 + signal));
  }
}

TEST_F(InterruptTest, TheSecondSignalDoesNotWait) {
  const std::string pipe = Pipe();
  auto shortest = Clock::duration::max();
  // One success is enough: a busy machine may be late.
  for (int tries = 0; tries < 3 && shortest > milliseconds(490); ++tries) {
    RunningProgram run({"report", pipe}, Quiet());
    WaitUntilBusy(run);
    const auto begin = Clock::now();
    run.SendWhenReady(SIGINT);
    std::this_thread::sleep_for(milliseconds(50));
    run.SendWhenReady(SIGTERM);
    EXPECT_EQ(run.Wait(kLongestEnd), 128 + SIGINT);
    shortest = std::min(shortest, Clock::now() - begin);
  }
  EXPECT_LT(shortest, milliseconds(490));
}

TEST_F(InterruptTest, TheViewerWithAQueryAndOpenConnections) {
  const std::string profile = folder_.Path("run.warpsight");
  const std::string trace = BundledTracePath("resnet18_cuda_graph_inference");
  ASSERT_EQ(RunWarpsight({"import", trace, "-o", profile}).exit_code, 0);
  const std::string not_a_trace = folder_.Path("notes.txt");
  std::ofstream(not_a_trace) << "some notes\n";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    setenv("TMPDIR", Temporary().c_str(), 1);
    ServerProcess server({profile, not_a_trace});
    unsetenv("TMPDIR");
    const RawConnection idle(server.port());
    RawConnection half(server.port());
    half.Send("GET /api/pro");
    const std::string sql = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))";
    const std::string request = fmt::format(
        "POST /api/profiles/run/sql HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: Bearer {}\r\n"
        "Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
        server.port(), server.token(), sql.size(), sql);
    // Rejected until the profile is open.
    RawConnection query(server.port());
    pid_t child = -1;
    for (int tries = 0; tries < 40 && child < 0; ++tries) {
      query.Send(request);
      child = WaitForChild(server.process(), milliseconds(200));
    }
    ASSERT_GT(child, 0);
    const auto begin = Clock::now();
    server.Signal(signal);
    EXPECT_EQ(server.WaitForEnd(), 0);
    EXPECT_LT(Clock::now() - begin, kLongestEnd);
    EXPECT_TRUE(fs::is_empty(Temporary())) << signal;
    ExpectGone(child);
  }
}

TEST_F(InterruptTest, TheViewerThatOpensAPipe) {
  const std::string pipe = Pipe();
  setenv("TMPDIR", Temporary().c_str(), 1);
  ServerProcess server({pipe});
  unsetenv("TMPDIR");
  std::this_thread::sleep_for(milliseconds(200));
  const auto begin = Clock::now();
  server.Signal(SIGINT);
  EXPECT_EQ(server.WaitForEnd(), 0);
  EXPECT_LT(Clock::now() - begin, kLongestEnd);
}

}  // namespace
}  // namespace warpsight::testing
