#include "agent/cupti/buffers.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

namespace warpsight::agent {

uint8_t* Buffers::Make() {
  // Touched before it is used, since CUPTI writes into it while the program waits.
  void* memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<uint8_t*>(memory);
}

void Buffers::Prepare(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint8_t* buffer = Make();
    if (buffer == nullptr) return;
    const std::scoped_lock lock(mutex_);
    empty_.push_back(buffer);
  }
}

uint8_t* Buffers::Take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!empty_.empty()) {
      uint8_t* buffer = empty_.back();
      empty_.pop_back();
      return buffer;
    }
  }
  return Make();
}

void Buffers::PutFull(Full buffer) {
  const std::scoped_lock lock(mutex_);
  full_.push_back(buffer);
}

std::vector<Buffers::Full> Buffers::TakeFull() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(full_, {});
}

void Buffers::GiveBack(Full buffer) {
  std::memset(buffer.memory, 0, buffer.valid);
  const std::scoped_lock lock(mutex_);
  empty_.push_back(buffer.memory);
}

}  // namespace warpsight::agent
