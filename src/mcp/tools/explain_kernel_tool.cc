#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/aggregation/report_cache.h"
#include "analysis/text/format.h"
#include "base/json_builder.h"
#include "base/json_text.h"
#include "base/text.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/step_facts.h"
#include "mcp/tools/tools.h"

namespace warpsight::mcp {
namespace {

constexpr size_t kMostShown = 5;
// Distinct names that are added up. Their numbers are in the SQL.
constexpr size_t kMostKernels = 50;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The runs of one kernel in the analyzed steps.
struct KernelRuns {
  StringId name = StringId::kEmpty;
  int64_t count = 0;
  DurationNs gpu = 0;
};

template <typename Runs>
void SortByTime(std::vector<Runs>& runs) {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Runs& a, const Runs& b) { return a.gpu > b.gpu; });
}

class Explanation {
 public:
  Explanation(const OpenedProfile& opened, std::string_view searched)
      : opened_(opened), range_(opened.range()), uses_(opened.facts().kernel_uses) {
    FindKernels(Lower(searched));
    if (kernels_.empty()) return;
    content_.Text("profile", opened.id()).Text("searched", ShortName(searched));
    Matches();
    Kernels();
    Ops();
  }

  bool found() const { return !kernels_.empty(); }
  Answer Take() { return {text_, content_.Json("sources", sources_.Json()).Take()}; }

 private:
  void FindKernels(const std::string& searched) {
    std::map<StringId, KernelRuns> all;
    for (size_t i = 0; i < uses_.name.size(); ++i) {
      if (uses_.kind[i] != GpuKind::kKernel) continue;
      kernel_time_ += uses_.gpu[i];
      KernelRuns& runs = all[uses_.name[i]];
      runs.name = uses_.name[i];
      runs.count += uses_.count[i];
      runs.gpu += uses_.gpu[i];
    }
    for (const auto& [name, runs] : all) {
      if (Contains(Lower(opened_.trace().Text(name)), searched)) kernels_.push_back(runs);
    }
    SortByTime(kernels_);
    all_ = kernels_.size();
    kernels_.resize(std::min(kernels_.size(), kMostKernels));
    for (const KernelRuns& kernel : kernels_) {
      ids_ += fmt::format("{}{}", ids_.empty() ? "" : ", ", Index(kernel.name));
    }
  }

  void Matches() {
    int64_t count = 0;
    DurationNs time = 0;
    for (const KernelRuns& kernel : kernels_) {
      count += kernel.count;
      time += kernel.gpu;
    }
    const auto real = static_cast<double>(time);
    const auto all = static_cast<double>(kernel_time_);
    content_.Json("matches", JsonObject()
                                 .Integer("kernels", static_cast<int64_t>(kernels_.size()))
                                 .Integer("count", count)
                                 .Integer("gpu_ns", time)
                                 .Integer("ns_per_step", PerStep(range_, time))
                                 .Real("percent", RoundPercent(real, all))
                                 .Take());
    sources_.Sql(
        "matches",
        fmt::format("SELECT count(DISTINCT name_id) AS kernels, sum(count) AS count, "
                    "sum(gpu_ns) AS gpu_ns, sum(gpu_ns) // {} AS ns_per_step, {} AS percent "
                    "FROM kernel_uses WHERE kind = 0 AND name_id IN ({})",
                    StepCountSql(range_), PercentSql("sum(gpu_ns)", kKernelTimeSql), ids_));
    text_ += fmt::format("{} kernel{} match{}: {} runs, {} per step, {} of all kernel time\n",
                         kernels_.size(), kernels_.size() == 1 ? "" : "s",
                         kernels_.size() == 1 ? "es" : "", FormatCount(count),
                         TimeText(PerStep(range_, time)), FormatShare(real, all));
    if (all_ > kernels_.size()) {
      text_ +=
          fmt::format("(of {}; only the {} with most time are added up)\n", all_, kernels_.size());
    }
  }

  void Kernels() {
    const KernelNamesTable& names = opened_.facts().kernel_names;
    const Trace& trace = opened_.trace();
    JsonArray list;
    for (size_t i = 0; i < std::min(kernels_.size(), kMostShown); ++i) {
      const KernelRuns& kernel = kernels_[i];
      const size_t row = opened_.facts().KernelRow(kernel.name);
      const TensorCores use = names.tensor_cores[row];
      const std::string_view uses = use == TensorCores::kYes  ? "true"
                                    : use == TensorCores::kNo ? "false"
                                                              : "null";
      const auto text = [&](StringId id) { return ShortName(trace.Text(id)); };
      JsonObject object;
      object.Integer("name_id", static_cast<int64_t>(Index(kernel.name)))
          .Text("name", text(kernel.name))
          .Text("short_name", text(names.short_name[row]))
          .Text("library", text(names.library[row]))
          .Text("family", text(names.family[row]))
          .Text("precision", text(names.precision[row]))
          .Json("tensor_cores", uses)
          .YesNo("tensor_cores_measured", opened_.facts().TensorCoresMeasured(kernel.name))
          .Text("reason", ShortSentence(trace.Text(names.reason[row])))
          .Integer("count", kernel.count)
          .Integer("gpu_ns", kernel.gpu)
          .Real("percent",
                RoundPercent(static_cast<double>(kernel.gpu), static_cast<double>(kernel_time_)));
      const std::string_view limit = LimitOf(kernel.name);
      object.Json("limit", limit.empty() ? "null" : JsonString(limit));
      list.Json(object.Take());
      text_ += fmt::format(
          "- {}: {}, {}, {}, Tensor Cores {}{}; {} runs, {} per step\n",
          Quoted(trace.Text(names.short_name[row])), Quoted(trace.Text(names.library[row])),
          Quoted(trace.Text(names.family[row])), Quoted(trace.Text(names.precision[row])),
          ToString(use), limit.empty() ? "" : fmt::format(", limited by {}", limit),
          FormatCount(kernel.count), TimeText(PerStep(range_, kernel.gpu)));
    }
    content_.Json("kernels", list.Take());
    sources_.Sql(
        "kernels",
        fmt::format(
            "SELECT c.name_id, c.name, c.short_name, c.library, c.family, c.precision, "
            "c.tensor_cores, c.tensor_cores_measured, c.reason, sum(u.count) AS count, "
            "sum(u.gpu_ns) AS gpu_ns, {} AS percent FROM kernel_uses u JOIN kernel_classes c "
            "USING (name_id) WHERE u.kind = 0 AND u.name_id IN ({}) GROUP BY ALL ORDER BY "
            "gpu_ns DESC, c.name_id LIMIT {}",
            PercentSql("sum(u.gpu_ns)", kKernelTimeSql), ids_, kMostShown));
  }

  // What limits its longest work; empty where its cost is not known.
  std::string_view LimitOf(StringId name) const {
    const auto ops = OpTableOf(opened_.Input());
    const auto costs = OpCostsOf(opened_.Input(), *ops);
    const CostedKernel* longest = nullptr;
    for (const CostedKernel& kernel : costs->table.kernels()) {
      if (kernel.kind != GpuKind::kKernel || kernel.name != name || !kernel.work.known()) continue;
      if (longest == nullptr || kernel.work.time > longest->work.time) longest = &kernel;
    }
    if (longest == nullptr) return "";
    return ToString(longest->work.Against(costs->model.peaks()).limit);
  }

  // The ops that launch them.
  void Ops() {
    struct OpRuns {
      std::string_view op;
      int64_t count = 0;
      DurationNs gpu = 0;
    };
    std::map<std::string_view, OpRuns> found;
    for (size_t i = 0; i < uses_.name.size(); ++i) {
      const auto kernel = std::find_if(kernels_.begin(), kernels_.end(), [&](const KernelRuns& k) {
        return uses_.kind[i] == GpuKind::kKernel && k.name == uses_.name[i];
      });
      if (kernel == kernels_.end()) continue;
      const std::string_view op = opened_.trace().Text(uses_.op_type[i]);
      OpRuns& runs = found[op];
      runs.op = op;
      runs.count += uses_.count[i];
      runs.gpu += uses_.gpu[i];
    }
    std::vector<OpRuns> sorted;
    sorted.reserve(found.size());
    for (const auto& [op, runs] : found) sorted.push_back(runs);
    SortByTime(sorted);
    JsonArray list;
    for (size_t i = 0; i < std::min(sorted.size(), kMostShown); ++i) {
      const OpRuns& runs = sorted[i];
      list.Json(JsonObject()
                    .Text("op", ShortName(runs.op))
                    .Integer("count", runs.count)
                    .Integer("gpu_ns", runs.gpu)
                    .Take());
      text_ +=
          fmt::format("{} {} ({} runs, {} per step)", i == 0 ? "Launched by" : ",", Quoted(runs.op),
                      FormatCount(runs.count), TimeText(PerStep(range_, runs.gpu)));
    }
    if (sorted.size() > kMostShown)
      text_ += fmt::format(" and {} more", sorted.size() - kMostShown);
    text_ += "\n";
    content_.Json("ops", list.Take());
    sources_.Sql("ops",
                 fmt::format("SELECT s.text AS op, sum(u.count) AS count, sum(u.gpu_ns) AS gpu_ns "
                             "FROM kernel_uses u LEFT JOIN strings s ON s.id = u.op_type_id WHERE "
                             "u.kind = 0 AND u.name_id IN ({}) GROUP BY 1 ORDER BY gpu_ns DESC, 1 "
                             "NULLS FIRST LIMIT {}",
                             ids_, kMostShown));
  }

  static constexpr std::string_view kKernelTimeSql =
      "(SELECT sum(gpu_ns) FROM kernel_uses WHERE kind = 0)";

  const OpenedProfile& opened_;
  const RangeSummary& range_;
  const KernelUsesTable& uses_;
  std::vector<KernelRuns> kernels_;  // that match, by falling time
  size_t all_ = 0;                   // how many match
  std::string ids_;                  // of kernels_, as SQL
  DurationNs kernel_time_ = 0;       // of all kernels
  JsonObject content_;
  Sources sources_;
  std::string text_;
};

}  // namespace

Tool ExplainKernelTool(const Profiles& profiles) {
  return {"explain_kernel",
          "Explain a kernel",
          "What kernels with this name, or this part of a name, are and cost: time, runs, library, "
          "what they compute, number format, Tensor Cores and why, what limits them, and which ops "
          "launch them.",
          {ProfileParameter(),
           {"name", Parameter::Type::kText, "a kernel's name or a part of it, in any case", true}},
          [profiles](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
            const auto opened = profiles->Find(arguments.Text("profile"));
            if (!opened.ok()) return opened.error();
            const std::string_view name = arguments.Text("name");
            if (name.empty()) return Error{"name must not be empty"};
            Explanation explanation(**opened, name);
            if (explanation.found()) return explanation.Take();
            return Error{
                fmt::format("no kernel of the analyzed steps has {} in its name; call top "
                            "with table = kernels for their names",
                            Quoted(name))};
          }};
}

}  // namespace warpsight::mcp
