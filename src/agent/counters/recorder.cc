#include "agent/counters/recorder.h"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/counters/explain.h"
#include "agent/counters/metrics.h"
#include "agent/cupti/calls.h"
#include "wire/cuda_versions.h"

namespace warpsight::agent {
namespace {

CounterRecorder* the_recorder = nullptr;

// A single kernel may fail for individual reasons; several in a row indicate a general failure.
constexpr uint32_t kMaxFailures = 3;
constexpr uint64_t kMaxReportedDrops = 20;
constexpr auto kGateTimeout = std::chrono::seconds(5);

// What the calling thread is doing.
struct ThreadState {
  enum class Held : uint8_t { kNothing, kTogether, kAlone } held = Held::kNothing;
  uint32_t depth = 0;            // nesting of calls
  bool inside_agent = false;     // CUPTI's own calls while measuring are ignored
  bool driver_launched = false;  // since the runtime's launch began
};
__attribute__((tls_model("initial-exec"))) thread_local ThreadState this_thread;

// Adds the time that it lives.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<int64_t>& total) : total_(total) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { total_.fetch_add(Now() - start_, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t>& total_;
  const TimeNs start_ = Now();
};

void Count(std::atomic<uint64_t>& total) { total.fetch_add(1, std::memory_order_relaxed); }

int ResultOf(const CUpti_CallbackData& data) {
  return data.functionReturnValue == nullptr ? 0
                                             : *static_cast<const int*>(data.functionReturnValue);
}

std::string Milliseconds(const std::atomic<int64_t>& ns) {
  return std::to_string(ns.load(std::memory_order_relaxed) / 1'000'000) + " ms";
}

}  // namespace

void CounterRecorder::Start(Session& session) {
  if (the_recorder != nullptr) return;
  std::string not_found;
  const Library library = FindCupti(not_found);
  if (!library) {
    session.Gap(Now(), 0, -1, "hardware counters were not read: " + not_found);
    return;
  }
  auto* recorder = new CounterRecorder(session);
  the_recorder = recorder;
  const std::string missing = recorder->api_.Load(library);
  session.Fact("cupti", std::to_string(recorder->api_.version) + " " + library.path());
  if (!missing.empty()) {
    session.Gap(Now(), 0, -1,
                "hardware counters were not read: libcupti at " + library.path() + " has no " +
                    missing + " (CUDA " + wire::kOldestCountersCuda + " or newer is needed)");
    return;
  }
  // libcupti looks for it by name; it lies beside it, where the loader may not look.
  const size_t slash = library.path().rfind('/');
  const std::string folder = slash == std::string::npos ? "" : library.path().substr(0, slash + 1);
  recorder->nvperf_found_ = static_cast<bool>(Library::Open(folder + "libnvperf_host.so"));
  const bool target_found = static_cast<bool>(Library::Open(folder + "libnvperf_target.so"));
  session.Fact("nvperf", std::string(recorder->nvperf_found_ ? "host found" : "no host") +
                             (target_found ? ", target found" : ", no target"));
  recorder->FindDriver();
  if (!recorder->Subscribe()) return;
  recorder->EnableCalls();
  session.SetGpuSource(recorder);
}

void CounterRecorder::FindDriver() {
  const Library driver = Library::Open("libcuda.so.1", true);
  synchronize_ = driver.Find<decltype(cuCtxSynchronize)>("cuCtxSynchronize");
  is_capturing_ = driver.Find<decltype(cuStreamIsCapturing)>("cuStreamIsCapturing");
}

bool CounterRecorder::Subscribe() {
  const CUptiResult result = api_.cuptiSubscribe(&subscriber_, &OnCallback, this);
  if (result == CUPTI_SUCCESS) return true;
  const char* text = nullptr;
  api_.cuptiGetResultString(result, &text);
  session_.Gap(Now(), 0, -1, ExplainFailure("cuptiSubscribe", result, text == nullptr ? "" : text));
  return false;
}

void CounterRecorder::EnableCalls() {
  for (uint32_t id = 1; id < kMostCalls; ++id) {
    const char* name = nullptr;
    if (api_.cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr) {
      driver_calls_[id] = DriverCallOf(WithoutVersion(name));
      if (driver_calls_[id] != DriverCall::kOther) {
        api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
      }
    }
    // Only to check that all of them end in a driver call.
    if (api_.cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) == CUPTI_SUCCESS &&
        name != nullptr && UseOf(WithoutVersion(name)) == CallUse::kLaunch) {
      api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API, id);
    }
  }
  for (const uint32_t id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING}) {
    api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id);
  }
}

void CounterRecorder::OnCallback(void* recorder, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void* data) {
  auto* self = static_cast<CounterRecorder*>(recorder);
  // After a fork this is the parent's.
  if (this_thread.inside_agent || Session::Live() != &self->session_) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    self->OnContext(id, static_cast<const CUpti_ResourceData*>(data)->context);
  } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    self->OnRuntimeLaunch(*static_cast<const CUpti_CallbackData*>(data));
  } else if (id < kMostCalls) {
    self->OnDriverCall(self->driver_calls_[id], *static_cast<const CUpti_CallbackData*>(data));
  }
}

void CounterRecorder::OnRuntimeLaunch(const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) {
    this_thread.driver_launched = false;
    return;
  }
  Count(totals_.runtime_launches);
  if (!this_thread.driver_launched && ResultOf(data) == 0) Count(totals_.unseen);
}

void CounterRecorder::OnDriverCall(DriverCall call, const CUpti_CallbackData& data) {
  if (call == DriverCall::kProfilerStart || call == DriverCall::kProfilerStop) {
    if (data.callbackSite == CUPTI_API_EXIT) {
      session_.windows().Ask(call == DriverCall::kProfilerStart, Now());
    }
    return;
  }
  ThreadState& thread = this_thread;
  if (data.callbackSite == CUPTI_API_EXIT) {
    if (thread.depth > 0 && --thread.depth == 0) CallEnds(call, ResultOf(data));
    return;
  }
  if (thread.depth++ > 0) return;
  if (call == DriverCall::kBeginCapture) {
    gate_.lock();
    thread.held = ThreadState::Held::kAlone;
    captures_.fetch_add(1);
  } else if (call == DriverCall::kGraphLaunch) {
    Count(totals_.graph_launches);
    gate_.lock_shared();
    thread.held = ThreadState::Held::kTogether;
  } else if (call != DriverCall::kEndCapture) {
    LaunchBegins(call, data);
  }
}

void CounterRecorder::LaunchBegins(DriverCall call, const CUpti_CallbackData& data) {
  ThreadState& thread = this_thread;
  thread.driver_launched = true;
  Count(totals_.launches);
  const std::optional<Launch> launch = ReadLaunch(call, data.functionParams, data.symbolName);
  std::optional<LaunchSampler::Sample> sample;
  if (!launch) {
    Count(totals_.unreadable);
  } else if (IsCollective(launch->name)) {
    Count(totals_.collectives);
  } else if (session_.recording() && !closed_.load()) {
    sample = sampler_.Take(*launch);
  }
  if (!sample) {
    gate_.lock_shared();
    thread.held = ThreadState::Held::kTogether;
    return;
  }
  gate_.lock();
  thread.held = ThreadState::Held::kAlone;
  thread.inside_agent = true;
  if (Capturing(launch->stream)) {
    Count(totals_.captured);
    sampler_.GiveBack(*launch);
  } else if (!closed_.load()) {
    BeginMeasuring(*launch, *sample, data.context);
  }
  thread.inside_agent = false;
}

void CounterRecorder::CallEnds(DriverCall call, int result) {
  ThreadState& thread = this_thread;
  if (thread.held == ThreadState::Held::kAlone && measuring_ != nullptr) {
    thread.inside_agent = true;
    EndMeasuring(result == 0);
    thread.inside_agent = false;
  }
  if (call == DriverCall::kBeginCapture && result != 0) captures_.fetch_sub(1);
  // A capture that something made invalid ends as well, with an error; from a wrong thread it goes
  // on.
  if (call == DriverCall::kEndCapture && result != CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD &&
      captures_.load() > 0) {
    captures_.fetch_sub(1);
  }
  if (thread.held == ThreadState::Held::kAlone) gate_.unlock();
  if (thread.held == ThreadState::Held::kTogether) gate_.unlock_shared();
  thread.held = ThreadState::Held::kNothing;
}

bool CounterRecorder::Capturing(CUstream stream) {
  if (captures_.load() > 0) return true;
  if (is_capturing_ == nullptr) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // The default stream answers with an error while another one is captured.
  return is_capturing_(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CounterRecorder::Context& CounterRecorder::ContextOf(CUcontext handle) {
  const auto [found, is_new] = contexts_.try_emplace(handle);
  Context& context = found->second;
  if (!is_new) return context;
  const Stopwatch watch(totals_.open_ns);
  context.profiler = new RangeProfiler(api_, handle);
  context.usable = context.profiler->Open();
  const RangeProfiler& profiler = *context.profiler;
  if (!context.usable) {
    session_.Gap(Now(), 0, -1, Explain(profiler));
    return context;
  }
  session_.Fact("counters", profiler.chip() + ", " + profiler.Sets());
  return context;
}

std::string CounterRecorder::Explain(const RangeProfiler& profiler) const {
  const char* text = nullptr;
  api_.cuptiGetResultString(profiler.failure().result, &text);
  std::string explained = ExplainFailure(profiler.failure().step, profiler.failure().result,
                                         text == nullptr ? "" : text);
  if (!profiler.chip().empty()) explained += "; the GPU's chip is " + profiler.chip();
  if (!nvperf_found_ &&
      std::string_view(profiler.failure().step).starts_with("cuptiProfilerHost")) {
    explained +=
        "; libnvperf_host.so was not found next to libcupti: it is part of the same package";
  }
  return explained;
}

bool CounterRecorder::BeginMeasuring(const Launch& launch, LaunchSampler::Sample sample,
                                     CUcontext handle) {
  Context& context = ContextOf(handle);
  if (!context.usable) return false;
  {
    // DRAM counters cover the whole GPU: other running work would be counted as well.
    const Stopwatch watch(totals_.wait_ns);
    if (synchronize_ != nullptr) synchronize_();
  }
  {
    const Stopwatch watch(totals_.begin_ns);
    if (!context.profiler->Begin(sample.everything)) {
      Fail(context, Explain(*context.profiler));
      return false;
    }
  }
  measuring_ = &context;
  pending_ = {Now(),  std::string(launch.name),      launch.grid, launch.block,
              sample, &context.profiler->counting(), {}};
  launch_began_ = pending_.time;
  return true;
}

void CounterRecorder::EndMeasuring(bool launched) {
  totals_.kernel_ns.fetch_add(Now() - launch_began_, std::memory_order_relaxed);
  Context& context = *measuring_;
  measuring_ = nullptr;
  RangeProfiler::Counted counted;
  {
    const Stopwatch watch(totals_.end_ns);
    if (!context.profiler->End(counted)) {
      Fail(context, Explain(*context.profiler));
      return;
    }
  }
  if (!launched) return;  // there was no kernel; the program gets the error
  if (!IsOneKernel(counted.ranges, counted.dropped)) {
    if (totals_.dropped.fetch_add(1, std::memory_order_relaxed) < kMaxReportedDrops) {
      session_.Gap(pending_.time, Now(), 1,
                   "one kernel was launched and CUPTI counted " +
                       std::to_string(counted.ranges + counted.dropped) +
                       ", so its counters were left out: " + pending_.name);
    }
    return;
  }
  context.failures = 0;
  Count(totals_.measured);
  if (pending_.sample.everything && counted.complete) {
    sampler_.NoteEverything({pending_.name, pending_.grid, pending_.block});
  }
  pending_.values = std::move(counted.values);
  const std::scoped_lock lock(measured_mutex_);
  measured_.push_back(std::move(pending_));
}

void CounterRecorder::Fail(Context& context, const std::string& what) {
  session_.Gap(Now(), 0, -1, what);
  Count(totals_.dropped);
  // Partially started counting must not slow down or disturb later launches.
  context.profiler->Close();
  const CUptiResult why = context.profiler->failure().result;
  const bool for_good =
      why == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES || why == CUPTI_ERROR_HARDWARE_BUSY;
  if (for_good || ++context.failures >= kMaxFailures) context.usable = false;
}

void CounterRecorder::NoteRestarts(const Context& context) {
  if (context.usable) session_.Fact("counter_restarts", context.profiler->RestartWay());
}

void CounterRecorder::OnContext(CUpti_CallbackId id, CUcontext handle) {
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    // CUDA has registered its exit handlers by now; ours must run before them.
    static std::once_flag once;
    std::call_once(once, [] { std::atexit(&Session::AtExit); });
    return;
  }
  if (closed_.load() || this_thread.depth > 0) return;
  const std::unique_lock lock(gate_, kGateTimeout);
  const auto found = contexts_.find(handle);
  if (!lock || found == contexts_.end()) return;
  this_thread.inside_agent = true;
  NoteRestarts(found->second);
  if (found->second.usable) found->second.profiler->Close();
  this_thread.inside_agent = false;
  contexts_.erase(found);  // another may get the same address
}

void CounterRecorder::Flush(bool last) {
  if (!last) return;
  closed_ = true;
  // Wait for a kernel that is being measured; it may hang.
  const std::unique_lock lock(gate_, kGateTimeout);
  if (!lock) {
    session_.Gap(Now(), 0, 1, "a kernel was still being measured when the program ended");
    return;
  }
  for (const auto& [handle, context] : contexts_) NoteRestarts(context);
}

void CounterRecorder::Drain(Writer& writer) {
  std::vector<Measured> measured;
  {
    const std::scoped_lock lock(measured_mutex_);
    std::swap(measured, measured_);
  }
  for (const Measured& kernel : measured) {
    const int64_t name = writer.Text(kernel.name);
    for (size_t i = 0; i < kernel.values.size(); ++i) {
      const std::optional<int64_t> micros = ToMicros(kernel.values[i]);
      if (!micros) continue;
      writer.Add(wire::CounterRecord{kernel.time, name, kernel.grid[0], kernel.grid[1],
                                     kernel.grid[2], kernel.block[0], kernel.block[1],
                                     kernel.block[2], kernel.sample.instance,
                                     writer.Text(kernel.counting->metrics()[i]), *micros,
                                     static_cast<int64_t>(kernel.counting->passes())});
    }
  }
}

void CounterRecorder::Finish(Writer& writer) {
  const auto fact = [&](std::string_view key, const std::string& value) {
    writer.Add(wire::FactRecord{Now(), writer.Text(key), writer.Text(value)});
  };
  // Each once, though a program may come to its end more than once.
  const auto gap = [&](std::atomic<uint64_t>& count, std::string_view reason) {
    const uint64_t lost = count.exchange(0, std::memory_order_relaxed);
    if (lost == 0) return;
    writer.Add(wire::GapRecord{Now(), 0, 0, static_cast<int64_t>(lost), writer.Text(reason)});
  };
  fact("counter_launches", std::to_string(totals_.launches.load()));
  fact("counter_measured", std::to_string(totals_.measured.load()));
  fact("counter_dropped", std::to_string(totals_.dropped.load()));
  fact("counter_time",
       "opening " + Milliseconds(totals_.open_ns) + ", waiting " + Milliseconds(totals_.wait_ns) +
           ", beginning " + Milliseconds(totals_.begin_ns) + ", kernels " +
           Milliseconds(totals_.kernel_ns) + ", ending " + Milliseconds(totals_.end_ns));
  fact("counter_calls", std::to_string(totals_.runtime_launches.load()) + " runtime launches, " +
                            std::to_string(totals_.unseen.load()) + " without a driver's, " +
                            std::to_string(totals_.unreadable.load()) + " unreadable, " +
                            std::to_string(totals_.captured.load()) + " captured");
  gap(totals_.graph_launches,
      "no hardware counters were read for kernels in CUDA graphs: they have no individual launches "
      "that could be measured");
  gap(totals_.collectives,
      "kernels of collectives were not measured: run alone, they would wait forever");
  gap(totals_.unseen, "kernels were launched in a way that could not be measured");
}

}  // namespace warpsight::agent
