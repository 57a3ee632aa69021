#pragma once

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define CNN_HAVE_NVTX 1
#endif

namespace cnn {

// A named range in a profiler's timeline for the lifetime of the object. Costs almost nothing
// without a profiler, and does nothing if NVTX's headers were not found.
class NvtxRange {
 public:
#ifdef CNN_HAVE_NVTX
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  ~NvtxRange() { nvtxRangePop(); }
#else
  explicit NvtxRange(const char*) {}
  ~NvtxRange() {}
#endif
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace cnn
