// Tests how advice is stored and printed. The rules are tested with real traces.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/stored_advice.h"
#include "analysis/screens/render_advice.h"
#include "analysis/testing/hand_made_profile.h"
#include "analysis/text/display_width.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

RankedFinding Predicting(std::string_view rule, DurationNs step, DurationNs predicted) {
  RankedFinding finding;
  finding.rule = rule;
  finding.problem =
      "half of the step is lost to \"something\" with a long name, so that the line breaks";
  finding.recommendation = "Do this:\n    model = faster(model)\nand be happy.";
  finding.assumes = "that it can be done";
  finding.predicts = true;
  finding.predicted_step = predicted;
  finding.saving = step - predicted;
  finding.speedup = static_cast<double>(step) / static_cast<double>(predicted);
  return finding;
}

Advice MakeAdvice(HostId host, GpuId gpu) {
  Advice advice;
  advice.measured_step = 1'100'000;
  advice.replayed_step = 1'090'000;
  advice.unprofiled_step = 1'000'000;
  advice.findings.push_back(Predicting("large", 1'000'000, 500'000));
  advice.findings[0].confidence = Confidence::kHigh;
  advice.findings[0].combined = true;
  advice.findings[0].evidence = {
      {"an op", 400'000, 7, host, kNone<GpuId>},
      {"a kernel whose description is longer than the room that a table of evidence has for it",
       kMissing, 0, kNone<HostId>, gpu},
      {"nothing known", kMissing, kMissing, kNone<HostId>, kNone<GpuId>}};
  advice.findings.push_back(Predicting("medium", 1'000'000, 950'000));
  advice.findings[1].combined = true;
  advice.findings.push_back(Predicting("small", 1'000'000, 990'000));
  RankedFinding& trust = advice.findings.emplace_back();
  trust.rule = "trust";
  trust.problem = "records are missing";
  trust.predicted_step = advice.unprofiled_step;
  advice.skipped = {{"blind", "shapes were not recorded"}};
  advice.combined_step = 470'000;
  return advice;
}

class AdviceTest : public ::testing::Test {
 protected:
  AdviceTest() : hand_made_(1) {
    const HostId op = hand_made_.Op("aten::mm", 10, 100);
    const ApiId api = hand_made_.Api("cudaLaunchKernel", 20, 5, op);
    const GpuId gpu = hand_made_.Kernel("gemm<float>", 100, 500, api);
    advice_ = MakeAdvice(op, gpu);
    advice_.findings[0].evidence[0].instance = {"aten::mm", 10, 100};
    advice_.findings[0].evidence[1].instance = {"gemm<float>", 100, 500};
  }
  ProfileView profile() { return hand_made_.Finish(); }

  HandMadeProfile hand_made_;
  Advice advice_;
};

void ExpectSame(const RankedFinding& a, const RankedFinding& b) {
  EXPECT_EQ(a.rule, b.rule);
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.recommendation, b.recommendation);
  EXPECT_EQ(a.assumes, b.assumes);
  EXPECT_EQ(a.confidence, b.confidence);
  EXPECT_EQ(a.predicts, b.predicts);
  EXPECT_EQ(a.predicted_step, b.predicted_step);
  EXPECT_EQ(a.saving, b.saving);
  EXPECT_EQ(a.speedup, b.speedup);
  EXPECT_EQ(a.combined, b.combined);
  ASSERT_EQ(a.evidence.size(), b.evidence.size());
  for (size_t i = 0; i < a.evidence.size(); ++i) {
    EXPECT_EQ(a.evidence[i].text, b.evidence[i].text);
    EXPECT_EQ(a.evidence[i].time_per_step, b.evidence[i].time_per_step);
    EXPECT_EQ(a.evidence[i].count_per_step, b.evidence[i].count_per_step);
    EXPECT_EQ(a.evidence[i].host, b.evidence[i].host);
    EXPECT_EQ(a.evidence[i].gpu, b.evidence[i].gpu);
    ASSERT_EQ(a.evidence[i].instance.has_value(), b.evidence[i].instance.has_value());
    if (!a.evidence[i].instance) continue;
    EXPECT_EQ(a.evidence[i].instance->name, b.evidence[i].instance->name);
    EXPECT_EQ(a.evidence[i].instance->start, b.evidence[i].instance->start);
    EXPECT_EQ(a.evidence[i].instance->duration, b.evidence[i].instance->duration);
  }
}

TEST_F(AdviceTest, StoredAndLoadedIsTheSame) {
  Profile stored;
  StoreAdvice(MakeAdvice(kNone<HostId>, kNone<GpuId>), stored.trace.strings, stored.facts);
  // Storing advice replaces the stored one.
  StoreAdvice(advice_, stored.trace.strings, stored.facts);
  const Advice loaded = LoadAdvice(stored);
  EXPECT_EQ(loaded.measured_step, advice_.measured_step);
  EXPECT_EQ(loaded.replayed_step, advice_.replayed_step);
  EXPECT_EQ(loaded.unprofiled_step, advice_.unprofiled_step);
  EXPECT_EQ(loaded.combined_step, advice_.combined_step);
  ASSERT_EQ(loaded.findings.size(), advice_.findings.size());
  for (size_t i = 0; i < loaded.findings.size(); ++i) {
    ExpectSame(loaded.findings[i], advice_.findings[i]);
  }
  ASSERT_EQ(loaded.skipped.size(), 1u);
  EXPECT_EQ(loaded.skipped[0].rule, "blind");
  EXPECT_EQ(loaded.skipped[0].because, "shapes were not recorded");
}

TEST_F(AdviceTest, AProfileWithoutAdviceHasNone) {
  const Profile empty;
  const Advice loaded = LoadAdvice(empty);
  EXPECT_FALSE(loaded.Replayed());
  EXPECT_TRUE(loaded.findings.empty());
  EXPECT_THAT(RenderAdviceText(empty, loaded, {}, {}), HasSubstr("No prediction is possible"));
}

TEST_F(AdviceTest, SmallFindingsAreShownOnRequest) {
  const auto rules = [&](const AdviceChoice& choice) {
    std::vector<std::string_view> names;
    for (const RankedFinding* finding : ChooseFindings(advice_, choice)) {
      names.push_back(finding->rule);
    }
    return names;
  };
  EXPECT_THAT(rules({}), ElementsAre("large", "medium", "trust"));
  EXPECT_THAT(rules({"", true}), ElementsAre("large", "medium", "small", "trust"));
  EXPECT_THAT(rules({"small", false}), ElementsAre("small"));
  EXPECT_TRUE(rules({"blind", false}).empty());
}

TEST_F(AdviceTest, TextFitsItsWidth) {
  for (const int width : {60, 72, 80, 100, 120}) {
    std::istringstream lines(RenderAdviceText(profile(), advice_, {"", true}, {false, width, 40}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayWidth(line), static_cast<size_t>(width)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST_F(AdviceTest, TextContainsEverything) {
  const std::string text = RenderAdviceText(profile(), advice_, {}, {});
  EXPECT_THAT(text, HasSubstr("1.10 ms measured · 1.09 ms replayed (-0.9 %) · about 1.00 ms"));
  EXPECT_THAT(text, HasSubstr("1  large"));
  EXPECT_THAT(text, HasSubstr("2.00x faster · 1.00 ms → 500 µs"));
  EXPECT_THAT(text, HasSubstr("\n                  model = faster(model)\n"));
  EXPECT_THAT(text, HasSubstr("2.13x faster · 1.00 ms → 470 µs with large, medium"));
  EXPECT_THAT(text, HasSubstr("no gain predicted"));
  EXPECT_THAT(
      text, HasSubstr("1 finding that would save less than 2 % of the step and 1 rule that could"));
  EXPECT_THAT(text, Not(HasSubstr("small")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  const std::string all = RenderAdviceText(profile(), advice_, {"", true}, {});
  EXPECT_THAT(all, HasSubstr("blind: shapes were not recorded"));
  EXPECT_THAT(all, Not(HasSubstr("Not shown")));
  EXPECT_THAT(RenderAdviceText(profile(), advice_, {"blind", false}, {}),
              HasSubstr("blind could not run: shapes were not recorded."));
  EXPECT_THAT(RenderAdviceText(profile(), advice_, {"healthy", false}, {}),
              HasSubstr("healthy found nothing to change."));
  EXPECT_THAT(RenderAdviceText(profile(), advice_, {}, {true, 100, 40}), HasSubstr("\x1b[1m"));
}

TEST_F(AdviceTest, WarnsIfTheReplayDiffersFromTheMeasurement) {
  EXPECT_THAT(RenderAdviceText(profile(), advice_, {}, {}), Not(HasSubstr("rough")));
  advice_.replayed_step = 900'000;
  EXPECT_THAT(RenderAdviceText(profile(), advice_, {}, {}), HasSubstr("rough"));
}

TEST_F(AdviceTest, JsonHasNullForUnknownValues) {
  const std::string json = RenderAdviceJson(advice_, {});
  EXPECT_THAT(json, HasSubstr("{\n  \"step_ns\": 1100000,\n  \"replay_step_ns\": 1090000,\n"));
  EXPECT_THAT(json,
              HasSubstr(R"({"text": "an op", "time_ns_per_step": 400000, )"
                        R"("count_per_step": 7, "name": "aten::mm", "start_ns": 10, )"
                        R"("end_ns": 110, "host_id": 0, "gpu_id": null, "event": "host:0"})"));
  EXPECT_THAT(json,
              HasSubstr(R"({"text": "nothing known", "time_ns_per_step": null, )"
                        R"("count_per_step": null, "name": null, "start_ns": null, )"
                        R"("end_ns": null, "host_id": null, "gpu_id": null, "event": null})"));
  EXPECT_THAT(json, HasSubstr(R"(lost to \"something\" with)"));
  EXPECT_THAT(json, HasSubstr(R"({"rule": "blind", "because": "shapes were not recorded"})"));
  EXPECT_THAT(json, HasSubstr("\"combined_speedup\": 2.1277\n}"));
}

TEST_F(AdviceTest, MarkdownShowsCodeAsCode) {
  const std::string text = RenderAdviceMarkdown(profile(), advice_, {});
  EXPECT_THAT(text, HasSubstr("## 1. large: 2.00x faster, 1.00 ms → 500 µs\n"));
  EXPECT_THAT(text, HasSubstr("Do this:\n\n```python\n    model = faster(model)\n```\n\nand be"));
  EXPECT_THAT(text, HasSubstr("gemm&lt;float&gt; at 100 ns"));
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_FALSE(text.ends_with("\n\n"));
}

}  // namespace
}  // namespace warpsight
