#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "importers/api/importer.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ImportTracesTest : public ::testing::Test {
 protected:
  ImportTracesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("warpsight_" + std::string(test->name()) + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~ImportTracesTest() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, std::string_view text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  Result<Trace> Import(const std::vector<std::string>& paths) {
    Progress progress;
    return ImportTraces(paths, {}, progress);
  }

  fs::path folder_;
  const std::string trace_ = R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2}]})";
};

TEST_F(ImportTracesTest, LogsTheFilesOfAFolderThatItPassesOver) {
  Write("a.json", trace_);
  Write("empty.json", "");
  Write("notes.txt", "some notes");
  Write("sub/b.json", R"({"traceEvents":7})");
  Write("sub/c.json", trace_);
  auto trace = Import({folder_.string()});
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(CheckIntegrity(*trace), "");
  EXPECT_EQ(trace->tables.sources.path.size(), 2u);
  const ImportLogTable& log = trace->tables.import_log;
  ASSERT_EQ(log.code.size(), 3u);
  EXPECT_THAT(trace->Text(log.message[0]), HasSubstr("empty.json: the file is empty"));
  EXPECT_THAT(trace->Text(log.message[1]), HasSubstr("notes.txt: not a trace"));
  EXPECT_THAT(trace->Text(log.message[2]), HasSubstr("b.json: offset 16: no \"traceEvents\""));
}

TEST_F(ImportTracesTest, AFolderWithoutTracesIsAnError) {
  EXPECT_THAT(Import({folder_.string()}).error().message, HasSubstr("holds no files"));
  Write("notes.txt", "some notes");
  EXPECT_THAT(Import({folder_.string()}).error().message,
              ::testing::AllOf(HasSubstr("no trace that Warpsight reads"), HasSubstr("notes.txt")));
}

TEST_F(ImportTracesTest, ANamedFileThatFailsIsAnError) {
  const std::string good = Write("a.json", trace_);
  const std::string bad = Write("b.json", "x");
  EXPECT_THAT(Import({good, bad}).error().message, HasSubstr("b.json: not a trace"));
  EXPECT_THAT(Import({folder_ / "missing.json"}).error().message,
              HasSubstr("missing.json: cannot open: No such file"));
}

TEST_F(ImportTracesTest, SeveralFilesMakeOneTrace) {
  const auto trace = Import({Write("a.pt.trace.json", trace_), Write("b.json", trace_)});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->tables.host.start.size(), 2u);
  EXPECT_EQ(trace->profile_name, "a");
  EXPECT_EQ(trace->tables.sources.events, (Column<int64_t>{1, 1}));
}

TEST_F(ImportTracesTest, CancelStops) {
  Write("a.json", trace_);
  Progress progress;
  progress.cancel = true;
  const auto trace = ImportTraces({folder_.string()}, {}, progress);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().message, "interrupted");
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string ReadAll(const std::string& path, std::string* damage) {
  auto bytes = OpenBytes(path);
  EXPECT_TRUE(bytes.ok());
  std::string text;
  char buffer[777];
  for (;;) {
    auto n = (*bytes)->Read(buffer, sizeof buffer);
    EXPECT_TRUE(n.ok());
    if (*n == 0) break;
    text.append(buffer, *n);
  }
  *damage = (*bytes)->damage();
  return text;
}

TEST_F(ImportTracesTest, ZstdFramesFollowEachOther) {
  std::string damage;
  const std::string text(100'000, 'x');
  const std::string path = Write("two.zst", Zstd(text) + Zstd("end"));
  EXPECT_EQ(ReadAll(path, &damage), text + "end");
  EXPECT_EQ(damage, "");
}

TEST_F(ImportTracesTest, CutZstdIsNoticed) {
  std::string damage;
  const std::string packed = Zstd("the text of a file, which is cut");
  for (size_t size = 5; size < packed.size(); ++size) {
    ReadAll(Write("cut.zst", packed.substr(0, size)), &damage);
    EXPECT_EQ(damage, "zstd data ends early") << size;
  }
}

}  // namespace
}  // namespace warpsight
