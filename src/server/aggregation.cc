#include "server/aggregation.h"

#include <exception>
#include <utility>

namespace warpsight::server {

Aggregation::Aggregation(std::shared_ptr<const Trace> trace, FactTables facts)
    : trace_(std::move(trace)), facts_(std::move(facts)), range_(SummarizeRange(profile())) {}

Aggregation::Aggregation(std::shared_ptr<const Trace> trace, FactTables facts, RangeSummary range)
    : trace_(std::move(trace)), facts_(std::move(facts)), range_(std::move(range)) {}

// The first caller computes the value; others wait for it.
template <typename T, typename Compute>
std::shared_ptr<const T> Aggregation::Once(Kept<T>& kept, std::string_view name,
                                           Compute compute) const {
  std::promise<std::shared_ptr<const T>> promise;
  std::unique_lock lock(mutex_);
  if (const auto it = kept.find(name); it != kept.end()) {
    const auto future = it->second;
    lock.unlock();
    return future.get();
  }
  kept.emplace(name, promise.get_future().share());
  lock.unlock();
  try {
    std::shared_ptr<const T> value = compute();
    promise.set_value(value);
    return value;
  } catch (...) {  // out of memory: the next caller tries again
    promise.set_exception(std::current_exception());
    lock.lock();
    kept.erase(kept.find(name));
    throw;
  }
}

std::shared_ptr<const Table> Aggregation::TableOf(const Report& report) const {
  return Once(tables_, report.id,
              [&] { return std::shared_ptr<const Table>(MakeTable(report, Input())); });
}

std::shared_ptr<const std::string> Aggregation::Text(
    std::string_view name, std::string (*compute)(const ReportInput&)) const {
  return Once(texts_, name, [&] { return std::make_shared<const std::string>(compute(Input())); });
}

}  // namespace warpsight::server
