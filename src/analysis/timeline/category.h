#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/accounting/gpu_work.h"
#include "model/profile.h"
#include "model/time_groups.h"

namespace warpsight {

// The category of a slice, which determines its color; the numbers are part of the tile format. The
// first four are those of Resource, and idle causes have the same names as in the ledger, so that a
// slice has the color of the share to which it contributes.
enum class Category : uint8_t {
  kTensorCores,
  kOtherKernels,
  kCommunication,
  kMemory,
  kDataLoading,
  kIo,
  kCpu,
  kOther,
  kAnnotation,
  kModule,
  kPython,
  kApi,
  kSync,
  kOverhead,
  kIteration,
  kOutside,
  kGapData,
  kGapSync,
  kGapAllocation,
  kGapHostWork,
  kGapLaunchLatency,
  kGapDependency,
  kGapOtherRank,
  kGapUnknown,
};
inline constexpr size_t kCategoryCount = 24;

// "tensor_cores", "gap_sync", ...
std::string_view IdOf(Category category);

constexpr Category CategoryOf(IdleCause cause) {
  return static_cast<Category>(static_cast<uint8_t>(Category::kGapData) +
                               static_cast<uint8_t>(cause));
}

// Determines the categories of rows of a profile from its facts. Constructed in one pass over names
// and GPU work; safe to use from many threads.
class EventCategories {
 public:
  explicit EventCategories(ProfileView profile);

  Category OfHost(size_t host) const {
    const HostRangesTable& table = profile_.trace.tables.host;
    if (table.kind[host] == HostKind::kAnnotation && loading_[Index(table.name[host])]) {
      return Category::kDataLoading;
    }
    if (table.kind[host] == HostKind::kSystemCall && file_access_[Index(table.name[host])]) {
      return Category::kIo;
    }
    return OfKind(table.kind[host]);
  }
  Category OfApi(size_t api) const { return waiting_[api] ? Category::kSync : Category::kApi; }
  Category OfGpu(size_t gpu) const { return static_cast<Category>(gpu_classes_.Of(gpu)); }

 private:
  static Category OfKind(HostKind kind);

  ProfileView profile_;
  GpuClasses gpu_classes_;
  std::vector<bool> loading_;      // by name
  std::vector<bool> file_access_;  // by name
  std::vector<bool> waiting_;      // by API call
};

}  // namespace warpsight
