#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/aggregation/op_table.h"
#include "analysis/aggregation/report_input.h"
#include "analysis/aggregation/roofline_table.h"

namespace warpsight {

// The costs of ops and kernels, and the model that computed them.
struct OpCosts {
  OpCosts(const ReportInput& input, const OpTable& ops)
      : model(input.profile, input.peaks), table(input, ops, model) {}

  CostModel model;
  RooflineTable table;
};

// Intermediate results shared by several reports on one input: each is computed once, on first use.
// A cache belongs to one profile, range and peaks, which must outlive it. Thread-safe; threads that
// need a result that is being computed wait for it.
class ReportCache {
 public:
  ReportCache() = default;
  ReportCache(const ReportCache&) = delete;
  ReportCache& operator=(const ReportCache&) = delete;

 private:
  friend std::shared_ptr<const OpTable> OpTableOf(const ReportInput& input);
  friend std::shared_ptr<const std::vector<KernelUse>> KernelUsesOf(const ReportInput& input,
                                                                    const OpTable& ops);
  friend std::shared_ptr<const OpCosts> OpCostsOf(const ReportInput& input, const OpTable& ops);

  template <typename T>
  struct Part {
    std::once_flag once;
    std::shared_ptr<const T> value;
  };
  template <typename T, typename Make>
  static std::shared_ptr<const T> Get(ReportCache* cache, Part<T> ReportCache::*part, Make make);

  Part<OpTable> ops_;
  Part<std::vector<KernelUse>> uses_;
  Part<OpCosts> costs_;
};

// From the input's cache, or computed for this caller if there is none. `ops` is the input's own
// OpTable.
std::shared_ptr<const OpTable> OpTableOf(const ReportInput& input);
std::shared_ptr<const std::vector<KernelUse>> KernelUsesOf(const ReportInput& input,
                                                           const OpTable& ops);
std::shared_ptr<const OpCosts> OpCostsOf(const ReportInput& input, const OpTable& ops);

}  // namespace warpsight
