#pragma once

#include <string_view>

#include "analysis/reporting/report.h"

namespace warpsight {

// A process or thread id as a cell: a number if it is one. Trace files may also use names.
Cell IdCell(std::string_view id);

// The ids of a thread's process and of the thread itself, as in the file.
Cell PidCell(const Trace& trace, ThreadId thread);
Cell TidCell(const Trace& trace, ThreadId thread);

}  // namespace warpsight
