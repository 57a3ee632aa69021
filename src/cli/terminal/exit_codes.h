#pragma once

namespace warpsight {

// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
// Plus the number of the signal that ended it, as shells count: 130 for Ctrl-C.
inline constexpr int kExitSignal = 128;

}  // namespace warpsight
