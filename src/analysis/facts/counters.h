#pragma once

#include <string_view>

#include "base/units.h"

namespace warpsight {

// Hardware counters of one kernel; kMissingReal for counters that are missing.
struct MeasuredWork {
  double flops = kMissingReal;
  double bytes = kMissingReal;  // between the GPU's memory and its L2 cache

  bool any() const { return flops >= 0 || bytes >= 0; }
};

// Reads counters from the arguments of a kernel (JSON), with the names of CUPTI and Nsight Compute:
// dram__bytes.sum, or dram__bytes_read.sum and dram__bytes_write.sum;
// smsp__sass_thread_inst_executed_op_ffma_pred_on.sum and the like; sm__ops_path_tensor_….sum.
MeasuredWork ReadCounters(std::string_view args_json);

// The cost of one run of an op according to the compiler; kMissingReal if unknown.
struct StatedWork {
  double flops = kMissingReal;
  double bytes = kMissingReal;
  double matrix_flops = 0;
  std::string_view matrix_type;  // number format: "bf16"; a view into the parsed text

  bool any() const { return flops >= 0 || bytes >= 0; }
};

// Reads it from the arguments of a kernel (JSON) with XLA's names flops and bytes_accessed, and
// with matrix_flops and matrix_type, which the importer adds.
StatedWork ReadStatedWork(std::string_view args_json);

}  // namespace warpsight
