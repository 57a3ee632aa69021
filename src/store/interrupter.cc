#include "store/interrupter.h"

#include <chrono>
#include <utility>

namespace warpsight::store {

Interrupter::Interrupter(const Connection& connection, std::function<bool()> wanted) {
  watch_ = std::thread([this, &connection, wanted = std::move(wanted)] {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, std::chrono::milliseconds(20), [this] { return finished_; })) {
      interrupted_ = interrupted_ || wanted();
      // Repeatedly, since a statement may just be starting: an interrupt between two statements is
      // lost.
      if (interrupted_) duckdb_interrupt(connection.get());
    }
  });
}

Interrupter::~Interrupter() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  done_.notify_one();
  watch_.join();
}

bool Interrupter::interrupted() const {
  const std::lock_guard lock(mutex_);
  return interrupted_;
}

}  // namespace warpsight::store
