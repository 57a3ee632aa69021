#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "store/database.h"

namespace warpsight::store {

// While it exists, interrupts a connection as soon as `wanted` returns true, which a separate
// thread polls many times a second. The Connection must outlive it.
class Interrupter {
 public:
  Interrupter(const Connection& connection, std::function<bool()> wanted);
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  ~Interrupter();

  // Whether the connection was interrupted so far.
  bool interrupted() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  bool interrupted_ = false;
  std::thread watch_;
};

}  // namespace warpsight::store
