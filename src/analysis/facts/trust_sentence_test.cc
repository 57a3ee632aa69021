#include "analysis/facts/trust_sentence.h"

#include <cstdint>
#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

namespace warpsight {
namespace {

Profile ProfileWithCounts(std::initializer_list<std::pair<std::string_view, int64_t>> percents) {
  Profile profile;
  DeviceFactsTable::Columns(
      [&](ColumnInfo, auto member) { (profile.facts.devices.*member).push_back(1); });
  SourceFactsTable::Columns(
      [&](ColumnInfo, auto member) { (profile.facts.sources.*member).push_back(1); });
  for (const auto& [code, percent] : percents) {
    profile.facts.trust.code.push_back(profile.trace.strings.Intern(code));
    profile.facts.trust.count.push_back(percent);
    profile.facts.trust.of.push_back(100);
    profile.facts.trust.meaning.push_back(StringId::kEmpty);
  }
  return profile;
}

TEST(TrustSentenceTest, NothingWrong) {
  EXPECT_EQ(TrustSentence(ProfileWithCounts({{"events_skipped", 0}})),
            "These numbers can be trusted: every record was read, and GPU work, launches and ops "
            "are consistent.");
}

TEST(TrustSentenceTest, SmallLimitsAreNamed) {
  EXPECT_EQ(TrustSentence(ProfileWithCounts({{"gpu_time_without_op_ns", 2}})),
            "These numbers can be trusted within limits: 2.0 % of the GPU time belongs to no op. "
            "Shares are of the whole recording.");
}

TEST(TrustSentenceTest, TheWorstComesFirst) {
  EXPECT_EQ(TrustSentence(ProfileWithCounts({{"gpu_time_without_op_ns", 2},
                                             {"kernel_time_unknown_family_ns", 1},
                                             {"file_truncated", 100}})),
            "Treat these numbers with care: the file is truncated and its end is missing; 2.0 % "
            "of the GPU time belongs to no op. Shares are of the whole recording.");
}

TEST(TrustSentenceTest, ChangedRecordsAndUnreadPartsAreNamed) {
  EXPECT_EQ(
      TrustSentence(ProfileWithCounts({{"events_changed", 40}, {"parts_unread", 100}})),
      "Treat these numbers with care: 40.0 % of the records had impossible values, which were "
      "corrected or left out; parts of the files were not read (see the import log). Shares "
      "are of the whole recording.");
}

TEST(TrustSentenceTest, NoGpuWork) {
  EXPECT_EQ(TrustSentence(Profile()),
            "Treat these numbers with care: the trace contains no GPU work; the trace contains no "
            "CPU ops.");
}

}  // namespace
}  // namespace warpsight
