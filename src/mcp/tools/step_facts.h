#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_builder.h"
#include "mcp/tools/open_profiles.h"

// The step of a profile, where its time went, and the SQL that gives the same. Several tools answer
// with it.
namespace warpsight::mcp {

// The GPUs that did something in the analyzed steps, as SQL: "0, 1". Empty where there are none.
std::string GpuList(const RangeSummary& range);

// The number of steps of which times per step are an average, as SQL.
std::string StepCountSql(const RangeSummary& range);

// One row: average_ns, deviation_ns and samples_per_second.
std::string StepLengthSql(const RangeSummary& range);
JsonObject& AddStepLength(const OpenedProfile& opened, JsonObject& object);

// "WHERE" of the rows of ledger_totals that sum to the time of all GPUs, or of the processes
// without any.
std::string LedgerWhere(const RangeSummary& range);

// A percentage of a whole with two decimals, as SQL rounds it; not a number without a whole.
double RoundPercent(double part, double whole);
// The same in SQL.
std::string PercentSql(std::string_view part, std::string_view whole);

int64_t PerStep(const RangeSummary& range, DurationNs total);

// "32.3 ms"
std::string TimeText(DurationNs time);
// "40.8 ms ± 6.22 ms, 196 samples/s, 4 steps"; for texts.
std::string StepText(const OpenedProfile& opened);

}  // namespace warpsight::mcp
