#include "agent/cupti/recorder.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "wire/cuda_versions.h"

namespace warpsight::agent {
namespace {

// CUPTI passes no pointer with buffers.
CudaRecorder* the_recorder = nullptr;
Buffers* the_buffers = nullptr;

// CUDA 13.0 Update 1. Before it, CUPTI's release notes say, the program may hang when kernels are
// no longer to be recorded.
constexpr uint32_t kFirstThatPauses = 130001;

uint64_t Timestamp() { return static_cast<uint64_t>(Now()); }

}  // namespace

void CudaRecorder::Start(Session& session) {
  if (the_recorder != nullptr) return;
  std::string not_found;
  const Library library = FindCupti(not_found);
  if (!library) {
    session.Gap(Now(), 0, -1, "GPU work cannot be recorded: " + not_found);
    return;
  }
  auto* recorder = new CudaRecorder(session);
  the_recorder = recorder;
  the_buffers = &recorder->buffers_;
  const std::string missing = recorder->api_.Load(library);
  session.Fact("cupti", std::to_string(recorder->api_.version) + " " + library.path());
  if (!missing.empty()) {
    session.Gap(Now(), 0, -1,
                "GPU work cannot be recorded: libcupti at " + library.path() + " has no " +
                    missing + " (CUDA " + wire::kOldestCuda + " or newer is needed)");
    return;
  }
  if (!recorder->Subscribe()) return;
  recorder->buffers_.Prepare(4);
  if (session.options().calls) {
    recorder->EnableCalls(CUPTI_CB_DOMAIN_RUNTIME_API, recorder->runtime_calls_,
                          recorder->runtime_switched_);
    recorder->EnableCalls(CUPTI_CB_DOMAIN_DRIVER_API, recorder->driver_calls_,
                          recorder->driver_switched_);
  }
  recorder->EnableResources();
  recorder->EnableActivities();
  session.SetGpuSource(recorder);
  session.RecordSoon();
  if (recorder->api_.version < kFirstThatPauses) {
    session.RecordAll(
        "the program's CUPTI is older than that of CUDA 13.0 Update 1 and cannot pause");
  }
}

bool CudaRecorder::Check(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return true;
  const char* text = nullptr;
  api_.cuptiGetResultString(result, &text);
  session_.Gap(Now(), 0, -1,
               std::string(what) + ": CUPTI says " + std::to_string(result) + " (" +
                   (text == nullptr ? "" : text) + ")");
  return false;
}

bool CudaRecorder::Subscribe() {
  if (api_.cuptiSubscribe_v2 == nullptr) {
    return Check(api_.cuptiSubscribe(&subscriber_, &OnCallback, this),
                 "GPU work cannot be recorded");
  }
  char other[128] = {};
  CUpti_SubscriberParams params{};
  params.subscriberName = "Warpsight";
  params.oldSubscriberName = other;
  params.oldSubscriberSize = sizeof(other);
  const CUptiResult result = api_.cuptiSubscribe_v2(&subscriber_, &OnCallback, this, &params);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    session_.Gap(Now(), 0, -1,
                 std::string("another profiler is attached (") + other +
                     "), so GPU work cannot be recorded");
    return false;
  }
  return Check(result, "GPU work cannot be recorded");
}

void CudaRecorder::EnableCalls(CUpti_CallbackDomain domain, std::array<Call, kMostCalls>& calls,
                               std::vector<CUpti_CallbackId>& switched) {
  for (uint32_t id = 1; id < kMostCalls; ++id) {
    const char* name = nullptr;
    if (api_.cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
    const std::string_view function = WithoutVersion(name);
    const CallUse use = UseOf(function);
    if (use == CallUse::kIgnored) continue;
    // Every launch by the runtime is one by the driver, with the same correlation.
    if (use == CallUse::kLaunch && domain == CUPTI_CB_DOMAIN_RUNTIME_API) continue;
    calls[id] = {session_.SharedText(function), use};
    if (use == CallUse::kLaunch || use == CallUse::kRecorded) switched.push_back(id);
    api_.cuptiEnableCallback(1, subscriber_, domain, id);
  }
}

void CudaRecorder::SwitchCalls(bool on) {
  const uint32_t enable = on ? 1 : 0;
  for (const CUpti_CallbackId id : runtime_switched_) {
    api_.cuptiEnableCallback(enable, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API, id);
  }
  for (const CUpti_CallbackId id : driver_switched_) {
    api_.cuptiEnableCallback(enable, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
}

// CUPTI records what was launched while a kind was enabled, whenever it runs. A launch has its
// kernel, while a kernel may lack its launch: launches are heard of last, and forgotten first.
void CudaRecorder::SetActive(bool active) {
  if (active) {
    SwitchGpuWork(true);
    stretch_.fetch_add(1, std::memory_order_relaxed);
    SwitchCalls(true);
  } else {
    SwitchCalls(false);
    SwitchGpuWork(false);
  }
}

void CudaRecorder::SwitchGpuWork(bool on) {
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (on) {
      api_.cuptiActivityEnable(kind);
    } else {
      api_.cuptiActivityDisable(kind);
    }
  }
}

void CudaRecorder::EnableResources() {
  for (const uint32_t id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED}) {
    api_.cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, id);
  }
}

void CudaRecorder::EnableActivities() {
  if (api_.cuptiSetThreadIdType != nullptr) {
    api_.cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  }
  if (api_.cuptiActivitySetAttribute != nullptr) {
    uint8_t zeroed = 1;
    size_t size = sizeof(zeroed);
    api_.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
  }
  Check(api_.cuptiActivityRegisterTimestampCallback(&Timestamp),
        "GPU times cannot be converted to the CPU clock");
  EnableKinds();
}

void CudaRecorder::EnableKinds() {
  if (!Check(api_.cuptiActivityRegisterCallbacks(&OnBufferRequested, &OnBufferCompleted),
             "GPU work cannot be recorded")) {
    return;
  }
  const Options& options = session_.options();
  const auto enable = [this](CUpti_ActivityKind kind, const char* what) {
    Check(api_.cuptiActivityEnable(kind), (std::string(what) + " cannot be recorded").c_str());
  };
  enable(CUPTI_ACTIVITY_KIND_DEVICE, "the GPU's properties");
  enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels");
  enable(CUPTI_ACTIVITY_KIND_MEMCPY, "copies");
  enable(CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between GPUs");
  enable(CUPTI_ACTIVITY_KIND_MEMSET, "memsets");
  if (options.memory) enable(CUPTI_ACTIVITY_KIND_MEMORY2, "memory");
  if (options.overhead) enable(CUPTI_ACTIVITY_KIND_OVERHEAD, "CUPTI's own cost");
  if (options.syncs) {
    enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronization");
    if (api_.cuptiActivityEnableAllSyncRecords != nullptr) {
      api_.cuptiActivityEnableAllSyncRecords(0);
    }
  }
}

void CudaRecorder::OnBufferRequested(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = the_buffers->Take();
  *size = *buffer == nullptr ? 0 : Buffers::kSize;
  *most_records = 0;  // as many as fit
}

void CudaRecorder::OnBufferCompleted(CUcontext /*context*/, uint32_t /*stream*/, uint8_t* buffer,
                                     size_t /*size*/, size_t valid) {
  if (buffer != nullptr) the_buffers->PutFull({buffer, valid});
}

void CudaRecorder::Drain(Writer& writer) {
  for (const Buffers::Full& buffer : buffers_.TakeFull()) {
    CUpti_Activity* record = nullptr;
    while (buffer.valid > 0 &&
           api_.cuptiActivityGetNextRecord(buffer.memory, buffer.valid, &record) == CUPTI_SUCCESS) {
      Translate(*record, session_.windows(), writer, counts_);
    }
    if (session_.options().raw) WriteRaw(buffer);
    buffers_.GiveBack(buffer);
  }
}

void CudaRecorder::WriteRaw(const Buffers::Full& buffer) {
  const std::string path = session_.options().folder + "/" + std::to_string(getpid()) + ".raw";
  RawRecords records;
  CUpti_Activity* record = nullptr;
  while (api_.cuptiActivityGetNextRecord(buffer.memory, buffer.valid, &record) == CUPTI_SUCCESS) {
    records.Add(*record, buffer.memory + buffer.valid);
  }
  records.AppendTo(path);
}

void CudaRecorder::OnCallback(void* recorder, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                              const void* data) {
  auto* self = static_cast<CudaRecorder*>(recorder);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    self->OnResource(id, *static_cast<const CUpti_ResourceData*>(data));
  } else if (id < kMostCalls) {
    const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    const Call& call = runtime ? self->runtime_calls_[id] : self->driver_calls_[id];
    self->OnCall(*static_cast<const CUpti_CallbackData*>(data), call, runtime);
  }
}

void CudaRecorder::OnCall(const CUpti_CallbackData& data, const Call& call, bool runtime) {
  ThreadLog* log = Session::Log();
  const uint32_t stretch = stretch_.load(std::memory_order_relaxed);
  if (log == nullptr || (!runtime && log->inside_runtime == stretch)) return;
  if (data.callbackSite == CUPTI_API_ENTER) {
    if (call.use == CallUse::kCapture || call.use == CallUse::kGraphLaunch) session_.RecordGraphs();
    log->inside_runtime = runtime ? stretch : 0;
    log->captured_node = false;
    *data.correlationData = static_cast<uint64_t>(Now());
    return;
  }
  log->inside_runtime = 0;
  const TimeNs start = static_cast<TimeNs>(*data.correlationData);
  const int result =
      data.functionReturnValue == nullptr ? 0 : *static_cast<const int*>(data.functionReturnValue);
  if (start == 0) return;
  // While a graph is captured, a launch makes a node and no kernel.
  if (call.use == CallUse::kLaunch && result == 0 && !log->captured_node) {
    launches_.fetch_add(1, std::memory_order_relaxed);
  }
  if (call.use == CallUse::kProfilerStart) session_.windows().Ask(true, Now());
  if (call.use == CallUse::kProfilerStop) session_.windows().Ask(false, Now());
  if (!session_.recording()) return;
  const int64_t correlation = log->captured_node ? 0 : data.correlationId;
  log->Write(wire::CallRecord{start, Now(), log->thread(), call.name, runtime ? 0 : 1, correlation,
                              result});
}

void CudaRecorder::OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    OnGraphNode(*static_cast<const CUpti_GraphData*>(data.resourceDescriptor),
                id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
    return;
  }
  const std::scoped_lock lock(contexts_mutex_);
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    // CUDA has registered its exit handlers by now; ours must run before them.
    if (contexts_.empty()) std::atexit(&Session::AtExit);
    contexts_.push_back(data.context);
  } else {
    std::erase(contexts_, data.context);
  }
}

void CudaRecorder::OnGraphNode(const CUpti_GraphData& data, bool cloned) {
  ThreadLog* log = Session::Log();
  if (log == nullptr || api_.cuptiGetGraphNodeId == nullptr) return;
  log->captured_node = true;
  uint64_t node = 0;
  uint64_t origin = 0;
  uint32_t graph = 0;
  if (api_.cuptiGetGraphNodeId(data.node, &node) != CUPTI_SUCCESS) return;
  if (cloned && api_.cuptiGetGraphNodeId(data.originalNode, &origin) != CUPTI_SUCCESS) return;
  if (api_.cuptiGetGraphId != nullptr) api_.cuptiGetGraphId(data.graph, &graph);
  log->Write(wire::GraphNodeRecord{Now(), log->thread(), graph, static_cast<int64_t>(node),
                                   static_cast<int64_t>(origin)});
}

void CudaRecorder::Flush(bool last) {
  if (last) WaitForWork();
  api_.cuptiActivityFlushAll(last ? uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED} : 0);
  size_t dropped = 0;
  if (api_.cuptiActivityGetNumDroppedRecords != nullptr &&
      api_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS &&
      dropped > 0) {
    dropped_.fetch_add(dropped, std::memory_order_relaxed);
    session_.Gap(Now(), Now(), static_cast<int64_t>(dropped),
                 "CUPTI ran out of buffer space for records");
  }
}

// A program may end without waiting for the GPU. Its records come when the work is done.
void CudaRecorder::WaitForWork() {
  const Library driver = Library::Open("libcuda.so.1", true);
  auto* push = driver.Find<decltype(cuCtxPushCurrent_v2)>("cuCtxPushCurrent_v2");
  auto* pop = driver.Find<decltype(cuCtxPopCurrent_v2)>("cuCtxPopCurrent_v2");
  auto* wait = driver.Find<decltype(cuCtxSynchronize)>("cuCtxSynchronize");
  if (push == nullptr || pop == nullptr || wait == nullptr) return;
  std::vector<CUcontext> contexts;
  {
    const std::scoped_lock lock(contexts_mutex_);
    contexts = contexts_;
  }
  for (CUcontext context : contexts) {
    if (push(context) != CUDA_SUCCESS) continue;
    wait();
    pop(&context);
  }
}

void CudaRecorder::Finish(Writer& writer) {
  const uint64_t launches = launches_.load(std::memory_order_relaxed);
  const uint64_t kernels = counts_.kernels - counts_.graph_kernels;
  const auto fact = [&](std::string_view key, uint64_t value) {
    writer.Add(wire::FactRecord{Now(), writer.Text(key), writer.Text(std::to_string(value))});
  };
  fact("launches", launches);
  fact("kernels", kernels);
  fact("graph_kernels", counts_.graph_kernels);
  fact("dropped", dropped_.load(std::memory_order_relaxed));
  const uint64_t missing = counts_.untimed + (launches > kernels ? launches - kernels : 0);
  if (missing == 0) return;
  const std::scoped_lock lock(others_mutex_);
  const std::string reason =
      "CUPTI reported no kernel times" +
      (others_.empty() ? std::string()
                       : ", perhaps because of " + others_ + " in the same program");
  writer.Add(wire::GapRecord{others_.empty() ? Now() : others_begin_, others_end_, 0,
                             static_cast<int64_t>(missing), writer.Text(reason)});
}

// CUPTI serves one subscriber, but takes anybody's callbacks for buffers: after another profiler
// ours are set again. Lost records are detected at the end, when launches are compared.
void CudaRecorder::OtherEnds(std::string_view who, TimeNs since) {
  session_.Fact("other_profiler", who);
  {
    const std::scoped_lock lock(others_mutex_);
    if (others_.empty()) others_begin_ = since;
    others_ = who;
    others_end_ = Now();
  }
  EnableKinds();
}

}  // namespace warpsight::agent
