#include "server/http_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

namespace warpsight::server {
namespace {

std::unique_ptr<HttpServer> Bound() {
  auto server = std::make_unique<HttpServer>(HttpOptions{"localhost", 18600, 400},
                                             [](const Request&) { return Response(); });
  EXPECT_TRUE(server->Bind().ok());
  return server;
}

TEST(HttpServerTest, StoppedBeforeItServesItEndsAtOnce) {
  const auto server = Bound();
  server->Stop();
  auto served = std::async(std::launch::async, [&] { server->Serve(); });
  ASSERT_EQ(served.wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

// A signal may come at any moment of the start.
TEST(HttpServerTest, StopsWhileItBeginsToServe) {
  for (int delay = 0; delay < 200; delay += 5) {
    const auto server = Bound();
    auto served = std::async(std::launch::async, [&] { server->Serve(); });
    std::this_thread::sleep_for(std::chrono::microseconds(delay));
    server->Stop();
    ASSERT_EQ(served.wait_for(std::chrono::seconds(10)), std::future_status::ready) << delay;
  }
}

}  // namespace
}  // namespace warpsight::server
