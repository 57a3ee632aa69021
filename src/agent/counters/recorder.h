#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/core/session.h"
#include "agent/counters/api.h"
#include "agent/counters/launches.h"
#include "agent/counters/range_profiler.h"
#include "agent/cuda_abi/cupti_callbacks.h"
#include "agent/cuda_abi/driver.h"

namespace warpsight::agent {

// Records hardware counters of kernels instead of a timeline. Made once, never destroyed.
//
// At the driver's launch call the kernel is chosen or not (LaunchSampler). A chosen kernel is
// measured alone: wait for all work of its context, begin counting, run the launch (several times
// where the metrics need it; CUPTI restores memory in between), counting ends. Only driver calls
// are observed: runtime calls end in them, so each kernel is seen once.
//
// While a kernel is measured nothing else may be launched, or it would be counted as well: a launch
// holds `gate_` from its beginning to its end, a measured one alone, others together. A thread
// holds it only during one call and acquires nothing else that waits for another thread, so there
// are no deadlocks. The exception is a kernel that itself waits for one that has not been launched
// yet, as collectives do: these are never measured.
//
// While a CUDA graph is captured, no kernel is measured, since waiting for the GPU would break the
// capture. Kernels inside graphs have no launch calls and are not measured; they are counted.
class CounterRecorder : public GpuSource {
 public:
  // Called when the driver starts. Missing features are noted in the recording; the program
  // continues.
  static void Start(Session& session);

  void Flush(bool last) override;
  void Drain(Writer& writer) override;
  void Finish(Writer& writer) override;

 private:
  static constexpr uint32_t kMostCalls = 2048;

  // What was counted of one kernel.
  struct Measured {
    TimeNs time = 0;
    std::string name;
    std::array<uint32_t, 3> grid{};
    std::array<uint32_t, 3> block{};
    LaunchSampler::Sample sample;
    const MetricSet* counting = nullptr;  // never destroyed
    std::vector<double> values;
  };
  struct Context {
    RangeProfiler* profiler = nullptr;
    bool usable = false;
    uint32_t failures = 0;  // in a row
  };

  explicit CounterRecorder(Session& session)
      : session_(session), sampler_(session.options().counted_launches) {}

  bool Subscribe();
  void EnableCalls();
  void FindDriver();

  static void OnCallback(void* recorder, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                         const void* data);
  void OnRuntimeLaunch(const CUpti_CallbackData& data);
  void OnDriverCall(DriverCall call, const CUpti_CallbackData& data);
  void LaunchBegins(DriverCall call, const CUpti_CallbackData& data);
  void CallEnds(DriverCall call, int result);
  void OnContext(CUpti_CallbackId id, CUcontext context);

  // Whether waiting for the GPU would break the capture of a graph.
  bool Capturing(CUstream stream);
  // With `gate_` held alone.
  Context& ContextOf(CUcontext context);
  bool BeginMeasuring(const Launch& launch, LaunchSampler::Sample sample, CUcontext context);
  void EndMeasuring(bool launched);
  void Fail(Context& context, const std::string& what);
  void NoteRestarts(const Context& context);
  std::string Explain(const RangeProfiler& profiler) const;

  Session& session_;
  CounterApi api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::array<DriverCall, kMostCalls> driver_calls_{};
  LaunchSampler sampler_;
  bool nvperf_found_ = false;
  decltype(&cuCtxSynchronize) synchronize_ = nullptr;
  decltype(&cuStreamIsCapturing) is_capturing_ = nullptr;

  std::shared_timed_mutex gate_;
  // Of the one that holds the gate alone.
  std::unordered_map<CUcontext, Context> contexts_;
  Context* measuring_ = nullptr;
  Measured pending_;
  TimeNs launch_began_ = 0;

  std::atomic<bool> closed_ = false;  // the program is about to end: nothing more is measured
  std::atomic<int> captures_ = 0;     // of graphs, under way

  std::mutex measured_mutex_;
  std::vector<Measured> measured_;

  struct Totals {
    std::atomic<uint64_t> launches = 0, measured = 0, dropped = 0, collectives = 0, captured = 0;
    std::atomic<uint64_t> graph_launches = 0, unreadable = 0, runtime_launches = 0, unseen = 0;
    std::atomic<int64_t> open_ns = 0, wait_ns = 0, begin_ns = 0, kernel_ns = 0, end_ns = 0;
  };
  Totals totals_;
};

}  // namespace warpsight::agent
