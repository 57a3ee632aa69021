#include "agent/nvtx/handler.h"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cwchar>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "agent/core/session.h"
#include "base/utf8.h"

namespace warpsight::agent {
namespace {

// The targets of NVTX handles: never freed, since programs keep the handles until they exit. Its
// number belongs to a session, and a forked child may have one of its own.
class SharedName {
 public:
  explicit SharedName(std::string_view name) : name_(name) {}

  std::string_view name() const { return name_; }
  int64_t TextIn(Session& session) {
    if (session_.load(std::memory_order_acquire) != &session) {
      text_.store(session.SharedText(name_), std::memory_order_relaxed);
      session_.store(&session, std::memory_order_release);
    }
    return text_.load(std::memory_order_relaxed);
  }

 private:
  std::string name_;
  std::atomic<const Session*> session_ = nullptr;
  std::atomic<int64_t> text_ = 0;
};

std::string Utf8(const wchar_t* text) {
  std::string out;
  for (; text != nullptr && *text != 0; ++text) AppendUtf8(static_cast<char32_t>(*text), out);
  return out;
}

std::string_view View(const char* text) { return text == nullptr ? "" : text; }

int64_t DomainOf(ThreadLog& log, nvtxDomainHandle_t domain) {
  if (domain == nullptr) return 0;
  return reinterpret_cast<SharedName*>(domain)->TextIn(log.session());
}

// The name of a range or mark: its number, and the text itself where it is at hand.
struct Name {
  int64_t number = 0;
  std::string_view text;
};

Name NameOf(ThreadLog& log, const nvtxEventAttributes_t* event) {
  if (event == nullptr || event->message.ascii == nullptr) return {};
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return {log.Text(event->message.ascii), event->message.ascii};
    case NVTX_MESSAGE_TYPE_UNICODE:
      return {log.Text(Utf8(event->message.unicode)), {}};
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      auto* name = reinterpret_cast<SharedName*>(event->message.registered);
      return {name->TextIn(log.session()), name->name()};
    }
    default:
      return {};
  }
}

// Ranges called "step 1" and "step 2" are boundaries of the same source.
int64_t SourceOf(Session& session, std::string_view name) {
  std::string source = "NVTX range ";
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) source += c;
    if (digit && source.back() != '#') source += '#';
  }
  return session.SharedText(source);
}

// Ranges that are started on one thread and may end on any.
class StartedRanges {
 public:
  explicit StartedRanges(nvtxRangeId_t last) : last_(last) {}

  nvtxRangeId_t last() const { return last_; }
  nvtxRangeId_t Start(int64_t thread, int64_t name, int64_t domain) {
    const std::scoped_lock lock(mutex_);
    const nvtxRangeId_t id = ++last_;
    open_[id] = {Now(), 0, thread, name, domain, static_cast<int64_t>(wire::RangeKind::kStarted)};
    return id;
  }
  bool End(nvtxRangeId_t id, wire::RangeRecord& range) {
    const std::scoped_lock lock(mutex_);
    const auto it = open_.find(id);
    if (it == open_.end()) return false;
    range = it->second;
    open_.erase(it);
    range.end = Now();
    return true;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<nvtxRangeId_t, wire::RangeRecord> open_;
  nvtxRangeId_t last_;
};

StartedRanges* started_ranges = nullptr;
StartedRanges& Started() { return *started_ranges; }

// The lock may be held by a thread that the child does not have, and what its parent started does
// not end there.
void AfterForkInChild() { started_ranges = new StartedRanges(started_ranges->last()); }

int Push(nvtxDomainHandle_t domain, ThreadLog* log, Name name) {
  if (log == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  Session& session = log->session();
  const int64_t number = DomainOf(*log, domain);
  // Before the range begins: it belongs to the step that begins with it.
  if (session.options().stretches && !name.text.empty() &&
      log->IsOutermost(number, wire::RangeKind::kPushed)) {
    session.Boundary(StepSource::kRange, SourceOf(session, name.text));
  }
  return log->Push(name.number, number, wire::RangeKind::kPushed);
}

int Pop(nvtxDomainHandle_t domain) {
  ThreadLog* log = Session::Log();
  if (log == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  return log->Pop(DomainOf(*log, domain), wire::RangeKind::kPushed, log->session().recording());
}

void Mark(nvtxDomainHandle_t domain, ThreadLog* log, Name name) {
  if (log == nullptr || !log->session().recording()) return;
  log->Write(wire::MarkRecord{Now(), log->thread(), name.number, DomainOf(*log, domain)});
}

nvtxRangeId_t Start(nvtxDomainHandle_t domain, ThreadLog* log, Name name) {
  return log == nullptr ? 0 : Started().Start(log->thread(), name.number, DomainOf(*log, domain));
}

void End(nvtxRangeId_t id) {
  ThreadLog* log = Session::Log();
  wire::RangeRecord range{};
  if (log == nullptr || !Started().End(id, range) || !log->session().recording()) return;
  log->Write(range);
}

Name Own(ThreadLog* log, std::string_view text) {
  return log == nullptr ? Name{} : Name{log->Text(text), text};
}
Name Own(ThreadLog* log, const nvtxEventAttributes_t* event) {
  return log == nullptr ? Name{} : NameOf(*log, event);
}

template <typename Handle>
Handle Register(std::string_view name) {
  return reinterpret_cast<Handle>(new SharedName(name));
}

void OnMarkEx(const nvtxEventAttributes_t* event) {
  ThreadLog* log = Session::Log();
  Mark(nullptr, log, Own(log, event));
}
void OnMarkA(const char* text) {
  ThreadLog* log = Session::Log();
  Mark(nullptr, log, Own(log, View(text)));
}
void OnMarkW(const wchar_t* text) {
  ThreadLog* log = Session::Log();
  Mark(nullptr, log, Own(log, Utf8(text)));
}
nvtxRangeId_t OnRangeStartEx(const nvtxEventAttributes_t* event) {
  ThreadLog* log = Session::Log();
  return Start(nullptr, log, Own(log, event));
}
nvtxRangeId_t OnRangeStartA(const char* text) {
  ThreadLog* log = Session::Log();
  return Start(nullptr, log, Own(log, View(text)));
}
nvtxRangeId_t OnRangeStartW(const wchar_t* text) {
  ThreadLog* log = Session::Log();
  return Start(nullptr, log, Own(log, Utf8(text)));
}
void OnRangeEnd(nvtxRangeId_t id) { End(id); }
int OnRangePushEx(const nvtxEventAttributes_t* event) {
  ThreadLog* log = Session::Log();
  return Push(nullptr, log, Own(log, event));
}
int OnRangePushA(const char* text) {
  ThreadLog* log = Session::Log();
  return Push(nullptr, log, Own(log, View(text)));
}
int OnRangePushW(const wchar_t* text) {
  ThreadLog* log = Session::Log();
  return Push(nullptr, log, Own(log, Utf8(text)));
}
int OnRangePop() { return Pop(nullptr); }
void OnNameOsThreadA(uint32_t thread, const char* name) {
  if (Session* session = Session::Live()) session->NameThread(thread, View(name));
}
void OnNameOsThreadW(uint32_t thread, const wchar_t* name) {
  if (Session* session = Session::Live()) session->NameThread(thread, Utf8(name));
}

void OnDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  ThreadLog* log = Session::Log();
  Mark(domain, log, Own(log, event));
}
nvtxRangeId_t OnDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  ThreadLog* log = Session::Log();
  return Start(domain, log, Own(log, event));
}
void OnDomainRangeEnd(nvtxDomainHandle_t /*domain*/, nvtxRangeId_t id) { End(id); }
int OnDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  ThreadLog* log = Session::Log();
  return Push(domain, log, Own(log, event));
}
int OnDomainRangePop(nvtxDomainHandle_t domain) { return Pop(domain); }
nvtxStringHandle_t OnDomainRegisterStringA(nvtxDomainHandle_t /*domain*/, const char* text) {
  return Register<nvtxStringHandle_t>(View(text));
}
nvtxStringHandle_t OnDomainRegisterStringW(nvtxDomainHandle_t /*domain*/, const wchar_t* text) {
  return Register<nvtxStringHandle_t>(Utf8(text));
}
nvtxDomainHandle_t OnDomainCreateA(const char* name) {
  return Register<nvtxDomainHandle_t>(View(name));
}
nvtxDomainHandle_t OnDomainCreateW(const wchar_t* name) {
  return Register<nvtxDomainHandle_t>(Utf8(name));
}

// The functions of one module of NVTX; a program built with an older version has fewer.
class FunctionTable {
 public:
  FunctionTable(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &table_, &size_) == 0) size_ = 0;
  }
  template <typename Function>
  void Set(uint32_t id, Function* function) {
    if (id < size_ && table_[id] != nullptr) {
      *table_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
    }
  }

 private:
  NvtxFunctionTable table_ = nullptr;
  unsigned int size_ = 0;
};

}  // namespace

bool InstallNvtxHandler(NvtxGetExportTableFunc_t get_export_table) {
  if (get_export_table == nullptr) return false;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) {
    return false;
  }
  // Each shared object that uses NVTX comes here, perhaps at once.
  static std::once_flag once;
  std::call_once(once, [] {
    started_ranges = new StartedRanges(0);
    pthread_atfork(nullptr, nullptr, &AfterForkInChild);
  });
  FunctionTable core(*callbacks, NVTX_CB_MODULE_CORE);
  core.Set(NVTX_CBID_CORE_MarkEx, &OnMarkEx);
  core.Set(NVTX_CBID_CORE_MarkA, &OnMarkA);
  core.Set(NVTX_CBID_CORE_MarkW, &OnMarkW);
  core.Set(NVTX_CBID_CORE_RangeStartEx, &OnRangeStartEx);
  core.Set(NVTX_CBID_CORE_RangeStartA, &OnRangeStartA);
  core.Set(NVTX_CBID_CORE_RangeStartW, &OnRangeStartW);
  core.Set(NVTX_CBID_CORE_RangeEnd, &OnRangeEnd);
  core.Set(NVTX_CBID_CORE_RangePushEx, &OnRangePushEx);
  core.Set(NVTX_CBID_CORE_RangePushA, &OnRangePushA);
  core.Set(NVTX_CBID_CORE_RangePushW, &OnRangePushW);
  core.Set(NVTX_CBID_CORE_RangePop, &OnRangePop);
  core.Set(NVTX_CBID_CORE_NameOsThreadA, &OnNameOsThreadA);
  core.Set(NVTX_CBID_CORE_NameOsThreadW, &OnNameOsThreadW);
  FunctionTable domains(*callbacks, NVTX_CB_MODULE_CORE2);
  domains.Set(NVTX_CBID_CORE2_DomainMarkEx, &OnDomainMarkEx);
  domains.Set(NVTX_CBID_CORE2_DomainRangeStartEx, &OnDomainRangeStartEx);
  domains.Set(NVTX_CBID_CORE2_DomainRangeEnd, &OnDomainRangeEnd);
  domains.Set(NVTX_CBID_CORE2_DomainRangePushEx, &OnDomainRangePushEx);
  domains.Set(NVTX_CBID_CORE2_DomainRangePop, &OnDomainRangePop);
  domains.Set(NVTX_CBID_CORE2_DomainRegisterStringA, &OnDomainRegisterStringA);
  domains.Set(NVTX_CBID_CORE2_DomainRegisterStringW, &OnDomainRegisterStringW);
  domains.Set(NVTX_CBID_CORE2_DomainCreateA, &OnDomainCreateA);
  domains.Set(NVTX_CBID_CORE2_DomainCreateW, &OnDomainCreateW);
  return true;
}

}  // namespace warpsight::agent
