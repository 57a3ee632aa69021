#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/session.h"
#include "agent/cuda_abi/cupti_activity.h"
#include "agent/cuda_abi/cupti_callbacks.h"
#include "agent/cuda_abi/driver.h"
#include "agent/cupti/api.h"
#include "agent/cupti/buffers.h"
#include "agent/cupti/calls.h"
#include "agent/cupti/raw_records.h"
#include "agent/cupti/translate.h"

namespace warpsight::agent {

// Records CUDA activity in this process through CUPTI. Created once, never destroyed.
class CudaRecorder : public GpuSource {
 public:
  // Called when the driver starts. Missing features are noted in the recording; the program
  // continues.
  static void Start(Session& session);

  void Flush(bool last) override;
  void Drain(Writer& writer) override;
  void Finish(Writer& writer) override;
  void SetActive(bool active) override;
  void OtherEnds(std::string_view who, TimeNs since) override;

 private:
  struct Call {
    int64_t name = 0;
    CallUse use = CallUse::kIgnored;
  };
  static constexpr uint32_t kMostCalls = 2048;

  explicit CudaRecorder(Session& session) : session_(session) {}

  bool Subscribe();
  void EnableCalls(CUpti_CallbackDomain domain, std::array<Call, kMostCalls>& calls,
                   std::vector<CUpti_CallbackId>& switched);
  void EnableResources();
  void SwitchCalls(bool on);
  void EnableActivities();
  void EnableKinds();
  void SwitchGpuWork(bool on);
  bool Check(CUptiResult result, const char* what);
  void WaitForWork();
  void WriteRaw(const Buffers::Full& buffer);

  static void OnCallback(void* recorder, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                         const void* data);
  void OnCall(const CUpti_CallbackData& data, const Call& call, bool runtime);
  void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data);
  void OnGraphNode(const CUpti_GraphData& data, bool cloned);
  static void OnBufferRequested(uint8_t** buffer, size_t* size, size_t* most_records);
  static void OnBufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size,
                                size_t valid);

  Session& session_;
  CuptiApi api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  Buffers buffers_;
  std::array<Call, kMostCalls> runtime_calls_;
  std::array<Call, kMostCalls> driver_calls_;
  // Numbers of those that are not needed in a clean stretch.
  std::vector<CUpti_CallbackId> runtime_switched_, driver_switched_;
  std::atomic<uint32_t> stretch_ = 1;  // counts recorded stretches
  TranslateCounts counts_;             // the writer's

  std::mutex contexts_mutex_;
  std::vector<CUcontext> contexts_;
  std::atomic<uint64_t> launches_ = 0;
  std::atomic<uint64_t> dropped_ = 0;

  std::mutex others_mutex_;
  std::string others_;  // another profiler that recorded in this process
  TimeNs others_begin_ = 0, others_end_ = 0;
};

}  // namespace warpsight::agent
