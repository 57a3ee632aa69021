#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace warpsight {

// Ends the program on Ctrl-C (SIGINT), SIGTERM and SIGHUP, except signals that were ignored when it
// was started (nohup, a shell's background). There is one instance, from before the first thread
// starts until the program ends; the signals are blocked in all threads except its own. The first
// signal asks the running work to stop (OnInterrupt). If nothing can be asked, or if the program
// has not ended after 0.3 seconds, it exits anyway: unfinished files are removed, child processes
// that run queries end with it, and the exit code is 128 plus the signal number. A second signal
// does that immediately.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  class Thread;
  sigset_t mask_before_{};
  std::unique_ptr<Thread> thread_;
};

// The signal that asked the program to end; 0 where there was none.
int InterruptingSignal();

// Defines how the running work is stopped. Applies while it exists, also to a signal that came
// earlier.
class OnInterrupt {
 public:
  struct Actions {
    // Asks the work to stop; returns at once. May be empty.
    std::function<void()> ask;
    // Called when the program exits without waiting for the work, to print a final message to
    // standard error with EndMessage(). May be empty.
    std::function<void()> leave;
    // What the program then exits with; negative: 128 and the signal's number.
    int exit_code = -1;
  };

  // The actions are called from another thread. None of them may make or destroy an OnInterrupt.
  explicit OnInterrupt(Actions actions);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

 private:
  friend class SignalWatch;
  Actions actions_;
};

// Writes to standard error without the C library's buffers and locks, which an abandoned thread may
// hold. Never waits: if the reader of a pipe has stopped reading, nothing is written.
void EndMessage(const std::string& text);

// While it exists, signals are left pending for the calling thread to take.
class PausedSignalWatch {
 public:
  PausedSignalWatch();

 private:
  std::unique_lock<std::mutex> turn_;
};

}  // namespace warpsight
