#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "exporters/api/json_text.h"
#include "exporters/chrome/args_writer.h"
#include "exporters/chrome/write_order.h"
#include "model/trace.h"

namespace warpsight::exporters::chrome {

// Writes rows of a trace as records of traceEvents, with Kineto's categories and arguments. Used by
// one thread at a time.
class EventWriter {
 public:
  // `clock` is the offset from the trace's times to those of the file.
  EventWriter(const Trace& trace, int64_t clock, std::string& out)
      : trace_(trace), clock_(clock), json_(out) {}

  void Slice(SliceRow slice);
  void Memory(size_t row);
  void Flow(size_t row);
  void Instant(size_t row);
  void Nvtx(size_t row);

 private:
  void Host(size_t row);
  void Api(size_t row);
  void Gpu(size_t row);
  void GpuAnnotation(size_t row);
  void Sync(size_t row);

  void Begin(std::string_view phase, std::string_view category, StringId name);
  void Lane(ThreadId thread);
  void Lane(StreamId stream);
  void Span(TimeNs start, DurationNs duration);
  void Time(TimeNs time);
  void End();

  // Adds the stream to args_.
  void Stream(StreamId stream);
  void Launch(LaunchConfigId launch);
  void Triple(std::string_view key, int64_t x, int64_t y, int64_t z, bool needed);
  void Collective(CollectiveId collective);
  ArgsWriter::Original HostExtra(HostExtraId extra, std::string_view& original);

  std::string_view Text(StringId id) const { return trace_.Text(id); }

  const Trace& trace_;
  const int64_t clock_;
  JsonText json_;
  ArgsWriter args_;
  std::string triple_;
};

}  // namespace warpsight::exporters::chrome
