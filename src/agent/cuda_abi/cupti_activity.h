#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/cuda_abi/cupti_callbacks.h"
#include "agent/cuda_abi/driver.h"

// CUPTI's activity records, as documented for CUPTI 13.0 (README.md).
namespace warpsight::agent {

enum CUpti_ActivityKind : uint32_t {
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DEVICE = 8,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_NAME = 11,
  CUPTI_ACTIVITY_KIND_OVERHEAD = 17,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION = 38,
  CUPTI_ACTIVITY_KIND_MEMORY2 = 49,
};

enum CUpti_ActivityObjectKind : uint32_t {
  CUPTI_ACTIVITY_OBJECT_THREAD = 2,
};

enum CUpti_ActivityMemcpyKind : uint32_t {
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_PTOP = 10,
};

enum CUpti_ActivityMemoryKind : uint32_t {
  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
  CUPTI_ACTIVITY_MEMORY_KIND_MANAGED = 5,
};

enum CUpti_ActivityMemoryOperationType : uint32_t {
  CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION = 1,
  CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE = 2,
};

// How every record begins.
struct alignas(8) CUpti_Activity {
  CUpti_ActivityKind kind;
};

// Extended as CUpti_ActivityKernel8, 200 bytes (CUDA 11.8); CUpti_ActivityKernel9, 208 bytes
// (12.0); CUpti_ActivityKernel10, 216 bytes (13.0).
struct CUpti_ActivityKernel7 {
  CUpti_ActivityKind kind;
  uint8_t cacheConfig;
  uint8_t sharedMemoryConfig;
  uint16_t registersPerThread;
  uint32_t partitionedGlobalCacheRequested;
  uint32_t partitionedGlobalCacheExecuted;
  uint64_t start;
  uint64_t end;
  uint64_t completed;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  int32_t gridX;
  int32_t gridY;
  int32_t gridZ;
  int32_t blockX;
  int32_t blockY;
  int32_t blockZ;
  int32_t staticSharedMemory;
  int32_t dynamicSharedMemory;
  uint32_t localMemoryPerThread;
  uint32_t localMemoryTotal;
  uint32_t correlationId;
  int64_t gridId;
  const char* name;
  void* reserved0;
  uint64_t queued;
  uint64_t submitted;
  uint8_t launchType;
  uint8_t isSharedMemoryCarveoutRequested;
  uint8_t sharedMemoryCarveoutRequested;
  uint8_t padding;
  uint32_t sharedMemoryExecuted;
  uint64_t graphNodeId;
  uint32_t shmemLimitConfig;
  uint32_t graphId;
  void* pAccessPolicyWindow;
  uint32_t channelID;
  uint32_t channelType;
};

// Extended as CUpti_ActivityMemcpy6, 96 bytes (CUDA 12.8).
struct CUpti_ActivityMemcpy5 {
  CUpti_ActivityKind kind;
  uint8_t copyKind;
  uint8_t srcKind;
  uint8_t dstKind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  uint32_t correlationId;
  uint32_t runtimeCorrelationId;
  uint32_t pad;
  void* reserved0;
  uint64_t graphNodeId;
  uint32_t graphId;
  uint32_t channelID;
  uint32_t channelType;
  uint32_t pad2;
};

struct CUpti_ActivityMemcpyPtoP4 {
  CUpti_ActivityKind kind;
  uint8_t copyKind;
  uint8_t srcKind;
  uint8_t dstKind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  uint32_t srcDeviceId;
  uint32_t srcContextId;
  uint32_t dstDeviceId;
  uint32_t dstContextId;
  uint32_t correlationId;
  void* reserved0;
  uint64_t graphNodeId;
  uint32_t graphId;
  uint32_t channelID;
  uint32_t channelType;
};

struct CUpti_ActivityMemset4 {
  CUpti_ActivityKind kind;
  uint32_t value;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  uint32_t correlationId;
  uint16_t flags;
  uint16_t memoryKind;
  uint32_t pad;
  void* reserved0;
  uint64_t graphNodeId;
  uint32_t graphId;
  uint32_t channelID;
  uint32_t channelType;
  uint8_t isDeviceLaunched;
  uint8_t pad2[3];
};

// Extended as CUpti_ActivitySynchronization2, 56 bytes (CUDA 12.8).
struct CUpti_ActivitySynchronization {
  CUpti_ActivityKind kind;
  uint32_t type;
  uint64_t start;
  uint64_t end;
  uint32_t correlationId;
  uint32_t contextId;
  uint32_t streamId;
  uint32_t cudaEventId;
};

// A process and its thread; for other kinds of objects a device, a context and a stream.
using CUpti_ActivityObjectKindId = uint32_t[3];

// Extended as CUpti_ActivityOverhead2, 48 bytes (CUDA 12.2); CUpti_ActivityOverhead3, 56 bytes
// (12.4).
struct CUpti_ActivityOverhead {
  CUpti_ActivityKind kind;
  uint32_t overheadKind;
  CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId;
  uint64_t start;
  uint64_t end;
};

// Extended as CUpti_ActivityDevice5, 184 bytes (by CUDA 12.8).
struct CUpti_ActivityDevice4 {
  CUpti_ActivityKind kind;
  uint32_t flags;
  uint64_t globalMemoryBandwidth;
  uint64_t globalMemorySize;
  uint32_t constantMemorySize;
  uint32_t l2CacheSize;
  uint32_t numThreadsPerWarp;
  uint32_t coreClockRate;
  uint32_t numMemcpyEngines;
  uint32_t numMultiprocessors;
  uint32_t maxIPC;
  uint32_t maxWarpsPerMultiprocessor;
  uint32_t maxBlocksPerMultiprocessor;
  uint32_t maxSharedMemoryPerMultiprocessor;
  uint32_t maxRegistersPerMultiprocessor;
  uint32_t maxRegistersPerBlock;
  uint32_t maxSharedMemoryPerBlock;
  uint32_t maxThreadsPerBlock;
  uint32_t maxBlockDimX;
  uint32_t maxBlockDimY;
  uint32_t maxBlockDimZ;
  uint32_t maxGridDimX;
  uint32_t maxGridDimY;
  uint32_t maxGridDimZ;
  uint32_t computeCapabilityMajor;
  uint32_t computeCapabilityMinor;
  uint32_t id;
  uint32_t eccEnabled;
  uint8_t uuid[16];
  const char* name;
  uint8_t isCudaVisible;
  uint8_t isMigEnabled;
  uint8_t reserved[6];
  uint32_t gpuInstanceId;
  uint32_t computeInstanceId;
  uint8_t migUuid[16];
};

// Extended as CUpti_ActivityMemory4, 128 bytes (by CUDA 12.6).
struct CUpti_ActivityMemory3 {
  CUpti_ActivityKind kind;
  CUpti_ActivityMemoryOperationType memoryOperationType;
  CUpti_ActivityMemoryKind memoryKind;
  uint32_t correlationId;
  uint64_t address;
  uint64_t bytes;
  uint64_t timestamp;
  uint64_t PC;
  uint32_t processId;
  uint32_t deviceId;
  uint32_t contextId;
  uint32_t streamId;
  const char* name;
  uint32_t isAsync;
  uint32_t pad1;
  uint64_t memoryPoolConfig[5];
};

enum CUpti_ActivityFlag : uint32_t {
  CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1,
};

enum CUpti_ActivityAttribute : uint32_t {
  CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER = 5,
};

enum CUpti_ActivityThreadIdType : uint32_t {
  CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM = 1,
};

using CUpti_BuffersCallbackRequestFunc = void (*)(uint8_t** buffer, size_t* size,
                                                  size_t* most_records);
using CUpti_BuffersCallbackCompleteFunc = void (*)(CUcontext context, uint32_t stream,
                                                   uint8_t* buffer, size_t size, size_t valid);
using CUpti_TimestampCallbackFunc = uint64_t (*)();

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed);
// Since CUDA 11.6.
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc timestamp);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind);
// Since CUDA 12.
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable);
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* size, void* value);
CUptiResult cuptiActivityFlushAll(uint32_t flags);
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t* dropped);
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type);
CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* device);
CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id);
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id);

}  // namespace warpsight::agent
