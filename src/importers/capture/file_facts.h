#pragma once

#include <cstdint>
#include <vector>

#include "importers/capture/frames.h"
#include "importers/capture/row_part.h"
#include "wire/records.h"

// Facts in a file about its process, its machine and the recording.
namespace warpsight::importers::capture {

void AddDevice(const wire::DeviceRecord& record, RowPart& rows);

// Sets the names of the threads that have rows in `parts`; the last name of each is used.
void NameThreads(const std::vector<wire::ThreadRecord>& records,
                 const std::vector<const RowPart*>& parts, RowPart& rows);

// What the agent was configured to record.
enum class Recording : uint8_t { kTimeline, kCounters };

// Adds metadata, the name of the process, its rank in a distributed job, and its machine. A
// recording of counters is a second run of the recorded program: it has no process, and only its
// facts about counters are added.
Recording AddFacts(const std::vector<wire::FactRecord>& records, uint64_t run, RowPart& rows,
                   TraceBuilder& builder);

// Sets the offset from the recording's clock to Unix time.
void SetClock(std::vector<wire::AnchorRecord> records, RowPart& rows, TraceBuilder& builder);

// The time interval that the file's records cover; kMissing if it has none.
struct Covered {
  TimeNs start = kMissing, end = kMissing;
};

// Logs what was not recorded, and why. Missing counters are logged with a separate code
// (`counters`), since nothing is missing on the timeline.
void LogGaps(const std::vector<wire::GapRecord>& records, Recording recording,
             const Covered& covered, RowPart& rows);
// Logs what is missing in the file itself.
void LogDamage(const FrameList& list, Recording recording, const Covered& covered, RowPart& rows);

}  // namespace warpsight::importers::capture
