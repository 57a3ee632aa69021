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
    bool terminal = false;  // standard input, output and error are a new terminal instead
    // Killed together with the processes that it started; always so on a terminal.
    bool own_group = false;
    // Ignore the signals that the test ignores. Shells make background processes ignore SIGINT, so
    // by default the program gets the default actions.
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
  void Type(char key) const;
  // Waits until it has printed the text `times` times. False on timeout or if it ends before.
  bool WaitFor(const std::string& text, size_t times = 1,
               std::chrono::milliseconds longest = std::chrono::seconds(60));
  // Its exit code, or minus the signal that killed it; nothing on timeout.
  std::optional<int> Wait(std::chrono::microseconds longest = std::chrono::seconds(60));

 private:
  // Reads once if there is output within this time. False if there is none.
  bool Read(std::chrono::microseconds longest);

  pid_t pid_ = -1;
  int output_ = -1;
  bool own_group_ = false;
  bool output_ended_ = false;
  std::optional<int> exit_code_;
  std::string printed_;
};

// The number of occurrences of a part in a text.
size_t CountOf(const std::string& text, const std::string& part);

}  // namespace warpsight::testing
