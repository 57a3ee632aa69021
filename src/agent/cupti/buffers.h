#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace warpsight::agent {

// Memory that CUPTI fills with records: handed out zeroed, taken back when full, emptied by the
// writer. Any thread.
class Buffers {
 public:
  static constexpr size_t kSize = size_t{4} << 20U;

  // Makes some ahead.
  void Prepare(size_t count);
  uint8_t* Take();
  struct Full {
    uint8_t* memory;
    size_t valid;
  };
  void PutFull(Full buffer);
  std::vector<Full> TakeFull();
  // Its contents are not needed any more.
  void GiveBack(Full buffer);

 private:
  static uint8_t* Make();

  std::mutex mutex_;
  std::vector<uint8_t*> empty_;
  std::vector<Full> full_;
};

}  // namespace warpsight::agent
