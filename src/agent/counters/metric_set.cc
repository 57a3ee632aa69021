#include "agent/counters/metric_set.h"

#include <string_view>
#include <unordered_set>

namespace warpsight::agent {

MetricSet::~MetricSet() {
  if (host_ == nullptr) return;
  CUpti_Profiler_Host_Deinitialize_Params params{};
  params.pHostObject = host_;
  api_.cuptiProfilerHostDeinitialize(&params);
}

bool MetricSet::Choose(const std::string& chip, Counting counting) {
  return MakeHost(chip) && ChooseMetrics(counting) && MakeConfig();
}

bool MetricSet::MakeHost(const std::string& chip) {
  CUpti_Profiler_Host_Initialize_Params params{};
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  if (!failure_.Ok(api_.cuptiProfilerHostInitialize(&params), "cuptiProfilerHostInitialize"))
    return false;
  host_ = params.pHostObject;
  return true;
}

bool MetricSet::ChooseMetrics(Counting counting) {
  CUpti_Profiler_Host_GetBaseMetrics_Params params{};
  params.pHostObject = host_;
  params.metricType = CUPTI_METRIC_TYPE_COUNTER;
  if (!failure_.Ok(api_.cuptiProfilerHostGetBaseMetrics(&params),
                   "cuptiProfilerHostGetBaseMetrics")) {
    return false;
  }
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < params.numMetrics; ++i) names.insert(params.ppMetricNames[i]);
  metrics_ = MetricsFor(names, counting);
  names_.clear();
  for (const std::string& metric : metrics_) names_.push_back(metric.c_str());
  return !metrics_.empty() ||
         failure_.Ok(CUPTI_ERROR_INVALID_METRIC_NAME, "the selection of metrics");
}

bool MetricSet::MakeConfig() {
  CUpti_Profiler_Host_ConfigAddMetrics_Params add{};
  add.pHostObject = host_;
  add.ppMetricNames = names_.data();
  add.numMetrics = names_.size();
  if (!failure_.Ok(api_.cuptiProfilerHostConfigAddMetrics(&add),
                   "cuptiProfilerHostConfigAddMetrics")) {
    return false;
  }
  CUpti_Profiler_Host_GetConfigImageSize_Params size{};
  size.pHostObject = host_;
  if (!failure_.Ok(api_.cuptiProfilerHostGetConfigImageSize(&size),
                   "cuptiProfilerHostGetConfigImageSize")) {
    return false;
  }
  config_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image{};
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  if (!failure_.Ok(api_.cuptiProfilerHostGetConfigImage(&image),
                   "cuptiProfilerHostGetConfigImage")) {
    return false;
  }
  CUpti_Profiler_Host_GetNumOfPasses_Params passes{};
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  if (!failure_.Ok(api_.cuptiProfilerHostGetNumOfPasses(&passes),
                   "cuptiProfilerHostGetNumOfPasses")) {
    return false;
  }
  passes_ = passes.numOfPasses;
  return true;
}

bool MetricSet::Evaluate(const std::vector<uint8_t>& image, std::vector<double>& values) {
  values.assign(metrics_.size(), 0);
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params{};
  params.pHostObject = host_;
  params.pCounterDataImage = image.data();
  params.counterDataImageSize = image.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names_.data();
  params.numMetrics = names_.size();
  params.pMetricValues = values.data();
  return failure_.Ok(api_.cuptiProfilerHostEvaluateToGpuValues(&params),
                     "cuptiProfilerHostEvaluateToGpuValues");
}

}  // namespace warpsight::agent
