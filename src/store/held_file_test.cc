#include "store/held_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_folder.h"

namespace warpsight {
namespace {

using testing::TemporaryFolder;

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(HeldFile, StaysTheSameFileIfItsNameChanges) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("a");
  std::ofstream(path) << "old";
  const auto file = HeldFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->IsCurrent());
  EXPECT_FALSE(file->WasModified());

  std::ofstream(folder.Path("b")) << "new";
  std::filesystem::rename(folder.Path("b"), path);
  EXPECT_FALSE(file->IsCurrent());
  EXPECT_FALSE(file->WasModified());
  EXPECT_EQ(ReadAll(PathOfDescriptor(file->descriptor())), "old");

  std::filesystem::remove(path);
  EXPECT_FALSE(file->IsCurrent());
  EXPECT_EQ(ReadAll(PathOfDescriptor(file->descriptor())), "old");
}

TEST(HeldFile, DetectsWritesToTheFile) {
  const TemporaryFolder folder;
  std::ofstream(folder.Path("a")) << "old";
  const auto file = HeldFile::Open(folder.Path("a"));
  ASSERT_TRUE(file.ok());
  std::ofstream(folder.Path("a"), std::ios::app) << "more";
  EXPECT_TRUE(file->WasModified());
  EXPECT_FALSE(file->IsCurrent());
}

TEST(HeldFile, OnlyRegularFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(HeldFile::Open(folder.Path("none")).error().code, "missing");
  EXPECT_EQ(HeldFile::Open(folder.path()).error().message,
            "cannot open " + folder.path() + ": it is a directory");
  ASSERT_EQ(mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(HeldFile::Open(folder.Path("pipe")).error().code, "unreadable");
}

}  // namespace
}  // namespace warpsight
