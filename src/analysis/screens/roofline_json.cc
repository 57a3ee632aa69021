#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/roofline_columns.h"
#include "analysis/reporting/event_text.h"
#include "analysis/reporting/system_info.h"
#include "analysis/screens/dashboard.h"
#include "base/json_builder.h"

namespace warpsight {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// Converts to a unit; missing if the value is unknown.
double In(double value, double unit) {
  return IsKnown(value) ? value / unit : std::numeric_limits<double>::quiet_NaN();
}

class Notes : public RowSink {
 public:
  void Row(std::span<const Cell>) override {}
  void Note(std::string_view text) override { texts_.emplace_back(text); }
  std::string Text() const { return fmt::format("{}", fmt::join(texts_, " ")); }

 private:
  std::vector<std::string> texts_;
};

// The rates that the GPU cannot exceed; several number formats may have the same one.
std::string Ceilings(const GpuPeaks& peaks) {
  JsonArray list;
  const auto add = [&](std::string_view format, double rate) {
    if (!IsKnown(rate)) return;
    list.Json(JsonObject().Text("format", format).Real("tflops", rate / kTera).Take());
  };
  add("fp64", peaks.fp64);
  if (peaks.fp64_matrix != peaks.fp64) add("fp64 matrix", peaks.fp64_matrix);
  add("fp32", peaks.fp32);
  if (peaks.fp32_matrix != peaks.fp32) add("fp32 matrix", peaks.fp32_matrix);
  add("tf32", peaks.tf32);
  add("bf16", peaks.bf16);
  add("fp16", peaks.fp16);
  add("fp8", peaks.fp8);
  add("int8", peaks.int8);
  return list.Take();
}

}  // namespace

std::string RooflineJson(const ReportInput& input) {
  const auto ops = OpTableOf(input);
  const auto costs = OpCostsOf(input, *ops);
  const std::optional<GpuPeaks>& peaks = costs->model.peaks();
  JsonArray points;
  for (const uint32_t row : ops->RowsByTime()) {
    const Op& op = ops->ops()[row];
    const CostedWork& work = costs->table.ops()[row];
    if (!work.known() || work.known_time == 0) continue;
    const Roofline roofline = work.Against(peaks);
    const bool format = work.cost.precision != Precision::kUnknown;
    points.Json(JsonObject()
                    .Text("op_id", op.id)
                    .Text("name", op.name)
                    .Text("direction", op.associated() ? ToString(op.direction) : "")
                    .Text("family", work.cost.family)
                    .Text("format", format ? ToString(work.cost.precision) : "")
                    .Integer("gpu_ns", work.time)
                    .Real("intensity", In(roofline.intensity, 1))
                    .Real("tflops", In(roofline.flop_rate, kTera))
                    .Real("compute_percent", In(roofline.compute_share, 0.01))
                    .Real("memory_percent", In(roofline.bandwidth_share, 0.01))
                    .Text("limit", ToString(roofline.limit))
                    .Json("event", EventJson(op.Place()))
                    .Take());
  }
  Notes notes;
  NoteAboutRoofline(input, costs->model, costs->table, notes);
  return JsonObject()
             .Text("device", DescribeUsedDevices(input.profile))
             .Text("note", notes.Text())
             .Real("bandwidth_gbps",
                   peaks ? In(peaks->bandwidth, kGiga) : std::numeric_limits<double>::quiet_NaN())
             .Json("ceilings", peaks ? Ceilings(*peaks) : "[]")
             .Json("points", points.Take())
             .Take() +
         "\n";
}

}  // namespace warpsight
