#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/aggregation/report_cache.h"
#include "analysis/reporting/report.h"
#include "analysis/reporting/table.h"
#include "model/profile.h"

namespace warpsight::server {

// The facts about a trace for one range of iterations, and results derived from them. Reports are
// computed on first use and then cached. Thread-safe.
class Aggregation {
 public:
  Aggregation(std::shared_ptr<const Trace> trace, FactTables facts);
  // With the summary of the facts, if it is already known.
  Aggregation(std::shared_ptr<const Trace> trace, FactTables facts, RangeSummary range);

  ProfileView profile() const { return {*trace_, facts_}; }
  const RangeSummary& range() const { return range_; }
  ReportInput Input() const { return {profile(), range_, std::nullopt, &cache_}; }

  std::shared_ptr<const Table> TableOf(const Report& report) const;

  // A text with a name ("dashboard") that is computed once.
  std::shared_ptr<const std::string> Text(std::string_view name,
                                          std::string (*compute)(const ReportInput&)) const;

 private:
  std::shared_ptr<const Trace> trace_;
  FactTables facts_;
  RangeSummary range_;
  mutable ReportCache cache_;

  template <typename T>
  using Kept = std::map<std::string, std::shared_future<std::shared_ptr<const T>>, std::less<>>;
  template <typename T, typename Compute>
  std::shared_ptr<const T> Once(Kept<T>& kept, std::string_view name, Compute compute) const;

  mutable std::mutex mutex_;
  mutable Kept<Table> tables_;
  mutable Kept<std::string> texts_;
};

}  // namespace warpsight::server
