#pragma once

#include <string>

#include "model/trace.h"

// Titles of lanes and of their groups.
namespace warpsight {

// "rank 3", or the file's name if the rank is unknown; empty for a trace of one file.
std::string SourceLabel(const Trace& trace, SourceId source);

// "GPU 0", "GPU 0, rank 3"
std::string GpuTitle(const Trace& trace, DeviceId device);
// "Stream 7", or "Stream 7, context 2".
std::string StreamTitle(const Trace& trace, StreamId stream, bool with_context);
// "python 431"
std::string ProcessTitle(const Trace& trace, ProcessId process);
// The recorded name, or "Thread 431".
std::string ThreadTitle(const Trace& trace, ThreadId thread);

}  // namespace warpsight
