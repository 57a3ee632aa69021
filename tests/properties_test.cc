// Invariants of every trace, whatever its numbers.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/compute_facts.h"
#include "import_once.h"
#include "model/integrity.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

class PropertiesTest : public ::testing::TestWithParam<std::string> {
 protected:
  const Profile& profile_ = ImportOnce({BundledTracePath(GetParam())});
};

template <typename Parts>
DurationNs Sum(const Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), DurationNs{0});
}

// The checks that loading makes of a file must hold for every profile before it is saved.
TEST_P(PropertiesTest, PassesTheChecksOfLoading) {
  EXPECT_EQ(CheckIntegrity(profile_.trace), "");
  EXPECT_EQ(CheckFacts(profile_.trace, profile_.facts), "");
}

// What has a row for every event is the same for every range of the same iterations.
TEST_P(PropertiesTest, AnotherRangeSharesWhatHasARowForEveryEvent) {
  Profile profile = ImportForTest({BundledTracePath(GetParam())});
  FactTables facts = profile.facts;
  IterationOptions options;
  options.first = options.last = 0;
  const Status status = Reaggregate(profile.trace, options, facts);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(SummarizeRange({profile.trace, facts}).last, 0);
  const auto expect_shared = [&](auto table) {
    using Table = std::remove_cvref_t<decltype(facts.*table)>;
    Table::Columns([&](ColumnInfo info, auto column) {
      EXPECT_TRUE((facts.*table.*column).SharesWith(profile.facts.*table.*column)) << info.name;
    });
  };
  expect_shared(&FactTables::host);
  expect_shared(&FactTables::api);
  expect_shared(&FactTables::gpu);
  expect_shared(&FactTables::gaps);
  expect_shared(&FactTables::module_paths);
  EXPECT_TRUE(facts.kernel_row.SharesWith(profile.facts.kernel_row));
}

TEST_P(PropertiesTest, GapsAndWorkFillTheTrace) {
  const auto gpus = CollectGpuWork(profile_.trace, profile_.facts);
  const GapsTable& gaps = profile_.facts.gaps;
  for (size_t d = 0; d < gpus.size(); ++d) {
    const IntervalSet busy = gpus[d].All();
    if (busy.empty()) continue;
    DurationNs idle = 0;
    TimeNs last = 0;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      if (Index(gaps.device[i]) != d) continue;
      EXPECT_LT(gaps.start[i], gaps.end[i]);
      EXPECT_GE(gaps.start[i], last);
      EXPECT_EQ(busy.LengthWithin({gaps.start[i], gaps.end[i]}), 0);
      last = gaps.end[i];
      idle += gaps.end[i] - gaps.start[i];
    }
    EXPECT_EQ(busy.Length() + idle, profile_.trace.end);
  }
}

TEST_P(PropertiesTest, RowsReferToEarlierRows) {
  const HostFactsTable& facts = profile_.facts.host;
  const HostRangesTable& host = profile_.trace.tables.host;
  for (size_t h = 0; h < facts.parent.size(); ++h) {
    if (IsSet(facts.parent[h])) {
      EXPECT_LT(Index(facts.parent[h]), h);
      EXPECT_EQ(host.thread[Index(facts.parent[h])], host.thread[h]);
    }
    if (IsSet(facts.op[h])) {
      const size_t op = Index(facts.op[h]);
      EXPECT_LE(op, h);
      EXPECT_EQ(facts.op[op], facts.op[h]) << "the op of an op is itself";
      EXPECT_EQ(host.kind[op], HostKind::kOp);
    }
    if (IsSet(facts.forward[h])) {
      EXPECT_EQ(facts.direction[h], Direction::kBackward);
      EXPECT_LE(host.start[Index(facts.forward[h])], host.start[h]);
    }
  }
}

TEST_P(PropertiesTest, EveryKernelIsAttributedOrCountedAsUnassociated) {
  const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
  DurationNs total = 0;
  DurationNs with_op = 0;
  DurationNs without = 0;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    total += gpu.duration[g];
    const HostId op = profile_.facts.gpu.op[g];
    if (IsSet(op)) {
      EXPECT_TRUE(IsSet(profile_.facts.host.op[Index(op)])) << "its op is missing in the reports";
      with_op += gpu.duration[g];
    } else {
      without += gpu.duration[g];
    }
  }
  EXPECT_EQ(with_op + without, total);
  const TrustTable& trust = profile_.facts.trust;
  for (size_t i = 0; i < trust.code.size(); ++i) {
    if (profile_.trace.Text(trust.code[i]) != "gpu_time_without_op_ns") continue;
    EXPECT_EQ(trust.count[i], without);
    EXPECT_EQ(trust.of[i], total);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, PropertiesTest, ::testing::ValuesIn(BundledTraces()),
                         [](const auto& info) { return info.param; });

struct Expected {
  const char* trace;
  int64_t iterations;
  IterationSource source;
  TimeGroup verdict;  // kIdleUnknown: not checked
};

// Recordings of known workloads: tests/data/h200.
class KnownWorkloadTest : public ::testing::TestWithParam<Expected> {};

TEST_P(KnownWorkloadTest, IterationsAndVerdict) {
  const Profile& profile = ImportOnce({BundledTracePath(GetParam().trace)});
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.total, GetParam().iterations);
  EXPECT_EQ(range.source, GetParam().source);
  if (GetParam().verdict != TimeGroup::kIdleUnknown) {
    EXPECT_EQ(ToString(range.verdict), ToString(GetParam().verdict)) << range.verdict_reason;
  }
}

constexpr auto kMarked = IterationSource::kMarkers;
INSTANTIATE_TEST_SUITE_P(
    Traces, KnownWorkloadTest,
    ::testing::Values(Expected{"bert_inference_nosteps", 5, IterationSource::kKernelPeriod,
                               TimeGroup::kIdleUnknown},
                      Expected{"gpt2_bf16", 4, kMarked, TimeGroup::kIdleUnknown},
                      Expected{"gpt2_bf16_compiled", 4, kMarked, TimeGroup::kIdleUnknown},
                      Expected{"gpt2_bf16_stacks_memory", 3, kMarked, TimeGroup::kIdleUnknown},
                      Expected{"gpt2_fp32_odd_shapes", 3, kMarked, TimeGroup::kKernels},
                      Expected{"gpt2_sync_every_param", 4, kMarked, TimeGroup::kIdleHostWork},
                      Expected{"mlp_cpu_bound", 5, kMarked, TimeGroup::kIdleHostWork},
                      Expected{"resnet18_cuda_graph_inference", 6, kMarked,
                               TimeGroup::kIdleUnknown},
                      Expected{"resnet50_amp_workers8_nhwc", 4, kMarked, TimeGroup::kIdleHostWork},
                      Expected{"resnet50_fp32_workers0", 3, kMarked, TimeGroup::kIdleData}),
    [](const auto& info) { return info.param.trace; });

TEST(KnownWorkloads, SynchronizationsAreNamed) {
  const Profile& profile = ImportOnce({BundledTracePath("gpt2_sync_every_param")});
  const RangeSummary range = SummarizeRange(profile);
  // Each of four iterations has 54 .item() calls, and synchronizes one more stream and one device.
  EXPECT_EQ(range.synchronizations, 4 * 56);
  EXPECT_NE(range.verdict_reason.find("56 host synchronizations per iteration"), std::string::npos);
  EXPECT_GT(range.Of(IdleCause::kSync), 0);
}

TEST(KnownWorkloads, LoaderTimeOfEveryStep) {
  const Profile& profile = ImportOnce({BundledTracePath("resnet50_fp32_workers0")});
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_GT(range.reader_time, 3 * 136'000'000LL);
  EXPECT_LT(range.reader_time, 3 * 169'000'000LL);
}

}  // namespace
}  // namespace warpsight::testing
