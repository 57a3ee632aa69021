#pragma once

#include <atomic>

namespace warpsight::server {

// A number of places for work that must not be done by everyone at once.
class Slots {
 public:
  explicit Slots(int places) : free_(places) {}

  // Holds a place while it exists, if there was one.
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
