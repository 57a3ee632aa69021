#include "importers/api/whole_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace warpsight {
namespace {

constexpr size_t kFirstRoom = size_t{4} << 20;
constexpr size_t kStep = size_t{8} << 20;
constexpr size_t kUnit = size_t{2} << 20;  // the storage size is a multiple of it

}  // namespace

WholeFile::~WholeFile() {
  if (!storage_.empty()) munmap(storage_.data(), storage_.size());
}

Status WholeFile::Grow(size_t used) {
  // The size of a plain file is known; reading one more byte verifies that it ends there.
  const size_t known =
      bytes_.plain() ? static_cast<size_t>(std::max<int64_t>(0, bytes_.file_size())) + 1 : 0;
  size_t more = used < known ? known - used : std::max(kFirstRoom, storage_.size());
  if (memory_ != nullptr) {
    const auto room = static_cast<size_t>(memory_->Room());
    if (room < (used < known ? more : kUnit)) return memory_->TooLarge(path_);
    more = std::min(more, room);
  }
  const size_t size = (used + more + kUnit - 1) / kUnit * kUnit;
  void* at = storage_.empty() ? mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                              : mremap(storage_.data(), storage_.size(), size, MREMAP_MAYMOVE);
  if (at == MAP_FAILED) {
    return Error{fmt::format("{}: not enough memory for its {} bytes or more", path_, used)};
  }
  storage_ = {static_cast<char*>(at), size};
  return {};
}

Status WholeFile::ReadAll() {
  for (;;) {
    if (size_ == storage_.size()) {
      if (Status status = Grow(size_); !status.ok()) return status;
    }
    const size_t step = std::min(kStep, storage_.size() - size_);
    auto n = bytes_.Read(storage_.data() + size_, step);
    if (!n.ok()) return n.error();
    size_ += *n;
    if (*n < step) return {};
  }
}

Result<std::span<char>> WholeFile::Bytes() {
  if (!read_) {
    if (Status status = ReadAll(); !status.ok()) return status.error();
  }
  read_ = true;
  return storage_.first(size_);
}

}  // namespace warpsight
