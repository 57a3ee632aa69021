#include "importers/api/whole_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace warpsight {
namespace {

TEST(WholeFileTest, WritingToTheBytesDoesNotChangeTheFile) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("whole_file" + std::to_string(getpid()))).string();
  const std::string text(100'000, 'x');
  std::ofstream(path, std::ios::binary) << text;
  {
    auto bytes = OpenBytes(path);
    ASSERT_TRUE(bytes.ok());
    WholeFile whole(path, **bytes);
    auto content = whole.Bytes();
    ASSERT_TRUE(content.ok());
    EXPECT_EQ(std::string_view(content->data(), content->size()), text);
    (*content)[0] = 'y';
    EXPECT_EQ((*whole.Bytes())[0], 'y');
  }
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(file.get(), 'x');
  std::filesystem::remove(path);
}

// With a mapping, reading the missing part of a truncated file would end the program with SIGBUS.
TEST(WholeFileTest, AFileThatIsTruncatedLaterStaysReadable) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("cut_file" + std::to_string(getpid()))).string();
  const std::string text(3'000'000, 'x');
  std::ofstream(path, std::ios::binary) << text;
  auto bytes = OpenBytes(path);
  ASSERT_TRUE(bytes.ok());
  WholeFile whole(path, **bytes);
  const auto content = whole.Bytes();
  std::filesystem::resize_file(path, 0);
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(std::string_view(content->data(), content->size()), text);
  std::filesystem::remove(path);
}

TEST(WholeFileTest, FilesThatDoNotFitIntoMemoryAreRejected) {
  const std::string text(10'000'000, 'z');
  MemorySource source(text);
  const MemoryGuard memory(5'000'000);
  WholeFile whole("large.sqlite", source, &memory);
  const auto content = whole.Bytes();
  ASSERT_FALSE(content.ok());
  EXPECT_EQ(
      content.error().message,
      "large.sqlite: too large: reading it needs more than the 0.0 GB of memory available for it");
}

TEST(WholeFileTest, OtherBytesAreCollected) {
  const std::string text(10'000'000, 'z');
  MemorySource source(text);
  WholeFile whole("not a path", source);
  auto content = whole.Bytes();
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(std::string_view(content->data(), content->size()), text);
  EXPECT_EQ(whole.Bytes()->data(), content->data()) << "read once";
}

}  // namespace
}  // namespace warpsight
