// Invalid input: every case gives a one-line error that names file, position and reason, or the
// readable part with entries in the import log. Nothing crashes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "analysis/accounting/range_summary.h"
#include "analysis/compute_facts.h"
#include "analysis/facts/trust_sentence.h"
#include "importers/api/importer.h"
#include "store/profile_file.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kOp = R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":10,"dur":5})";
const std::string kKernel =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":12,"dur":2,)"
    R"("args":{"device":0,"stream":7,"correlation":1}})";

std::string Object(const std::string& events) { return R"({"traceEvents":[)" + events + "]}"; }

double CpuSecondsOfChildren() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

class BadInput : public ::testing::Test {
 protected:
  std::string Write(std::string_view content, const std::string& name = "trace.json") {
    const std::string path = folder_.Path(name);
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  // The error of an import that must fail.
  std::string ErrorOf(const std::string& path) {
    Progress progress;
    const auto trace = ImportTraces({path}, {}, progress);
    if (trace.ok()) {
      ADD_FAILURE() << path << " was read";
      return {};
    }
    EXPECT_THAT(trace.error().message, Not(HasSubstr("\n")));
    EXPECT_THAT(trace.error().message, ::testing::StartsWith(path));
    return trace.error().message;
  }

  // Imports whatever can be read, analyzes, saves and loads it.
  Profile Read(const std::string& path) {
    Progress progress;
    auto trace = ImportTraces({path}, {}, progress);
    if (!trace.ok()) {
      ADD_FAILURE() << trace.error().message;
      return {};
    }
    EXPECT_EQ(CheckIntegrity(*trace), "");
    auto facts = ComputeFacts(*trace, {}, progress);
    EXPECT_TRUE(facts.ok());
    Profile profile{std::move(*trace), std::move(*facts)};
    SummarizeRange(profile);
    const std::string saved = folder_.Path("saved.warpsight");
    const Status status = SaveProfile(profile, saved, progress);
    EXPECT_TRUE(status.ok()) << status.error().message;
    EXPECT_TRUE(LoadProfile(saved).ok());
    return profile;
  }
  Profile ReadText(std::string_view content) { return Read(Write(content)); }

  static int64_t Logged(const Profile& profile, std::string_view code) {
    const ImportLogTable& log = profile.trace.tables.import_log;
    int64_t count = 0;
    for (size_t i = 0; i < log.code.size(); ++i) {
      if (profile.trace.Text(log.code[i]) == code) count += log.count[i];
    }
    return count;
  }
  static size_t Ops(const Profile& profile) { return RowCount(profile.trace.tables.host); }

  TemporaryFolder folder_;
};

TEST_F(BadInput, NotATrace) {
  EXPECT_THAT(ErrorOf(Write("")), HasSubstr("the file is empty"));
  EXPECT_THAT(ErrorOf(Write("hello")), HasSubstr("not a trace"));
  EXPECT_THAT(ErrorOf(Write("{\"a\": 1}")), HasSubstr("not a trace"));
  EXPECT_THAT(ErrorOf(Write("[1, 2, 3]")), HasSubstr("not a trace"));
  EXPECT_THAT(ErrorOf(Write(std::string(100'000, '\0'))), HasSubstr("not a trace"));
  EXPECT_THAT(ErrorOf(Write("\x1f\x8b")), HasSubstr("gzip"));
  EXPECT_THAT(ErrorOf(Write("\x28\xb5\x2f\xfd")), HasSubstr("zstd"));
  EXPECT_THAT(ErrorOf(Write(std::string("\x1f\x8b not gzip at all, really not"))),
              HasSubstr("gzip data is damaged"));
  EXPECT_THAT(ErrorOf(folder_.Path("missing.json")), HasSubstr("cannot open: No such file"));
}

TEST_F(BadInput, AFolderWithoutFiles) {
  std::filesystem::create_directory(folder_.Path("sub"));
  EXPECT_THAT(ErrorOf(folder_.Path("sub")), HasSubstr("the folder contains no files"));
}

TEST_F(BadInput, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = Write(Object(kOp));
  chmod(path.c_str(), 0);
  EXPECT_THAT(ErrorOf(path), HasSubstr("cannot open: Permission denied"));
}

TEST_F(BadInput, TraceEventsOfAnotherKind) {
  EXPECT_THAT(ErrorOf(Write(R"({"traceEvents":{}})")), HasSubstr("offset 17: no \"traceEvents\""));
  EXPECT_THAT(ErrorOf(Write(R"({"traceEvents":null})")), HasSubstr("no \"traceEvents\" array"));
  EXPECT_THAT(ErrorOf(Write(R"({"traceEvents":"[]"})")), HasSubstr("no \"traceEvents\" array"));
  EXPECT_THAT(ErrorOf(Write(R"({"traceEvents")")), HasSubstr("the file ends before"));
  EXPECT_EQ(Ops(ReadText(R"({"traceEvents":{},"traceEvents":[)" + kOp + "]}")), 1u);
}

TEST_F(BadInput, NoEvents) {
  const Profile profile = ReadText(Object(""));
  EXPECT_EQ(profile.trace.tables.sources.events[0], 0);
  EXPECT_EQ(RowCount(profile.trace.tables.import_log), 0u);
}

TEST_F(BadInput, NoGpuEventsOrNoCpuOps) {
  EXPECT_EQ(Ops(ReadText(Object(kOp))), 1u);
  EXPECT_EQ(RowCount(ReadText(Object(kKernel)).trace.tables.gpu), 1u);
}

TEST_F(BadInput, Truncated) {
  const Profile profile = ReadText(R"({"traceEvents":[)" + kOp + "," + kOp.substr(0, 30));
  EXPECT_EQ(Ops(profile), 1u);
  EXPECT_EQ(Logged(profile, "truncated"), 1);
}

TEST_F(BadInput, DamagedGzip) {
  std::string packed = ReadFile(BundledTracePath("resnet18_cuda_graph_inference"));
  packed[packed.size() - 6] ^= 1;  // in the checksum
  const Profile wrong_sum = Read(Write(packed));
  EXPECT_EQ(wrong_sum.trace.tables.sources.events[0], 2117);
  EXPECT_EQ(Logged(wrong_sum, "damaged_compression"), 1);

  packed[packed.size() / 2] ^= 0x55;  // in the data
  const Profile damaged = Read(Write(packed));
  EXPECT_GT(damaged.trace.tables.sources.events[0], 0);
  EXPECT_GE(Logged(damaged, "damaged_compression"), 1);

  packed.resize(packed.size() / 3);
  const Profile cut = Read(Write(packed));
  EXPECT_GT(cut.trace.tables.sources.events[0], 100);
  EXPECT_EQ(Logged(cut, "damaged_compression"), 1);
  EXPECT_EQ(Logged(cut, "truncated"), 1);
}

TEST_F(BadInput, UnquotedKeysAndTrailingCommas) {
  const Profile profile = ReadText(
      R"({traceEvents: [{ph: "X", name: "a", ts: 1, dur: 2,}, {ph: "X", name: "b", ts: 2,},],})");
  EXPECT_EQ(Ops(profile), 2u);
  EXPECT_EQ(Logged(profile, "repaired_record"), 2);
}

TEST_F(BadInput, WrongTypesEverywhere) {
  const std::string fields[] = {"ph",  "cat", "name", "pid", "tid", "ts",
                                "dur", "id",  "args", "bp",  "s"};
  const std::string values[] = {"null", "true",  "7",         "-7.5e3", "\"text\"",
                                "[]",   "[[1]]", "{\"a\":1}", "{}",     "\"\""};
  std::string events = kKernel;
  int64_t count = 1;
  for (const char* phase : {"X", "s", "B", "i", "M", "C", "b"}) {
    for (const std::string& field : fields) {
      for (const std::string& value : values) {
        events += R"(,{"ph":")" + std::string(phase) +
                  R"(","cat":"kernel","name":"n","ts":5,"id":1,")" + field + "\":" + value + "}";
        ++count;
      }
    }
  }
  const std::string arguments[] = {
      "External id", "grid",   "Input Dims",          "correlation",
      "device",      "stream", "Collective name",     "bytes",
      "Python id",   "name",   "Process Group Ranks", "est. achieved occupancy %"};
  for (const char* category :
       {"cpu_op", "kernel", "cuda_runtime", "cuda_sync", "python_function"}) {
    for (const std::string& argument : arguments) {
      for (const std::string& value : values) {
        events += R"(,{"ph":"X","name":"n","ts":5,"dur":1,"cat":")" + std::string(category) +
                  R"(","args":{")" + argument + "\":" + value + "}}";
        ++count;
      }
    }
  }
  const Profile profile = ReadText(Object(events));
  EXPECT_EQ(profile.trace.tables.sources.events[0], count);
  EXPECT_GT(Logged(profile, "wrong_type"), 0);
}

TEST_F(BadInput, AbsurdNumbers) {
  std::string events = kOp;
  for (const char* number : {"1e400", "-1e400", "9223372036854775807", "-9223372036854775808",
                             "18446744073709551616", "1e18", "2305843009213693.951", "NaN", "0x1",
                             "-2305843009213693.951", "1e-400", "0.0000000000000000001"}) {
    for (const char* category : {"kernel", "cpu_op", "cuda_runtime", "gpu_memcpy"}) {
      events += R"(,{"ph":"X","name":"n","cat":")" + std::string(category) + R"(","ts":)" + number +
                R"(,"dur":1},{"ph":"X","name":"n","cat":")" + category + R"(","ts":3,"dur":)" +
                number + R"(,"args":{"device":)" + number + R"(,"stream":)" + number +
                R"(,"correlation":)" + number + R"(,"bytes":)" + number + R"(,"grid":[)" + number +
                ",1,1],\"block\":[" + number + "]}}";
    }
  }
  const Profile profile = ReadText(Object(events));
  EXPECT_GT(Logged(profile, "bad_time"), 0);
  EXPECT_GT(Logged(profile, "bad_duration"), 0);
  EXPECT_GT(Ops(profile), 0u);
}

TEST_F(BadInput, DeepNestingTakesNoTime) {
  const std::clock_t started = std::clock();
  constexpr size_t kDepth = 1'000'000;
  const auto nested = [](std::string_view open, std::string_view close) {
    std::string text;
    for (size_t i = 0; i < kDepth; ++i) text += open;
    for (size_t i = 0; i < kDepth; ++i) text += close;
    return text;
  };
  const std::string deep = nested("[", "]");
  const std::string with_args = R"({"ph":"X","name":"n","ts":1,"dur":1,"args":{"deep":)";
  EXPECT_EQ(Ops(ReadText(Object(kOp + "," + with_args + deep + "}}," + kOp))), 3u);
  EXPECT_EQ(Ops(ReadText(Object(kOp + "," + with_args + nested(R"({"ph":)", "}") + "}}," + kOp))),
            2u + 1u);
  EXPECT_EQ(Ops(ReadText(Object(kOp + "," + deep + "," + kOp))), 2u);
  EXPECT_EQ(Ops(ReadText(R"({"deviceProperties":)" + deep + R"(,"traceEvents":[)" + kOp + "]}")),
            1u);
  EXPECT_EQ(Ops(ReadText(Object(kOp + "," + std::string(kDepth, '[')))), 1u);
  EXPECT_EQ(Ops(ReadText(Object(kOp + "," + std::string(kDepth, '{')))), 1u);
  EXPECT_THAT(ErrorOf(Write(std::string(kDepth, '['))), HasSubstr("not a trace"));
  EXPECT_THAT(ErrorOf(Write(R"({"traceEvents":)" + std::string(kDepth, '{'))),
              HasSubstr("the file ends before"));
  const double cpu_seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
#ifndef WARPSIGHT_SANITIZED
  EXPECT_LT(cpu_seconds, 8) << "eight inputs; quadratic time would be hours";
#else
  RecordProperty("cpu_seconds", std::to_string(cpu_seconds));
#endif
}

TEST_F(BadInput, UnclosedStringsInTheMiddle) {
  const std::string broken = R"({"ph":"X","name":"open,"ts":1,"dur":1})";
  EXPECT_EQ(Ops(ReadText(Object(kOp + ",\n" + broken + ",\n" + kOp + ",\n" + kOp))), 3u);
  EXPECT_GE(Ops(ReadText(Object(kOp + "," + broken + "," + kOp + "," + kOp))), 2u);
}

TEST_F(BadInput, InvalidUtf8AndNulBytes) {
  using std::string_literals::operator""s;
  const Profile profile =
      ReadText(Object("{\"ph\":\"X\",\"name\":\"\xff\xfe\",\"ts\":1},"
                      "{\"ph\":\"X\",\"name\":\"a\0b\",\"ts\":2},\0,"
                      "{\"ph\":\"X\",\"name\":\"\\u0000\\ud800\",\"ts\":3}"s));
  EXPECT_EQ(Ops(profile), 3u);
  EXPECT_EQ(Logged(profile, "repaired_record"), 2);
  EXPECT_EQ(Ops(ReadText("{\"\xff\":\"\xff\",\"traceEvents\":[" + kOp + "]}")), 1u);
}

TEST_F(BadInput, DuplicateTraceEvents) {
  const Profile profile = ReadText(R"({"traceEvents":[)" + kOp + R"(],"traceEvents":[)" + kOp +
                                   R"(],"traceName":"x"})");
  EXPECT_EQ(Ops(profile), 2u);
  EXPECT_EQ(Logged(profile, "second_array"), 1);
}

TEST_F(BadInput, NotObjectsAmongTheEvents) {
  const Profile profile = ReadText(Object(R"(1,null,"text",[],true,)" + kOp + ",{}"));
  EXPECT_EQ(Ops(profile), 1u);
  EXPECT_EQ(Logged(profile, "unexpected_text"), 5);
  EXPECT_EQ(profile.trace.tables.sources.events[0], 7);
}

TEST_F(BadInput, HugeRecords) {
  const std::string large(70'000'000, 'x');
  const std::string record = R"({"ph":"i","name":"large","ts":1,"args":{"text":")" + large + "\"}}";
  const Profile profile = ReadText(Object(kOp + "," + record + "," + kOp));
  EXPECT_GE(Ops(profile), 1u);
  EXPECT_GE(Logged(profile, "bad_record") + RowCount(profile.trace.tables.instants), 1u);
}

// Inputs that once failed, and the fuzzer's seeds.
TEST_F(BadInput, SeedsAndCrashesOfTheFuzzer) {
  size_t files = 0;
  for (const char* kind : {"seeds", "crashes"}) {
    const std::string folder = SourcePath("tests/fuzz/" + std::string(kind) + "/chrome");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      SCOPED_TRACE(entry.path());
      const Profile profile = ReadText(ReadFile(entry.path().string()));
      const RangeSummary range = SummarizeRange(profile);
      DurationNs gaps = 0;
      for (size_t i = 0; i < kIdleCauseCount; ++i) gaps += range.Of(static_cast<IdleCause>(i));
      EXPECT_EQ(gaps, range.idle);
      ++files;
    }
  }
  EXPECT_GE(files, 20u);
}

TEST_F(BadInput, TheProgramFailsInOneLine) {
  for (const std::string_view content : {"", "hello", R"({"traceEvents":7})", "\x1f\x8b\x08"}) {
    const std::string path = Write(content);
    for (const char* command : {"info", "report"}) {
      const ProgramRun run = RunWarpsight({command, path});
      EXPECT_EQ(run.exit_code, 1);
      EXPECT_THAT(run.errors, HasSubstr(path));
      EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
      EXPECT_EQ(run.output, "");
    }
  }
}

TEST_F(BadInput, CorrectedRecordsAreReported) {
  std::string events = kOp;
  for (int i = 0; i < 6000; ++i) {
    events += R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":12,"dur":-2})";
  }
  const Profile profile = ReadText(Object(events));
  EXPECT_EQ(Logged(profile, "negative_duration"), 6000);
  EXPECT_THAT(TrustSentence(profile),
              ::testing::StartsWith("Treat these numbers with care: >99.9 % of the records had "
                                    "impossible values, which were corrected or left out"));
  const Profile one = ReadText(Object(kOp + "," + kKernel + R"(,{"ph":"X","ts":1,"dur":-1})"));
  EXPECT_THAT(TrustSentence(one), HasSubstr("of the records had impossible values"));
}

TEST_F(BadInput, AnUnreadableTraceOfAFolderIsReported) {
  Write(Object(kOp + "," + kKernel), "a.json");
  Write(R"({"traceEvents":7})", "b.json");
  Write("notes", "notes.txt");
  const Profile profile = Read(folder_.Path(""));
  EXPECT_EQ(Logged(profile, "file_unreadable"), 1);
  EXPECT_EQ(Logged(profile, "file_passed_over"), 1);
  EXPECT_THAT(TrustSentence(profile), HasSubstr("parts of the files were not read"));
}

// A trace with a separate thread for every call once took time cubic in the number of calls.
TEST_F(BadInput, ManyThreadsTakeNoTime) {
  std::string events = kOp;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i), time = std::to_string(100 * i);
    events += R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + time +
              R"(,"dur":2,"args":{"device":0,"stream":7,"correlation":)" + n + "}}";
    events += R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":)" + n +
              R"(,"ts":)" + time + R"(,"dur":1,"args":{"correlation":)" + n + "}}";
  }
  const std::string path = Write(Object(events));
  const double before = CpuSecondsOfChildren();
  EXPECT_EQ(RunWarpsight({"report", path}).exit_code, 0);
  EXPECT_LT(CpuSecondsOfChildren() - before, 5);
}

// Once, finding the launch among all calls with the same id took time quadratic in their number.
TEST_F(BadInput, ManyLaunchesWithOneIdTakeNoTime) {
  std::string events = kOp;
  for (int i = 0; i < 120'000; ++i) {
    events += fmt::format(
        R"(,{{"ph":"X","cat":"kernel","name":"k","tid":7,"ts":{},"dur":2,"args":{{"correlation":5}}}})",
        10 * i + 3);
    events += fmt::format(
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":1,)"
        R"("args":{{"correlation":5}}}})",
        10 * i);
  }
  const std::string path = Write(Object(events));
  const double before = CpuSecondsOfChildren();
  EXPECT_EQ(RunWarpsight({"info", path}).exit_code, 0);
  EXPECT_LT(CpuSecondsOfChildren() - before, 5);
  const Profile profile = ReadText(Object(events));
  const auto& api = profile.facts.gpu.api;
  ASSERT_EQ(api.size(), 120'000U);
  for (size_t i = 0; i < api.size(); ++i) ASSERT_EQ(Index(api[i]), i) << "its own launch";
}

TEST_F(BadInput, MoreGpusThanAnyMachineHas) {
  std::string events = kOp;
  for (int i = 0; i < 2000; ++i) {
    events += R"(,{"ph":"X","cat":"kernel","name":"k","ts":12,"dur":2,"args":{"device":)" +
              std::to_string(i) + "}}";
  }
  EXPECT_THAT(ErrorOf(Write(Object(events))), HasSubstr("it lists more than 1,024 GPUs"));
}

// Windows for every iteration on every GPU once took 8 GB for a file of 4 MB.
TEST_F(BadInput, ManyIterationsOnManyGpusWithoutWork) {
  std::string events = kOp;
  for (int i = 0; i < 1000; ++i) {
    events += fmt::format(
        R"(,{{"ph":"X","cat":"kernel","name":"k","tid":7,"ts":{},"dur":2,"args":{{"device":{},"stream":7}}}})",
        i * 30, i);
  }
  for (int i = 0; i < 3000; ++i) {
    events += fmt::format(
        R"(,{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,"ts":{},"dur":9}})",
        i, i * 10);
  }
  const std::string path = Write(Object(events));
  const ProgramRun run = RunWarpsight({"report", path});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors,
              HasSubstr(path + ": it has 3000 iterations, almost all of them without work"));
}

// Takes minutes, so it runs only with WARPSIGHT_BIG=1.
TEST_F(BadInput, FilesBeyondFourGigabytesInBoundedMemory) {
  if (std::getenv("WARPSIGHT_BIG") == nullptr) GTEST_SKIP() << "WARPSIGHT_BIG is not set";
  constexpr int64_t kBytes = 4'500'000'000;
  const std::string path = folder_.Path("big.json");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  int64_t written = 0;
  std::thread writer([&] {
    std::ofstream pipe(path, std::ios::binary);
    std::string block = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    int64_t bytes = 0;
    while (bytes < kBytes) {
      for (int i = 0; i < 1000; ++i, ++written) {
        const std::string id = std::to_string(written);
        const std::string time = std::to_string(written) + ".125";
        block += "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op" +
                 std::to_string(written % 97) +
                 "\", \"pid\": 100, \"tid\": " + std::to_string(written % 3) +
                 ",\n  \"ts\": " + time + ", \"dur\": 0.875,\n  \"args\": {\"External id\": " + id +
                 ", \"Record function id\": 0, \"Sequence number\": " + id +
                 ", \"Fwd thread id\": 0, \"Ev Idx\": " + id +
                 ", \"Input Dims\": [[64, 1024, 768], [768, 768]], \"Input type\": [\"float\", "
                 "\"float\"], \"Concrete Inputs\": [\"\", \"\"]}\n},\n";
      }
      pipe << block;
      bytes += static_cast<int64_t>(block.size());
      block.clear();
    }
    pipe << "{\"ph\": \"i\", \"name\": \"end\", \"ts\": 1}]}";
  });
  const auto started = std::chrono::steady_clock::now();
  Progress progress;
  const auto trace = ImportTraces({path}, {}, progress);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  writer.join();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->tables.sources.events[0], written + 1);
  EXPECT_EQ(RowCount(trace->tables.import_log), 0u);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double gigabytes = static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
  std::printf("%lld events in %.1f s, peak memory %.2f GB\n", static_cast<long long>(written),
              seconds.count(), gigabytes);
  EXPECT_LT(gigabytes, 4.5) << "columns, not text";
}

}  // namespace
}  // namespace warpsight::testing
