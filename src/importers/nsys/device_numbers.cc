#include "importers/nsys/device_numbers.h"

#include "importers/nsys/global_ids.h"

namespace warpsight::importers::nsys {

void DeviceNumbers::Read(const SqliteDatabase& database) {
  if (database.HasTable("TARGET_INFO_CUDA_DEVICE")) {
    enum { kPid, kCudaId, kGpu };
    const auto rows = database.Select("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"});
    while (rows->Next()) {
      if (rows->IsNull(kCudaId) || rows->IsNull(kGpu)) continue;
      const int64_t pid = rows->Integer(kPid);
      of_process_[{pid > 0xFFFFFF ? PidOf(pid) : pid, rows->Integer(kCudaId)}] =
          rows->Integer(kGpu);
    }
  }
  if (database.HasTable("TARGET_INFO_GPU")) {
    enum { kCudaId, kGpu };
    const auto rows = database.Select("TARGET_INFO_GPU", {"cuDevice", "id"});
    while (rows->Next()) {
      if (rows->IsNull(kCudaId) || rows->IsNull(kGpu)) continue;
      of_all_[rows->Integer(kCudaId)] = rows->Integer(kGpu);
    }
  }
}

int64_t DeviceNumbers::Of(int64_t pid, int64_t device) const {
  if (const auto it = of_process_.find({pid, device}); it != of_process_.end()) return it->second;
  if (const auto it = of_all_.find(device); it != of_all_.end()) return it->second;
  return device;
}

}  // namespace warpsight::importers::nsys
