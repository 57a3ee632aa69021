#include "agent/interface.h"

#include <cstring>
#include <string>

#include "agent/core/session.h"
#include "agent/counters/recorder.h"
#include "agent/cuda_abi/nvtx.h"
#include "agent/cupti/recorder.h"
#include "agent/nvtx/handler.h"

// Everything that the outside sees of the agent.

using warpsight::agent::Session;
using warpsight::agent::ThreadLog;
namespace agent = warpsight::agent;
namespace wire = warpsight::wire;

namespace {

// The calling thread's log where a timeline is recorded: hardware counters are recorded without
// one.
ThreadLog* TimelineLog() {
  Session* session = Session::Live();
  return session == nullptr || session->options().counters ? nullptr : Session::Log();
}

}  // namespace

#define WARPSIGHT_EXPORT extern "C" __attribute__((visibility("default")))

// By the CUDA driver while it starts: nothing may call CUDA here.
WARPSIGHT_EXPORT int InitializeInjection() {
  Session* session = Session::Attach();
  if (session == nullptr) return 1;
  if (session->options().counters) {
    agent::CounterRecorder::Start(*session);
  } else {
    agent::CudaRecorder::Start(*session);
  }
  return 1;
}

// By each shared object that uses NVTX, at its first call.
WARPSIGHT_EXPORT int InitializeInjectionNvtx2(agent::NvtxGetExportTableFunc_t get_export_table) {
  const Session* session = Session::Attach();
  if (session == nullptr || session->options().counters) return 0;
  return agent::InstallNvtxHandler(get_export_table) ? 1 : 0;
}

WARPSIGHT_EXPORT int warpsight_attach() { return Session::Attach() == nullptr ? 0 : 1; }

WARPSIGHT_EXPORT void warpsight_range_push(int kind, const char* name) {
  if (ThreadLog* log = TimelineLog(); log != nullptr && name != nullptr) {
    log->Push(log->Text(name), 0, static_cast<wire::RangeKind>(kind));
  }
}

WARPSIGHT_EXPORT void warpsight_range_pop(int kind) {
  if (ThreadLog* log = TimelineLog()) {
    log->Pop(0, static_cast<wire::RangeKind>(kind), log->session().recording());
  }
}

WARPSIGHT_EXPORT void warpsight_step(int64_t number) {
  Session* session = Session::Live();
  if (session == nullptr) return;
  ThreadLog* log = TimelineLog();
  if (log != nullptr) log->Pop(0, wire::RangeKind::kStep, session->recording());
  if (number < 0) return;
  session->windows().Step(agent::Now(), true);
  session->Boundary(agent::StepSource::kProgram, session->SharedText("warpsight.step"));
  if (log != nullptr) log->Push(log->Text(std::to_string(number)), 0, wire::RangeKind::kStep);
}

WARPSIGHT_EXPORT void warpsight_boundary(int source, const char* name) {
  Session* session = Session::Live();
  if (session == nullptr || name == nullptr) return;
  session->Boundary(static_cast<agent::StepSource>(source), session->SharedText(name));
}

WARPSIGHT_EXPORT const int* warpsight_active() { return Session::Active(); }

WARPSIGHT_EXPORT void warpsight_record_all(const char* why) {
  Session* session = Session::Live();
  if (session != nullptr && why != nullptr) session->RecordAll(why);
}

WARPSIGHT_EXPORT void warpsight_on_active(void (*set_active)(int active)) {
  Session::OnActive(set_active);
}

WARPSIGHT_EXPORT void warpsight_start() {
  if (Session* session = Session::Live()) session->windows().Ask(true, agent::Now());
}

WARPSIGHT_EXPORT void warpsight_stop() {
  if (Session* session = Session::Live()) session->windows().Ask(false, agent::Now());
}

WARPSIGHT_EXPORT void warpsight_fact(const char* key, const char* value) {
  Session* session = Session::Live();
  if (session != nullptr && key != nullptr && value != nullptr) session->Fact(key, value);
}

WARPSIGHT_EXPORT void warpsight_conflict(const char* who, int begins) {
  Session* session = Session::Live();
  if (session != nullptr && who != nullptr) session->Conflict(who, begins != 0);
}

WARPSIGHT_EXPORT void warpsight_flush(int last) {
  if (Session* session = Session::Live()) session->Flush(last != 0);
}

WARPSIGHT_EXPORT int64_t warpsight_text(const char* text) {
  Session* session = Session::Live();
  return session == nullptr || text == nullptr ? 0 : session->SharedText(text);
}

WARPSIGHT_EXPORT void warpsight_op_begin(const WarpsightOp* op) {
  ThreadLog* log = TimelineLog();
  if (log == nullptr || !log->session().recording()) return;
  wire::OpRecord record{};
  record.name = op->name;
  if (op->inputs_size > 0) record.inputs = log->Text({op->inputs, op->inputs_size});
  if (op->stack_size > 0) record.stack = log->Text({op->stack, op->stack_size});
  record.scope = op->scope;
  record.sequence = op->sequence;
  record.forward_thread = op->forward_thread;
  log->BeginOp(record, op->token);
}

WARPSIGHT_EXPORT void warpsight_op_end(uint64_t token) {
  if (ThreadLog* log = TimelineLog()) log->EndOp(token);
}

WARPSIGHT_EXPORT int warpsight_recording() {
  Session* session = Session::Live();
  if (session == nullptr || session->options().counters || !session->recording()) return 0;
  return session->other_profiler() ? 2 : 1;
}

WARPSIGHT_EXPORT void warpsight_optimizer_step() {
  if (Session* session = Session::Live()) session->windows().Step(agent::Now(), false);
}

WARPSIGHT_EXPORT void warpsight_memory(int device, int64_t address, int64_t bytes,
                                       int64_t allocated, int64_t reserved) {
  ThreadLog* log = TimelineLog();
  if (log == nullptr || !log->session().recording()) return;
  log->Write(wire::MemoryRecord{agent::Now(), log->thread(), device, address, bytes, allocated,
                                reserved, 0});
}
