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

// The values of a profile's iterations: what the ledger and report `steps` hold, in the units of
// charts. Values that were not recorded are left out.
class StepScalars {
 public:
  // Keeps a reference to the profile only.
  StepScalars(ProfileView profile, const RangeSummary& range);

  std::vector<Scalar> Of(IterationId iteration) const;

 private:
  // What decides which charts a rank has.
  struct Rank {
    bool many_gpus = false;
    bool reads = false;  // a data loader's batches
    bool calls = false;  // of CUDA were recorded
  };

  void FindRanks();
  // "GPU", or "GPU 1" where the rank uses several.
  static std::string NameOfGpu(const Rank& rank, int64_t number);
  void AddStep(size_t iteration, DurationNs time, std::vector<Scalar>& scalars) const;
  void AddGpu(const LedgerLane& lane, const Rank& rank, std::vector<Scalar>& scalars) const;
  void AddMemory(size_t iteration, const Rank& rank, std::vector<Scalar>& scalars) const;

  ProfileView profile_;
  int64_t samples_per_iteration_;
  std::vector<LedgerLane> lanes_;
  std::vector<StepMemory> memory_;
  std::vector<Rank> ranks_;         // by source
  std::vector<bool> communicates_;  // by device: it ran a collective in some iteration
  bool tensor_cores_known_;         // of any kernel
};

}  // namespace warpsight::exporters::tensorboard
