#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace warpsight::server {

// A thread that runs tasks one after the other, in the order in which they were posted, except that
// urgent ones come first. Waiting tasks are dropped on destruction. If a task throws, for example
// because memory is low, only that task ends.
class Worker {
 public:
  Worker() : thread_([this] { Work(); }) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void Post(std::function<void()> task) { Add(std::move(task), tasks_); }
  void PostUrgent(std::function<void()> task) { Add(std::move(task), urgent_); }

 private:
  using Tasks = std::deque<std::function<void()>>;

  void Add(std::function<void()> task, Tasks& tasks) {
    {
      const std::lock_guard lock(mutex_);
      tasks.push_back(std::move(task));
    }
    wake_.notify_one();
  }

  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty() || !urgent_.empty(); });
      if (stop_) return;
      Tasks& tasks = urgent_.empty() ? tasks_ : urgent_;
      const std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      try {
        task();
      } catch (...) {  // the task notifies waiters itself
      }
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  Tasks tasks_, urgent_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warpsight::server
