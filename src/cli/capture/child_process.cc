#include "cli/capture/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/spawn.h"
#include "cli/terminal/interrupts.h"

namespace warpsight {
namespace {

// The second signal that the program ignores ends Warpsight.
constexpr int kMaxIgnoredSignals = 2;

constexpr std::array<int, 4> kPassedOn = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

// While it exists, signals to this process wait to be read with Next().
class HeldSignals {
 public:
  HeldSignals() : program_mask_(SignalMaskForPrograms()) {
    sigemptyset(&held_);
    for (const int signal : kPassedOn) {
      // What nohup, or a shell that put this in the background, ignores stays ignored, here and in
      // the program.
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    // A process that ignores SIGCHLD gets no exit codes.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &child_before_);
    sigaddset(&held_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &held_, &mask_before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() {
    // A signal that arrived while the program ended was meant for it.
    const timespec now{};
    while (sigtimedwait(&held_, nullptr, &now) > 0 || errno == EINTR) {
    }
    Restore(mask_before_);
  }

  // For the forked process.
  void RestoreForProgram() const { Restore(program_mask_); }

  siginfo_t Next() const {
    siginfo_t info{};
    while (sigwaitinfo(&held_, &info) < 0 && errno == EINTR) {
    }
    return info;
  }

 private:
  void Restore(const sigset_t& mask) const {
    sigaction(SIGCHLD, &child_before_, nullptr);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
  }

  sigset_t program_mask_;
  sigset_t held_{};
  sigset_t mask_before_{};
  struct sigaction child_before_ {};
};

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void Connect(const ChildStreams& streams) {
  if (streams.input >= 0) dup2(streams.input, STDIN_FILENO);
  if (streams.output < 0) return;
  dup2(streams.output, STDOUT_FILENO);
  dup2(streams.output, STDERR_FILENO);
}

// In the forked process. The pipe closes by itself where the program starts.
[[noreturn]] void Become(char** arguments, char** environment, const HeldSignals& signals,
                         const ChildStreams& streams, int error_pipe) {
  signals.RestoreForProgram();
  Connect(streams);
  execvpe(arguments[0], arguments, environment);
  const int error = errno;
  const ssize_t written = write(error_pipe, &error, sizeof(error));
  _exit(written == sizeof(error) ? 127 : 126);
}

// 0 once the program runs.
int ReadStartError(int error_pipe) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(error_pipe, &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  return got == sizeof(error) ? error : 0;
}

bool HasEnded(pid_t child, int& status, uid_t& user) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == child) {
    user = info.si_uid;
  }
  pid_t got = 0;
  do {
    got = waitpid(child, &status, WNOHANG);
  } while (got < 0 && errno == EINTR);
  return got != 0;
}

// Whether a process ignores a signal, so that it will not end because of it.
bool Ignores(pid_t process, int signal) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("SigIgn:")) continue;
    const uint64_t ignored = std::strtoull(line.c_str() + 7, nullptr, 16);
    return (ignored >> (signal - 1) & 1) != 0;
  }
  return false;
}

ChildEnd WaitFor(pid_t child, const HeldSignals& signals) {
  ChildEnd end;
  end.user = getuid();
  int status = 0;
  int in_vain = 0;
  while (!HasEnded(child, status, end.user)) {
    const siginfo_t info = signals.Next();
    if (info.si_signo == SIGCHLD) continue;
    // Positive codes are the kernel's own signals.
    const bool from_a_process = info.si_code <= 0;
    if (from_a_process) kill(child, info.si_signo);
    if (Ignores(child, info.si_signo) && ++in_vain == kMaxIgnoredSignals) {
      end.left_by = info.si_signo;
      return end;
    }
  }
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace

ChildEnd RunInForeground(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment, const ChildStreams& streams) {
  std::vector<std::string> own_arguments = arguments;
  std::vector<std::string> own_environment = environment;
  const std::vector<char*> argv = Pointers(own_arguments);
  const std::vector<char*> envp = Pointers(own_environment);
  std::array<int, 2> error_pipe{};
  if (pipe2(error_pipe.data(), O_CLOEXEC) != 0) return {.start_error = errno};

  const PausedSignalWatch paused;
  const HeldSignals signals;
  const pid_t child = fork();
  if (child == 0) {
    Become(const_cast<char**>(argv.data()), const_cast<char**>(envp.data()), signals, streams,
           error_pipe[1]);
  }
  const int fork_error = child < 0 ? errno : 0;
  close(error_pipe[1]);
  const int start_error = child < 0 ? fork_error : ReadStartError(error_pipe[0]);
  close(error_pipe[0]);
  if (child < 0) return {.start_error = start_error};

  ChildEnd end = WaitFor(child, signals);
  end.start_error = start_error;
  return end;
}

}  // namespace warpsight
