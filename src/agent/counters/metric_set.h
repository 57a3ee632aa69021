#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/counters/api.h"
#include "agent/counters/metrics.h"

namespace warpsight::agent {

// Metrics of a chip that are counted together, and what CUPTI needs for it. Asks no GPU.
class MetricSet {
 public:
  MetricSet(const CounterApi& api, CounterFailure& failure) : api_(api), failure_(failure) {}
  MetricSet(const MetricSet&) = delete;
  MetricSet& operator=(const MetricSet&) = delete;
  ~MetricSet();

  // False: the failure is noted.
  bool Choose(const std::string& chip, Counting counting);

  const std::vector<std::string>& metrics() const { return metrics_; }
  // The same, and the configuration, as CUPTI takes them.
  std::vector<const char*>& names() { return names_; }
  std::vector<uint8_t>& config() { return config_; }
  size_t passes() const { return passes_; }
  // The values of the first kernel in an image of counters, in the order of metrics().
  bool Evaluate(const std::vector<uint8_t>& image, std::vector<double>& values);

 private:
  bool MakeHost(const std::string& chip);
  bool ChooseMetrics(Counting counting);
  bool MakeConfig();

  const CounterApi& api_;
  CounterFailure& failure_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<const char*> names_;
  std::vector<uint8_t> config_;
  size_t passes_ = 0;
};

}  // namespace warpsight::agent
