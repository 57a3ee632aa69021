#pragma once

#include <atomic>

namespace warpsight::server {

// A limited number of slots for concurrent work.
class Slots {
 public:
  explicit Slots(int places) : free_(places) {}

  // Holds a slot while it exists, if one was free.
  class Turn {
   public:
    explicit Turn(Slots& slots) : slots_(slots), taken_(--slots.free_ >= 0) {
      if (!taken_) ++slots_.free_;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (taken_) ++slots_.free_;
    }
    explicit operator bool() const { return taken_; }

   private:
    Slots& slots_;
    bool taken_;
  };

 private:
  std::atomic<int> free_;
};

}  // namespace warpsight::server
