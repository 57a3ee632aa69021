#pragma once

#include <string>
#include <vector>

namespace warpsight {

// How a program ended.
struct ChildEnd {
  int start_error = 0;  // errno where it could not be started
  int exit_code = 0;    // where it was not ended by a signal
  int signal = 0;
};

// Runs a program in the foreground and waits for its end: same process group, same standard
// streams. The program is looked up in PATH. Signals meanwhile are the program's affair:
//   - those from the terminal (Ctrl-C, Ctrl-\, a hang-up) reach it without us, since the kernel
//     sends them to the whole process group;
//   - those that a process sent to us alone are passed on: SIGINT, SIGQUIT, SIGTERM, SIGHUP.
// The two are told apart by who sent them. Call it while this process has one thread.
ChildEnd RunInForeground(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment);

}  // namespace warpsight
