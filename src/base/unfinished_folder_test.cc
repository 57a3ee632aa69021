#include "base/unfinished_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "base/temporary_folder.h"
#include "base/unfinished_files.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A process that writes files into an unfinished folder until it is killed.
class Writer {
 public:
  explicit Writer(const std::string& folder) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      auto unfinished = UnfinishedFolder::CreateIn(folder);
      Write(unfinished->Path("database"), "half");
      fs::create_directories(unfinished->Path("database.tmp/deep"));
      Write(unfinished->Path("database.tmp/deep/block"), "spilled");
      if (write(ends[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    close(ends[1]);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { Kill(); }
  void Kill() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

TEST(UnfinishedFolder, IsPrivateAndRemoved) {
  const testing::TemporaryFolder folder;
  std::string path;
  {
    auto unfinished = UnfinishedFolder::CreateIn(folder.path());
    ASSERT_TRUE(unfinished.ok());
    path = unfinished->path();
    EXPECT_EQ(fs::path(path).parent_path(), folder.path());
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    fs::create_directories(unfinished->Path("deep/er"));
    Write(unfinished->Path("deep/er/file"), "text");
    fs::create_symlink("/etc/hostname", unfinished->Path("link"));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists("/etc/hostname"));
  EXPECT_EQ(folder.FileCount(), 0U);
}

// Two processes in two containers may have the same process id, and forked children the same state.
TEST(UnfinishedFolder, ProcessesWithTheSameIdNeverShareOne) {
  const testing::TemporaryFolder folder;
  std::vector<std::unique_ptr<Writer>> writers;
  for (int i = 0; i < 8; ++i) writers.push_back(std::make_unique<Writer>(folder.path()));
  EXPECT_EQ(folder.FileCount(), 8U);
}

TEST(UnfinishedFolder, ManyThreadsGetDifferentOnes) {
  const testing::TemporaryFolder folder;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 50; ++n) {
        auto unfinished = UnfinishedFolder::CreateIn(folder.path());
        if (!unfinished.ok()) {
          ++failures;
          continue;
        }
        const std::string text = std::to_string(i) + "-" + std::to_string(n);
        Write(unfinished->Path("file"), text);
        if (Read(unfinished->Path("file")) != text) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(folder.FileCount(), 0U);
}

TEST(UnfinishedFolder, RemovesLeftoversOfKilledProcessesOnly) {
  const testing::TemporaryFolder folder;
  Writer living(folder.path());
  Writer dead(folder.path());
  EXPECT_EQ(folder.FileCount(), 2U);
  dead.Kill();
  EXPECT_EQ(folder.FileCount(), 2U) << "nothing is removed by the killed process itself";
  ASSERT_TRUE(UnfinishedFolder::CreateIn(folder.path()).ok());
  EXPECT_EQ(folder.FileCount(), 1U);
  living.Kill();
  ASSERT_TRUE(UnfinishedFolder::CreateIn(folder.path()).ok());
  EXPECT_EQ(folder.FileCount(), 0U);
  EXPECT_TRUE(TakeLeftoverMessages().empty());
}

TEST(UnfinishedFolder, KeepsFilesWithSimilarNames) {
  const testing::TemporaryFolder folder;
  const std::string digits = "0123456789abcdef0123456789abcdef";
  Write(folder.Path(".warpsight-12-0.tmp"), "a file with the name of an old temporary file");
  Write(folder.Path(".warpsight-" + digits + ".tmp"), "a file");
  const std::string mine = folder.Path(".warpsight-f" + digits.substr(1) + ".tmp");
  fs::create_directory(mine);
  Write(mine + "/thesis.tex", "no lock of ours in it");
  fs::create_directory(folder.Path("elsewhere"));
  Write(folder.Path("elsewhere/warpsight.lock"), "");
  fs::create_directory_symlink(folder.Path("elsewhere"),
                               folder.Path(".warpsight-e" + digits.substr(1) + ".tmp"));
  const size_t before = folder.FileCount();
  ASSERT_TRUE(UnfinishedFolder::CreateIn(folder.path()).ok());
  EXPECT_EQ(folder.FileCount(), before);
  EXPECT_TRUE(fs::exists(mine + "/thesis.tex"));
  EXPECT_TRUE(fs::exists(folder.Path("elsewhere/warpsight.lock")));
}

// Root can remove every file, so the test continues as another user.
void SayOnceWhatCannotBeRemoved(const std::string& folder) {
  Writer(folder).Kill();
  const std::string left = fs::directory_iterator(folder)->path().string();
  fs::permissions(left, fs::perms::owner_read | fs::perms::owner_exec);
  ASSERT_TRUE(UnfinishedFolder::CreateIn(folder).ok());
  ASSERT_TRUE(UnfinishedFolder::CreateIn(folder).ok());
  const std::vector<std::string> messages = TakeLeftoverMessages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0],
            left + ": left by a killed process, and cannot be removed: Permission denied");
  EXPECT_TRUE(TakeLeftoverMessages().empty());
  fs::permissions(left, fs::perms::owner_all);
}

TEST(UnfinishedFolder, ReportsOnceWhatItCannotRemove) {
  constexpr uid_t kNobody = 65534;
  const testing::TemporaryFolder folder;
  if (geteuid() != 0) return SayOnceWhatCannotBeRemoved(folder.path());
  ASSERT_EQ(chown(folder.path().c_str(), kNobody, kNobody), 0);
  const pid_t process = fork();
  if (process == 0) {
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(2);
    SayOnceWhatCannotBeRemoved(folder.path());
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(UnfinishedFolder, ErrorsAreTheSystemsReason) {
  const testing::TemporaryFolder folder;
  const auto missing = UnfinishedFolder::CreateIn(folder.Path("missing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "No such file or directory");
}

TEST(UnfinishedFolder, MovesWithoutReplacingWhenAsked) {
  const testing::TemporaryFolder folder;
  Write(folder.Path("target"), "old");
  auto unfinished = UnfinishedFolder::CreateBeside(folder.Path("target"));
  ASSERT_TRUE(unfinished.ok());
  Write(unfinished->Path("file"), "new");
  using Existing = UnfinishedFolder::Existing;
  EXPECT_EQ(unfinished->Move("file", folder.Path("target"), Existing::kKeep), EEXIST);
  EXPECT_EQ(Read(folder.Path("target")), "old");
  EXPECT_EQ(unfinished->Move("file", folder.Path("target"), Existing::kReplace), 0);
  EXPECT_EQ(Read(folder.Path("target")), "new");
  Write(unfinished->Path("other"), "another");
  EXPECT_EQ(unfinished->Move("other", folder.Path("free"), Existing::kKeep), 0);
  EXPECT_EQ(Read(folder.Path("free")), "another");
}

TEST(UnfinishedFolder, DoesNotRemoveAnotherFolderWithItsName) {
  const testing::TemporaryFolder folder;
  std::string path;
  {
    auto unfinished = UnfinishedFolder::CreateIn(folder.path());
    ASSERT_TRUE(unfinished.ok());
    path = unfinished->path();
    fs::rename(path, folder.Path("moved away"));
    fs::create_directory(path);
    Write(path + "/thesis.tex", "mine");
  }
  EXPECT_EQ(Read(path + "/thesis.tex"), "mine");
}

// Threads create and move files as fast as they can while everything is removed.
TEST(RemoveUnfinishedFiles, LeavesNothingWhileThreadsWrite) {
  const testing::TemporaryFolder folder;
  const pid_t process = fork();
  if (process == 0) {
    std::vector<std::thread> threads;
    std::atomic<int> commits = 0;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (;;) {
          auto unfinished = UnfinishedFolder::CreateIn(folder.path());
          if (!unfinished.ok()) continue;
          for (int k = 0; k < 20; ++k) Write(unfinished->Path(std::to_string(k)), "part");
          Write(unfinished->Path("file"), "whole");
          const int failure = unfinished->Move("file", folder.Path("done" + std::to_string(i)),
                                               UnfinishedFolder::Existing::kReplace);
          if (failure == 0) ++commits;
        }
      });
    }
    while (commits < 20) std::this_thread::yield();
    RemoveUnfinishedFiles();
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    EXPECT_TRUE(entry.path().filename().string().starts_with("done")) << entry.path();
    EXPECT_EQ(Read(entry.path()), "whole");
  }
}

}  // namespace
}  // namespace warpsight
