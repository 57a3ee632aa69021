#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace warpsight {

// Prevents an import from using more memory than available: a small file can be crafted to
// decompress to, or contain, more than that. May be used from any thread.
class MemoryGuard {
 public:
  // Reading may use a share of the memory that is available now: on the machine, in the container
  // (cgroup) and under the process's own limit (ulimit -v).
  MemoryGuard();
  // Reading may use this many bytes.
  explicit MemoryGuard(int64_t room);

  // The number of bytes that may still be used; not negative.
  int64_t Room() const;
  // Whether more memory than allowed was used. Once true, it stays true.
  bool Exceeded();
  Error TooLarge(const std::string& path) const;

 private:
  int64_t room_;
  int64_t used_before_;
  std::atomic<bool> exceeded_ = false;
};

}  // namespace warpsight
