#pragma once

#include <cstddef>
#include <cstdint>

// NVTX 3's interface for tools, as in its documentation (README.md): a program's NVTX, when first
// used, calls the function InitializeInjectionNvtx2 of the library in NVTX_INJECTION64_PATH, which
// gets tables of pointers to the functions that it may replace.
namespace warpsight::agent {

using nvtxRangeId_t = uint64_t;
struct nvtxDomainRegistration_st;
struct nvtxStringRegistration_st;
using nvtxDomainHandle_t = nvtxDomainRegistration_st*;
using nvtxStringHandle_t = nvtxStringRegistration_st*;

// What Push and Pop return where nobody keeps account of nesting.
constexpr int NVTX_NO_PUSH_POP_TRACKING = -2;
constexpr int NVTX_VERSION = 3;

enum nvtxMessageType_t : uint32_t {
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3,
};

union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
};

struct nvtxEventAttributes_t {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  uint64_t payload;
  int32_t messageType;
  nvtxMessageValue_t message;
};

enum NvtxExportTableID : uint32_t {
  NVTX_ETID_CALLBACKS = 1,
};

enum NvtxCallbackModule : uint32_t {
  NVTX_CB_MODULE_CORE = 1,
  NVTX_CB_MODULE_CORE2 = 5,
};

using NvtxFunctionPointer = void (*)();
// Pointers to a program's pointers to functions, by the numbers below.
using NvtxFunctionTable = NvtxFunctionPointer**;
using NvtxGetExportTableFunc_t = const void* (*)(uint32_t id);
using NvtxInitializeInjectionNvtxFunc_t = int (*)(NvtxGetExportTableFunc_t get_export_table);

struct NvtxExportTableCallbacks {
  size_t struct_size;
  int (*GetModuleFunctionTable)(NvtxCallbackModule module, NvtxFunctionTable* table,
                                unsigned int* size);
};

enum NvtxCallbackIdCore : uint32_t {
  NVTX_CBID_CORE_MarkEx = 1,
  NVTX_CBID_CORE_MarkA = 2,
  NVTX_CBID_CORE_MarkW = 3,
  NVTX_CBID_CORE_RangeStartEx = 4,
  NVTX_CBID_CORE_RangeStartA = 5,
  NVTX_CBID_CORE_RangeStartW = 6,
  NVTX_CBID_CORE_RangeEnd = 7,
  NVTX_CBID_CORE_RangePushEx = 8,
  NVTX_CBID_CORE_RangePushA = 9,
  NVTX_CBID_CORE_RangePushW = 10,
  NVTX_CBID_CORE_RangePop = 11,
  NVTX_CBID_CORE_NameOsThreadA = 14,
  NVTX_CBID_CORE_NameOsThreadW = 15,
  NVTX_CBID_CORE_SIZE = 16,
};

enum NvtxCallbackIdCore2 : uint32_t {
  NVTX_CBID_CORE2_DomainMarkEx = 1,
  NVTX_CBID_CORE2_DomainRangeStartEx = 2,
  NVTX_CBID_CORE2_DomainRangeEnd = 3,
  NVTX_CBID_CORE2_DomainRangePushEx = 4,
  NVTX_CBID_CORE2_DomainRangePop = 5,
  NVTX_CBID_CORE2_DomainRegisterStringA = 10,
  NVTX_CBID_CORE2_DomainRegisterStringW = 11,
  NVTX_CBID_CORE2_DomainCreateA = 12,
  NVTX_CBID_CORE2_DomainCreateW = 13,
  NVTX_CBID_CORE2_SIZE = 16,
};

}  // namespace warpsight::agent
