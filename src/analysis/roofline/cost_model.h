#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/roofline/gpu_peaks.h"
#include "analysis/roofline/op_cost.h"
#include "analysis/roofline/speed_of_light.h"
#include "model/profile.h"

namespace warpsight {

// FLOPs and bytes of every op and kernel of a profile.
//
// The innermost ops that have a formula get the cost. An op that only calls other ops
// (aten::linear), or has no formula, costs as much as the ops inside it that launched GPU work; if
// any work inside it has no cost, neither does the op. Everything is computed in the constructor:
// each distinct pair of name and inputs once, then one pass over ops and GPU work. After that, the
// object is read-only and thread-safe. It refers to the profile, which must outlive it.
class CostModel {
 public:
  explicit CostModel(ProfileView profile, const std::optional<GpuPeaks>& overrides = {});

  // The cost of one call: of an op, or of a range that contains many.
  OpCost CostOf(HostId op) const;
  // The part of its op's cost that a kernel has: the op's main kernels share FLOPs and bytes in
  // proportion to their time. Copies and memsets within the GPU have their recorded bytes.
  OpCost CostOf(GpuId gpu) const;
  // Whether a kernel's cost does not come from an op call around its launch, but from the compiler
  // of its op (XLA), or from calls of the op outside the graph that replays it.
  bool IsStated(GpuId gpu) const { return !stated_.empty() && stated_[Index(gpu)] != 0; }

  // The shape of the matrix product or convolution of an op, or of one inside it.
  std::optional<GemmShape> GemmOf(HostId op) const;
  std::optional<ConvShape> ConvOf(HostId op) const;

  // By device: the values for its name with the overrides; none for an unknown GPU without
  // overrides.
  const std::optional<GpuPeaks>& PeaksOf(DeviceId device) const { return peaks_[Index(device)]; }
  // The peaks of the first GPU that did any work.
  const std::optional<GpuPeaks>& peaks() const;
  // "bf16 989 TFLOP/s, 4800 GB/s of H200 SXM5 (NVIDIA H200 datasheet, halved)", or why the peaks
  // are unknown and how to set them.
  std::string DescribePeaks() const;

 private:
  class Builder;

  ProfileView profile_;
  std::vector<OpCost> costs_;           // distinct
  std::vector<uint32_t> cost_of_host_;  // index in costs_
  std::vector<uint8_t> tensor_cores_;   // by host row: whether some kernel inside uses them
  std::vector<uint32_t> gpu_cost_;      // by GPU activity: index in costs_ of its op's cost
  std::vector<uint8_t> stated_;         // by GPU activity; empty if there are none
  std::vector<float> gpu_share_;        // by GPU activity: its share of that cost; <= 0: see gap
  std::vector<std::optional<GpuPeaks>> peaks_;
  DeviceId first_device_ = kNone<DeviceId>;
};

}  // namespace warpsight
