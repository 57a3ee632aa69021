#include "base/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace warpsight {
namespace {

// What a shell with these options writes to its descriptor 3, which is a pipe.
std::string OutputOf(const std::string& script, SpawnOptions options = {}) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  options.descriptors.push_back({3, ends[1]});
  const auto process = Spawn("/bin/sh", {"sh", "-c", script}, options);
  close(ends[1]);
  EXPECT_TRUE(process.ok());
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  if (process.ok()) waitpid(*process, nullptr, 0);
  return text;
}

TEST(Spawn, BlockedSignalsAreNotInherited) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  EXPECT_EQ(OutputOf("grep SigBlk /proc/self/status >&3"), "SigBlk:\t0000000000000000\n");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Spawn, ChildHasExactlyTheRequestedDescriptors) {
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  const int leaked = fcntl(zero, F_DUPFD, 20);  // NOLINT: without close-on-exec on purpose
  SpawnOptions options;
  options.descriptors = {{0, -1}, {1, -1}, {2, -1}};
  options.close_from = 4;
  // ls itself opens one more for /proc/self/fd.
  EXPECT_EQ(OutputOf("exec ls /proc/self/fd >&3", options), "0\n1\n2\n3\n4\n");
  EXPECT_EQ(OutputOf("readlink /proc/$$/fd/0 >&3", options), "/dev/null\n");
  close(leaked);
  close(zero);
}

TEST(Spawn, ErrorSaysWhyAProgramDoesNotStart) {
  const auto process = Spawn("/nonexistent/program", {"program"});
  ASSERT_FALSE(process.ok());
  EXPECT_EQ(process.error().message,
            "cannot start /nonexistent/program: No such file or directory");
}

}  // namespace
}  // namespace warpsight
