#include "agent/core/session.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "agent/core/clock.h"
#include "base/descriptor_table.h"

namespace warpsight::agent {
namespace {

constexpr DurationNs kMillisecond = 1'000'000;
// A killed program loses GPU work after the last flush, and records that were not yet written.
constexpr DurationNs kFlushEvery = 400 * kMillisecond;
constexpr DurationNs kWriteEvery = 100 * kMillisecond;
constexpr DurationNs kServiceTick = 20 * kMillisecond;
constexpr DurationNs kDrainEvery = 10 * kMillisecond;
constexpr size_t kMinRowsToWrite = 16 * 1024;  // rows
constexpr auto kFlushTimeout = std::chrono::seconds(15);

// Read with every record: a fixed place is several times faster than asking the loader.
__attribute__((tls_model("initial-exec"))) thread_local ThreadLog* this_log = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local bool own_thread = false;

pthread_key_t thread_end_key;
std::mutex attach_mutex;
bool attached = false;
std::atomic<bool> forked_with_cupti = false;
std::atomic<void (*)(int)> on_active = nullptr;

Alternation::Pattern PatternOf(const Options& options) {
  if (!options.stretches || options.counters) return Alternation::Pattern::kNone;
  return options.distributed ? Alternation::Pattern::kFixed : Alternation::Pattern::kAdapted;
}

timespec InFuture(DurationNs wait) {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += static_cast<long>(wait);
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

// For the writer's thread: in the program's table of descriptors, the number might be closed and
// used by another thread in between.
std::string ReadSmallFile(const char* path) {
  std::string text(4096, '\0');
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  text.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return text;
}

}  // namespace

std::atomic<Session*> Session::live_ = nullptr;
std::atomic<int> Session::active_ = 1;

Session::Session(Options options)
    : options_(std::move(options)),
      windows_(options_, Now()),
      file_(options_.folder, options_.run, options_.file_limit, options_.compress),
      alternation_(PatternOf(options_), Now()) {
  sem_init(&wake_writer_, 0, 0);
}

Session* Session::Attach() {
  if (Session* live = Live()) return live;
  const std::scoped_lock lock(attach_mutex);
  if (attached || forked_with_cupti) return Live();
  auto options = Options::FromEnvironment();
  if (!options) return nullptr;
  static bool registered = false;
  if (!registered) {
    registered = true;
    pthread_key_create(&thread_end_key, &Session::ThreadEnds);
    pthread_atfork(nullptr, nullptr, &Session::AfterForkInChild);
    std::atexit(&Session::AtExit);
  }
  attached = true;
  // The parent may have been in a clean stretch.
  if (active_.exchange(1) == 0) {
    if (auto* set_active = on_active.load()) set_active(1);
  }
  auto* session = new Session(*std::move(options));
  session->NoteStart();
  live_.store(session, std::memory_order_release);
  session->StartThreads();
  return session;
}

// Locks may be held by threads that do not exist in the child, and CUPTI may hang: the old session
// is not touched. A child may start its own recording if CUPTI was not in use.
void Session::AfterForkInChild() {
  Session* session = live_.exchange(nullptr);
  if (session == nullptr) return;
  this_log = nullptr;
  forked_with_cupti = session->has_gpu_source();
  new (&attach_mutex) std::mutex;
  attached = false;
}

void Session::AtExit() {
  if (Session* session = Live()) session->Flush(true);
}

void Session::MarkOwnThread() { own_thread = true; }

void Session::ThreadEnds(void* log) {
  // Not after a fork: the log is then the parent's.
  if (this_log == log) static_cast<ThreadLog*>(log)->finished.store(true);
  this_log = nullptr;
}

ThreadLog* Session::Log() {
  Session* session = Live();
  if (session == nullptr) return nullptr;
  ThreadLog* log = this_log;
  if (log != nullptr && &log->session() == session) return log;
  return own_thread ? nullptr : session->NewLog();
}

ThreadLog* Session::NewLog() {
  ThreadLog* log = nullptr;
  {
    const std::scoped_lock lock(logs_mutex_);
    for (ThreadLog* old : logs_) {
      if (old->finished.load(std::memory_order_acquire) && old->ring().Empty()) {
        log = old;
        break;
      }
    }
    if (log == nullptr) {
      log = ThreadLog::Make(*this, logs_.size());
      if (log == nullptr) return nullptr;
      logs_.push_back(log);
    }
    log->Adopt();
  }
  this_log = log;
  pthread_setspecific(thread_end_key, log);
  return log;
}

template <void (Session::*kLoop)()>
void* Session::Run(void* session) {
  MarkOwnThread();
  (static_cast<Session*>(session)->*kLoop)();
  return nullptr;
}

void Session::StartThreads() {
  // These threads must not receive the program's signals.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  if (pthread_create(&thread, &attributes, &Run<&Session::WriterLoop>, this) == 0) {
    pthread_setname_np(thread, "warpsight-write");
    if (pthread_create(&thread, &attributes, &Run<&Session::ServiceLoop>, this) == 0) {
      pthread_setname_np(thread, "warpsight-flush");
    }
  } else {
    live_.store(nullptr);
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Session::NoteCommand() {
  std::string command = ReadSmallFile("/proc/self/cmdline");
  for (char& c : command) {
    if (c == '\0') c = ' ';
  }
  while (!command.empty() && command.back() == ' ') command.pop_back();
  const wire::FactRecord fact{Now(), SharedText("command"), SharedText(command)};
  // First: later facts from the program's Python are better, and the last one is used.
  const std::scoped_lock lock(notes_mutex_);
  notes_.facts.insert(notes_.facts.begin(), fact);
}

void Session::NoteStart() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  Fact("host", host);
  Fact("pid", std::to_string(getpid()));
  if (options_.counters) Fact("mode", "counters");
  const std::scoped_lock lock(notes_mutex_);
  notes_.texts.emplace_back(ThreadLog::kRingFull,
                            "records were produced faster than they could be written");
  notes_.anchors.push_back({Now(), UnixNow()});
}

int64_t Session::SharedText(std::string_view text) {
  if (text.empty()) return 0;
  const std::scoped_lock lock(notes_mutex_);
  const auto found = shared_texts_.Number(text, [this] { return NextText(); });
  if (found.is_new) notes_.texts.emplace_back(found.number, text);
  return found.number;
}

void Session::Fact(std::string_view key, std::string_view value) {
  const wire::FactRecord fact{Now(), SharedText(key), SharedText(value)};
  const std::scoped_lock lock(notes_mutex_);
  notes_.facts.push_back(fact);
}

void Session::Gap(TimeNs start, TimeNs end, int64_t lost, std::string_view reason) {
  const wire::GapRecord gap{start, end, 0, lost, SharedText(reason)};
  const std::scoped_lock lock(notes_mutex_);
  notes_.gaps.push_back(gap);
}

void Session::NameThread(int64_t thread, std::string_view name) {
  const wire::ThreadRecord record{Now(), thread, SharedText(name)};
  const std::scoped_lock lock(notes_mutex_);
  notes_.threads.push_back(record);
}

void Session::Conflict(std::string_view who, bool begins) {
  TimeNs since = 0;
  {
    const std::scoped_lock lock(notes_mutex_);
    if (begins == !conflict_.empty()) return;
    conflict_ = begins ? who : "";
    if (begins) conflict_start_ = Now();
    other_profiler_ = begins;
    since = conflict_start_;
  }
  GpuSource* gpu = gpu_.load(std::memory_order_acquire);
  if (begins) RecordAll("the program used " + std::string(who));
  if (!begins && gpu != nullptr) gpu->OtherEnds(who, since);
}

int64_t Session::RecordsWritten() {
  const std::scoped_lock lock(logs_mutex_);
  int64_t records = 0;
  for (const ThreadLog* log : logs_) records += log->records();
  return records;
}

void Session::Boundary(StepSource source, int64_t name) {
  ThreadLog* log = Log();
  if (log == nullptr) return;
  std::optional<wire::StepTimeRecord> step;
  {
    const std::scoped_lock lock(alternation_mutex_);
    if (!alternation_.alternates()) return;
    step =
        alternation_.Add({source, name, log->thread(), Now(), RecordsWritten(), !windows_.open()});
    const bool active = alternation_.recording();
    if (active != (active_.load(std::memory_order_relaxed) != 0)) SetActive(active);
  }
  if (step) log->Write(*step);
}

void Session::RecordSoon() {
  if (active_.load(std::memory_order_relaxed) != 0) return;
  record_asked_ = true;
  requests_.notify_all();
}

void Session::RecordGraphs() {
  if (has_graphs_.load(std::memory_order_relaxed) || has_graphs_.exchange(true)) return;
  record_asked_ = true;
  requests_.notify_all();
}

void Session::RecordAll(std::string why) {
  const std::scoped_lock lock(alternation_mutex_);
  alternation_.RecordAll(std::move(why), Now());
  if (active_.load(std::memory_order_relaxed) == 0) SetActive(true);
}

void Session::OnActive(void (*set_active)(int active)) { on_active = set_active; }

// By the service thread.
void Session::FollowAlternation() {
  const std::scoped_lock lock(alternation_mutex_);
  const TimeNs now = Now();
  if (record_asked_.exchange(false)) alternation_.RecordNow(now);
  if (has_graphs_) {
    alternation_.RecordAll(
        "the program uses CUDA graphs, for whose kernels CUPTI gives wrong times after a pause",
        now);
    // The steps so far may have been those of its preparation, without graphs.
    alternation_.ForgetCleanSteps();
  }
  alternation_.Tick(now);
  const bool active = alternation_.recording();
  if (active != (active_.load(std::memory_order_relaxed) != 0)) SetActive(active);
}

// With alternation_mutex_. A clean stretch is the time in which nothing at all is enabled. Whatever
// is recorded inside something else begins later and ends earlier than it: kernels have calls.
void Session::SetActive(bool active) {
  GpuSource* gpu = gpu_.load(std::memory_order_acquire);
  auto* set_active = on_active.load();
  const TimeNs begin = Now();
  if (active) {
    if (gpu != nullptr) gpu->SetActive(true);
    if (set_active != nullptr) set_active(1);
    active_.store(1, std::memory_order_relaxed);
  } else {
    active_.store(0, std::memory_order_relaxed);
    if (set_active != nullptr) set_active(0);
    if (gpu != nullptr) gpu->SetActive(false);
    clean_since_ = Now();
  }
  const std::scoped_lock lock(notes_mutex_);
  notes_.clean_stretches.push_back({clean_since_, active ? begin : 0});
}

void Session::DrainAll(Writer& writer) {
  std::vector<ThreadLog*> logs;
  {
    const std::scoped_lock lock(logs_mutex_);
    logs = logs_;
  }
  const TimeNs now = Now();
  for (ThreadLog* log : logs) writer.Take(*log);
  writer.TookAll(now);
  if (GpuSource* gpu = gpu_.load(std::memory_order_acquire)) gpu->Drain(writer);
  // Last, since the records may use texts that are written here.
  Notes notes;
  {
    const std::scoped_lock lock(notes_mutex_);
    std::swap(notes, notes_);
  }
  for (const auto& [number, text] : notes.texts) writer.AddText(number, text);
  for (const auto& fact : notes.facts) writer.Add(fact);
  for (const auto& gap : notes.gaps) writer.Add(gap);
  for (const auto& thread : notes.threads) writer.Add(thread);
  for (const auto& anchor : notes.anchors) writer.Add(anchor);
  for (const auto& stretch : notes.clean_stretches) writer.Add(stretch);
}

// The only thread of the agent that opens files, since its files are separate from the program's.
void Session::WriterLoop() {
  if (UseOwnDescriptorTable()) {
    NoteCommand();
  } else {
    file_.Fail("this system does not allow a thread to have its own file descriptor table");
  }
  Writer writer(next_text_, file_, [this] { GiveUp(); });
  TimeNs written = 0;
  while (true) {
    const timespec until = InFuture(kDrainEvery);
    while (sem_timedwait(&wake_writer_, &until) != 0 && errno == EINTR) {
    }
    uint64_t asked = 0;
    bool end = false;
    {
      const std::scoped_lock lock(requests_mutex_);
      asked = write_asked_;
      end = end_asked_;
      end_asked_ = false;
    }
    if (const uint32_t epoch = epoch_.load(std::memory_order_relaxed); epoch != names_epoch_) {
      names_epoch_ = epoch;
      if (!file_.failed()) ReadThreadNames();
    }
    DrainAll(writer);
    const TimeNs now = Now();
    if (end) {
      if (GpuSource* gpu = gpu_.load(std::memory_order_acquire)) gpu->Finish(writer);
      writer.End();
    } else if (asked != write_done_ || writer.waiting() >= kMinRowsToWrite ||
               (writer.Waiting() && now - written >= kWriteEvery)) {
      writer.Flush();
      written = now;
    }
    if (asked != write_done_) {
      const std::scoped_lock lock(requests_mutex_);
      write_done_ = asked;
      requests_.notify_all();
    }
  }
}

void Session::ServiceLoop() {
  TimeNs flushed = Now();
  while (true) {
    uint64_t asked = 0;
    {
      std::unique_lock lock(requests_mutex_);
      requests_.wait_for(lock, std::chrono::nanoseconds(kServiceTick),
                         [this] { return flush_asked_ != flush_done_ || record_asked_; });
      asked = flush_asked_;
    }
    const TimeNs now = Now();
    windows_.Tick(now);
    FollowAlternation();
    const bool last = asked != flush_done_;
    if (!last && now - flushed < kFlushEvery) continue;
    flushed = now;
    // Not after the end record, which must be the last one in the file.
    if (last || !ended_.load(std::memory_order_relaxed)) {
      epoch_.fetch_add(1, std::memory_order_relaxed);
      const std::scoped_lock lock(notes_mutex_);
      notes_.anchors.push_back({Now(), UnixNow()});
    }
    if (GpuSource* gpu = gpu_.load(std::memory_order_acquire)) gpu->Flush(last);
    if (last) {
      const std::scoped_lock lock(requests_mutex_);
      flush_done_ = asked;
      requests_.notify_all();
    }
  }
}

// By the writer thread. Threads are often named some time after they started.
void Session::ReadThreadNames() {
  std::vector<int64_t> threads;
  {
    const std::scoped_lock lock(logs_mutex_);
    for (const ThreadLog* log : logs_) {
      if (!log->finished.load(std::memory_order_acquire)) threads.push_back(log->thread());
    }
  }
  for (const int64_t thread : threads) {
    std::string name =
        ReadSmallFile(("/proc/self/task/" + std::to_string(thread) + "/comm").c_str());
    if (!name.empty() && name.back() == '\n') name.pop_back();
    if (name.empty()) continue;
    bool known = false;
    for (auto& [other, other_name] : thread_names_) {
      if (other != thread) continue;
      known = true;
      if (other_name != name) {
        other_name = name;
        NameThread(thread, name);
      }
    }
    if (!known) {
      thread_names_.emplace_back(thread, name);
      NameThread(thread, name);
    }
  }
}

void Session::Flush(bool last) {
  if (own_thread) return;
  if (last) ended_ = true;
  std::unique_lock lock(requests_mutex_);
  if (last) {
    const uint64_t flush = ++flush_asked_;
    requests_.notify_all();
    requests_.wait_for(lock, kFlushTimeout, [&] { return flush_done_ >= flush; });
    lock.unlock();
    Fact("ended", "exit");
    {
      const std::scoped_lock alternation(alternation_mutex_);
      const std::string missing = alternation_.Missing();
      if (!missing.empty()) Fact("clean_steps_missing", missing);
    }
    lock.lock();
    end_asked_ = true;
  }
  const uint64_t write = ++write_asked_;
  WakeWriter();
  requests_.wait_for(lock, kFlushTimeout, [&] { return write_done_ >= write; });
}

}  // namespace warpsight::agent
