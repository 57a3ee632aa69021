#include "base/large_memory.h"

#include <sys/mman.h>

#include <cstdint>

namespace warpsight {

void UseLargePages(void* begin, size_t bytes) {
  constexpr uintptr_t kLargePage = uintptr_t{2} << 20;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t last = (address + bytes) / kLargePage * kLargePage;
  if (first >= last) return;
  // If the kernel has no large pages, small ones are used.
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace warpsight
