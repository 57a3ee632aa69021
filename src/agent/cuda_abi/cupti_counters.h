#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/cuda_abi/cupti_callbacks.h"
#include "agent/cuda_abi/driver.h"

// CUPTI's functions for hardware counters, since CUDA 12.6, as documented for CUPTI 13.0
// (README.md). Each takes one struct of parameters, which says how much of it the caller knows:
// structSize ends behind the last field.
namespace warpsight::agent {

enum CUpti_ProfilerType : uint32_t {
  CUPTI_PROFILER_TYPE_RANGE_PROFILER = 0,
};

enum CUpti_MetricType : uint32_t {
  CUPTI_METRIC_TYPE_COUNTER = 0,
};

enum CUpti_ProfilerRange : uint32_t {
  CUPTI_AutoRange = 1,
};

enum CUpti_ProfilerReplayMode : uint32_t {
  CUPTI_KernelReplay = 2,
};

struct CUpti_Profiler_Host_Object;
struct CUpti_RangeProfiler_Object;

struct CUpti_Profiler_Initialize_Params {
  size_t structSize = 16;
  void* pPriv;
};
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params);

struct CUpti_Device_GetChipName_Params {
  size_t structSize = 32;
  void* pPriv;
  size_t deviceIndex;
  const char* pChipName;
};
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params);

// Metrics of a chip, what must be configured to count them, and values from what was counted. No
// GPU is needed.
struct CUpti_Profiler_Host_Initialize_Params {
  size_t structSize = 48;
  void* pPriv;
  CUpti_ProfilerType profilerType;
  const char* pChipName;
  const uint8_t* pCounterAvailabilityImage;
  CUpti_Profiler_Host_Object* pHostObject;
};
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params);

struct CUpti_Profiler_Host_Deinitialize_Params {
  size_t structSize = 24;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
};
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params);

struct CUpti_Profiler_Host_GetBaseMetrics_Params {
  size_t structSize = 48;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  CUpti_MetricType metricType;
  const char** ppMetricNames;
  size_t numMetrics;
};
CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* params);

struct CUpti_Profiler_Host_ConfigAddMetrics_Params {
  size_t structSize = 40;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  const char** ppMetricNames;
  size_t numMetrics;
};
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params);

struct CUpti_Profiler_Host_GetConfigImageSize_Params {
  size_t structSize = 32;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  size_t configImageSize;
};
CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params);

struct CUpti_Profiler_Host_GetConfigImage_Params {
  size_t structSize = 40;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  size_t configImageSize;
  uint8_t* pConfigImage;
};
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params);

struct CUpti_Profiler_Host_GetNumOfPasses_Params {
  size_t structSize = 40;
  void* pPriv;
  size_t configImageSize;
  uint8_t* pConfigImage;
  size_t numOfPasses;
};
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params);

struct CUpti_Profiler_Host_EvaluateToGpuValues_Params {
  size_t structSize = 72;
  void* pPriv;
  CUpti_Profiler_Host_Object* pHostObject;
  const uint8_t* pCounterDataImage;
  size_t counterDataImageSize;
  size_t rangeIndex;
  const char** ppMetricNames;
  size_t numMetrics;
  double* pMetricValues;
};
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params);

// Counting in a context.
struct CUpti_RangeProfiler_Enable_Params {
  size_t structSize = 32;
  void* pPriv;
  CUcontext ctx;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params);

struct CUpti_RangeProfiler_Disable_Params {
  size_t structSize = 24;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* params);

struct CUpti_RangeProfiler_GetCounterDataSize_Params {
  size_t structSize = 64;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  const char** pMetricNames;
  size_t numMetrics;
  size_t maxNumOfRanges;
  uint32_t maxNumRangeTreeNodes;
  size_t counterDataSize;
};
CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* params);

struct CUpti_RangeProfiler_CounterDataImage_Initialize_Params {
  size_t structSize = 40;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  size_t counterDataSize;
  uint8_t* pCounterData;
};
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params);

struct CUpti_RangeProfiler_SetConfig_Params {
  size_t structSize = 90;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  size_t configSize;
  const uint8_t* pConfig;
  size_t counterDataImageSize;
  uint8_t* pCounterDataImage;
  CUpti_ProfilerRange range;
  CUpti_ProfilerReplayMode replayMode;
  size_t maxRangesPerPass;
  uint16_t numNestingLevels;
  uint16_t minNestingLevel;
  size_t passIndex;
  uint16_t targetNestingLevel;
};
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params);

struct CUpti_RangeProfiler_Start_Params {
  size_t structSize = 24;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* params);

struct CUpti_RangeProfiler_Stop_Params {
  size_t structSize = 41;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  size_t passIndex;
  size_t targetNestingLevel;
  uint8_t isAllPassSubmitted;
};
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params);

struct CUpti_RangeProfiler_PushRange_Params {
  size_t structSize = 32;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  const char* pRangeName;
};
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* params);

struct CUpti_RangeProfiler_PopRange_Params {
  size_t structSize = 24;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
};
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* params);

struct CUpti_RangeProfiler_DecodeData_Params {
  size_t structSize = 32;
  void* pPriv;
  CUpti_RangeProfiler_Object* pRangeProfilerObject;
  size_t numOfRangeDropped;
};
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params);

struct CUpti_RangeProfiler_GetCounterDataInfo_Params {
  size_t structSize = 40;
  void* pPriv;
  const uint8_t* pCounterDataImage;
  size_t counterDataImageSize;
  size_t numTotalRanges;
};
CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* params);

}  // namespace warpsight::agent
