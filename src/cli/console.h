#pragma once

#include <string_view>

#include "analysis/reporting/report.h"

namespace warpsight {

// Prints "warpsight: MESSAGE" to standard error and returns kExitFailed. Output written so far is
// flushed first, so that the order on a terminal is right.
int Fail(std::string_view message);
// The same with kExitUsage.
int FailUsage(std::string_view message);

// Flushes standard output; turns success into failure when it could not be written.
int FinishOutput(int exit_code);

// How to print for people: colour on a terminal that wants it (NO_COLOR is respected), its width,
// else 100 columns without colour.
TextStyle OutputStyle(int descriptor);
TextStyle StandardOutputStyle();

bool IsTerminal(int descriptor);

}  // namespace warpsight
