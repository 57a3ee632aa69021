#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace warpsight::exporters::nsys_sqlite {

// Nsight Systems' numbers of processes and threads: 24 bits for the thread, 24 bits for the
// process, and the machine above them. The source is used as the machine, since correlation ids are
// unique only within a source.
class GlobalIds {
 public:
  explicit GlobalIds(const Trace& trace);

  int64_t Process(ProcessId process) const { return processes_[Index(process)]; }
  int64_t Thread(ThreadId thread) const { return threads_[Index(thread)]; }
  // The process that owns a stream; if the trace does not say, the one that makes the API calls of
  // its source.
  int64_t GpuProcess(StreamId stream) const { return stream_processes_[Index(stream)]; }
  int64_t GpuProcess(SourceId source) const { return gpu_processes_[Index(source)]; }
  int64_t Machine(SourceId source) const { return static_cast<int64_t>(Index(source)) + 1; }

  static int64_t Pid(int64_t global) { return (global >> 24) & 0xFFFFFF; }

 private:
  std::vector<int64_t> processes_, threads_, gpu_processes_, stream_processes_;
};

}  // namespace warpsight::exporters::nsys_sqlite
