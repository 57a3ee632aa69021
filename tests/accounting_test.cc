// Invariants of the ledger, and of everything derived from it, on every trace.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/accounting/window_breakdown.h"
#include "analysis/screens/dashboard.h"
#include "analysis/screens/one_screen.h"
#include "analysis/text/format.h"
#include "chrome_text.h"
#include "model/integrity.h"
#include "profiles/open_profile.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

std::string SharedFolder() { return fs::path(SharedTraces()).parent_path().parent_path().string(); }

bool LooksLikeATrace(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json.gz") || name.ends_with(".wscap") || name.ends_with(".xplane.pb") ||
         name.ends_with(".xplane.pb.gz") || name.ends_with(".sqlite.gz") ||
         name.ends_with(".sql.gz") || name.ends_with("node_ids.json");
}

void AddTraces(const fs::path& folder, std::vector<std::string>& paths) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file() || !LooksLikeATrace(entry.path())) continue;
    // The ranks of one job are one trace.
    const fs::path parent = entry.path().parent_path();
    found.push_back(parent.filename().string().ends_with("8ranks") ? parent.string()
                                                                   : entry.path().string());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  paths.insert(paths.end(), found.begin(), found.end());
}

// The traces of the repository, and those of other projects if present.
std::vector<std::string> EveryTrace() {
  std::vector<std::string> paths;
  AddTraces(SourcePath("tests/data"), paths);
  for (const char* folder : {"traces/public", "serving", "ranks"}) {
    AddTraces(fs::path(SharedFolder()) / folder, paths);
  }
  return paths;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).filename().string() + "_" + std::to_string(info.index);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class AccountingTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Progress progress;
    auto imported = ImportProfile({GetParam()}, "", {}, progress);
    if (!imported.ok()) GTEST_SKIP() << imported.error().message;
    profile_ = std::move(*imported);
    range_ = SummarizeRange(profile_);
  }

  DurationNs GroupTime(TimeGroup group) const {
    DurationNs time = 0;
    for (const LedgerEntry entry : range_.View()) {
      if (GroupOf(entry) == group) time += range_.Of(entry);
    }
    return time;
  }

  // Each trace is imported once for all checks.
  void FactsPassTheirChecks();
  void TheViewSumsToTheWindowsExactly();
  void IterationsSumToTheRange();
  void TheVerdictIsTheLargestGroupThatIsShown();
  void TheDashboardSaysTheSame();
  void CommunicationIsOnlyWhereCollectivesAre();
  void LaunchLatencyIsShort();

  Profile profile_;
  RangeSummary range_;
};

// Checks, among others, that the entries of every iteration and GPU sum to its window.
void AccountingTest::FactsPassTheirChecks() {
  EXPECT_EQ(CheckFacts(profile_.trace, profile_.facts), "");
}

void AccountingTest::TheViewSumsToTheWindowsExactly() {
  DurationNs sum = 0;
  for (const LedgerEntry entry : range_.View()) {
    EXPECT_GE(range_.Of(entry), 0);
    sum += range_.Of(entry);
  }
  EXPECT_EQ(sum, range_.capacity);
  DurationNs windows = 0;
  for (const GpuUse& gpu : range_.gpus) {
    EXPECT_LE(gpu.busy, gpu.window.end - gpu.window.start);
    windows += gpu.window.end - gpu.window.start;
  }
  if (range_.gpus.empty()) {
    EXPECT_EQ(range_.idle, 0);
    EXPECT_EQ(range_.busy, 0);
  } else {
    EXPECT_EQ(windows, range_.capacity);
    EXPECT_EQ(range_.busy + range_.idle, range_.capacity);
  }
  DurationNs idle = 0;
  for (size_t i = 0; i < kIdleCauseCount; ++i) idle += range_.Of(static_cast<IdleCause>(i));
  EXPECT_EQ(idle, range_.idle);
}

// The sums over the iterations equal those of the whole window of each GPU.
void AccountingTest::IterationsSumToTheRange() {
  const WindowBreakdown breakdown(profile_);
  EntryTimes whole = breakdown.Within(profile_, range_.windows).entries;
  for (const LedgerEntry entry : kGpuEntries) whole[static_cast<size_t>(entry)] = 0;
  whole[static_cast<size_t>(LedgerEntry::kHiddenCommunication)] = 0;
  whole[static_cast<size_t>(LedgerEntry::kHiddenCopies)] = 0;
  for (const WindowBreakdown::Gpu& gpu : breakdown.gpus()) {
    const EntryTimes busy = WindowBreakdown::BusyTimes(gpu, range_.gpu_windows[Index(gpu.device)]);
    for (size_t i = 0; i < busy.size(); ++i) whole[i] += busy[i];
  }
  const GapsTable& gaps = profile_.facts.gaps;
  for (size_t i = 0; i < gaps.start.size(); ++i) {
    const Interval part = range_.PartOfGap(profile_, i);
    whole[static_cast<size_t>(EntryOf(gaps.cause[i]))] +=
        std::max<DurationNs>(0, part.end - part.start);
  }
  for (size_t i = 0; i < kLedgerEntryCount; ++i) {
    EXPECT_EQ(range_.entries[i], whole[i]) << ToString(static_cast<LedgerEntry>(i));
  }
}

void AccountingTest::TheVerdictIsTheLargestGroupThatIsShown() {
  const DurationNs largest = GroupTime(range_.verdict);
  for (size_t i = 0; i < kTimeGroupCount; ++i) {
    EXPECT_LE(GroupTime(static_cast<TimeGroup>(i)), largest)
        << ToString(static_cast<TimeGroup>(i)) << " " << range_.verdict_reason;
  }
  if (range_.capacity == 0) return;
  const std::string share = FormatShare(range_.Share(largest), 1);
  EXPECT_TRUE(range_.verdict_reason.starts_with(share)) << range_.verdict_reason;
  const std::string screen = OneScreen({profile_, range_}, {.color = false, .width = 200});
  EXPECT_NE(screen.find(Headline(range_.verdict) + ": " + share), std::string::npos) << screen;
  if (range_.verdict != TimeGroup::kKernels) {
    EXPECT_NE(screen.find(std::string(ToString(range_.verdict)) + " " + share), std::string::npos)
        << screen;
  }
}

void AccountingTest::TheDashboardSaysTheSame() {
  simdjson::dom::parser parser;
  const simdjson::dom::element json = parser.parse(DashboardJson({profile_, range_}));
  EXPECT_EQ(std::string_view(json["verdict"]["group"]), ToString(range_.verdict));
  EXPECT_EQ(std::string_view(json["verdict"]["headline"]), Headline(range_.verdict));
  DurationNs sum = 0;
  for (const simdjson::dom::element part : json["resources"].get_array()) {
    sum += int64_t{part["ns"].get_int64()};
  }
  EXPECT_EQ(sum, range_.capacity);
  EXPECT_EQ(json["idle"]["ns"].is_null(), range_.gpus.empty())
      << "without GPU work, the idle time of a GPU is unknown";
}

void AccountingTest::CommunicationIsOnlyWhereCollectivesAre() {
  const GpuClasses classes(profile_.trace, profile_.facts);
  bool collectives = false;
  for (size_t g = 0; g < profile_.trace.tables.gpu.start.size(); ++g) {
    collectives = collectives || classes.Of(g) == Resource::kCommunication;
  }
  if (collectives) return;
  EXPECT_EQ(range_.Of(LedgerEntry::kCommunication), 0);
  EXPECT_EQ(range_.Of(LedgerEntry::kIdleOtherRank), 0);
  for (const IdleCause cause : profile_.facts.gaps.cause) EXPECT_NE(cause, IdleCause::kOtherRank);
}

// Launch latency is never longer than a launch takes; longer gaps after a launch are never
// attributed to the host.
void AccountingTest::LaunchLatencyIsShort() {
  const GapsTable& gaps = profile_.facts.gaps;
  const ApiCallsTable& api = profile_.trace.tables.api;
  for (size_t i = 0; i < gaps.start.size(); ++i) {
    const GpuId next = gaps.next[i];
    const ApiId call = IsSet(next) ? profile_.facts.gpu.api[Index(next)] : kNone<ApiId>;
    if (gaps.cause[i] == IdleCause::kLaunchLatency) {
      EXPECT_LE(gaps.end[i] - gaps.start[i], 50'000);
    }
    if (gaps.cause[i] == IdleCause::kHostWork && IsSet(call)) {
      EXPECT_LE(gaps.end[i], api.start[Index(call)] + api.duration[Index(call)]);
    }
  }
}

TEST_P(AccountingTest, AllNumbersAgree) {
  FactsPassTheirChecks();
  TheViewSumsToTheWindowsExactly();
  IterationsSumToTheRange();
  TheVerdictIsTheLargestGroupThatIsShown();
  TheDashboardSaysTheSame();
  CommunicationIsOnlyWhereCollectivesAre();
  LaunchLatencyIsShort();
}

INSTANTIATE_TEST_SUITE_P(Traces, AccountingTest, ::testing::ValuesIn(EveryTrace()), TestName);

class SharedTrace : public ::testing::Test {
 protected:
  // Imports a trace of the shared folder, or skips the test.
  bool Open(const std::string& relative) {
    const fs::path path = fs::path(SharedFolder()) / relative;
    if (!fs::exists(path)) return false;
    profile_ = ImportForTest({path.string()});
    range_ = SummarizeRange(profile_);
    return true;
  }

  Profile profile_;
  RangeSummary range_;
};

// One rank and no collective: the first kernel was launched at 128 us, after a hipStreamWaitEvent,
// and starts at 463,380 us.
TEST_F(SharedTrace, AWaitForAnEventIsADependency) {
  if (!Open("serving/sglang_decode/sglang_Qwen3-8B_decode.json.gz")) {
    GTEST_SKIP() << "no shared traces";
  }
  EXPECT_EQ(range_.verdict, TimeGroup::kIdleDependency);
  EXPECT_NEAR(range_.Share(range_.Of(IdleCause::kDependency)), 0.978, 0.01);
  EXPECT_EQ(range_.Of(IdleCause::kOtherRank), 0);
}

// The first copy was launched at 545 us and starts at 8,371 us; earlier work was not recorded.
TEST_F(SharedTrace, UnrecordedCausesAreUnknown) {
  if (!Open("serving/vllm_decode_full/graph_execution.json.gz")) GTEST_SKIP() << "no shared traces";
  EXPECT_NEAR(static_cast<double>(range_.Of(IdleCause::kUnknown)), 7.826e6, 0.02e6);
  EXPECT_EQ(range_.verdict, TimeGroup::kKernels);
}

// 18.8 ms between two kernels on two streams, in which the host allocates and has not launched.
TEST_F(SharedTrace, SeveralStreamsAloneAreNotADependency) {
  if (!Open("traces/public/hta_event_sync_multi_stream.json.gz")) {
    GTEST_SKIP() << "no shared traces";
  }
  EXPECT_EQ(range_.Of(IdleCause::kDependency), 0);
  EXPECT_EQ(range_.Of(IdleCause::kUnknown), 0);
}

TEST_F(SharedTrace, WithoutGpuWorkTheHostIsShown) {
  if (!Open("traces/public/hta_cpu_only.json.gz")) GTEST_SKIP() << "no shared traces";
  EXPECT_TRUE(range_.gpus.empty());
  EXPECT_EQ(range_.View().size(), kHostEntries.size());
  EXPECT_EQ(Headline(range_.verdict), "Nothing recorded");
  EXPECT_NEAR(range_.Share(range_.Of(LedgerEntry::kHostOps)), 0.373, 0.01);
  EXPECT_NE(range_.verdict_reason.find("no GPU work"), std::string::npos);
}

TEST_F(SharedTrace, EveryRankHasItsOwnWindow) {
  if (!Open("traces/public/param_v100_dlrm_8ranks")) GTEST_SKIP() << "no shared traces";
  EXPECT_EQ(range_.gpus.size(), 8u);
  std::set<DurationNs> lengths;
  for (const GpuUse& gpu : range_.gpus) lengths.insert(gpu.window.end - gpu.window.start);
  EXPECT_EQ(lengths.size(), 8u) << "each rank's step has its own length";
  EXPECT_EQ(range_.iterations(), 1);
  EXPECT_EQ(range_.Of(IdleCause::kOtherRank), 0) << "every collective starts when it is launched";
}

// One concept has one name: the viewer and the docs use the words of the program.
TEST(TimeWords, AreTheSameEverywhere) {
  const std::string viewer = ReadFile(SourcePath("viewer/src/base/time_names.ts"));
  const std::string docs = ReadFile(SourcePath("docs/metrics.md"));
  const auto expect_words = [&](LedgerEntry entry) {
    EXPECT_NE(viewer.find(std::string(IdOf(entry)) + ": \"" + std::string(ToString(entry)) + "\""),
              std::string::npos)
        << ToString(entry);
    EXPECT_NE(docs.find(ToString(entry)), std::string::npos) << ToString(entry);
    EXPECT_NE(docs.find("`" + std::string(VerdictId(GroupOf(entry))) + "`"), std::string::npos);
  };
  for (const LedgerEntry entry : kGpuEntries) expect_words(entry);
  for (const LedgerEntry entry : kHostEntries) expect_words(entry);
  for (size_t i = 0; i < kIdleCauseCount; ++i) {
    const auto cause = static_cast<IdleCause>(i);
    EXPECT_NE(LedgerTable::kEntries.find(ToString(cause)), std::string_view::npos);
  }
}

// A GPU that lags behind: the window of a step lasts from the end of the previous step's work to
// the end of its own, and nothing exceeds it.
TEST(Windows, OfAGpuThatLagsBehind) {
  ChromeText text;
  for (int i = 0; i < 4; ++i) {
    text.Slice("user_annotation", "ProfilerStep#" + std::to_string(i), 100 * i, 100);
    text.Call("cudaLaunchKernel", 100 * i + 10, 10, i + 1);
    text.Kernel("k", 50 + 200 * i, 200, i + 1);
  }
  const TemporaryFolder folder;
  const std::string path = folder.Path("trace.json");
  std::ofstream(path) << text.Text();
  const Profile profile = ImportForTest({path});
  const IterationsTable& t = profile.facts.iterations;
  ASSERT_EQ(t.start.size(), 4u);
  EXPECT_EQ(t.window_start, (Column<TimeNs>{0, 250'000, 450'000, 650'000}));
  EXPECT_EQ(t.window_end, (Column<TimeNs>{250'000, 450'000, 650'000, 850'000}));
  const LedgerTable& ledger = profile.facts.ledger;
  for (size_t i = 0; i < ledger.time.size(); ++i) {
    if (ledger.entry[i] == LedgerEntry::kOtherKernels) {
      EXPECT_EQ(ledger.time[i], 200'000);
    }
  }
  EXPECT_EQ(t.launches, (Column<int64_t>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace warpsight::testing
