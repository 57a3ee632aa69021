#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/string_pool.h"
#include "model/hash_map.h"
#include "model/trace.h"

namespace warpsight {

// The rows of one block of one input file, with local ids. One thread fills a part; any number of
// parts may be filled concurrently. Importers push rows into `tables` directly and use the
// functions below for the tables whose rows are shared (lanes, streams, inputs, launch parameters).
class TracePart {
 public:
  explicit TracePart(SourceId source) : source_(source) {}

  TraceTables tables;
  StringPool strings;

  SourceId source() const { return source_; }

  StringId Intern(std::string_view text) { return strings.Intern(text); }
  ProcessId Process(std::string_view pid);
  ThreadId Thread(std::string_view pid, std::string_view tid);
  DeviceId Device(int64_t ordinal);
  StreamId Stream(int64_t device, int64_t context, int64_t stream,
                  ProcessId process = kNone<ProcessId>, int64_t recorded_device = kMissing);
  SignatureId Signature(StringId dims, StringId types, StringId strides, StringId values);

  struct LaunchConfig {
    std::array<int64_t, 3> grid{kMissing, kMissing, kMissing};
    std::array<int64_t, 3> block{kMissing, kMissing, kMissing};
    int64_t registers = kMissing;
    int64_t shared_bytes = kMissing;
    double blocks_per_sm = kMissingReal;
    double warps_per_sm = kMissingReal;
    double occupancy_percent = kMissingReal;

    friend bool operator==(const LaunchConfig& a, const LaunchConfig& b) = default;
    auto HashedFields() const {
      return std::tuple(grid, block, registers, shared_bytes, Bits(blocks_per_sm),
                        Bits(warps_per_sm), Bits(occupancy_percent));
    }

   private:
    // Adding 0.0 turns -0.0 into 0.0, since the two compare equal.
    static uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value + 0.0); }
  };
  LaunchConfigId Launch(const LaunchConfig& config);

  // Counts a problem. The first one of each code keeps its message and offset. Problems without an
  // offset concern the file as a whole, and are counted together only if their messages are equal.
  void Log(std::string_view code, int64_t offset, std::string_view message);

 private:
  SourceId source_;
  HashMap<StringId, ProcessId> processes_;
  HashMap<std::pair<ProcessId, StringId>, ThreadId> threads_;
  HashMap<int64_t, DeviceId> devices_;
  HashMap<std::tuple<DeviceId, int64_t, int64_t, ProcessId>, StreamId> streams_;
  HashMap<std::array<StringId, 4>, SignatureId> signatures_;
  HashMap<LaunchConfig, LaunchConfigId> launches_;
  HashMap<std::pair<StringId, StringId>, size_t> log_rows_;
};

// Collects the parts of one or more files and turns them into a Trace: maps ids to global ones,
// sorts rows into timeline order, and makes times relative to the earliest event.
class TraceBuilder {
 public:
  // The row of `sources` for a new input file.
  SourceId AddSource(std::string_view path, std::string_view format, int64_t bytes);
  // Removes the newest source with everything that was added for it.
  void DropLastSource();
  void AddEvents(SourceId source, int64_t events);
  void SetRank(SourceId source, int64_t rank, int64_t world_size, std::string_view backend);
  // Offset from this file's clock to Unix time. If it is known for all files and differs, their
  // times are aligned.
  void SetUnixBase(SourceId source, int64_t base_ns);
  // The run and the machine of the file, if known: files of one run and machine share a clock, so
  // they need no alignment.
  void SetRun(SourceId source, uint64_t run, std::string_view machine);

  // What is known about each file, used to decide whether files belong together.
  struct SourceFacts {
    std::string path, format;
    int64_t rank = kMissing, world_size = kMissing;
    int64_t unix_base = kMissing;
    uint64_t run = 0;                         // 0: unknown
    TimeNs start = kMissing, end = kMissing;  // of its GPU work, on its own clock
    int64_t activities = 0;                   // kernels, copies and memsets
    DurationNs gpu_time = 0;
  };
  std::vector<SourceFacts> DescribeSources() const;

  // Parts are merged in the order in which they are added. A part may leave columns of a table
  // empty: they are filled with missing values.
  void Add(TracePart part);

  // Builds the trace; the builder is empty afterwards.
  Result<Trace> Seal();

 private:
  struct Source {
    std::string path, format, backend;
    int64_t bytes = 0, events = 0, rank = kMissing, world_size = kMissing;
    int64_t unix_base = kMissing;
    uint64_t run = 0;
    std::string machine;
  };
  std::vector<bool> TimedSources();
  void ShareClocks();
  int64_t AlignClocks();
  void DropFarTimes();

  std::vector<Source> sources_;
  std::vector<TracePart> parts_;
};

}  // namespace warpsight
