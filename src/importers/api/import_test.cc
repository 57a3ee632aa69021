#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

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
  const std::string other_trace_ = R"({"traceEvents":[{"ph":"X","name":"b","ts":1,"dur":2}]})";
};

// The messages of the import log, each with its code.
std::string LogOf(const Trace& trace) {
  std::string text;
  const ImportLogTable& log = trace.tables.import_log;
  for (size_t i = 0; i < log.code.size(); ++i) {
    text.append(trace.Text(log.code[i])).append(": ").append(trace.Text(log.message[i])) += '\n';
  }
  return text;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(ImportTracesTest, LogsSkippedFilesOfAFolder) {
  Write("a.json", trace_);
  Write("empty.json", "");
  Write("notes.txt", "some notes");
  Write("sub/b.json", R"({"traceEvents":7})");
  Write("sub/c.json", other_trace_);
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
  EXPECT_THAT(Import({folder_.string()}).error().message, HasSubstr("contains no files"));
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

TEST_F(ImportTracesTest, SeveralFilesBecomeOneTrace) {
  const auto trace = Import({Write("a.pt.trace.json", trace_), Write("b.json", other_trace_)});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->tables.host.start.size(), 2u);
  EXPECT_EQ(trace->profile_name, "a");
  EXPECT_EQ(trace->tables.sources.events, (Column<int64_t>{1, 1}));
}

TEST_F(ImportTracesTest, CancelStopsTheImport) {
  Write("a.json", trace_);
  Progress progress;
  progress.cancel = true;
  const auto trace = ImportTraces({folder_.string()}, {}, progress);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().message, "interrupted");
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

TEST_F(ImportTracesTest, ReadsSeveralZstdFrames) {
  std::string damage;
  const std::string text(100'000, 'x');
  const std::string path = Write("two.zst", Zstd(text) + Zstd("end"));
  EXPECT_EQ(ReadAll(path, &damage), text + "end");
  EXPECT_EQ(damage, "");
}

TEST_F(ImportTracesTest, TruncatedZstdIsDetected) {
  std::string damage;
  const std::string packed = Zstd("the text of a file, which is cut");
  for (size_t size = 5; size < packed.size(); ++size) {
    ReadAll(Write("cut.zst", packed.substr(0, size)), &damage);
    EXPECT_EQ(damage, "zstd data ends early") << size;
  }
}

TEST_F(ImportTracesTest, ATraceThatOccursTwiceCountsOnce) {
  const std::string plain = Write("k.json", trace_);
  const std::string packed = Write("k.json.zst", Zstd(trace_));
  const auto check = [&](const std::vector<std::string>& paths, const char* left_out) {
    const auto trace = Import(paths);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    EXPECT_EQ(trace->tables.sources.path.size(), 1u);
    EXPECT_EQ(trace->tables.host.start.size(), 1u);
    EXPECT_THAT(LogOf(*trace), HasSubstr(left_out));
  };
  check({folder_.string()}, "k.json.zst: the same trace as ");
  check({packed, plain}, "k.json.zst: the same trace as ");
  check({plain, plain}, "k.json: the same file as ");
  fs::remove(packed);
  fs::create_symlink(plain, folder_ / "link.json");
  check({folder_.string()}, "link.json: the same file as ");
  fs::remove(folder_ / "link.json");
  fs::create_hard_link(plain, folder_ / "second.json");
  check({folder_.string()}, "second.json: the same file as ");
  fs::remove(folder_ / "second.json");
  const std::string copy = Write("copy of k.json", trace_);
  check({plain, copy}, "copy of k.json: the same trace as ");
}

TEST_F(ImportTracesTest, FilesWithTheSameNameButDifferentContentAreBothReadOnlyIfNamed) {
  const std::string plain = Write("k.json", trace_);
  const std::string packed = Write("k.json.zst", Zstd(other_trace_));
  const auto both = Import({plain, packed});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->tables.host.start.size(), 2u);
  const auto folder = Import({folder_.string()});
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(folder->tables.host.start.size(), 1u);
  EXPECT_THAT(LogOf(*folder), HasSubstr("k.json.zst: not read, although its content differs"));
}

TEST_F(ImportTracesTest, OtherFilesOfTheSameSizeAreRead) {
  Write("a.json", trace_);
  Write("b.json", other_trace_);
  const auto trace = Import({folder_.string()});
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->tables.host.start.size(), 2u);
  EXPECT_EQ(LogOf(*trace), "");
}

TEST_F(ImportTracesTest, PipesInFoldersAreLeftOut) {
  Write("a.json", trace_);
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const auto trace = Import({folder_.string()});
  ASSERT_TRUE(trace.ok());
  EXPECT_THAT(LogOf(*trace),
              HasSubstr("pipe: a pipe, which is read only if it is specified explicitly"));
}

TEST_F(ImportTracesTest, ANamedPipeIsRead) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(path);  // waits for the reader
    for (const char c : trace_) pipe << c << std::flush;
  });
  const auto trace = Import({path});
  writer.join();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->tables.host.start.size(), 1u);
}

TEST_F(ImportTracesTest, APipeWithoutAWriterCanBeInterrupted) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  Progress progress;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    progress.cancel = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto trace = ImportTraces({path}, {}, progress);
  user.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(trace.error().message, "interrupted");
}

TEST_F(ImportTracesTest, DevicesAreNotOpened) {
  EXPECT_EQ(Import({"/dev/zero"}).error().message, "/dev/zero: is a device, not a file");
}

TEST_F(ImportTracesTest, AFileThatGrowsWhileItIsReadIsReported) {
  const std::string path = Write("a.json", "");
  std::ofstream(path) << "[" << std::string(1000, ' ') << R"({"ph":"X","ts":1,"dur":2})";
  auto bytes = OpenBytes(path);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ((*bytes)->change(), "");
  std::ofstream(path, std::ios::app) << "]";
  EXPECT_THAT((*bytes)->change(), HasSubstr("a.json: the file changed while it was read"));
}

TEST_F(ImportTracesTest, AFileThatShrinksWhileItIsReadIsAnError) {
  const std::string path = Write("a.json", std::string(1 << 20, ' '));
  auto bytes = OpenBytes(path);
  ASSERT_TRUE(bytes.ok());
  std::string buffer(1 << 20, '\0');
  ASSERT_TRUE((*bytes)->Read(buffer.data(), 1000).ok());
  fs::resize_file(path, 2000);
  const auto rest = (*bytes)->Read(buffer.data(), buffer.size());
  ASSERT_FALSE(rest.ok());
  EXPECT_THAT(rest.error().message, HasSubstr("a.json: the file shrank while it was read"));
}

TEST_F(ImportTracesTest, DurationsWhoseSumIsTooLargeAreRejected) {
  std::string text = R"({"traceEvents":[{"ph":"i","name":"x","ts":1})";
  for (int i = 0; i < 5000; ++i) {
    text += R"(,{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":281474976710})";
  }
  EXPECT_THAT(Import({Write("long.json", text + "]}")}).error().message,
              HasSubstr("long.json: damaged: the sum of gpu_activities.duration_ns is larger"));
}

// A frame of zeros, which zstd compresses to a ten-thousandth.
TEST_F(ImportTracesTest, FilesThatDecompressToFarMoreThanATraceAreRejected) {
  const std::string zeros(32 << 20, '\0');
  std::string packed = Zstd(std::string("SQLite format 3\0", 16) + zeros);
  for (int i = 0; i < 12; ++i) packed += Zstd(zeros);
  EXPECT_THAT(Import({Write("bomb.sqlite.zst", packed)}).error().message,
              ::testing::AllOf(HasSubstr("bomb.sqlite.zst: decompresses to more than 250 times"),
                               HasSubstr("which no trace does")));
}

}  // namespace
}  // namespace warpsight
