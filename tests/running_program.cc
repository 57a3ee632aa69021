#include "running_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace warpsight::testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Stream = RunningProgram::Stream;

constexpr milliseconds kPollInterval{5};

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& added) {
  const auto is_replaced = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::any_of(added.begin(), added.end(),
                       [&](const std::string& other) { return other.starts_with(name); });
  };
  std::vector<std::string> all = added;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_replaced(*variable)) all.emplace_back(*variable);
  }
  return all;
}

// The program inherits both ends of the pipe.
int FullPipe() {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_NONBLOCK) != 0) return -1;
  constexpr std::array<char, 4096> kPage = {};
  while (write(ends[1], kPage.data(), kPage.size()) > 0) {
  }
  fcntl(ends[1], F_SETFL, 0);
  return ends[1];
}

void Redirect(int number, Stream to, int pipe) {
  if (to == Stream::kPiped) dup2(pipe, number);
  if (to == Stream::kFull) dup2(FullPipe(), number);
  if (to == Stream::kDiscarded) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), number);
}

}  // namespace

RunningProgram::RunningProgram(std::vector<std::string> arguments, const Options& options)
    : own_group_(options.own_group || options.terminal) {
  // Allocates before the fork: another thread of the test may hold the lock of malloc.
  arguments.insert(arguments.begin(), WARPSIGHT_PROGRAM);
  std::vector<std::string> environment = EnvironmentWith(options.environment);
  const std::vector<char*> argv = PointersTo(arguments);
  const std::vector<char*> envp = PointersTo(environment);
  std::array<int, 2> ends = {-1, -1};
  std::array<int, 2> input = {-1, -1};
  if (options.input) {
    EXPECT_EQ(pipe2(input.data(), O_CLOEXEC), 0);
  }
  if (options.terminal) {
    const winsize size{50, 160, 0, 0};
    pid_ = forkpty(&output_, nullptr, nullptr, &size);
  } else {
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      if (own_group_) setpgid(0, 0);
      if (options.input) dup2(input[0], STDIN_FILENO);
      Redirect(STDOUT_FILENO, options.output, ends[1]);
      Redirect(STDERR_FILENO, options.errors, ends[1]);
    }
  }
  if (pid_ == 0) {
    if (!options.inherit_signals) {
      for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) ::signal(signal, SIG_DFL);
    }
    execve(argv[0], argv.data(), envp.data());
    _exit(99);
  }
  EXPECT_GT(pid_, 0);
  if (options.input) close(input[0]);
  input_ = input[1];
  if (options.terminal) {
    fcntl(output_, F_SETFD, FD_CLOEXEC);
    return;
  }
  close(ends[1]);
  if (options.output == Stream::kPiped || options.errors == Stream::kPiped) {
    output_ = ends[0];
  } else {
    close(ends[0]);
  }
}

RunningProgram::~RunningProgram() {
  if (pid_ > 0) {
    kill(own_group_ ? -pid_ : pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) close(output_);
  CloseInput();
}

// Whether the process blocks, ignores or catches the signal, or has ended.
bool IsReadyFor(pid_t pid, int signal) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  uint64_t signals = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:\tZ")) return true;
    if (!line.starts_with("SigBlk:") && !line.starts_with("SigIgn:") &&
        !line.starts_with("SigCgt:")) {
      continue;
    }
    signals |= std::strtoull(line.c_str() + std::string_view("SigBlk:").size(), nullptr, 16);
  }
  return (signals >> (signal - 1) & 1) != 0;
}

// Without a process, the pid -1 would stand for all processes.
void RunningProgram::Send(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

void RunningProgram::SendWhenReady(int signal) const {
  const auto until = Clock::now() + std::chrono::seconds(20);
  while (pid_ > 0 && !IsReadyFor(pid_, signal) && Clock::now() < until) {
    std::this_thread::sleep_for(kPollInterval);
  }
  Send(signal);
}

void RunningProgram::Type(char key) const { EXPECT_EQ(write(output_, &key, 1), 1); }

void RunningProgram::Write(const std::string& text) const {
  // A program that has ended must not end the test.
  sigset_t broken;
  sigset_t before;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(input_, text.data() + written, text.size() - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  if (written < text.size()) {
    const timespec now = {0, 0};
    sigtimedwait(&broken, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(written, text.size());
}

void RunningProgram::CloseInput() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

bool RunningProgram::Read(microseconds longest) {
  if (output_ < 0 || output_ended_) {
    std::this_thread::sleep_for(longest);
    return false;
  }
  pollfd polled = {output_, POLLIN, 0};
  const timespec timeout = {longest.count() / 1'000'000, longest.count() % 1'000'000 * 1000};
  if (ppoll(&polled, 1, &timeout, nullptr) <= 0) return false;
  std::array<char, 65536> buffer{};
  const ssize_t got = read(output_, buffer.data(), buffer.size());
  output_ended_ = got <= 0;
  if (!output_ended_) printed_.append(buffer.data(), static_cast<size_t>(got));
  return !output_ended_;
}

bool RunningProgram::WaitFor(const std::string& text, size_t times, milliseconds longest) {
  const auto until = Clock::now() + longest;
  while (CountOf(printed_, text) < times) {
    if (output_ended_ || Clock::now() >= until) return false;
    Read(kPollInterval);
  }
  return true;
}

std::optional<int> RunningProgram::Wait(microseconds longest) {
  const auto until = Clock::now() + longest;
  for (;;) {
    if (pid_ <= 0) return exit_code_;
    if (int status = 0; waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      while (Read(microseconds(0))) {
      }
      continue;
    }
    const auto left = std::chrono::duration_cast<microseconds>(until - Clock::now());
    if (left <= microseconds(0)) return std::nullopt;
    Read(std::min<microseconds>(kPollInterval, left));
  }
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace warpsight::testing
