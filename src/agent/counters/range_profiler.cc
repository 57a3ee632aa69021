#include "agent/counters/range_profiler.h"

namespace warpsight::agent {
namespace {

// More than the one that is expected, so that others are seen and not only dropped.
constexpr size_t kMaxRanges = 4;

}  // namespace

bool RangeProfiler::Open() {
  CUpti_Profiler_Initialize_Params initialize{};
  if (!failure_.Ok(api_.cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize"))
    return false;
  uint32_t device = 0;
  if (!failure_.Ok(api_.cuptiGetDeviceId(context_, &device), "cuptiGetDeviceId")) return false;
  CUpti_Device_GetChipName_Params chip{};
  chip.deviceIndex = device;
  if (!failure_.Ok(api_.cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName")) return false;
  chip_ = chip.pChipName;
  return ChooseMetrics() && Enable();
}

bool RangeProfiler::ChooseMetrics() {
  MetricSet& everything = everything_.metrics;
  if (!everything.Choose(chip_, Counting::kEverything)) return false;
  // Where it cannot be made, everything is counted every time.
  brief_helps_ = everything.passes() > 1 && brief_.metrics.Choose(chip_, Counting::kTimeAndBytes) &&
                 brief_.metrics.passes() < everything.passes();
  return true;
}

bool RangeProfiler::Enable() {
  CUpti_RangeProfiler_Enable_Params enable{};
  enable.ctx = context_;
  if (!failure_.Ok(api_.cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable"))
    return false;
  profiler_ = enable.pRangeProfilerObject;
  return MakeImage() && ClearImage() && Configure();
}

// For the current metrics: CUPTI allocates space in an image for the metrics whose size was
// requested last, regardless of the configuration, and values of others are NaN.
bool RangeProfiler::MakeImage() {
  MetricSet& metrics = current_->metrics;
  CUpti_RangeProfiler_GetCounterDataSize_Params size{};
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = metrics.names().data();
  size.numMetrics = metrics.names().size();
  size.maxNumOfRanges = kMaxRanges;
  size.maxNumRangeTreeNodes = kMaxRanges;
  if (!failure_.Ok(api_.cuptiRangeProfilerGetCounterDataSize(&size),
                   "cuptiRangeProfilerGetCounterDataSize")) {
    return false;
  }
  current_->image.assign(size.counterDataSize, 0);
  return true;
}

bool RangeProfiler::ClearImage() {
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params params{};
  params.pRangeProfilerObject = profiler_;
  params.counterDataSize = current_->image.size();
  params.pCounterData = current_->image.data();
  return failure_.Ok(api_.cuptiRangeProfilerCounterDataImageInitialize(&params),
                     "cuptiRangeProfilerCounterDataImageInitialize");
}

bool RangeProfiler::Configure() {
  CUpti_RangeProfiler_SetConfig_Params params{};
  params.pRangeProfilerObject = profiler_;
  params.configSize = current_->metrics.config().size();
  params.pConfig = current_->metrics.config().data();
  params.counterDataImageSize = current_->image.size();
  params.pCounterDataImage = current_->image.data();
  params.range = CUPTI_AutoRange;
  params.replayMode = CUPTI_KernelReplay;
  params.maxRangesPerPass = kMaxRanges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.targetNestingLevel = 1;
  return failure_.Ok(api_.cuptiRangeProfilerSetConfig(&params), "cuptiRangeProfilerSetConfig");
}

bool RangeProfiler::StartCounting() {
  CUpti_RangeProfiler_Start_Params start{};
  start.pRangeProfilerObject = profiler_;
  if (!failure_.Ok(api_.cuptiRangeProfilerStart(&start), "cuptiRangeProfilerStart")) return false;
  if (push_ranges_) {
    CUpti_RangeProfiler_PushRange_Params push{};
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = "kernel";
    api_.cuptiRangeProfilerPushRange(&push);
  }
  started_before_ = true;
  return true;
}

bool RangeProfiler::Begin(bool everything) {
  Set* wanted = everything || !brief_helps_ ? &everything_ : &brief_;
  const bool changed = wanted != current_;
  current_ = wanted;
  if (profiler_ == nullptr) return Enable() && StartCounting();
  if (!started_before_ && !changed) return StartCounting();
  // It is not documented whether a configuration is valid for more than one start. If it cannot be
  // set again, the first one is kept; if that does not work either, everything is created again.
  if ((!changed || MakeImage()) && ClearImage()) {
    if (configure_again_) configure_again_ = Configure();
    if ((configure_again_ || !changed) && StartCounting()) return true;
  }
  ++reopened_;
  Close();
  configure_again_ = true;
  return Enable() && StartCounting();
}

bool RangeProfiler::End(Counted& counted) {
  if (push_ranges_) {
    CUpti_RangeProfiler_PopRange_Params pop{};
    pop.pRangeProfilerObject = profiler_;
    api_.cuptiRangeProfilerPopRange(&pop);
  }
  CUpti_RangeProfiler_Stop_Params stop{};
  stop.pRangeProfilerObject = profiler_;
  if (!failure_.Ok(api_.cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop")) return false;
  CUpti_RangeProfiler_DecodeData_Params decode{};
  decode.pRangeProfilerObject = profiler_;
  if (!failure_.Ok(api_.cuptiRangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData"))
    return false;
  counted.dropped = decode.numOfRangeDropped;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
  info.pCounterDataImage = current_->image.data();
  info.counterDataImageSize = current_->image.size();
  if (!failure_.Ok(api_.cuptiRangeProfilerGetCounterDataInfo(&info),
                   "cuptiRangeProfilerGetCounterDataInfo")) {
    return false;
  }
  counted.ranges = info.numTotalRanges;
  if (counted.ranges == 0) {
    // Some drivers count kernels in this mode only inside a separate range.
    push_ranges_ = true;
    return true;
  }
  if (!current_->metrics.Evaluate(current_->image, counted.values)) return false;
  counted.complete = AreNumbers(counted.values);
  // In case changing the metrics confuses CUPTI: do not change them any more.
  if (!counted.complete && brief_helps_) {
    brief_helps_ = false;
    Close();
  }
  return true;
}

void RangeProfiler::Close() {
  if (profiler_ == nullptr) return;
  CUpti_RangeProfiler_Disable_Params params{};
  params.pRangeProfilerObject = profiler_;
  api_.cuptiRangeProfilerDisable(&params);
  profiler_ = nullptr;
  started_before_ = false;
}

std::string RangeProfiler::Sets() const {
  const auto told = [](const MetricSet& set) {
    std::string text = std::to_string(set.passes()) + (set.passes() == 1 ? " pass:" : " passes:");
    for (const std::string& metric : set.metrics()) text += " " + metric;
    return text;
  };
  return told(everything_.metrics) + (brief_helps_ ? "; then " + told(brief_.metrics) : "");
}

std::string RangeProfiler::RestartWay() const {
  std::string way = configure_again_ ? "configured again" : "with the first configuration";
  if (push_ranges_) way += ", in separate ranges";
  if (reopened_ > 0) way += ", reopened " + std::to_string(reopened_) + " times";
  return way;
}

}  // namespace warpsight::agent
