#include "analysis/facts/copy_rate.h"

namespace warpsight {
namespace {

constexpr double kGiga = 1e9;

}  // namespace

double CopyRate(const Trace& trace, GpuId gpu) {
  const size_t row = Index(gpu);
  const GpuActivitiesTable& table = trace.tables.gpu;
  if (const GpuExtraId extra = table.extra[row]; IsSet(extra)) {
    const double recorded = trace.tables.gpu_extras.bandwidth[Index(extra)];
    if (recorded > 0) return recorded * kGiga;
  }
  if (table.bytes[row] == kMissing || table.duration[row] <= 0) return kMissingReal;
  return static_cast<double>(table.bytes[row]) * kGiga / static_cast<double>(table.duration[row]);
}

}  // namespace warpsight
