#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/file_id.h"
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
  static OutputKind Ours() {
    return {"ours", [](const std::string& path) { return BeginsWith(path, "ours"); }};
  }
  static Result<OutputFile> Create(const std::string& path) {
    return OutputFile::Create(path, {}, Ours());
  }
  static Result<OutputFolder> CreateFolder(const std::string& path) {
    return OutputFolder::Create(path, {}, Ours());
  }
  static Status TryToSave(const std::string& path, std::string_view text,
                          const OutputRules& rules = {}) {
    auto file = OutputFile::Create(path, rules, Ours());
    if (!file.ok()) return file.error();
    file->Write(text);
    return file->Commit();
  }
  static void Save(const std::string& path, std::string_view text) {
    const Status status = TryToSave(path, text);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  static void SavePart(OutputFolder& folder, const std::string& name, std::string_view text) {
    auto file = folder.CreateFile(name);
    ASSERT_TRUE(file.ok());
    file->Write(text);
    ASSERT_TRUE(file->Commit().ok());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OutputTest, FileAppearsWhenItIsComplete) {
  Save(Path("a"), "ours, old");
  {
    auto file = Create(Path("a"));
    ASSERT_TRUE(file.ok());
    file->Write("new");
    EXPECT_EQ(Read(Path("a")), "ours, old");
  }
  EXPECT_EQ(Read(Path("a")), "ours, old");
  EXPECT_EQ(Entries(), 1U);
  Save(Path("a"), "new");
  EXPECT_EQ(Read(Path("a")), "new");
}

TEST_F(OutputTest, FileErrorsNameTheFile) {
  const auto file = Create(Path("no/such/file"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message,
            Path("no/such/file") + ": cannot write: No such file or directory");
  EXPECT_FALSE(Create(folder_.path()).ok());
}

TEST_F(OutputTest, FolderKeepsOtherFiles) {
  fs::create_directory(Path("out"));
  Save(Path("out/other"), "kept");
  {
    auto folder = CreateFolder(Path("out"));
    ASSERT_TRUE(folder.ok());
    SavePart(*folder, "deep/er/file", "one");
    EXPECT_FALSE(fs::exists(Path("out/deep")));
  }
  EXPECT_FALSE(fs::exists(Path("out/deep"))) << "not committed";
  auto folder = CreateFolder(Path("out"));
  ASSERT_TRUE(folder.ok());
  SavePart(*folder, "deep/er/file", "one");
  const auto content = folder->Commit();
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->files, 1U);
  EXPECT_EQ(content->bytes, 3);
  EXPECT_EQ(Read(Path("out/deep/er/file")), "one");
  EXPECT_EQ(Read(Path("out/other")), "kept");
}

TEST_F(OutputTest, OnlyOwnAndEmptyFilesAreReplaced) {
  std::ofstream(Path("thesis.tex")) << "years of work";
  const Status refused = TryToSave(Path("thesis.tex"), "ours");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(
      refused.error().message,
      Path("thesis.tex") + ": cannot write: it exists and is not ours; replace it with --force");
  EXPECT_EQ(refused.error().code, kRefusedOutput);
  EXPECT_EQ(Read(Path("thesis.tex")), "years of work");
  OutputRules force;
  force.force = true;
  EXPECT_TRUE(TryToSave(Path("thesis.tex"), "ours", force).ok());
  EXPECT_TRUE(TryToSave(Path("thesis.tex"), "ours again").ok());
  std::ofstream(Path("empty")).close();
  EXPECT_TRUE(TryToSave(Path("empty"), "ours").ok());
  OutputRules only_new;
  only_new.only_new = true;
  EXPECT_FALSE(TryToSave(Path("empty"), "ours", only_new).ok());
  EXPECT_EQ(Entries(), 2U);
}

TEST_F(OutputTest, InputsAreNeverReplaced) {
  std::ofstream(Path("trace")) << "ours";
  fs::create_hard_link(Path("trace"), Path("hard"));
  fs::create_symlink("trace", Path("soft"));
  OutputRules rules;
  rules.force = true;
  rules.is_input = [&](const std::string& path) {
    return FindFile(path) == FindFile(Path("trace"));
  };
  for (const char* name : {"trace", "hard", "soft"}) {
    const Status status = TryToSave(Path(name), "new", rules);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().message,
              Path(name) + ": cannot write: it is one of the inputs; choose another output");
  }
  EXPECT_EQ(Read(Path("trace")), "ours");
}

TEST_F(OutputTest, LinksStayAndTheirFilesAreWritten) {
  fs::create_directory(Path("data"));
  fs::create_symlink("data/real", Path("link"));
  fs::create_symlink("link", Path("further"));
  Save(Path("further"), "ours, 1");
  Save(Path("link"), "ours, 2");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_TRUE(fs::is_symlink(Path("further")));
  EXPECT_EQ(Read(Path("data/real")), "ours, 2");
  EXPECT_EQ(Entries(), 3U);
}

TEST_F(OutputTest, DevicesAndPipesAreWrittenTo) {
  Save("/dev/null", "nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::string text;
  std::thread reader([&] { text = Read(Path("pipe")); });
  Save(Path("pipe"), "through the pipe");
  reader.join();
  EXPECT_EQ(text, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
}

TEST_F(OutputTest, AFileThatAppearsMeanwhileStays) {
  auto file = Create(Path("a"));
  ASSERT_TRUE(file.ok());
  file->Write("ours");
  std::ofstream(Path("a")) << "years of work";
  EXPECT_FALSE(file->Commit().ok());
  EXPECT_EQ(Read(Path("a")), "years of work");
}

TEST_F(OutputTest, FolderReplacesNothingIfOneFileMustNotBeReplaced) {
  fs::create_directory(Path("out"));
  std::ofstream(Path("out/a")) << "ours, old";
  std::ofstream(Path("out/b")) << "years of work";
  {
    auto folder = CreateFolder(Path("out"));
    ASSERT_TRUE(folder.ok());
    SavePart(*folder, "a", "ours, new");
    SavePart(*folder, "b", "ours, new");
    const auto content = folder->Commit();
    ASSERT_FALSE(content.ok());
    EXPECT_EQ(content.error().message,
              Path("out/b") + ": cannot write: it exists and is not ours; replace it with --force");
  }
  EXPECT_EQ(Read(Path("out/a")), "ours, old");
  EXPECT_EQ(Read(Path("out/b")), "years of work");
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 2);
}

TEST_F(OutputTest, FoldersHaveTheUsualModeAndUnfinishedOnesLeaveNoParents) {
  { ASSERT_TRUE(CreateFolder(Path("new/deep/out/")).ok()); }
  EXPECT_EQ(Entries(), 0U);
  const mode_t before = umask(022);
  {
    auto folder = CreateFolder(Path("new/deep/out/"));
    ASSERT_TRUE(folder.ok());
    SavePart(*folder, "a", "ours");
    ASSERT_TRUE(folder->Commit().ok());
  }
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(Path("new/deep/out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
  ASSERT_EQ(stat(Path("new/deep/out/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("new/deep")), {}), 1);
}

TEST_F(OutputTest, AFolderThatWasRemovedIsNotMadeAgain) {
  auto folder = CreateFolder(Path("out"));
  ASSERT_TRUE(folder.ok());
  fs::remove_all(fs::path(folder->unfinished()).parent_path());
  EXPECT_FALSE(folder->CreateFile("a").ok());
  EXPECT_FALSE(folder->CreateFile("deep/a").ok());
  EXPECT_EQ(Entries(), 0U);
}

TEST_F(OutputTest, FolderIsNotAFile) {
  Save(Path("out"), "");
  EXPECT_FALSE(CreateFolder(Path("out")).ok());
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

TEST(JsonText, EscapesRequiredCharacters) {
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
