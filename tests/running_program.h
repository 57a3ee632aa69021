#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace warpsight::testing {

// The program as a running child process. The destructor kills it if it has not ended.
class RunningProgram {
 public:
  // kFull: a full pipe without a reader.
  enum class Stream { kDiscarded, kInherited, kPiped, kFull };
  struct Options {
    Stream output = Stream::kDiscarded;
    Stream errors = Stream::kDiscarded;
    bool input = false;      // it reads what Write() gives it
    bool terminal = false;   // both, and the input, are a terminal of its own instead
    bool own_group = false;  // what it started is killed with it; so it is on a terminal
    // It ignores the signals that the test ignores. A shell that runs the tests in the background
    // has them ignore SIGINT, so that without this the program gets the defaults.
    bool inherit_signals = false;
    // In addition to the test's own: "NAME=value".
    std::vector<std::string> environment = {};
  };

  RunningProgram(std::vector<std::string> arguments, const Options& options);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  pid_t pid() const { return pid_; }      // -1 after it has ended
  int output() const { return output_; }  // to read from; -1 without pipe and terminal
  // All output that was read; the functions that wait read it.
  const std::string& printed() const { return printed_; }

  void Send(int signal) const;
  // Waits until the program handles the signal: on a busy machine, one that is sent soon after the
  // start would simply kill it.
  void SendWhenReady(int signal) const;
  void Type(char key) const;
  // Gives it input; fails the test where it does not take it.
  void Write(const std::string& text) const;
  // Its input ends.
  void CloseInput();
  // Until it printed the text so many times. False where that takes longer, or it ends before.
  bool WaitFor(const std::string& text, size_t times = 1,
               std::chrono::milliseconds longest = std::chrono::seconds(60));
  // Its exit code, or minus the signal that killed it; nothing on timeout.
  std::optional<int> Wait(std::chrono::microseconds longest = std::chrono::seconds(60));

 private:
  // Reads once if there is output within this time. False if there is none.
  bool Read(std::chrono::microseconds longest);

  pid_t pid_ = -1;
  int output_ = -1;
  int input_ = -1;
  bool own_group_ = false;
  bool output_ended_ = false;
  std::optional<int> exit_code_;
  std::string printed_;
};

// The number of occurrences of a part in a text.
size_t CountOf(const std::string& text, const std::string& part);

}  // namespace warpsight::testing
