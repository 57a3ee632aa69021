#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/hash_map.h"
#include "model/trace.h"

namespace warpsight {

// The CUDA version that introduced the current form of a function: 3020 for
// `cudaDeviceSynchronize_v3020`. Nsight Systems records it in the name. The importer moves it to
// the arguments of the call, so that names are the same for all tools.
class ApiVersions {
 public:
  // kMissing if it was not recorded.
  int64_t Of(StringId args, const Trace& trace);

 private:
  HashMap<StringId, int64_t> known_;  // by arguments
};

// `cudaDeviceSynchronize_v3020`; only the name if the version is missing.
std::string NameWithVersion(std::string_view name, int64_t version);

// The name in Nsight Systems' reports, which drop versions of four digits only:
// `cudaMalloc`, but `cudaStreamIsCapturing_v10000`.
std::string NsightName(std::string_view name, int64_t version);

}  // namespace warpsight
