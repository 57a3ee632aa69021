#pragma once

#include <cstdint>
#include <vector>

#include "importers/capture/frames.h"
#include "importers/capture/row_part.h"
#include "wire/records.h"

// The facts in a file about its process, the machine and the recording.
namespace warpsight::importers::capture {

void AddDevice(const wire::DeviceRecord& record, RowPart& rows);

// Names the threads that `parts` have rows of; the last name of each counts.
void NameThreads(const std::vector<wire::ThreadRecord>& records,
                 const std::vector<const RowPart*>& parts, RowPart& rows);

// What the agent was told to record.
enum class Recording : uint8_t { kTimeline, kCounters };

// Metadata, the process' name, its place in a distributed job and on which machine it ran. A
// recording of counters has no process, and tells of counters only: it is another run of what the
// timeline has.
Recording AddFacts(const std::vector<wire::FactRecord>& records, uint64_t run, RowPart& rows,
                   TraceBuilder& builder);

// From the recording's clock to Unix time.
void SetClock(std::vector<wire::AnchorRecord> records, RowPart& rows, TraceBuilder& builder);

// The stretch that the file's records cover; kMissing where it has none.
struct Covered {
  TimeNs start = kMissing, end = kMissing;
};

// Says what was not recorded and why. What counters lack is logged under a code of its own
// (`counters`): nothing of the timeline is missing.
void LogGaps(const std::vector<wire::GapRecord>& records, Recording recording,
             const Covered& covered, RowPart& rows);
// Says what the file itself lacks.
void LogDamage(const FrameList& list, Recording recording, const Covered& covered, RowPart& rows);

}  // namespace warpsight::importers::capture
