#include "use_profile.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/accounting/range_summary.h"
#include "analysis/advice/advise_on.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/aggregation/report_cache.h"
#include "analysis/compute_facts.h"
#include "analysis/reporting/render.h"
#include "analysis/reporting/table.h"
#include "analysis/screens/dashboard.h"
#include "analysis/screens/one_screen.h"
#include "analysis/screens/render_advice.h"
#include "analysis/screens/render_whatif.h"
#include "analysis/timeline/timeline.h"
#include "analysis/whatif/what_if.h"
#include "analysis/whatif/whatif_edits.h"
#include "exporters/api/exporter.h"
#include "model/integrity.h"

namespace warpsight::fuzz {
namespace {

void Require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

void Report(ProfileView profile, const RangeSummary& range) {
  ReportCache cache;
  const ReportInput input{profile, range, std::nullopt, &cache};
  const TextStyle style;
  for (const warpsight::Report& report : AllReports()) {
    for (const ReportFormat format :
         {ReportFormat::kText, ReportFormat::kCsv, ReportFormat::kJson, ReportFormat::kMarkdown}) {
      StringOutput output;
      RenderReport(report, input, format, style, output);
    }
    MakeTable(report, input);
  }
  OneScreen(input, style);
  DashboardJson(input);
  RooflineJson(input);
}

void DrawTimeline(ProfileView profile, const RangeSummary& range) {
  const auto timeline = Timeline::Build(profile);
  TimelineJson(*timeline, profile, range, "stamp");
  for (int64_t level = 0; level <= timeline->max_level(); level += 5) {
    const int64_t last = timeline->end() >> (timeline->span_log() - level);
    for (const int64_t index : {int64_t{0}, last / 2, last}) {
      Require(Tile(*timeline, profile, range, level, index, {}).ok(), "every tile can be drawn");
    }
  }
  for (const EventTable table :
       {EventTable::kHost, EventTable::kApi, EventTable::kGpu, EventTable::kGap,
        EventTable::kIteration, EventTable::kAnnotation}) {
    for (const uint32_t row : {0U, 1U, 2U, 7U, 19U, 50U, 99U, 500U, 1999U}) {
      const EventRef event{table, row};
      if (!Exists(profile, event)) continue;
      Require(EventJson(*timeline, profile, range, ToString(event)).ok(),
              "every event has details");
    }
  }
  (void)SearchJson(*timeline, profile, range, "a", 100, 0);
  (void)SelectionJson(*timeline, profile, 0, timeline->end());
  LongestGapsJson(*timeline, profile, range, 5);
}

void Advise(ProfileView profile, const Advice& advice) {
  const TextStyle style;
  const AdviceChoice all{"", true};
  RenderAdviceBrief(profile, advice, all, style);
  RenderAdviceText(profile, advice, all, style);
  RenderAdviceJson(advice, all);
  RenderAdviceMarkdown(profile, advice, all);
}

void AskWhatIf(ProfileView profile, const RangeSummary& range) {
  const WhatIf what_if(profile, range, Recording::kWithoutProfiler);
  if (what_if.empty()) return;
  WhatIfEdits edits[4];
  edits[0].free_dataloader = true;
  edits[1].no_syncs = edits[1].async_copies = true;
  edits[2].free_launches = true;
  edits[3].cuda_graph = true;
  for (const WhatIfEdits& edit : edits) {
    Scenario scenario = what_if.Edit();
    auto effects = ApplyEdits(edit, range, scenario);
    if (!effects.ok()) continue;
    const WhatIfAnswer answer = Answer(scenario, Recording::kWithoutProfiler, std::move(*effects));
    RenderWhatIfJson(answer);
    RenderWhatIfText(profile, answer, {});
  }
}

void UseView(ProfileView profile) {
  const RangeSummary range = SummarizeRange(profile);
  Report(profile, range);
  DrawTimeline(profile, range);
  Advise(profile, LoadAdvice(profile));
  Advise(profile, AdviseOn(profile, range));
  AskWhatIf(profile, range);
}

void Export(const Profile& profile, const std::string& folder) {
  for (const Exporter& exporter : AllExporters()) {
    Progress progress;
    const std::string output = folder + "/" + std::string(exporter.name);
    (void)exporter.run({profile, output, progress});
    std::error_code ignored;
    std::filesystem::remove_all(output, ignored);
  }
}

}  // namespace

void UseProfile(Profile profile, const std::string& folder) {
  UseView(profile);
  Export(profile, folder);
  // Other iterations, as the viewer computes them.
  IterationOptions options[3];
  options[1].first = options[1].last = 0;
  const HostRangesTable& host = profile.trace.tables.host;
  if (!host.name.empty()) options[2].key_op = profile.trace.Text(host.name[host.name.size() / 2]);
  for (const IterationOptions& option : options) {
    FactTables facts = profile.facts;
    if (!Reaggregate(profile.trace, option, facts).ok()) continue;
    const std::string problem = CheckFacts(profile.trace, facts);
    Require(problem.empty(), problem);
    const ProfileView view(profile.trace, facts);
    const RangeSummary range = SummarizeRange(view);
    Report(view, range);
    DrawTimeline(view, range);
  }
}

}  // namespace warpsight::fuzz
