#include "analysis/facts/trust_sentence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "analysis/text/format.h"

namespace warpsight {
namespace {

// One way in which numbers can be wrong. Shares refer to what was counted. A share below
// `notable` changes no figure by more than the digits that reports print (one decimal of a
// percent, or a whole percent if the figure itself is an estimate); from `serious` on, figures and
// rankings change.
struct Limit {
  std::string_view code;
  double notable;
  double serious;
  std::string_view text;  // {0} stands for the share
};

constexpr double kNever = 2;

// Ordered by severity.
constexpr Limit kLimits[] = {
    {"file_truncated", 0.5, 0.5, "the file is truncated and its end is missing"},
    {"events_skipped", 0.0, 0.01, "{0} of the records could not be used"},
    {"events_changed", 0.0, 0.01,
     "{0} of the records had impossible values, which were corrected or left out"},
    {"parts_unread", 0.0, 0.5, "parts of the files were not read (see the import log)"},
    {"files_changed", 0.0, 0.5, "a file changed while it was read"},
    {"gpu_work_without_launch", 0.001, 0.1, "{0} of the GPU work has no recorded launch"},
    {"launches_without_work", 0.001, 0.1, "{0} of the launches have no recorded GPU work"},
    {"gpu_work_before_launch", 0.001, 0.01,
     "{0} of the GPU work starts before its launch (clocks differ)"},
    {"stream_overlap_ns", 0.005, 0.05, "{0} of the GPU time overlaps other work of its stream"},
    {"external_id_mismatches", 0.001, 0.05, "{0} of the API calls are attributed to another op"},
    {"gpu_time_without_op_ns", 0.01, 0.25, "{0} of the GPU time belongs to no op"},
    {"gpu_work_from_graphs", 0.01, kNever,
     "{0} of the GPU work comes from CUDA graphs and is attributed to their launch"},
    {"kernel_time_unknown_tensor_cores_ns", 0.01, 0.25,
     "for {0} of the kernel time Tensor Core use is unknown"},
    {"kernel_time_unknown_family_ns", 0.02, kNever,
     "for {0} of the kernel time the kind of kernel is unknown"},
    {"profiler_overhead_ns", 0.05, 0.25, "the profiler itself took {0} of the time"},
    {"recording_added_ns", 0.05, 0.25, "recording makes a step {0} longer"},
};

bool RanGpuWork(const FactTables& facts) {
  for (size_t row = 0; row < RowCount(facts.devices); ++row) {
    if (facts.devices.Worked(row)) return true;
  }
  return false;
}

bool HasHostRanges(const FactTables& facts) {
  const Column<int64_t>& ranges = facts.sources.host_ranges;
  return std::any_of(ranges.begin(), ranges.end(), [](int64_t count) { return count > 0; });
}

// The row of a count; the number of rows if the profile has no such count.
size_t FindRow(ProfileView profile, std::string_view code) {
  const TrustTable& trust = profile.facts.trust;
  size_t row = 0;
  while (row < trust.code.size() && profile.trace.Text(trust.code[row]) != code) ++row;
  return row;
}

}  // namespace

std::vector<TrustLimit> TrustLimits(ProfileView profile) {
  const TrustTable& trust = profile.facts.trust;
  std::vector<TrustLimit> limits;
  if (!RanGpuWork(profile.facts)) {
    limits.push_back({"no_gpu_work", 1, true, "the trace contains no GPU work"});
  }
  for (const Limit& limit : kLimits) {
    const size_t row = FindRow(profile, limit.code);
    if (row == trust.code.size() || trust.count[row] <= 0 || trust.of[row] <= 0) continue;
    const auto count = static_cast<double>(trust.count[row]);
    const auto of = static_cast<double>(trust.of[row]);
    if (count / of < limit.notable) continue;
    limits.push_back({limit.code, count / of, count / of >= limit.serious,
                      fmt::format(fmt::runtime(limit.text), FormatShare(count, of))});
  }
  if (!HasHostRanges(profile.facts)) {
    limits.push_back({"no_cpu_ops", 1, false, "the trace contains no CPU ops"});
  }
  std::stable_sort(limits.begin(), limits.end(), [](const TrustLimit& a, const TrustLimit& b) {
    return a.serious && !b.serious;
  });
  return limits;
}

std::string TrustSentence(ProfileView profile) {
  const std::vector<TrustLimit> limits = TrustLimits(profile);
  if (limits.empty()) {
    return "These numbers can be trusted: every record was read, and GPU work, launches and ops "
           "are consistent.";
  }
  std::vector<std::string_view> texts;
  texts.reserve(limits.size());
  for (const TrustLimit& limit : limits) texts.push_back(limit.text);
  const bool shares = std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
    return text.find(" %") != text.npos;
  });
  // The sentence is shown beside shares of the analyzed steps.
  return fmt::format("{}: {}.{}",
                     limits.front().serious ? "Treat these numbers with care"
                                            : "These numbers can be trusted within limits",
                     fmt::join(texts, "; "), shares ? " Shares are of the whole recording." : "");
}

}  // namespace warpsight
