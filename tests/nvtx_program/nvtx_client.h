#pragma once

// The program's side of NVTX 3, for machines without its headers: at the first call, loads the tool
// that NVTX_INJECTION64_PATH names, lets it replace functions, and calls these. Without a tool, the
// functions return the values that NVTX documents for this case.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "agent/cuda_abi/nvtx.h"

using warpsight::agent::NVTX_MESSAGE_TYPE_ASCII;
using warpsight::agent::NVTX_MESSAGE_TYPE_REGISTERED;
using warpsight::agent::NVTX_VERSION;
using warpsight::agent::nvtxDomainHandle_t;
using warpsight::agent::nvtxEventAttributes_t;
using warpsight::agent::nvtxMessageType_t;
using warpsight::agent::nvtxRangeId_t;
using warpsight::agent::nvtxStringHandle_t;

inline constexpr uint16_t NVTX_EVENT_ATTRIB_STRUCT_SIZE = sizeof(nvtxEventAttributes_t);

namespace nvtx_client {

namespace abi = warpsight::agent;

// A function that a tool may replace, and the address through which it does.
template <unsigned kSize>
struct Functions {
  Functions() {
    for (unsigned i = 0; i < kSize; ++i) places[i] = &functions[i];
  }
  abi::NvtxFunctionPointer functions[kSize] = {};
  abi::NvtxFunctionPointer* places[kSize];
};
inline Functions<abi::NVTX_CBID_CORE_SIZE> core;
inline Functions<abi::NVTX_CBID_CORE2_SIZE> core2;

inline int FunctionTable(abi::NvtxCallbackModule module, abi::NvtxFunctionTable* table,
                         unsigned int* size) {
  if (module == abi::NVTX_CB_MODULE_CORE) {
    *table = core.places;
    *size = abi::NVTX_CBID_CORE_SIZE;
    return 1;
  }
  if (module == abi::NVTX_CB_MODULE_CORE2) {
    *table = core2.places;
    *size = abi::NVTX_CBID_CORE2_SIZE;
    return 1;
  }
  return 0;
}

inline const void* ExportTable(uint32_t id) {
  static const abi::NvtxExportTableCallbacks callbacks{sizeof(callbacks), &FunctionTable};
  return id == abi::NVTX_ETID_CALLBACKS ? &callbacks : nullptr;
}

inline void LoadTool() {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* tool = path == nullptr ? nullptr : dlopen(path, RTLD_LAZY);
  if (tool == nullptr) return;
  auto* initialize = reinterpret_cast<abi::NvtxInitializeInjectionNvtxFunc_t>(
      dlsym(tool, "InitializeInjectionNvtx2"));
  if (initialize != nullptr) initialize(&ExportTable);
}
inline std::once_flag loaded;

// Calls the tool's `function`; without a tool the result is `otherwise`.
template <typename Result, typename... Arguments>
Result Call(const abi::NvtxFunctionPointer& function, Result otherwise, Arguments... arguments) {
  std::call_once(loaded, &LoadTool);
  if (function == nullptr) return otherwise;
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}
template <typename... Arguments>
void CallVoid(const abi::NvtxFunctionPointer& function, Arguments... arguments) {
  std::call_once(loaded, &LoadTool);
  if (function != nullptr) reinterpret_cast<void (*)(Arguments...)>(function)(arguments...);
}

inline const abi::NvtxFunctionPointer& Core(unsigned id) { return core.functions[id]; }
inline const abi::NvtxFunctionPointer& Core2(unsigned id) { return core2.functions[id]; }

inline constexpr int kUntracked = abi::NVTX_NO_PUSH_POP_TRACKING;

}  // namespace nvtx_client

inline int nvtxRangePushA(const char* text) {
  return nvtx_client::Call(nvtx_client::Core(warpsight::agent::NVTX_CBID_CORE_RangePushA),
                           nvtx_client::kUntracked, text);
}
inline int nvtxRangePushW(const wchar_t* text) {
  return nvtx_client::Call(nvtx_client::Core(warpsight::agent::NVTX_CBID_CORE_RangePushW),
                           nvtx_client::kUntracked, text);
}
inline int nvtxRangePop() {
  return nvtx_client::Call(nvtx_client::Core(warpsight::agent::NVTX_CBID_CORE_RangePop),
                           nvtx_client::kUntracked);
}
inline nvtxRangeId_t nvtxRangeStartA(const char* text) {
  return nvtx_client::Call(nvtx_client::Core(warpsight::agent::NVTX_CBID_CORE_RangeStartA),
                           nvtxRangeId_t{0}, text);
}
inline void nvtxRangeEnd(nvtxRangeId_t id) {
  nvtx_client::CallVoid(nvtx_client::Core(warpsight::agent::NVTX_CBID_CORE_RangeEnd), id);
}
inline void nvtxNameOsThreadA(uint32_t thread, const char* name) {
  nvtx_client::CallVoid(nvtx_client::Core(warpsight::agent::NVTX_CBID_CORE_NameOsThreadA), thread,
                        name);
}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  return nvtx_client::Call(nvtx_client::Core2(warpsight::agent::NVTX_CBID_CORE2_DomainCreateA),
                           nvtxDomainHandle_t{nullptr}, name);
}
inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  return nvtx_client::Call(
      nvtx_client::Core2(warpsight::agent::NVTX_CBID_CORE2_DomainRegisterStringA),
      nvtxStringHandle_t{nullptr}, domain, text);
}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return nvtx_client::Call(nvtx_client::Core2(warpsight::agent::NVTX_CBID_CORE2_DomainRangePushEx),
                           nvtx_client::kUntracked, domain, event);
}
inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  return nvtx_client::Call(nvtx_client::Core2(warpsight::agent::NVTX_CBID_CORE2_DomainRangePop),
                           nvtx_client::kUntracked, domain);
}
inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  nvtx_client::CallVoid(nvtx_client::Core2(warpsight::agent::NVTX_CBID_CORE2_DomainMarkEx), domain,
                        event);
}
