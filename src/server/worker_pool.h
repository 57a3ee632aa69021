#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace warpsight::server {

// Threads that process a bounded task queue, which rejects tasks when full. Tasks must not throw.
// Thread-safe.
class WorkerPool {
 public:
  WorkerPool(size_t threads, size_t max_waiting) : max_waiting_(max_waiting) {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // Waits for running tasks.
  ~WorkerPool() {
    Stop();
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns false if too many tasks wait, or after Stop().
  bool Post(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      if (stop_ || tasks_.size() >= max_waiting_) return false;
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return true;
  }

  // Drops waiting tasks. Running tasks continue.
  void Stop() {
    std::deque<std::function<void()>> dropped;
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      dropped.swap(tasks_);
    }
    wake_.notify_all();
  }

  // Waits at most this time until no task is running; returns whether that is the case.
  bool WaitUntilIdle(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, timeout, [this] { return running_ == 0 && tasks_.empty(); });
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (stop_) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      ++running_;
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
      if (--running_ == 0) idle_.notify_all();
    }
  }

  const size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;
  size_t running_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warpsight::server
