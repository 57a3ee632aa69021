#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace warpsight::server {

// The threads that serve connections, each one at a time. httplib's own pool differs between its
// versions, and tells nobody how many wait.
class ConnectionThreads : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(size_t count) {
    for (size_t i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
  }

  // Whether connections wait for a thread; those that an idle one is about to take do not.
  bool crowded() const {
    return waiting_.load(std::memory_order_relaxed) > idle_.load(std::memory_order_relaxed);
  }

  // Returns bool in later versions of httplib.
  using Enqueued =
      decltype(std::declval<httplib::TaskQueue&>().enqueue(std::declval<std::function<void()>>()));
  Enqueued enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      waiting_ = tasks_.size();
    }
    wake_.notify_one();
    return Enqueued(true);
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void Work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      ++idle_;
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      waiting_ = tasks_.size();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<size_t> waiting_ = 0;
  std::atomic<size_t> idle_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warpsight::server
