#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/cuda_abi/driver.h"

// CUPTI: results, its version, and subscribing to calls, as documented for CUPTI 13.0 (README.md).
namespace warpsight::agent {

// Those with a meaning of their own for the agent; others are printed as their numbers.
enum CUptiResult : uint32_t {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_DEVICE = 2,
  CUPTI_ERROR_INVALID_METRIC_NAME = 17,
  CUPTI_ERROR_HARDWARE_BUSY = 26,
  CUPTI_ERROR_NOT_SUPPORTED = 27,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED = 36,
  CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED = 38,
  CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
  CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
  CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED = 45,
  CUPTI_ERROR_UNKNOWN = 999,
};

CUptiResult cuptiGetVersion(uint32_t* version);
CUptiResult cuptiGetResultString(CUptiResult result, const char** text);

enum CUpti_CallbackDomain : uint32_t {
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RUNTIME_API = 2,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
};

// In the domains of calls: a function, whose number differs between versions of CUDA.
using CUpti_CallbackId = uint32_t;

enum CUpti_CallbackIdResource : uint32_t {
  CUPTI_CBID_RESOURCE_CONTEXT_CREATED = 1,
  CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20,
};

enum CUpti_ApiCallbackSite : uint32_t {
  CUPTI_API_ENTER = 0,
  CUPTI_API_EXIT = 1,
};

// A call of the runtime or the driver.
struct CUpti_CallbackData {
  CUpti_ApiCallbackSite callbackSite;
  const char* functionName;
  const void* functionParams;
  void* functionReturnValue;
  const char* symbolName;
  CUcontext context;
  uint32_t contextUid;
  uint64_t* correlationData;
  uint32_t correlationId;
};

struct CUpti_ResourceData {
  CUcontext context;
  CUstream resourceHandle;
  void* resourceDescriptor;
};

// What resourceDescriptor points to where the resource belongs to a graph.
struct CUpti_GraphData {
  CUgraph graph;
  CUgraph originalGraph;
  CUgraphNode node;
  CUgraphNode originalNode;
  uint32_t nodeType;
  CUgraphNode dependency;
  CUgraphExec graphExec;
};

struct CUpti_Subscriber_st;
using CUpti_SubscriberHandle = CUpti_Subscriber_st*;
using CUpti_CallbackFunc = void (*)(void* userdata, CUpti_CallbackDomain domain,
                                    CUpti_CallbackId id, const void* data);

struct CUpti_SubscriberParams {
  size_t structSize = 32;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
};

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* userdata);
// Since CUDA 13.0.
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                              void* userdata, CUpti_SubscriberParams* params);
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id);
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name);

}  // namespace warpsight::agent
