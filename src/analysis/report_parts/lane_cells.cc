#include "analysis/report_parts/lane_cells.h"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace warpsight {

Cell IdCell(std::string_view id) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error == std::errc() && end == id.data() + id.size()) return number;
  return id;
}

Cell PidCell(const Trace& trace, ThreadId thread) {
  const ProcessId process = trace.tables.threads.process[Index(thread)];
  return IdCell(trace.Text(trace.tables.processes.pid[Index(process)]));
}

Cell TidCell(const Trace& trace, ThreadId thread) {
  return IdCell(trace.Text(trace.tables.threads.tid[Index(thread)]));
}

}  // namespace warpsight
