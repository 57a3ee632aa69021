#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warpsight {

// How a program ended.
struct ChildEnd {
  int start_error = 0;  // errno where it could not be started
  int exit_code = 0;    // where it was not ended by a signal
  int signal = 0;
  uid_t user = 0;   // the user id at the end: programs may drop privileges
  int left_by = 0;  // the signal that ended our waiting for it; it still runs
};

// The standard streams of a child process; negative: the same as this process's.
struct ChildStreams {
  int input = -1;
  int output = -1;  // and errors
};

// Runs a program in the foreground and waits for its end: same process group, same standard
// streams unless told otherwise. The program is looked up in PATH. Signals in the meantime go to
// the program:
//   - those from the terminal (Ctrl-C, Ctrl-\, a hang-up) reach it without us, since the kernel
//     sends them to the whole process group;
//   - those that a process sent to us alone are passed on: SIGINT, SIGQUIT, SIGTERM, SIGHUP.
// The sender distinguishes the two. The second signal that the program ignores ends the wait
// instead. Call it only while SignalWatch's thread is the only other thread.
ChildEnd RunInForeground(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment,
                         const ChildStreams& streams = {});

}  // namespace warpsight
