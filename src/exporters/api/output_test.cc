#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "exporters/api/json_fields.h"
#include "exporters/api/json_text.h"
#include "exporters/api/output_file.h"
#include "exporters/api/output_folder.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

class OutputTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  size_t Entries() const { return folder_.FileCount(); }
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void Save(const std::string& path, std::string_view text) {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok());
    file->Write(text);
    ASSERT_TRUE(file->Commit().ok());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OutputTest, FileAppearsWhenItIsComplete) {
  Save(Path("a"), "old");
  {
    auto file = OutputFile::Create(Path("a"));
    ASSERT_TRUE(file.ok());
    file->Write("new");
    EXPECT_EQ(Read(Path("a")), "old");
  }
  EXPECT_EQ(Read(Path("a")), "old");
  EXPECT_EQ(Entries(), 1U);
  Save(Path("a"), "new");
  EXPECT_EQ(Read(Path("a")), "new");
}

TEST_F(OutputTest, FileErrorsNameTheFile) {
  const auto file = OutputFile::Create(Path("no/such/file"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message,
            Path("no/such/file") + ": cannot write: No such file or directory");
  EXPECT_FALSE(OutputFile::Create(folder_.path()).ok());
}

TEST_F(OutputTest, FolderKeepsWhatIsThere) {
  fs::create_directory(Path("out"));
  Save(Path("out/other"), "kept");
  {
    auto folder = OutputFolder::Create(Path("out"));
    ASSERT_TRUE(folder.ok());
    Save(*folder->Place("deep/er/file"), "one");
    EXPECT_FALSE(fs::exists(Path("out/deep")));
  }
  EXPECT_FALSE(fs::exists(Path("out/deep"))) << "not committed";
  auto folder = OutputFolder::Create(Path("out"));
  ASSERT_TRUE(folder.ok());
  Save(*folder->Place("deep/er/file"), "one");
  const auto content = folder->Commit();
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->files, 1U);
  EXPECT_EQ(content->bytes, 3);
  EXPECT_EQ(Read(Path("out/deep/er/file")), "one");
  EXPECT_EQ(Read(Path("out/other")), "kept");
}

TEST_F(OutputTest, FolderIsNotAFile) {
  Save(Path("out"), "");
  EXPECT_FALSE(OutputFolder::Create(Path("out")).ok());
}

std::string Microseconds(int64_t ns) {
  std::string text;
  JsonText(text).Microseconds(ns);
  return text;
}

TEST(JsonText, MicrosecondsAreExact) {
  EXPECT_EQ(Microseconds(0), "0.000");
  EXPECT_EQ(Microseconds(7), "0.007");
  EXPECT_EQ(Microseconds(-1001), "-1.001");
  EXPECT_EQ(Microseconds(1694128201545123457), "1694128201545123.457");
}

TEST(JsonText, EscapesWhatItMust) {
  std::string text;
  JsonText json(text);
  json.Quoted("a\"b\\c\n\x01\xC3\xA9");
  EXPECT_EQ(text, "\"a\\\"b\\\\c\\n\\u0001\xC3\xA9\"");
  EXPECT_TRUE(IsJsonStringContent("a\\n\xC3\xA9"));
  EXPECT_FALSE(IsJsonStringContent("a\"b"));
  EXPECT_FALSE(IsJsonStringContent("a\\"));
}

TEST(JsonText, NumbersStayNumbers) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"17", "17"}, {"-3", "-3"},       {"007", "\"007\""},
      {"", "\"\""}, {"1.5", "\"1.5\""}, {"99999999999999999999", "\"99999999999999999999\""}};
  for (const auto& [given, written] : cases) {
    std::string text;
    JsonText(text).NumberOrText(given);
    EXPECT_EQ(text, written);
  }
}

TEST(ForEachField, FindsTheFieldsOfAnObject) {
  std::string found;
  const auto collect = [&](std::string_view key, std::string_view value) {
    found += fmt::format("{}={};", key, value);
    return true;
  };
  EXPECT_TRUE(ForEachField("{ \"a\": [1, {\"x\": \"},\"}], \"b\" : \"q\\\"\" }", collect));
  EXPECT_EQ(found, "a=[1, {\"x\": \"},\"}];b=\"q\\\"\";");
  for (const char* text :
       {"", "{}", "[1]", "{\"a\": 1", "{\"a\": 1} x", "{\"a\\n\": 1}", "{a:1}"}) {
    EXPECT_FALSE(ForEachField(text, [](auto, auto) { return true; })) << text;
  }
}

}  // namespace
}  // namespace warpsight
