#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/facts/range_names.h"
#include "base/intervals.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Whether a name contains a word for a part of a model (layer, block, expert) or for a step (step,
// iteration, batch, request). Most names contain neither.
enum class NameHint : uint8_t { kNone, kPart, kStep, kEpoch };
NameHint HintOf(std::string_view range_name);

// Distinguishes steps from the layers of one pass through a model. Both repeat the same kernels,
// but each step has its own input and result, while layers share those of their pass. For one
// source; scans its events once.
class StepSigns {
 public:
  // `on_gpu`: the repetitions are times at which kernels ran, not at which they were launched.
  StepSigns(const Trace& trace, RangeNames& names, const FactTables& facts, SourceId source,
            bool on_gpu);

  // Whether each of the repetitions, which must be in order and disjoint, has its own sign of a
  // step: an embedding, a loss, a sampled token, a batch of the data loader, or an optimizer step.
  bool EachIsAStep(std::span<const Interval> repetitions) const;
  // Whether the repetitions are parts of one pass: each is a different layer of the same class; or
  // signs of steps occur around them, but not in each; or a call of a model, or a range with other
  // kernels, contains all of them, and not each of them copies from or to the host.
  bool ArePartsOfOnePass(std::span<const Interval> repetitions) const;
  // Whether each repetition contains a copy from or to the host.
  bool EachCopies(std::span<const Interval> repetitions) const;

 private:
  bool AreLayersByName(std::span<const Interval> repetitions) const;
  // Whether each repetition begins with a different number of the same part: "blocks.3.mlp",
  // "blocks.4.mlp".
  bool AreNumberedParts(std::span<const Interval> repetitions) const;
  bool AreEnclosed(std::span<const Interval> repetitions) const;

  // A range whose name contains a number that counts parts of a model.
  struct Part {
    TimeNs time;
    std::string_view before, number, after;
  };

  const Trace& trace_;
  std::vector<TimeNs> signs_;                          // times of signs, in order
  std::vector<TimeNs> copies_;                         // from or to the host, in order
  std::vector<std::pair<TimeNs, StringId>> launches_;  // of all kernels, in order
  std::vector<Part> parts_;                            // in order
  std::vector<HostId> ranges_;  // annotations, modules and compiled regions, in order
};

}  // namespace warpsight
