#pragma once

namespace warpsight {

// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

// Runs the command line; returns the exit code.
int RunProgram(int argc, char** argv);

}  // namespace warpsight
