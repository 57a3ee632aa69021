#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/hash_map.h"

namespace warpsight::importers::xplane {

// The FLOPs and bytes of one run of an HLO instruction, from the shapes in the compiled program. A
// multiply-add counts as two FLOPs; an input is read once, an output written once
// (docs/metrics.md).
struct HloCost {
  double flops = kMissingReal;
  double matrix_flops = 0;       // those of matrix products and convolutions
  std::string_view matrix_type;  // number format of their operands: "bf16"; static text
  double bytes = kMissingReal;

  bool known() const { return flops >= 0 || bytes >= 0; }
};

// The instructions of one compiled program, as stored in its HloModuleProto. Refers to the bytes of
// the proto. Once filled, it may be used by many threads.
class HloProgram {
 public:
  // Add a HloComputationProto and its HloInstructionProtos.
  void AddComputation(std::string_view message);

  HloCost CostOf(std::string_view instruction) const;

  struct Computation {
    std::vector<std::string_view> instructions;
    int64_t root = 0;
  };
  // Null if there is none.
  const Computation* ComputationOf(int64_t id) const;
  std::string_view InstructionOf(int64_t id) const;

 private:
  HashMap<int64_t, std::string_view> instructions_;  // by id, which is unique in a program
  HashMap<int64_t, Computation> computations_;
};

}  // namespace warpsight::importers::xplane
