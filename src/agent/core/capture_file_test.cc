#include "agent/core/capture_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "base/temporary_folder.h"

namespace warpsight::agent {
namespace {

namespace fs = std::filesystem;

class CaptureFileTest : public ::testing::Test {
 protected:
  static wire::FrameHeader Header() {
    wire::FrameHeader header;
    header.type = static_cast<uint16_t>(wire::FrameType::kStrings);
    return header;
  }
  // Bytes that do not compress.
  static std::string Noise(size_t size) {
    static std::mt19937 random(1);
    std::string noise(size, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    return noise;
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path());
    std::sort(names.begin(), names.end());
    return names;
  }
  // How many whole frames a file holds; nothing else may be in it.
  static int Frames(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    wire::FrameReader reader(std::string_view(bytes).substr(sizeof(wire::FileHeader)));
    int frames = 0;
    while (reader.Next()) ++frames;
    EXPECT_EQ(reader.passed_over(), 0U);
    EXPECT_EQ(reader.missing(), 0U);
    return frames;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CaptureFileTest, IsMadeWithTheFirstFrameAndNeverOverwrites) {
  CaptureFile first(folder_.path(), 1, 1 << 20);
  EXPECT_TRUE(Files().empty());
  EXPECT_TRUE(first.Append(Header(), "a"));
  CaptureFile second(folder_.path(), 1, 1 << 20);
  EXPECT_TRUE(second.Append(Header(), std::string(5000, 'x')));  // compressed
  EXPECT_TRUE(second.Append(Header(), "b"));
  const auto files = Files();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(Frames(files[0]) + Frames(files[1]), 3);
  EXPECT_LT(second.size(), 1000U);
}

TEST_F(CaptureFileTest, StopsAtItsLimitButHasLastWords) {
  CaptureFile file(folder_.path(), 1, 10000);
  int written = 0;
  while (file.Append(Header(), Noise(1000))) ++written;
  EXPECT_GT(written, 7);
  EXPECT_TRUE(file.failed());
  EXPECT_EQ(file.failure(), "the file has reached its size limit");
  EXPECT_FALSE(file.Append(Header(), "more"));
  EXPECT_TRUE(file.AppendAfterFailure(Header(), "last words"));
  EXPECT_EQ(Frames(Files()[0]), written + 1);
}

TEST_F(CaptureFileTest, AFolderThatIsGoneIsAFailure) {
  CaptureFile file(folder_.Path("nowhere"), 1, 1 << 20);
  EXPECT_FALSE(file.Append(Header(), "a"));
  EXPECT_EQ(file.failure(), "No such file or directory");
}

TEST_F(CaptureFileTest, AFileThatWasRemovedIsAFailure) {
  CaptureFile file(folder_.path(), 1, 1 << 20);
  EXPECT_TRUE(file.Append(Header(), "a"));
  fs::remove(Files()[0]);
  EXPECT_FALSE(file.Append(Header(), "b"));
  EXPECT_EQ(file.failure(), "the file was removed");
}

TEST_F(CaptureFileTest, AFolderOfSomebodyElseIsAFailure) {
  fs::create_directory(folder_.Path("real"));
  fs::create_symlink(folder_.Path("real"), folder_.Path("link"));
  CaptureFile through_link(folder_.Path("link"), 1, 1 << 20);
  EXPECT_FALSE(through_link.Append(Header(), "a"));
  EXPECT_TRUE(fs::is_empty(folder_.Path("real")));
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(folder_.Path("real").c_str(), 65534, 65534), 0);
  CaptureFile of_another(folder_.Path("real"), 1, 1 << 20);
  EXPECT_FALSE(of_another.Append(Header(), "a"));
  EXPECT_EQ(of_another.failure(), "the folder for it belongs to another user");
  EXPECT_TRUE(fs::is_empty(folder_.Path("real")));
}

TEST_F(CaptureFileTest, IsTheUsersAlone) {
  const mode_t before = umask(0);
  CaptureFile file(folder_.path(), 1, 1 << 20);
  EXPECT_TRUE(file.Append(Header(), "a"));
  umask(before);
  EXPECT_EQ(fs::status(Files()[0]).permissions(), fs::perms(0600));
}

// As on a full disk, a frame is written in part and then no more.
TEST_F(CaptureFileTest, AFrameThatDoesNotFitIsTakenBack) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10000, 10000};
    setrlimit(RLIMIT_FSIZE, &limit);
    CaptureFile file(folder_.path(), 1, 1 << 20);
    int written = 0;
    while (file.Append(Header(), Noise(1500))) ++written;
    const bool last = file.AppendAfterFailure(Header(), "last words");
    std::_Exit(last && file.failed() ? written : 100);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_GE(WEXITSTATUS(status), 5);
  ASSERT_LT(WEXITSTATUS(status), 100);
  EXPECT_EQ(Frames(Files()[0]), WEXITSTATUS(status) + 1);
}

}  // namespace
}  // namespace warpsight::agent
