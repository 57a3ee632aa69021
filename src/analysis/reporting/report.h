#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/roofline/gpu_peaks.h"
#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

enum class ColumnType { kText, kInteger, kReal, kDurationNs, kBytes, kPercent, kYesNo };

// A column of a report. Text tables, CSV, JSON and Markdown all derive from it.
struct ReportColumn {
  std::string_view name;  // the header, with its unit as people know it: "Total Time (ns)"
  ColumnType type;
  std::string_view doc;  // one line: what the number is, and measured, derived or estimated
};

// A value; monostate is "not available". Yes/no cells are integers 1/0. Texts need to live only
// until Row() returns.
using Cell = std::variant<std::monostate, int64_t, double, std::string_view>;

// Where on the timeline to see what a row is about: an event, or else a stretch of time.
struct RowLink {
  HostId host = kNone<HostId>;
  GpuId gpu = kNone<GpuId>;
  Interval stretch{};
  ApiId api = kNone<ApiId>;

  static RowLink To(HostId id) { return {id, kNone<GpuId>, {}, kNone<ApiId>}; }
  static RowLink To(GpuId id) { return {kNone<HostId>, id, {}, kNone<ApiId>}; }
  static RowLink To(ApiId id) { return {kNone<HostId>, kNone<GpuId>, {}, id}; }
  static RowLink To(Interval stretch) {
    return {kNone<HostId>, kNone<GpuId>, stretch, kNone<ApiId>};
  }
};

// Takes the rows of a report one by one, in order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // How many rows will come at most, where they are many: for whoever keeps them.
  virtual void Expect(size_t /*rows*/) {}
  virtual void Row(std::span<const Cell> cells) = 0;
  // About the row given last; only the viewer's tables have a use for it.
  virtual void Link(const RowLink& /*link*/) {}
  // A sentence to print with the table: what limits it, why it is empty.
  virtual void Note(std::string_view text) = 0;
};

class ReportCache;

// What a report is computed from: a profile and the range of iterations it is about.
struct ReportInput {
  ProfileView profile;
  const RangeSummary& range;
  // Peaks of the GPU that the user gave; they go before those in the table.
  std::optional<GpuPeaks> peaks = std::nullopt;
  // Where several reports are computed from one input: what they share (report_cache.h).
  ReportCache* cache = nullptr;
};

// How a text is to be printed for people.
struct TextStyle {
  bool color = false;
  int width = 100;
  int max_rows = 40;  // of a table; 0: all
};

// One report. Each file of analysis/reports/ defines one, in reports::<file>::Define(); the build
// lists them (AllReports).
struct Report {
  std::string_view id;
  std::string_view title;
  std::string_view description;  // one line for `warpsight report --list`
  std::vector<ReportColumn> columns;
  void (*compute)(const ReportInput& input, RowSink& sink);
  // For reports whose printed form is not a table (nvprof's layout, the summary); may be null.
  std::string (*text)(const ReportInput& input, const TextStyle& style) = nullptr;
};

std::vector<Report> AllReports();

}  // namespace warpsight
