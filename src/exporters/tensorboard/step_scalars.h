#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/accounting/ledger_lanes.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/accounting/step_memory.h"
#include "exporters/tensorboard/event_writer.h"
#include "model/profile.h"

namespace warpsight::exporters::tensorboard {

// The values of a profile's iterations from the ledger and report `steps`, in units for charts.
// Values that were not recorded are omitted.
class StepScalars {
 public:
  // Keeps a reference only to the profile.
  StepScalars(ProfileView profile, const RangeSummary& range);

  std::vector<Scalar> Of(IterationId iteration) const;

 private:
  // Facts about a rank that determine which charts it has.
  struct Rank {
    bool many_gpus = false;
    bool reads = false;  // it loads batches with a data loader
    bool calls = false;  // CUDA calls were recorded
  };

  void FindRanks();
  // "GPU", or "GPU 1" if the rank uses several.
  static std::string NameOfGpu(const Rank& rank, int64_t number);
  void AddStep(size_t iteration, DurationNs time, std::vector<Scalar>& scalars) const;
  void AddGpu(const LedgerLane& lane, const Rank& rank, std::vector<Scalar>& scalars) const;
  void AddMemory(size_t iteration, const Rank& rank, std::vector<Scalar>& scalars) const;

  ProfileView profile_;
  int64_t samples_per_iteration_;
  std::vector<LedgerLane> lanes_;
  std::vector<StepMemory> memory_;
  std::vector<Rank> ranks_;         // by source
  std::vector<bool> communicates_;  // by device: whether it ran a collective in any iteration
  bool tensor_cores_known_;         // for any kernel
};

}  // namespace warpsight::exporters::tensorboard
