#include "importers/api/memory_guard.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

namespace warpsight {
namespace {

// The rest is for joining the rows of all blocks and for the analysis, which take about half as
// much memory as the rows.
constexpr double kShareForReading = 0.6;
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TextFile = std::unique_ptr<std::FILE, CloseFile>;

// The number in a file that contains nothing else; `otherwise` if it contains something else
// ("max").
int64_t NumberIn(const char* path, int64_t otherwise) {
  const TextFile file(std::fopen(path, "re"));
  long long value = 0;
  return file && std::fscanf(file.get(), "%lld", &value) == 1 ? value : otherwise;
}

struct Used {
  int64_t address_space = 0;
  int64_t resident = 0;
};
Used UsedByProcess() {
  const TextFile file(std::fopen("/proc/self/statm", "re"));
  long long pages = 0, resident = 0;
  if (!file || std::fscanf(file.get(), "%lld %lld", &pages, &resident) != 2) return {};
  const int64_t page = sysconf(_SC_PAGESIZE);
  return {pages * page, resident * page};
}

int64_t AvailableToMachine() {
  const TextFile file(std::fopen("/proc/meminfo", "re"));
  char line[256];
  long long kilobytes = 0;
  while (file && std::fgets(line, sizeof line, file.get()) != nullptr) {
    if (std::sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1) return kilobytes * 1024;
  }
  return kUnlimited;
}

int64_t AvailableToContainer() {
  const int64_t most = NumberIn("/sys/fs/cgroup/memory.max", kUnlimited);
  if (most == kUnlimited) return kUnlimited;
  // The page cache counts as used memory, but can be evicted. So only memory that does not belong
  // to a file is counted.
  const TextFile file(std::fopen("/sys/fs/cgroup/memory.stat", "re"));
  long long anonymous = 0;
  if (!file || std::fscanf(file.get(), "anon %lld", &anonymous) != 1) anonymous = 0;
  return most - anonymous;
}

int64_t AvailableToProcess() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return static_cast<int64_t>(limit.rlim_cur) - UsedByProcess().address_space;
}

}  // namespace

MemoryGuard::MemoryGuard()
    : MemoryGuard(static_cast<int64_t>(
          kShareForReading * static_cast<double>(std::max<int64_t>(
                                 0, std::min({AvailableToMachine(), AvailableToContainer(),
                                              AvailableToProcess()}))))) {}

MemoryGuard::MemoryGuard(int64_t room) : room_(room), used_before_(UsedByProcess().resident) {}

int64_t MemoryGuard::Room() const {
  return std::max<int64_t>(0, room_ - (UsedByProcess().resident - used_before_));
}

bool MemoryGuard::Exceeded() {
  if (!exceeded_.load(std::memory_order_relaxed) && Room() == 0) exceeded_ = true;
  return exceeded_.load(std::memory_order_relaxed);
}

Error MemoryGuard::TooLarge(const std::string& path) const {
  return Error{fmt::format(
      "{}: too large: reading it needs more than the {:.1f} GB of memory available for it", path,
      static_cast<double>(room_) / 1e9)};
}

}  // namespace warpsight
