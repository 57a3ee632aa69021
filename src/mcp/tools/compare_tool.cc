#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/reporting/system_info.h"
#include "analysis/screens/render_advice.h"
#include "base/json_builder.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/step_facts.h"
#include "mcp/tools/tools.h"
#include "model/time_groups.h"

namespace warpsight::mcp {
namespace {

constexpr int64_t kDefaultRows = 5;
constexpr int64_t kMostRows = 50;

// Times per step of two profiles.
struct Change {
  DurationNs before = 0;
  DurationNs after = 0;
  DurationNs change() const { return after - before; }
};

template <typename Key>
using Changes = std::map<Key, Change>;

// The largest changes first; those that are none are left out.
template <typename Key>
std::vector<std::pair<Key, Change>> Largest(const Changes<Key>& changes, size_t limit) {
  std::vector<std::pair<Key, Change>> sorted;
  for (const auto& [key, change] : changes) {
    if (change.change() != 0) sorted.emplace_back(key, change);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second.change()) > std::abs(b.second.change());
  });
  sorted.resize(std::min(sorted.size(), limit));
  return sorted;
}

JsonObject& AddTimes(const Change& change, JsonObject& row) {
  return row.Integer("before_ns_per_step", change.before)
      .Integer("after_ns_per_step", change.after)
      .Integer("change_ns_per_step", change.change());
}

std::string SignedTime(DurationNs time) {
  return (time < 0 ? "-" : "+") + TimeText(std::abs(time));
}

std::string InText(const Change& change) {
  return fmt::format("{} → {} ({})\n", TimeText(change.before), TimeText(change.after),
                     SignedTime(change.change()));
}

Changes<std::string_view> KernelChanges(const OpenedProfile& before, const OpenedProfile& after) {
  Changes<std::string_view> changes;
  const auto add = [&](const OpenedProfile& opened, DurationNs Change::*time) {
    Changes<std::string_view> sums;  // kernels of one name may use Tensor Cores or not
    for (const WorkGroup& group : GroupKernels(opened.view())) {
      sums[group.name].*time += group.gpu;
    }
    for (const auto& [name, sum] : sums) {
      changes[name].*time = PerStep(opened.range(), sum.*time);
    }
  };
  add(before, &Change::before);
  add(after, &Change::after);
  return changes;
}

Changes<std::string_view> OpChanges(const OpenedProfile& before, const OpenedProfile& after,
                                    bool by_gpu) {
  Changes<std::string_view> changes;
  const auto add = [&](const OpenedProfile& opened, DurationNs Change::*time) {
    const OpKindsTable& kinds = opened.facts().op_kinds;
    Changes<std::string_view> sums;
    for (size_t i = 0; i < kinds.type.size(); ++i) {
      sums[opened.trace().Text(kinds.type[i])].*time += by_gpu ? kinds.gpu[i] : kinds.cpu[i];
    }
    for (const auto& [op, sum] : sums) changes[op].*time = PerStep(opened.range(), sum.*time);
  };
  add(before, &Change::before);
  add(after, &Change::after);
  return changes;
}

bool HasGpuWork(const OpenedProfile& opened) { return SumKernels(opened.facts()).all.count > 0; }

class Comparison {
 public:
  Comparison(const OpenedProfile& before, const OpenedProfile& after, size_t limit)
      : before_(before), after_(after), limit_(limit) {
    content_.Text("before", before.id()).Text("after", after.id());
    Step();
    Breakdown();
    Kernels();
    Ops();
    Warnings();
  }

  Answer Take() { return {text_, content_.Json("sources", sources_.Json()).Take()}; }

 private:
  void Step() {
    const auto length = [](const OpenedProfile& opened) {
      return opened.range().wall == 0 ? kMissing : opened.range().average_iteration;
    };
    const Change step{length(before_), length(after_)};
    const bool known = step.before != kMissing && step.after != kMissing && step.after > 0;
    const double speedup = known
                               ? static_cast<double>(step.before) / static_cast<double>(step.after)
                               : std::numeric_limits<double>::quiet_NaN();
    content_.Json("step", JsonObject()
                              .Integer("before_ns", step.before)
                              .Integer("after_ns", step.after)
                              .Integer("change_ns", known ? step.change() : kMissing)
                              .Real("speedup", std::round(speedup * 1e4) / 1e4)
                              .Take());
    for (const auto& [opened, name] : Both()) {
      sources_.SqlOf(opened->id(), "step",
                     fmt::format("SELECT average_ns AS {}_ns FROM ({})", name,
                                 StepLengthSql(opened->range())));
    }
    sources_.Formula("step.change_ns", "after_ns - before_ns");
    sources_.Formula("step.speedup", "round(before_ns / after_ns, 4)");
    text_ +=
        known ? fmt::format("Step: {} → {}, {} {}\n", TimeText(step.before), TimeText(step.after),
                            FormatSpeedup(speedup >= 1 ? speedup : 1 / speedup),
                            speedup >= 1 ? "faster" : "slower")
              : std::string("Step: not available\n");
  }

  struct Side {
    const OpenedProfile* opened;
    std::string_view name;
  };
  std::vector<Side> Both() const { return {{&before_, "before"}, {&after_, "after"}}; }

  void AddSources(std::string_view list, std::string_view key, std::string_view column,
                  std::string_view from) {
    for (const auto& [opened, name] : Both()) {
      const bool ledger = from == "ledger_totals";
      sources_.SqlOf(
          opened->id(), list,
          fmt::format("SELECT {} AS {}, sum({}) // {} AS {}_ns_per_step FROM {}{} GROUP BY 1",
                      key == "entry" ? "entry"
                      : key == "op"  ? "s.text"
                                     : "c.short_name",
                      key, column, StepCountSql(opened->range()), name, from,
                      ledger ? " WHERE " + LedgerWhere(opened->range()) : ""),
          key);
    }
    sources_.Formula(fmt::format("{}[].change_ns_per_step", list),
                     "after_ns_per_step - before_ns_per_step");
  }

  void Breakdown() {
    Changes<LedgerEntry> changes;
    const auto add = [&](const OpenedProfile& opened, DurationNs Change::*time) {
      for (const LedgerEntry entry : opened.range().View()) {
        changes[entry].*time = PerStep(opened.range(), opened.range().Of(entry));
      }
    };
    add(before_, &Change::before);
    add(after_, &Change::after);
    JsonArray rows;
    text_ += "Parts of a step:\n";
    for (const auto& [entry, change] : Largest(changes, changes.size())) {
      JsonObject row;
      row.Integer("entry", static_cast<int64_t>(entry)).Text("part", ToString(entry));
      rows.Json(AddTimes(change, row).Take());
      text_ += fmt::format("- {}: {}", ToString(entry), InText(change));
    }
    content_.Json("breakdown", rows.Take());
    AddSources("breakdown", "entry", "ns", "ledger_totals");
  }

  void Kernels() {
    JsonArray rows;
    const auto largest = Largest(KernelChanges(before_, after_), limit_);
    if (!largest.empty()) text_ += "Kernels that changed most, per step:\n";
    for (const auto& [name, change] : largest) {
      JsonObject row;
      row.Text("name", ShortName(name));
      rows.Json(AddTimes(change, row).Take());
      text_ += fmt::format("- {}: {}", Quoted(name), InText(change));
    }
    content_.Json("kernels", rows.Take());
    AddSources("kernels", "name", "u.gpu_ns",
               "kernel_uses u JOIN kernel_classes c USING (name_id) WHERE u.kind = 0");
  }

  void Ops() {
    const bool by_gpu = HasGpuWork(before_) && HasGpuWork(after_);
    JsonArray rows;
    const auto largest = Largest(OpChanges(before_, after_, by_gpu), limit_);
    if (!largest.empty()) {
      text_ += fmt::format("Ops that changed most, {} time per step:\n", by_gpu ? "GPU" : "CPU");
    }
    for (const auto& [op, change] : largest) {
      JsonObject row;
      row.Text("op", ShortName(op));
      rows.Json(AddTimes(change, row).Take());
      text_ += fmt::format("- {}: {}", Quoted(op), InText(change));
    }
    content_.Json("ops", rows.Take());
    AddSources("ops", "op", by_gpu ? "k.gpu_ns" : "k.cpu_ns",
               "op_kinds k LEFT JOIN strings s ON s.id = k.type_id");
  }

  // What makes the two differ besides the change that is looked for.
  void Warnings() {
    JsonArray list;
    const auto warn = [&](std::string_view text) {
      list.Text(text);
      text_ += fmt::format("Note: {}\n", text);
    };
    const auto device = [](const OpenedProfile& opened) {
      return DescribeUsedDevices(opened.trace(), opened.range());
    };
    if (device(before_) != device(after_)) warn("The GPUs differ.");
    const int64_t before = before_.range().samples_per_iteration;
    const int64_t after = after_.range().samples_per_iteration;
    if (before != after && before != kMissing && after != kMissing) {
      warn(fmt::format("The batch sizes differ, {} and {}: compare samples per second.", before,
                       after));
    }
    content_.Json("notes", list.Take());
  }

  const OpenedProfile& before_;
  const OpenedProfile& after_;
  const size_t limit_;
  JsonObject content_;
  Sources sources_;
  std::string text_;
};

}  // namespace

Tool CompareTool(const Profiles& profiles) {
  return {"compare",
          "Compare two profiles",
          "How a step of one profile differs from a step of another: its length, the parts of its "
          "time, and the kernels and ops whose time per step changed most. Kernels and ops are "
          "matched by name.",
          {{"before", Parameter::Type::kText, "an open profile", true},
           {"after", Parameter::Type::kText, "another open profile", true},
           {"limit", Parameter::Type::kInteger, "how many kernels and ops, 5 if not given", false,
            1, kMostRows}},
          [profiles](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
            const auto before = profiles->Find(arguments.Text("before"));
            if (!before.ok()) return before.error();
            const auto after = profiles->Find(arguments.Text("after"));
            if (!after.ok()) return after.error();
            if (*before == *after) {
              return Error{"before and after are the same profile: open another one"};
            }
            const auto limit = static_cast<size_t>(arguments.Integer("limit", kDefaultRows));
            return Comparison(**before, **after, limit).Take();
          }};
}

}  // namespace warpsight::mcp
