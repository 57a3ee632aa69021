#include "importers/capture/step_rows.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/intervals.h"

namespace warpsight::importers::capture {
namespace {

StepState StateOf(int64_t state, RowPart& rows) {
  switch (static_cast<wire::StepState>(state)) {
    case wire::StepState::kClean:
      return StepState::kClean;
    case wire::StepState::kRecorded:
      return StepState::kRecorded;
    case wire::StepState::kNeither:
      return StepState::kNeither;
  }
  rows.Log("unknown_kind", "a step of unknown state; treated as neither clean nor recorded");
  return StepState::kNeither;
}

}  // namespace

void AddStepTime(const wire::StepTimeRecord& record, RowPart& rows) {
  const auto times = rows.TimesOf(record.start, record.end);
  if (!times) return;
  StepTimesTable& t = rows.tables().step_times;
  t.start.push_back(times->start);
  t.duration.push_back(times->duration);
  t.thread.push_back(rows.Thread(record.thread));
  t.boundary.push_back(rows.Text(record.source));
  t.state.push_back(StateOf(record.state, rows));
}

void AddCleanStretches(const std::vector<wire::CleanStretchRecord>& records,
                       TimeNs end_of_recording, RowPart& rows) {
  std::map<int64_t, int64_t> ends;  // by start
  for (const wire::CleanStretchRecord& record : records) ends[record.start] = record.end;
  std::vector<Interval> stretches;
  for (const auto& [start, end] : ends) {
    const auto times = rows.TimesOf(start, end == 0 ? std::max(start, end_of_recording) : end);
    if (times) stretches.push_back({times->start, times->start + times->duration});
  }
  const IntervalSet joined = IntervalSet::FromSorted(stretches);
  CleanStretchesTable& t = rows.tables().clean_stretches;
  for (const Interval& stretch : joined.intervals()) {
    t.start.push_back(stretch.start);
    t.duration.push_back(stretch.end - stretch.start);
    t.source.push_back(rows.part().source());
  }
}

}  // namespace warpsight::importers::capture
