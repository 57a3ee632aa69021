#pragma once

#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/alternation.h"
#include "agent/core/capture_file.h"
#include "agent/core/options.h"
#include "agent/core/thread_log.h"
#include "agent/core/windows.h"
#include "agent/core/writer.h"

namespace warpsight::agent {

// The source of GPU records.
class GpuSource {
 public:
  // By the service thread. `last`: the program is about to end; waits for work in flight.
  virtual void Flush(bool last) = 0;
  // By the writer's thread: hands over what has arrived.
  virtual void Drain(Writer& writer) = 0;
  // By the writer's thread, after everything was handed over.
  virtual void Finish(Writer& writer) = 0;
  // By any thread, one at a time: records no more launches, calls and so on, or does again. Work
  // that was launched before is still recorded when it runs.
  virtual void SetActive(bool /*active*/) {}
  // By any thread: another profiler has recorded in this process.
  virtual void OtherEnds(std::string_view /*who*/, TimeNs /*since*/) {}

 protected:
  ~GpuSource() = default;
};

// The recording of this process: the logs of its threads, the writer thread, and the thread that
// flushes GPU records. Created once and never destroyed, since callbacks may come until the process
// ends.
class Session {
 public:
  static constexpr uint32_t kFirstFreeText = ThreadLog::kRingFull + 1;

  // The session of this process; null where nothing is recorded, also after a fork.
  static Session* Live() { return live_.load(std::memory_order_acquire); }
  // Begins the recording where the environment asks for it and it has not begun.
  static Session* Attach();

  // The calling thread's log; null where nothing is recorded, and on the agent's own threads.
  static ThreadLog* Log();

  const Options& options() const { return options_; }
  Windows& windows() { return windows_; }
  // Whether what begins now is recorded.
  bool recording() const {
    return windows_.open() && active_.load(std::memory_order_relaxed) != 0 &&
           !gave_up_.load(std::memory_order_relaxed);
  }
  // 0 in a clean stretch, for those who must know it before they do anything.
  static const int* Active() {
    // Of the same size and form, which readers in other languages rely on.
    static_assert(sizeof(active_) == sizeof(int) && std::atomic<int>::is_always_lock_free);
    return reinterpret_cast<const int*>(&active_);
  }

  // A boundary between steps, of the calling thread.
  void Boundary(StepSource source, int64_t name);
  // The program does what must be recorded: recording begins a little later, on the service thread,
  // if it is paused. Callers may be inside CUPTI.
  void RecordSoon();
  // Clean stretches are impossible.
  void RecordAll(std::string why);
  // The program uses CUDA graphs, with which they are impossible. As RecordSoon.
  void RecordGraphs();
  // `set_active` is called when recording begins or ends, one call at a time; for all sessions of
  // the process.
  static void OnActive(void (*set_active)(int active));
  // Whether another profiler is running, as reported through Conflict.
  bool other_profiler() const { return other_profiler_.load(std::memory_order_relaxed); }

  // From here on.
  void SetGpuSource(GpuSource* source) { gpu_.store(source, std::memory_order_release); }
  bool has_gpu_source() const { return gpu_.load(std::memory_order_acquire) != nullptr; }

  void Fact(std::string_view key, std::string_view value);
  void Gap(TimeNs start, TimeNs end, int64_t lost, std::string_view reason);
  void NameThread(int64_t thread, std::string_view name);
  // The number of a text that several threads will use.
  int64_t SharedText(std::string_view text);
  // Another profiler takes over CUPTI, or releases it.
  void Conflict(std::string_view who, bool begins);

  // Writes what there is. `last`: the program is about to end.
  void Flush(bool last);

  // To be registered with atexit.
  static void AtExit();

  // For logs and writer.
  uint32_t NextText() { return next_text_.fetch_add(1, std::memory_order_relaxed); }
  uint32_t epoch() const { return epoch_.load(std::memory_order_relaxed); }
  void WakeWriter() { sem_post(&wake_writer_); }
  void GiveUp() { gave_up_.store(true, std::memory_order_relaxed); }

  // Marks the calling thread as the agent's own: nothing that it does is recorded.
  static void MarkOwnThread();

 private:
  explicit Session(Options options);

  static void AfterForkInChild();
  static void ThreadEnds(void* log);
  ThreadLog* NewLog();
  void StartThreads();
  template <void (Session::*kLoop)()>
  static void* Run(void* session);
  void WriterLoop();
  void ServiceLoop();
  void DrainAll(Writer& writer);
  void ReadThreadNames();
  void FollowAlternation();
  void SetActive(bool active);
  int64_t RecordsWritten();
  void NoteStart();
  void NoteCommand();

  static std::atomic<Session*> live_;
  static std::atomic<int> active_;

  const Options options_;
  Windows windows_;
  CaptureFile file_;
  std::atomic<GpuSource*> gpu_ = nullptr;
  std::atomic<uint32_t> next_text_ = kFirstFreeText;
  std::atomic<uint32_t> epoch_ = 0;
  std::atomic<bool> gave_up_ = false;
  std::atomic<bool> ended_ = false;  // the program came to its end, at least once
  sem_t wake_writer_{};

  // Held while recording begins or ends.
  std::mutex alternation_mutex_;
  Alternation alternation_;
  TimeNs clean_since_ = 0;
  std::atomic<bool> record_asked_ = false;
  std::atomic<bool> has_graphs_ = false;

  std::mutex logs_mutex_;
  std::vector<ThreadLog*> logs_;

  // Notes that are not a thread's own, on their way to the writer.
  std::mutex notes_mutex_;
  struct Notes {
    std::vector<std::pair<uint64_t, std::string>> texts;
    std::vector<wire::FactRecord> facts;
    std::vector<wire::GapRecord> gaps;
    std::vector<wire::ThreadRecord> threads;
    std::vector<wire::AnchorRecord> anchors;
    std::vector<wire::CleanStretchRecord> clean_stretches;
  };
  Notes notes_;
  TextTable shared_texts_;
  std::string conflict_;
  TimeNs conflict_start_ = 0;
  std::atomic<bool> other_profiler_ = false;
  // The writer's thread: names that were written, and when they were last looked for.
  std::vector<std::pair<int64_t, std::string>> thread_names_;
  uint32_t names_epoch_ = 0;

  // Requests to the two threads, and how far they came.
  std::mutex requests_mutex_;
  std::condition_variable requests_;
  uint64_t flush_asked_ = 0, flush_done_ = 0;
  uint64_t write_asked_ = 0, write_done_ = 0;
  bool end_asked_ = false;
};

}  // namespace warpsight::agent
