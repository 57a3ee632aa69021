#include "server/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <vector>

namespace warpsight::server {
namespace {

using ::testing::ElementsAre;

TEST(Worker, RunsTasksOneAfterTheOther) {
  std::vector<int> order;
  std::promise<void> done;
  std::promise<void> go;
  Worker worker;
  worker.Post([&] { go.get_future().wait(); });
  worker.Post([&] { order.push_back(1); });
  worker.Post([&] {
    order.push_back(2);
    done.set_value();
  });
  worker.PostUrgent([&] { order.push_back(3); });
  worker.PostUrgent([&] { order.push_back(4); });
  go.set_value();
  done.get_future().wait();
  EXPECT_THAT(order, ElementsAre(3, 4, 1, 2));
}

TEST(Worker, DropsWaitingTasksOnDestruction) {
  std::atomic<int> ran = 0;
  {
    Worker worker;
    std::promise<void> started;
    worker.Post([&] { started.set_value(); });
    for (int i = 0; i < 1000; ++i) {
      worker.Post([&] {
        ++ran;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      });
    }
    started.get_future().wait();
  }
  EXPECT_LT(ran, 1000);
}

TEST(Worker, SurvivesATaskThatThrows) {
  std::promise<void> done;
  Worker worker;
  worker.Post([] { throw std::runtime_error("no memory, say"); });
  worker.Post([&] { done.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(Worker, TasksMayPostTasks) {
  std::promise<void> done;
  Worker worker;
  worker.Post([&] { worker.Post([&] { done.set_value(); }); });
  EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

}  // namespace
}  // namespace warpsight::server
