#include "agent/counters/range_profiler.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "agent/counters/metrics.h"

namespace warpsight::agent {
namespace {

// More than the one that is expected, so that others are seen and not only dropped.
constexpr size_t kMostRanges = 4;

}  // namespace

bool RangeProfiler::Ok(CUptiResult result, const char* step) {
  if (result == CUPTI_SUCCESS) return true;
  failed_step_ = step;
  failure_ = result;
  return false;
}

bool RangeProfiler::Open() {
  CUpti_Profiler_Initialize_Params initialize{};
  initialize.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  if (!Ok(api_.cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize")) return false;
  uint32_t device = 0;
  if (!Ok(api_.cuptiGetDeviceId(context_, &device), "cuptiGetDeviceId")) return false;
  CUpti_Device_GetChipName_Params chip{};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = device;
  if (!Ok(api_.cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName")) return false;
  chip_ = chip.pChipName;
  return ChooseMetrics() && MakeConfig() && Enable();
}

CUpti_Profiler_Host_Object* RangeProfiler::MakeHost() {
  CUpti_Profiler_Host_Initialize_Params params{};
  params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip_.c_str();
  if (!Ok(api_.cuptiProfilerHostInitialize(&params), "cuptiProfilerHostInitialize")) return nullptr;
  return params.pHostObject;
}

bool RangeProfiler::ChooseMetrics() {
  host_ = MakeHost();
  if (host_ == nullptr) return false;
  CUpti_Profiler_Host_GetBaseMetrics_Params params{};
  params.structSize = CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE;
  params.pHostObject = host_;
  params.metricType = CUPTI_METRIC_TYPE_COUNTER;
  if (!Ok(api_.cuptiProfilerHostGetBaseMetrics(&params), "cuptiProfilerHostGetBaseMetrics")) {
    return false;
  }
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < params.numMetrics; ++i) names.insert(params.ppMetricNames[i]);
  metrics_ = MetricsFor(names);
  metric_names_.clear();
  for (const std::string& metric : metrics_) metric_names_.push_back(metric.c_str());
  return !metrics_.empty() || Ok(CUPTI_ERROR_INVALID_METRIC_NAME, "the choice of metrics");
}

bool RangeProfiler::MakeConfig() {
  CUpti_Profiler_Host_ConfigAddMetrics_Params add{};
  add.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
  add.pHostObject = host_;
  add.ppMetricNames = metric_names_.data();
  add.numMetrics = metric_names_.size();
  if (!Ok(api_.cuptiProfilerHostConfigAddMetrics(&add), "cuptiProfilerHostConfigAddMetrics")) {
    return false;
  }
  CUpti_Profiler_Host_GetConfigImageSize_Params size{};
  size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  size.pHostObject = host_;
  if (!Ok(api_.cuptiProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize")) {
    return false;
  }
  config_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image{};
  image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  image.pHostObject = host_;
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  if (!Ok(api_.cuptiProfilerHostGetConfigImage(&image), "cuptiProfilerHostGetConfigImage")) {
    return false;
  }
  CUpti_Profiler_Host_GetNumOfPasses_Params passes{};
  passes.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  if (!Ok(api_.cuptiProfilerHostGetNumOfPasses(&passes), "cuptiProfilerHostGetNumOfPasses")) {
    return false;
  }
  passes_ = passes.numOfPasses;
  return true;
}

bool RangeProfiler::Enable() {
  CUpti_RangeProfiler_Enable_Params enable{};
  enable.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
  enable.ctx = context_;
  if (!Ok(api_.cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable")) return false;
  profiler_ = enable.pRangeProfilerObject;
  CUpti_RangeProfiler_GetCounterDataSize_Params size{};
  size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = metric_names_.data();
  size.numMetrics = metric_names_.size();
  size.maxNumOfRanges = kMostRanges;
  size.maxNumRangeTreeNodes = kMostRanges;
  if (!Ok(api_.cuptiRangeProfilerGetCounterDataSize(&size),
          "cuptiRangeProfilerGetCounterDataSize")) {
    return false;
  }
  image_.assign(size.counterDataSize, 0);
  return ClearImage() && Configure();
}

bool RangeProfiler::ClearImage() {
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params params{};
  params.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = profiler_;
  params.counterDataSize = image_.size();
  params.pCounterData = image_.data();
  return Ok(api_.cuptiRangeProfilerCounterDataImageInitialize(&params),
            "cuptiRangeProfilerCounterDataImageInitialize");
}

bool RangeProfiler::Configure() {
  CUpti_RangeProfiler_SetConfig_Params params{};
  params.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = profiler_;
  params.configSize = config_.size();
  params.pConfig = config_.data();
  params.counterDataImageSize = image_.size();
  params.pCounterDataImage = image_.data();
  params.range = CUPTI_AutoRange;
  params.replayMode = CUPTI_KernelReplay;
  params.maxRangesPerPass = kMostRanges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.targetNestingLevel = 1;
  return Ok(api_.cuptiRangeProfilerSetConfig(&params), "cuptiRangeProfilerSetConfig");
}

bool RangeProfiler::StartCounting() {
  CUpti_RangeProfiler_Start_Params start{};
  start.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  start.pRangeProfilerObject = profiler_;
  if (!Ok(api_.cuptiRangeProfilerStart(&start), "cuptiRangeProfilerStart")) return false;
  if (push_ranges_) {
    CUpti_RangeProfiler_PushRange_Params push{};
    push.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE;
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = "kernel";
    api_.cuptiRangeProfilerPushRange(&push);
  }
  started_before_ = true;
  return true;
}

bool RangeProfiler::Begin() {
  if (profiler_ == nullptr) return Enable() && StartCounting();
  if (!started_before_) return StartCounting();
  // It is not written down whether a configuration holds for more than one start. Where it cannot
  // be set again, the first one is kept; where that does not do either, everything is made anew.
  if (ClearImage()) {
    if (configure_again_) configure_again_ = Configure();
    if (StartCounting()) return true;
  }
  ++reopened_;
  Close();
  configure_again_ = true;
  return Enable() && StartCounting();
}

bool RangeProfiler::End(Counted& counted) {
  if (push_ranges_) {
    CUpti_RangeProfiler_PopRange_Params pop{};
    pop.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE;
    pop.pRangeProfilerObject = profiler_;
    api_.cuptiRangeProfilerPopRange(&pop);
  }
  CUpti_RangeProfiler_Stop_Params stop{};
  stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  stop.pRangeProfilerObject = profiler_;
  if (!Ok(api_.cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop")) return false;
  CUpti_RangeProfiler_DecodeData_Params decode{};
  decode.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  decode.pRangeProfilerObject = profiler_;
  if (!Ok(api_.cuptiRangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData")) return false;
  counted.dropped = decode.numOfRangeDropped;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
  info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  if (!Ok(api_.cuptiRangeProfilerGetCounterDataInfo(&info),
          "cuptiRangeProfilerGetCounterDataInfo")) {
    return false;
  }
  counted.ranges = info.numTotalRanges;
  if (counted.ranges == 0) {
    // Some have seen kernels counted in this mode only inside of a range of their own.
    push_ranges_ = true;
    return true;
  }
  counted.values.assign(metrics_.size(), 0);
  CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate{};
  evaluate.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  evaluate.pHostObject = host_;
  evaluate.pCounterDataImage = image_.data();
  evaluate.counterDataImageSize = image_.size();
  evaluate.rangeIndex = 0;
  evaluate.ppMetricNames = metric_names_.data();
  evaluate.numMetrics = metric_names_.size();
  evaluate.pMetricValues = counted.values.data();
  return Ok(api_.cuptiProfilerHostEvaluateToGpuValues(&evaluate),
            "cuptiProfilerHostEvaluateToGpuValues");
}

void RangeProfiler::Close() {
  if (profiler_ == nullptr) return;
  CUpti_RangeProfiler_Disable_Params params{};
  params.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
  params.pRangeProfilerObject = profiler_;
  api_.cuptiRangeProfilerDisable(&params);
  profiler_ = nullptr;
  started_before_ = false;
}

std::string RangeProfiler::RestartWay() const {
  std::string way = configure_again_ ? "configured again" : "with the first configuration";
  if (push_ranges_) way += ", in ranges of its own";
  if (reopened_ > 0) way += ", opened anew " + std::to_string(reopened_) + " times";
  return way;
}

}  // namespace warpsight::agent
