// Guarantees of every importer on every input: see "Tests" in docs/architecture.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/compute_facts.h"
#include "base/intervals.h"
#include "importers/api/importer.h"
#include "importers/chrome/json_text.h"
#include "importers/chrome/number.h"
#include "model/compare.h"
#include "store/profile_file.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using importers::chrome::FindValueEnd;
using importers::chrome::ParseMicroseconds;

// Whether a file is in JSON.
bool IsJson(const std::string& path) { return path.find(".json") != std::string::npos; }

// The first bytes, which importers get to recognize a file.
std::string HeadOf(const std::string& path) {
  auto bytes = OpenBytes(path);
  if (!bytes.ok()) return {};
  std::string head(size_t{64} * 1024, '\0');
  auto n = (*bytes)->Read(head.data(), head.size());
  head.resize(n.ok() ? *n : 0);
  return head;
}

// Whether some importer recognizes the first bytes of a file.
bool IsKnown(const std::string& path) {
  const std::string head = HeadOf(path);
  const std::vector<Importer> importers = AllImporters();
  return std::any_of(importers.begin(), importers.end(),
                     [&](const Importer& importer) { return importer.sniff(head); });
}

// The importers that recognize a file.
std::vector<std::string_view> ImportersOf(const std::string& path) {
  const std::string head = HeadOf(path);
  std::vector<std::string_view> names;
  for (const Importer& importer : AllImporters()) {
    if (!importer.sniff(head)) continue;
    auto bytes = OpenBytes(path);
    if (!bytes.ok()) continue;
    WholeFile whole(path, **bytes);
    if (importer.recognize == nullptr || importer.recognize(whole).ok()) {
      names.push_back(importer.name);
    }
  }
  return names;
}

// Traces in JSON, and all other files that an importer recognizes.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path();
    if (entry.is_regular_file(error) && (IsJson(path) || IsKnown(path))) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The bundled recordings; a small file of every format without a bundled recording; and the shared
// recordings, or one empty name if they are absent.
std::vector<std::string> AllInputs() {
  std::vector<std::string> inputs;
  for (const char* folder : {"data/h200", "data/capture", "data/stretches", "data/jax",
                             "fuzz/seeds/nsys", "fuzz/seeds/nvprof", "fuzz/seeds/tensorrt"}) {
    const std::vector<std::string> files = FilesIn(SourcePath(std::string("tests/") + folder));
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  const std::vector<std::string> shared = FilesIn(SharedTraces());
  inputs.insert(inputs.end(), shared.begin(), shared.end());
  if (shared.empty()) inputs.emplace_back();
  return inputs;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (IsJson(name)) name.resize(std::min(name.find('.'), name.size()));
  std::replace(name.begin(), name.end(), '.', '_');
  return name.empty() ? "shared_traces" : name;
}

void WriteFile(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string ReadUnpacked(const std::string& path) {
  auto bytes = OpenBytes(path);
  EXPECT_TRUE(bytes.ok());
  std::string text;
  for (;;) {
    constexpr size_t kStep = 1 << 20;
    const size_t size = text.size();
    text.resize(size + kStep);
    auto n = (*bytes)->Read(text.data() + size, kStep);
    EXPECT_TRUE(n.ok());
    text.resize(size + *n);
    if (*n == 0) return text;
  }
}

Result<Trace> TryImport(const std::string& path) {
  Progress progress;
  return ImportTraces({path}, {"name"}, progress);
}

Trace Import(const std::string& path) {
  auto trace = TryImport(path);
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

Profile Analyze(Trace trace) {
  Progress progress;
  auto facts = ComputeFacts(trace, {}, progress);
  EXPECT_TRUE(facts.ok());
  return {std::move(trace), std::move(*facts)};
}

// Path and size of a file are not part of its content.
void ForgetFile(Trace& trace) {
  for (StringId& path : trace.tables.sources.path) path = StringId::kEmpty;
  trace.tables.sources.bytes[0] = 0;
}

std::string Differences(Trace a, const Trace& without_file) {
  ForgetFile(a);
  return FirstDifference(a, without_file);
}

std::string Gzip(std::string_view text) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  std::string out(text.size() + text.size() / 8 + 1024, '\0');
  std::vector<uint8_t> buffer(ISAL_DEF_LVL1_DEFAULT);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 1;
  stream.level_buf = buffer.data();
  stream.level_buf_size = static_cast<uint32_t>(buffer.size());
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  EXPECT_EQ(isal_deflate(&stream), COMP_OK);
  out.resize(stream.total_out);
  return out;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

// The text of a trace, split into its records.
struct TraceText {
  std::string head;  // up to and including '['
  std::vector<std::string> records;
  std::vector<size_t> ends;  // of each record in the text
  std::string tail;          // from ']'

  std::string Joined() const {
    std::string text = head;
    for (size_t i = 0; i < records.size(); ++i) text += (i == 0 ? "" : ",\n") + records[i];
    return text + tail;
  }
};

TraceText TakeApart(const std::string& text) {
  TraceText parts;
  size_t pos = text.find('[', text.find("\"traceEvents\"")) + 1;
  if (text[text.find_first_not_of(" \n")] == '[') pos = text.find('[') + 1;
  parts.head = text.substr(0, pos);
  for (;;) {
    pos = text.find_first_not_of(" \n\r\t,", pos);
    if (text[pos] != '{') break;
    const size_t end = FindValueEnd(text, pos);
    parts.records.push_back(text.substr(pos, end - pos));
    parts.ends.push_back(end);
    pos = end;
  }
  parts.tail = text.substr(pos);
  return parts;
}

class ImporterContract : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam().empty()) {
      GTEST_SKIP() << "no traces in " << SharedTraces()
                   << "; WARPSIGHT_SHARED names another folder than ../shared";
    }
  }
  TemporaryFolder folder_;
};

// Traces whose text is split.
class JsonImporterContract : public ImporterContract {};

TEST_P(ImporterContract, ExactlyOneImporterRecognizesIt) {
  EXPECT_THAT(ImportersOf(GetParam()), ::testing::SizeIs(1));
}

TEST_P(ImporterContract, FileNameAndCompressionAreIrrelevant) {
  Trace trace = Import(GetParam());
  ForgetFile(trace);
  const std::string text = ReadUnpacked(GetParam());
  const std::string neutral = folder_.Path("x");
  for (const std::string& content : {text, Gzip(text), Zstd(text)}) {
    WriteFile(neutral, content);
    EXPECT_EQ(Differences(Import(neutral), trace), "");
  }
}

TEST_P(ImporterContract, SavedAndLoadedIsEqual) {
  const Profile profile = Analyze(Import(GetParam()));
  Progress progress;
  const std::string path = folder_.Path("profile.warpsight");
  const Status saved = SaveProfile(profile, path, progress);
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  const auto loaded = LoadProfile(path, {.skip = {}});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(CheckIntegrity(loaded->trace), "");
  EXPECT_EQ(FirstDifference(profile.trace, loaded->trace), "");
  EXPECT_EQ(loaded->trace.origin_ns, profile.trace.origin_ns);
  EXPECT_EQ(loaded->trace.origin_unix_ns, profile.trace.origin_unix_ns);
  EXPECT_EQ(loaded->trace.profile_name, profile.trace.profile_name);
  const RangeSummary before = SummarizeRange(profile);
  const RangeSummary after = SummarizeRange(*loaded);
  EXPECT_EQ(before.entries, after.entries);
  EXPECT_EQ(before.verdict, after.verdict);
}

TEST_P(ImporterContract, TheBreakdownSumsExactly) {
  const Profile profile = Analyze(Import(GetParam()));
  const TraceTables& trace_tables = profile.trace.tables;
  const RangeSummary range = SummarizeRange(profile);
  DurationNs sum = 0;
  for (const LedgerEntry entry : range.View()) sum += range.Of(entry);
  EXPECT_EQ(sum, range.capacity);
  if (RowCount(trace_tables.gpu) > 0) {
    EXPECT_EQ(range.busy + range.idle, range.capacity);
  }
}

void ExpectOneLineAbout(const std::string& path, const Error& error) {
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
  EXPECT_EQ(error.message.find(path), 0u);
}

TEST_P(ImporterContract, CutBytesGiveAPartOrAnError) {
  const std::string bytes = ReadUnpacked(GetParam());
  const int64_t events = Import(GetParam()).tables.sources.events[0];
  const std::string path = folder_.Path("cut");
  std::mt19937_64 random(7);
  std::vector<size_t> cuts = {1, 2, 3, 20, 100, bytes.size() / 2, bytes.size() - 1};
  for (int i = 0; i < 12; ++i) cuts.push_back(random() % bytes.size());
  for (const size_t cut : cuts) {
    WriteFile(path, std::string_view(bytes).substr(0, cut));
    const auto trace = TryImport(path);
    if (!trace.ok()) {
      ExpectOneLineAbout(path, trace.error());
      continue;
    }
    EXPECT_EQ(CheckIntegrity(*trace), "") << cut;
    EXPECT_LE(trace->tables.sources.events[0], events) << cut;
  }
}

TEST_P(JsonImporterContract, CutTextGivesTheRecordsBeforeTheCut) {
  const std::string text = ReadUnpacked(GetParam());
  const TraceText parts = TakeApart(text);
  const std::string path = folder_.Path("cut.json");
  std::mt19937_64 random(5);
  std::vector<size_t> cuts = {1, 2, parts.head.size() - 1, parts.head.size(), text.size() - 1};
  for (int i = 0; i < 8; ++i) cuts.push_back(random() % text.size());
  for (int i = 0; i < 3; ++i) {  // at and around the ends of records
    const size_t end = parts.ends[random() % parts.ends.size()];
    cuts.insert(cuts.end(), {end - 1, end, end + 1});
  }
  for (const size_t cut : cuts) {
    WriteFile(path, std::string_view(text).substr(0, cut));
    const auto trace = TryImport(path);
    if (!trace.ok()) {
      EXPECT_LT(cut, parts.head.size() + 20) << trace.error().message;
      ExpectOneLineAbout(path, trace.error());
      continue;
    }
    EXPECT_EQ(CheckIntegrity(*trace), "") << cut;
    const auto whole = std::upper_bound(parts.ends.begin(), parts.ends.end(), cut);
    EXPECT_EQ(trace->tables.sources.events[0], whole - parts.ends.begin()) << cut;
    if (parts.head.front() == '{' && text.find_last_not_of(" \n") >= cut) {
      EXPECT_EQ(trace->Text(trace->tables.import_log.code.at(0)), "truncated") << cut;
    }
  }
}

TEST_P(ImporterContract, CutCompressionGivesTheEventsBeforeTheCut) {
  if (!GetParam().ends_with(".gz")) GTEST_SKIP() << "not compressed";
  const std::string packed = ReadFile(GetParam());
  const int64_t events = Import(GetParam()).tables.sources.events[0];
  const std::string path = folder_.Path("cut.json.gz");
  std::mt19937_64 random(6);
  std::vector<size_t> cuts = {
      1, 2, 5, 10, 18, 100, packed.size() - 9, packed.size() - 8, packed.size() - 1};
  for (int i = 0; i < 6; ++i) cuts.push_back(random() % packed.size());
  for (const size_t cut : cuts) {
    WriteFile(path, std::string_view(packed).substr(0, cut));
    const auto trace = TryImport(path);
    if (!trace.ok()) {
      ExpectOneLineAbout(path, trace.error());
      continue;
    }
    EXPECT_EQ(CheckIntegrity(*trace), "") << cut;
    EXPECT_LE(trace->tables.sources.events[0], events) << cut;
    EXPECT_FALSE(trace->tables.import_log.code.empty()) << cut;
  }
}

using SliceKey = std::tuple<TimeNs, DurationNs, std::string>;

template <typename Table>
std::vector<SliceKey> SortedSlices(const Trace& trace, const Table& table) {
  std::vector<SliceKey> slices;
  for (size_t i = 0; i < table.start.size(); ++i) {
    slices.emplace_back(table.start[i], table.duration[i], std::string(trace.Text(table.name[i])));
  }
  std::sort(slices.begin(), slices.end());
  return slices;
}

TEST_P(JsonImporterContract, TheOrderOfEventsIsIrrelevant) {
  TraceText parts = TakeApart(ReadUnpacked(GetParam()));
  std::mt19937_64 random(8);
  std::shuffle(parts.records.begin(), parts.records.end(), random);
  const std::string path = folder_.Path("shuffled.json");
  WriteFile(path, parts.Joined());
  const Trace a = Import(GetParam());
  const Trace b = Import(path);
  EXPECT_EQ(a.origin_ns, b.origin_ns);
  EXPECT_EQ(a.end, b.end);
  TraceTables::Tables([&](std::string_view name, std::string_view, auto member) {
    EXPECT_EQ(RowCount(a.tables.*member), RowCount(b.tables.*member)) << name;
  });
  EXPECT_EQ(SortedSlices(a, a.tables.gpu), SortedSlices(b, b.tables.gpu));
  EXPECT_EQ(SortedSlices(a, a.tables.host), SortedSlices(b, b.tables.host));
  EXPECT_EQ(SortedSlices(a, a.tables.api), SortedSlices(b, b.tables.api));
}

TEST_P(JsonImporterContract, AShiftInTimeChangesTheOriginOnly) {
  constexpr int64_t kShift = 86'400'000'000'125;  // a little more than a day
  TraceText parts = TakeApart(ReadUnpacked(GetParam()));
  for (std::string& record : parts.records) {
    const size_t key = record.find("\"ts\":");
    if (key == std::string::npos) continue;
    const size_t begin = key + 5;
    const size_t end = record.find_first_of(",}\n", begin);
    const auto time = ParseMicroseconds(record.substr(begin, end - begin));
    if (!time) continue;
    const int64_t shifted = *time + kShift;
    char text[64];
    std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(shifted / 1000),
                  static_cast<long long>(shifted % 1000));
    record.replace(begin, end - begin, text);
  }
  const std::string path = folder_.Path("shifted.json");
  WriteFile(path, parts.Joined());
  const Profile a = Analyze(Import(GetParam()));
  const Profile b = Analyze(Import(path));
  EXPECT_EQ(b.trace.origin_ns, a.trace.origin_ns + kShift);
  EXPECT_EQ(SortedSlices(a.trace, a.trace.tables.gpu), SortedSlices(b.trace, b.trace.tables.gpu));
  EXPECT_EQ(a.trace.tables.host.start, b.trace.tables.host.start);
  EXPECT_EQ(a.trace.tables.api.start, b.trace.tables.api.start);
  EXPECT_EQ(a.trace.end, b.trace.end);
  EXPECT_EQ(a.facts.iterations.start, b.facts.iterations.start);
  EXPECT_EQ(SummarizeRange(a).entries, SummarizeRange(b).entries);
}

// Chrome traces, whose text the tests can split and reassemble.
std::vector<std::string> JsonInputs() {
  std::vector<std::string> inputs = AllInputs();
  std::erase_if(inputs, [](const std::string& path) {
    return !path.empty() &&
           (!IsJson(path) || ImportersOf(path) != std::vector<std::string_view>{"chrome"});
  });
  return inputs;
}

INSTANTIATE_TEST_SUITE_P(Inputs, ImporterContract, ::testing::ValuesIn(AllInputs()), TestName);
INSTANTIATE_TEST_SUITE_P(Inputs, JsonImporterContract, ::testing::ValuesIn(JsonInputs()), TestName);

// A clone without ../shared also tests every importer.
TEST(ImporterInputs, TheRepositoryHasOneForEveryImporter) {
  std::set<std::string_view> tested;
  for (const std::string& path : AllInputs()) {
    if (!path.starts_with(SourcePath("tests/"))) continue;
    const std::vector<std::string_view> importers = ImportersOf(path);
    tested.insert(importers.begin(), importers.end());
  }
  for (const Importer& importer : AllImporters()) {
    EXPECT_TRUE(tested.contains(importer.name)) << importer.name;
  }
}

// The seeds of all importers' fuzzers, and inputs that once failed.
TEST(FuzzSeeds, AreReadOrRejected) {
  for (const Importer& importer : AllImporters()) {
    for (const char* kind : {"seeds", "crashes"}) {
      const fs::path folder =
          fs::path(SourcePath("tests/fuzz")) / kind / std::string(importer.name);
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(folder, error)) {
        SCOPED_TRACE(entry.path());
        auto trace = TryImport(entry.path());
        if (!trace.ok()) continue;
        EXPECT_EQ(CheckIntegrity(*trace), "");
        const Profile profile = Analyze(std::move(*trace));
        const RangeSummary range = SummarizeRange(profile);
        DurationNs sum = 0;
        for (const LedgerEntry entry : range.View()) sum += range.Of(entry);
        EXPECT_EQ(sum, range.capacity);
      }
    }
  }
}

// Numbers read off the files by an independent script, in microseconds as it printed them. The
// script that described the traces added times as doubles, which near 2^53 ns round to whole
// nanoseconds and more: four of its unions were 0.1 to 0.3 off (146862.9, 18861.6, 51675.1 and
// 157500.1). Here they are as exact decimal arithmetic gives them.
struct KnownNumbers {
  const char* name;
  std::optional<int64_t> events;
  size_t kernels;
  double kernel_sum;
  std::optional<size_t> copies;
  std::optional<double> busy, span;
  int decimals;
  std::optional<int64_t> steps;
};

const KnownNumbers kKnown[] = {
    {"bert_inference_nosteps", 9065, 775, 32198.8, 10, 32209.6, 47155.3, 1, 5},
    {"gpt2_bf16", 38477, 2928, 106481.5, 484, 106918.8, 163004.9, 1, 4},
    {"gpt2_bf16_compiled", 18401, 2488, 88034.6, 252, 88250.8, 160639.2, 1, 4},
    {"gpt2_bf16_stacks_memory", 16928, 840, 44702.1, 147, 44846.3, 71243.9, 1, 3},
    {"gpt2_fp32_odd_shapes", 26738, 3039, 146593.4, 219, 146862.8, 157950.3, 1, 3},
    {"gpt2_sync_every_param", 18497, 1472, 13255.1, 336, 13665.0, 99341.4, 1, 4},
    {"mlp_cpu_bound", 92189, 12925, 18640.9, 305, 18861.3, 455642.2, 1, 5},
    {"resnet18_cuda_graph_inference", 2117, 990, 5134.6, 12, 5157.2, 7636.4, 1, 6},
    {"resnet50_amp_workers8_nhwc", 33777, 2552, 48414.3, 580, 51675.2, 242636.4, 1, 4},
    {"resnet50_fp32_workers0", 29330, 2211, 93904.3, 168, 96411.9, 420869.5, 1, 3},
    {"hta_a100_8rank_rank3", 109123, 8568, 446813, {}, 388587, 464594, 0, 6},
    {"hta_a100_nccl_metadata", {}, 2700, 162532.3, {}, 157500.0, 660551.0, 1, 3},
    {"kineto_v100_resnet50_old_categories", {}, 8772, 591209, {}, 602145, 876066, 0, 6},
    {"tracelens_h100_qwen", {}, 1465, 45432.7, {}, 45647.3, 49652.8, 1, {}},
    {"tracelens_vllm_hipgraph_decode", {}, 425, 10674.5, {}, {}, {}, 1, {}},
    {"tracelens_mi210_gpu_only", {}, 562, 5343.4, {}, {}, {}, 1, {}},
    {"jax_mlp.xplane", 741, 222, 5087.7, 12, 5030.3, 9295.8, 1, 6},
    {"tf_v100_multi_worker.xplane", 23128, 1330, 29690.7, 226, 30067.9, 953336.9, 1, 1},
    {"jax_mi300_gemm.xplane", 3782, 54, 3475.5, 0, 3475.5, 9456.2, 1, {}},
};

class KnownNumbersTest : public ::testing::TestWithParam<KnownNumbers> {};

TEST_P(KnownNumbersTest, AgreeWithTheTrace) {
  const KnownNumbers& known = GetParam();
  std::string path;
  for (const std::string& input : AllInputs()) {
    if (fs::path(input).filename().string().starts_with(known.name + std::string(".")))
      path = input;
  }
  if (path.empty()) GTEST_SKIP() << known.name << " is not in " << SharedTraces();
  const Profile profile = Analyze(Import(path));
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  size_t kernels = 0;
  DurationNs kernel_sum = 0;
  std::vector<Interval> work;
  TimeNs end = 0;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    work.push_back({gpu.start[i], gpu.start[i] + gpu.duration[i]});
    end = std::max(end, work.back().end);
    if (gpu.kind[i] != GpuKind::kKernel) continue;
    ++kernels;
    kernel_sum += gpu.duration[i];
  }
  const auto printed = [&](DurationNs ns) {
    const double scale = known.decimals == 0 ? 1000.0 : 100.0;
    return std::round(static_cast<double>(ns) / scale) * scale / 1000.0;
  };
  EXPECT_EQ(kernels, known.kernels);
  EXPECT_DOUBLE_EQ(printed(kernel_sum), known.kernel_sum);
  if (known.events) {
    EXPECT_EQ(profile.trace.tables.sources.events[0], *known.events);
  }
  if (known.copies) {
    EXPECT_EQ(gpu.start.size() - kernels, *known.copies);
  }
  if (known.busy) {
    EXPECT_DOUBLE_EQ(printed(IntervalSet::FromUnsorted(work).Length()), *known.busy);
    EXPECT_DOUBLE_EQ(printed(end - gpu.start.front()), *known.span);
  }
  if (known.steps) {
    EXPECT_EQ(SummarizeRange(profile).total, *known.steps);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, KnownNumbersTest, ::testing::ValuesIn(kKnown),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace warpsight::testing
