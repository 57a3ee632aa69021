#include "base/descriptor_table.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <latch>
#include <thread>

#include "base/temporary_folder.h"

namespace warpsight {
namespace {

TEST(DescriptorTable, IsEmptyAndPrivate) {
  const testing::TemporaryFolder folder;
  std::latch opened(1);
  std::latch replaced(1);
  ssize_t written = 0;
  int number = -1;
  std::thread apart([&] {
    if (UseOwnDescriptorTable()) {
      number = open(folder.Path("own").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    opened.count_down();
    replaced.wait();
    written = write(number, "own", 3);
    close(number);
  });
  opened.wait();
  ASSERT_EQ(number, 0) << "the first number of an empty table";
  // In the main thread, replace the descriptor with the same number by another file.
  const int before = dup(STDIN_FILENO);
  const int other = open(folder.Path("other").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(other, 0);
  if (other != STDIN_FILENO) dup2(other, STDIN_FILENO);
  replaced.count_down();
  apart.join();
  EXPECT_EQ(written, 3);
  EXPECT_EQ(lseek(STDIN_FILENO, 0, SEEK_END), 0) << "nothing was written here";
  if (before >= 0) dup2(before, STDIN_FILENO);
  close(before);
  close(other);
}

TEST(DescriptorTable, DoesNotKeepPipesOfTheProgramOpen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  std::latch made(1);
  std::latch seen(1);
  std::thread apart([&] {
    UseOwnDescriptorTable();
    made.count_down();
    seen.wait();
  });
  made.wait();
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "the end of the pipe";
  seen.count_down();
  apart.join();
  close(ends[0]);
}

// From now on the kernel refuses this system call to this process, as a container would.
void Refuse(long call) {
  std::array<sock_filter, 4> filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(77);
}

// The outcome of UseOwnDescriptorTable() in a child process to which these system calls are
// refused: 0 if the thread got an empty table of its own, 1 if it failed and the table is
// unchanged.
int Outcome(std::initializer_list<long> refused) {
  const pid_t child = fork();
  if (child == 0) {
    for (const long call : refused) Refuse(call);
    const int before = dup(STDERR_FILENO);
    int outcome = 2;
    std::thread([&] {
      const bool own = UseOwnDescriptorTable();
      if (own && fcntl(STDERR_FILENO, F_GETFD) < 0 && fcntl(before, F_GETFD) < 0) outcome = 0;
      if (!own && fcntl(before, F_GETFD) >= 0) outcome = 1;
    }).join();
    _exit(fcntl(before, F_GETFD) >= 0 ? outcome : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(DescriptorTable, UsesTheOtherSystemCallIfOneIsRefused) {
  if (Outcome({SYS_getppid}) == 77) GTEST_SKIP() << "no seccomp";
  EXPECT_EQ(Outcome({SYS_close_range}), 0);
  EXPECT_EQ(Outcome({SYS_unshare}), 0);
  EXPECT_EQ(Outcome({SYS_close_range, SYS_unshare}), 1);
}

}  // namespace
}  // namespace warpsight
