#include "exporters/nsys_sqlite/global_ids.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace warpsight::exporters::nsys_sqlite {
namespace {

constexpr int64_t kLargest = 0xFFFFFF;
// Above all process ids of Linux: the number of the first lane that has a name instead of a number.
constexpr int64_t kFirstNamed = 0x800000;

int64_t NumberOf(std::string_view text, size_t row) {
  int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  const bool fits = error == std::errc() && parsed == end && number >= 0 && number < kFirstNamed;
  return fits ? number : (kFirstNamed + static_cast<int64_t>(row)) & kLargest;
}

}  // namespace

GlobalIds::GlobalIds(const Trace& trace) {
  const ProcessesTable& processes = trace.tables.processes;
  const ThreadsTable& threads = trace.tables.threads;
  for (size_t i = 0; i < processes.pid.size(); ++i) {
    processes_.push_back((Machine(processes.source[i]) << 48) |
                         (NumberOf(trace.Text(processes.pid[i]), i) << 24));
  }
  for (size_t i = 0; i < threads.tid.size(); ++i) {
    threads_.push_back(Process(threads.process[i]) | NumberOf(trace.Text(threads.tid[i]), i));
  }
  gpu_processes_.assign(RowCount(trace.tables.sources), -1);
  const auto offer = [&](ProcessId process) {
    int64_t& known = gpu_processes_[Index(processes.source[Index(process)])];
    if (known < 0) known = Process(process);
  };
  for (const ThreadId thread : trace.tables.api.thread) offer(threads.process[Index(thread)]);
  for (size_t i = 0; i < processes.pid.size(); ++i) offer(MakeId<ProcessId>(i));
  for (size_t i = 0; i < gpu_processes_.size(); ++i) {
    if (gpu_processes_[i] < 0) gpu_processes_[i] = Machine(MakeId<SourceId>(i)) << 48;
  }
  const Column<ProcessId>& owners = trace.tables.streams.process;
  for (size_t i = 0; i < owners.size(); ++i) {
    stream_processes_.push_back(IsSet(owners[i]) ? Process(owners[i])
                                                 : GpuProcess(trace.SourceOf(MakeId<StreamId>(i))));
  }
}

}  // namespace warpsight::exporters::nsys_sqlite
