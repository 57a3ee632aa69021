#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpsight {

// How the environment of a child process differs from this process.
struct SpawnOptions {
  struct Descriptor {
    int number;  // in the child
    int source;  // in this process; negative: /dev/null
  };
  // The child inherits the descriptors that are open without close-on-exec, with these changes.
  std::vector<Descriptor> descriptors;
  // Closes all descriptors from this number on; 0: closes none. All `descriptors` are below it.
  int close_from = 0;
  // Detach from the terminal, so that Ctrl-C does not reach the child.
  bool new_session = false;
  bool search_path = false;
};

// Starts a program without a plain fork(), so that any thread may call it. The caller waits for the
// child.
Result<pid_t> Spawn(const std::string& program, std::vector<std::string> arguments,
                    const SpawnOptions& options = {});

// The calling thread's signal mask without the signals that end programs. This program blocks them
// to handle them in one thread; programs that it starts must not inherit that.
sigset_t SignalMaskForPrograms();

}  // namespace warpsight
