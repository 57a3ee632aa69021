// The table in docs/steps-and-verdicts.md: the program's results for each recording, compared with
// a person's conclusions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/iterations/gpu_windows.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

// In percentage points. The conclusions of a person start the range at the first marker, even if
// the GPU is still busy with earlier work, and count host synchronization as host work.
constexpr double kVerdictTolerance = 10;

struct Row {
  std::string recording, steps_by_hand, length_by_hand, steps, length, found_by;
  std::string verdict_by_hand, verdict;
};

std::vector<Row> ReadTable() {
  std::vector<Row> rows;
  std::istringstream text(ReadFile(SourcePath("docs/steps-and-verdicts.md")));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '|');) {
      const size_t first = cell.find_first_not_of(" `");
      const size_t last = cell.find_last_not_of(" `");
      cells.push_back(first == cell.npos ? "" : cell.substr(first, last - first + 1));
    }
    if (cells.size() < 10) {
      ADD_FAILURE() << line;
      continue;
    }
    rows.push_back(
        {cells[1], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8], cells[9]});
  }
  return rows;
}

// "12.51 to 18.71": milliseconds, of the fastest and the slowest GPU.
std::string LengthOf(const Profile& profile, const RangeSummary& range) {
  const TraceTables& tables = profile.trace.tables;
  std::vector<bool> has_kernels(tables.devices.source.size());
  for (size_t g = 0; g < tables.gpu.start.size(); ++g) {
    if (tables.gpu.kind[g] != GpuKind::kKernel) continue;
    if (!range.Contains(profile, profile.facts.gpu.iteration[g])) continue;
    has_kernels[Index(profile.trace.DeviceOf(tables.gpu.stream[g]))] = true;
  }
  std::vector<double> lengths;
  const auto add = [&](double sum) {
    lengths.push_back(sum / 1e6 / static_cast<double>(range.iterations()));
  };
  const auto windows = WindowsByGpu(profile);
  for (size_t d = 0; d < windows.size(); ++d) {
    if (!has_kernels[d]) continue;
    double sum = 0;
    for (int64_t i = range.first; i <= range.last; ++i) {
      const Interval window = windows[d].at(static_cast<size_t>(i));
      sum += static_cast<double>(window.end - window.start);
    }
    add(sum);
  }
  if (lengths.empty()) {
    const IterationsTable& iterations = profile.facts.iterations;
    double sum = 0;
    for (size_t i = 0; i < iterations.start.size(); ++i) {
      if (!range.Contains(profile, MakeId<IterationId>(i))) continue;
      sum += static_cast<double>(iterations.end[i] - iterations.start[i]);
    }
    add(sum);
  }
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  const std::string low = fmt::format("{:.2f}", *least), high = fmt::format("{:.2f}", *most);
  return low == high ? low : low + " to " + high;
}

// "kernels 65.2 %": the largest group of the view and its share.
std::string VerdictOf(const RangeSummary& range) {
  std::string text(ToString(range.verdict));
  if (range.capacity == 0) return text;
  return text + " " + range.verdict_reason.substr(0, range.verdict_reason.find('%') + 1);
}

// Splits "host work before the launch 75 %" into its words and its number.
std::pair<std::string, double> WordsAndShare(const std::string& cell) {
  const size_t digits = cell.find_first_of("0123456789");
  return {cell.substr(0, digits), std::strtod(cell.c_str() + digits, nullptr)};
}

// The numbers in a cell: one, or two around " to ".
std::vector<double> Numbers(const std::string& cell) {
  std::vector<double> numbers{std::strtod(cell.c_str(), nullptr)};
  const size_t to = cell.find(" to ");
  if (to != cell.npos) numbers.push_back(std::strtod(cell.c_str() + to + 4, nullptr));
  return numbers;
}

TEST(StepsTable, ProgramAndPersonAgree) {
  const std::filesystem::path shared =
      std::filesystem::path(SharedTraces()).parent_path().parent_path();
  const std::vector<Row> rows = ReadTable();
  ASSERT_GT(rows.size(), 40U);
  if (!std::filesystem::exists(SharedTraces())) {
    GTEST_SKIP() << "no recordings of other projects at " << SharedTraces();
  }
  for (const Row& row : rows) {
    const std::string path = shared / row.recording;
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    const Profile profile = ImportForTest({path});
    const RangeSummary range = SummarizeRange(profile);
    EXPECT_EQ(row.steps, std::to_string(range.total)) << row.recording;
    EXPECT_EQ(row.found_by, ToString(range.source)) << row.recording;
    EXPECT_EQ(row.length, LengthOf(profile, range)) << row.recording;
    EXPECT_EQ(row.steps, row.steps_by_hand) << row.recording;
    const std::vector<double> by_hand = Numbers(row.length_by_hand), said = Numbers(row.length);
    ASSERT_EQ(by_hand.size(), said.size()) << row.recording;
    for (size_t i = 0; i < said.size(); ++i) {
      EXPECT_NEAR(said[i], by_hand[i], 0.01 * by_hand[i]) << row.recording;
    }
    EXPECT_EQ(row.verdict, VerdictOf(range)) << row.recording;
    if (row.verdict_by_hand.empty()) continue;
    const auto [words, share] = WordsAndShare(row.verdict_by_hand);
    EXPECT_EQ(words, WordsAndShare(row.verdict).first) << row.recording;
    EXPECT_NEAR(share, WordsAndShare(row.verdict).second, kVerdictTolerance) << row.recording;
  }
}

}  // namespace
}  // namespace warpsight::testing
