// Collectives of real jobs. The expected numbers were computed from the files by a script.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/aggregation/communication_table.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

const CollectiveUse* Find(const CommunicationTable& table, CollectiveKind kind,
                          std::string_view dtype) {
  for (const CollectiveUse& use : table.uses) {
    if (use.about.kind == kind && use.about.dtype == dtype) return &use;
  }
  return nullptr;
}

TEST(Communication, PropertiesRecordedWithKernels) {
  const std::string path = SharedTraces() + "/hta_a100_nccl_metadata.json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Profile profile = ImportForTest({path});
  const RangeSummary range = SummarizeRange(profile);
  const CommunicationTable table = MakeCommunicationTable({profile, range});
  ASSERT_EQ(table.uses.size(), 3);
  const CollectiveUse* reduce = Find(table, CollectiveKind::kAllReduce, "Float");
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->count, 15);
  EXPECT_EQ(reduce->bytes_in, 306684384);
  EXPECT_EQ(reduce->about.group_size, 2);
  EXPECT_EQ(reduce->about.BusFactor(), 1);
  EXPECT_NEAR(reduce->algorithm_bandwidth / 1e9, 6.558388, 1e-6);
  const CollectiveUse* broadcast = Find(table, CollectiveKind::kBroadcast, "Long");
  ASSERT_NE(broadcast, nullptr);
  EXPECT_NEAR(broadcast->algorithm_bandwidth / 1e9, 0.0545291, 1e-6);
}

TEST(Communication, PropertiesOfRangesIfKernelsHaveNone) {
  const std::string path = SharedTraces() + "/hta_a100_8rank_rank3.json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const Profile profile = ImportForTest({path});
  const RangeSummary range = SummarizeRange(profile);
  const CommunicationTable table = MakeCommunicationTable({profile, range});
  ASSERT_EQ(table.uses.size(), 2);
  EXPECT_EQ(table.uses[0].about.kind, CollectiveKind::kAllToAll);
  EXPECT_EQ(table.uses[0].time.total, 130655000);
  EXPECT_GT(table.uses[0].bytes_in, 0);
  EXPECT_EQ(table.uses[0].bytes_out, kMissingReal);
  EXPECT_EQ(table.uses[0].about.BusFactor(), kMissingReal);  // the group is not recorded
  EXPECT_EQ(table.uses[1].about.kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(table.uses[1].time.total, 32880000);
}

// The sum of all GPUs' communication equals the summary.
TEST(Communication, AgreesWithTheSummary) {
  std::vector<std::vector<std::string>> inputs;
  for (const std::string& name : BundledTraces()) inputs.push_back({BundledTracePath(name)});
  if (std::filesystem::exists(SharedTraces())) {
    for (const char* name : {"hta_a100_nccl_metadata.json.gz", "hta_a100_8rank_rank3.json.gz",
                             "param_v100_dlrm_8ranks", "nsys_2026_2gpu_nccl.sqlite.gz"}) {
      const std::string path = SharedTraces() + "/" + name;
      if (std::filesystem::exists(path)) inputs.push_back({path});
    }
  }
  for (const std::vector<std::string>& paths : inputs) {
    SCOPED_TRACE(paths.front());
    const Profile profile = ImportForTest(paths);
    const RangeSummary range = SummarizeRange(profile);
    const ReportInput input{profile, range};
    const CommunicationTable table = MakeCommunicationTable(input);
    CommunicationTime sum;
    for (const CommunicationTime& device : table.devices) {
      sum.total += device.total;
      sum.exposed += device.exposed;
    }
    EXPECT_EQ(sum.total, range.communication);
    EXPECT_EQ(sum.total - sum.exposed, range.overlapped_communication);
    EXPECT_EQ(sum.exposed, range.Of(LedgerEntry::kCommunication));
    EXPECT_EQ(table.uses.empty(), sum.total == 0);
    for (const CollectiveUse& use : table.uses) {
      EXPECT_LE(use.time.exposed, use.time.total);
      EXPECT_LE(use.time.total, table.devices[Index(use.device)].total);
    }
  }
}

}  // namespace
}  // namespace warpsight::testing
