#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace warpsight {

// Ends the program when it is asked to: Ctrl-C (SIGINT), SIGTERM and SIGHUP, except those that were
// ignored when it was started (nohup, a shell's background). Exists once, from before the first
// thread is started until the program ends; the signals are blocked in all threads but its own.
//
// The first signal asks the work that runs now to stop (OnInterrupt). Where nothing runs that can
// be asked, or that has not ended the program after 0.3 seconds, the program ends without it:
// unfinished files are removed, child processes that run queries end with it, and the exit code is
// 128 and the signal's number. A second signal does that at once.
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

// Says how work that runs can be stopped. Applies while it exists, also to a signal that came
// before.
class OnInterrupt {
 public:
  struct Actions {
    // Asks the work to stop; returns at once. May be empty.
    std::function<void()> ask;
    // Called when the program ends without waiting for the work: for last words to standard error
    // with EndMessage(). May be empty.
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

// Writes to standard error without the C library's buffers and locks, which a thread that is about
// to be left behind may hold. Nothing is written where that would mean waiting: the reader of a
// pipe may have stopped reading.
void EndMessage(const std::string& text);

// While it exists, signals are left pending for the calling thread to take.
class PausedSignalWatch {
 public:
  PausedSignalWatch();

 private:
  std::unique_lock<std::mutex> turn_;
};

}  // namespace warpsight
