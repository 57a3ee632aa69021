#include "store/query.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/json_text.h"
#include "base/spawn.h"
#include "store/query_protocol.h"
#include "store/query_worker.h"

namespace warpsight {
namespace {

using Clock = std::chrono::steady_clock;
using store::FrameReader;
using store::QueryRequest;

// How often time, memory and cancellation are checked.
constexpr auto kWatchInterval = std::chrono::milliseconds(20);
// The program's own code, libraries and buffers: measured at 35 MB, with 220 MB of address space.
// Sanitizers need more of both.
#ifdef WARPSIGHT_SANITIZED
constexpr uint64_t kBytesPerByte = 4;
constexpr uint64_t kCodeBytes = 1 << 30;
#else
constexpr uint64_t kBytesPerByte = 2;
constexpr uint64_t kCodeBytes = 64 << 20;
#endif
constexpr uint64_t kCodeAddresses = 384 << 20;
// The address space for a thread's stack and its heap of the C library, of which little is used.
constexpr uint64_t kThreadAddresses = 80 << 20;
constexpr uint64_t kBackgroundNice = 5;

uint64_t MachineMemory() {
  const auto pages = static_cast<uint64_t>(std::max(1L, sysconf(_SC_PHYS_PAGES)));
  uint64_t bytes = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream container("/sys/fs/cgroup/memory.max");
  uint64_t most = 0;
  if (container >> most) bytes = std::min(bytes, most);
  return bytes;
}

// DuckDB does not count the values that it is processing, 2048 rows of each column.
uint64_t ProcessMemory(uint64_t memory_bytes) { return memory_bytes * kBytesPerByte + kCodeBytes; }

QueryRequest MakeRequest(const HeldFile& file, const std::string& sql, const QueryLimits& limits) {
  QueryRequest request;
  request.parent = getpid();
  request.threads =
      limits.threads != 0 ? limits.threads : std::max(1U, std::thread::hardware_concurrency());
  request.memory_bytes = limits.memory_bytes != 0 ? limits.memory_bytes : MachineMemory() / 5 * 2;
  request.process_bytes =
      ProcessMemory(request.memory_bytes) + kCodeAddresses + request.threads * kThreadAddresses;
  // The wall-clock limit normally ends the query first, unless this process is stopped.
  if (limits.time.count() != 0) {
    request.cpu_seconds = (static_cast<uint64_t>(limits.time.count()) / 1000 + 2) * request.threads;
  }
  request.row_bytes = std::min<uint64_t>(limits.row_bytes, UINT32_MAX / 2);
  request.nice = limits.background ? kBackgroundNice : 0;
  request.path = file.path();
  request.sql = sql;
  return request;
}

// The process that runs a query. It is ended with this object.
class WorkerProcess {
 public:
  static Result<WorkerProcess> Start(const HeldFile& file) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return Error{fmt::format("the query cannot be started: {}", std::strerror(errno)),
                   "not-started"};
    }
    Descriptor socket(ends[0]);
    const Descriptor other_end(ends[1]);
    SpawnOptions options;
    options.descriptors = {{STDIN_FILENO, -1},
                           {STDOUT_FILENO, -1},
                           {STDERR_FILENO, -1},
                           {store::kWorkerSocket, ends[1]},
                           {store::kWorkerProfile, file.descriptor()}};
    options.close_from = store::kWorkerProfile + 1;
    options.new_session = true;
    const auto process =
        Spawn("/proc/self/exe", {"warpsight", std::string(kQueryWorkerArgument)}, options);
    if (!process.ok()) {
      return Error{"the query cannot be started: " + process.error().message, "not-started"};
    }
    return WorkerProcess(*process, std::move(socket));
  }

  WorkerProcess(WorkerProcess&& other) noexcept
      : process_(std::exchange(other.process_, -1)), socket_(std::move(other.socket_)) {}
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess() {
    if (process_ >= 0) End();
  }

  int socket() const { return socket_.get(); }

  // Kills the process if it still runs, and returns its exit status.
  int End() {
    kill(process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  // 0 if the process has ended.
  uint64_t ResidentBytes() const {
    std::array<char, 128> text{};
    const Descriptor file(
        open(fmt::format("/proc/{}/statm", process_).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.ok()) return 0;
    const ssize_t got = read(file.get(), text.data(), text.size() - 1);
    unsigned long total = 0;
    unsigned long resident = 0;
    if (got <= 0 || std::sscanf(text.data(), "%lu %lu", &total, &resident) != 2) return 0;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }

 private:
  WorkerProcess(pid_t process, Descriptor socket) : process_(process), socket_(std::move(socket)) {}

  pid_t process_;
  Descriptor socket_;
};

class RunningQuery {
 public:
  RunningQuery(WorkerProcess& worker, const QueryRequest& request, QuerySink& sink,
               const QueryLimits& limits)
      : worker_(worker),
        request_(request),
        limits_(limits),
        unsent_(EncodeRequest(request)),
        reader_(sink, request.row_bytes + (uint64_t{1} << 20)) {}

  Status Run() {
    std::string buffer(256 << 10, '\0');
    for (;;) {
      if (Status status = Watch(); !status.ok()) return status;
      pollfd events{worker_.socket(), POLLIN, 0};
      if (!unsent_.empty()) events.events |= POLLOUT;
      if (poll(&events, 1, static_cast<int>(kWatchInterval.count())) <= 0) continue;
      if ((events.revents & POLLOUT) != 0) SendSome();
      if ((events.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      const ssize_t got = recv(worker_.socket(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got <= 0) return EndedEarly();
      const auto state = reader_.Read({buffer.data(), static_cast<size_t>(got)});
      if (state != FrameReader::State::kOpen) return StatusOf(state);
    }
  }

 private:
  // An Error if the query must be stopped.
  Status Watch() {
    const auto now = Clock::now();
    if (limits_.time.count() != 0 && now - begin_ >= limits_.time) return TimeIsOver();
    if (now < next_watch_) return {};
    next_watch_ = now + kWatchInterval;
    if (limits_.cancelled && limits_.cancelled()) {
      return Error{"the query was canceled", "query-stopped"};
    }
    if (worker_.ResidentBytes() > ProcessMemory(request_.memory_bytes)) return TooMuchMemory();
    return {};
  }

  void SendSome() {
    const ssize_t sent =
        send(worker_.socket(), unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      unsent_.erase(0, static_cast<size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      unsent_.clear();  // the process has ended; the next read reports that
    }
  }

  Status StatusOf(FrameReader::State state) const {
    switch (state) {
      case FrameReader::State::kDone:
      case FrameReader::State::kStopped:
        return {};
      case FrameReader::State::kFailed:
        return reader_.error().code == store::kOutOfMemory ? TooMuchMemory() : reader_.error();
      default:
        return Crashed();
    }
  }

  // The process closed its side without a final frame: it gets no more time to end.
  Status EndedEarly() {
    const int status = worker_.End();
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return TimeIsOver();
    return Crashed();
  }

  Status TimeIsOver() const {
    return Error{fmt::format("the query was stopped after {} s", limits_.time.count() / 1000.0),
                 "timeout"};
  }
  Status TooMuchMemory() const {
    return Error{fmt::format("the query was stopped: it used more than {} MB of memory",
                             request_.memory_bytes >> 20),
                 "query-stopped"};
  }
  static Error Crashed() {
    return Error{"the query was stopped: it used too much memory or crashed the database engine",
                 "query-stopped"};
  }

  WorkerProcess& worker_;
  const QueryRequest& request_;
  const QueryLimits& limits_;
  std::string unsent_;
  FrameReader reader_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_watch_ = begin_;
};

}  // namespace

void AppendJsonValue(const QueryColumn& column, const QueryCell& cell, std::string& out) {
  if (!cell || *cell == "inf" || *cell == "-inf" || *cell == "nan") {
    out += "null";
  } else if (column.kind == QueryColumn::Kind::kText) {
    AppendJsonString(*cell, out);
  } else {
    out += *cell;
  }
}

Status RunQuery(const HeldFile& file, const std::string& sql, QuerySink& sink,
                const QueryLimits& limits) {
  auto worker = WorkerProcess::Start(file);
  if (!worker.ok()) return worker.error();
  const QueryRequest request = MakeRequest(file, sql, limits);
  return RunningQuery(*worker, request, sink, limits).Run();
}

Status RunQuery(const std::string& path, const std::string& sql, QuerySink& sink,
                const QueryLimits& limits) {
  auto file = HeldFile::Open(path);
  if (!file.ok()) return file.error();
  return RunQuery(*file, sql, sink, limits);
}

}  // namespace warpsight
