#include "cli/terminal/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/unfinished_files.h"
#include "cli/terminal/exit_codes.h"

namespace warpsight {
namespace {

using Clock = std::chrono::steady_clock;

// Users wait about a second. On a busy machine part of it passes until this thread runs again,
// files are removed and the system has reclaimed the memory.
constexpr auto kGracePeriod = std::chrono::milliseconds(300);

std::atomic<int> interrupting_signal{0};

// Held by the thread that may take signals.
std::mutex turn_mutex;

// The work that can be stopped, outermost first.
std::mutex actions_mutex;
std::vector<const OnInterrupt::Actions*> running_actions;  // guarded by actions_mutex

// All that end programs and are not ignored.
sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

// Whether there was anything to ask.
bool AskToStop() {
  const std::lock_guard lock(actions_mutex);
  for (const OnInterrupt::Actions* actions : running_actions) {
    if (actions->ask) actions->ask();
  }
  return !running_actions.empty();
}

[[noreturn]] void EndNow() {
  int exit_code = kExitSignal + interrupting_signal.load();
  {
    const std::lock_guard lock(actions_mutex);
    for (const OnInterrupt::Actions* actions : running_actions) {
      if (actions->leave) actions->leave();
      if (actions->exit_code >= 0) exit_code = actions->exit_code;
    }
  }
  if (exit_code != kExitOk) EndMessage("warpsight: interrupted\n");
  RemoveUnfinishedFiles();
  _exit(exit_code);
}

}  // namespace

// Receives the signals, and exits when the grace period is over.
class SignalWatch::Thread {
 public:
  explicit Thread(const sigset_t& signals)
      : signals_(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)),
        stop_(eventfd(0, EFD_CLOEXEC)) {
    // No other signal is for this thread, either.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { Run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() {
    eventfd_write(stop_.get(), 1);
    thread_.join();
  }

 private:
  void Run() {
    for (;;) {
      std::array<pollfd, 2> events = {{{signals_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      const int ready = poll(events.data(), events.size(), Patience());
      if ((events[1].revents & POLLIN) != 0) return;
      if (ready == 0) EndNow();
      if ((events[0].revents & POLLIN) != 0) Take();
    }
  }

  // Milliseconds; -1: forever.
  int Patience() const {
    if (!asked_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    return static_cast<int>(std::max<int64_t>(0, left.count()));
  }

  void Take() {
    const std::lock_guard turn(turn_mutex);
    signalfd_siginfo info{};
    // The thread that paused this one may have taken it.
    if (read(signals_.get(), &info, sizeof info) != sizeof info) return;
    if (asked_) EndNow();
    interrupting_signal.store(static_cast<int>(info.ssi_signo));
    if (!AskToStop()) EndNow();
    asked_ = true;
    deadline_ = Clock::now() + kGracePeriod;
  }

  Descriptor signals_;
  Descriptor stop_;
  bool asked_ = false;
  Clock::time_point deadline_;
  std::thread thread_;
};

SignalWatch::SignalWatch() {
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, &mask_before_);
  thread_ = std::make_unique<Thread>(signals);
}

// What is left of the program can be ended as if it handled no signals: it may wait for a terminal
// or a pipe that takes no more.
SignalWatch::~SignalWatch() {
  thread_.reset();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

int InterruptingSignal() { return interrupting_signal.load(); }

OnInterrupt::OnInterrupt(Actions actions) : actions_(std::move(actions)) {
  const std::lock_guard lock(actions_mutex);
  running_actions.push_back(&actions_);
  if (InterruptingSignal() != 0 && actions_.ask) actions_.ask();
}

OnInterrupt::~OnInterrupt() {
  const std::lock_guard lock(actions_mutex);
  std::erase(running_actions, &actions_);
}

void EndMessage(const std::string& text) {
  pollfd errors{STDERR_FILENO, POLLOUT, 0};
  if (poll(&errors, 1, 0) <= 0 || (errors.revents & POLLOUT) == 0) return;
  const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  (void)ignored;
}

PausedSignalWatch::PausedSignalWatch() : turn_(turn_mutex) {}

}  // namespace warpsight
