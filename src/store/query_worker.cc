#include "store/query_worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "store/query_engine.h"
#include "store/query_protocol.h"

namespace warpsight {
namespace store {
namespace {

constexpr int kFailed = 1;
// Slightly more than are needed: the standard streams, the socket, the profile, and the descriptors
// with which DuckDB opens it again.
constexpr rlim_t kMaxDescriptors = 32;

bool ReceiveAll(char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t got = recv(kWorkerSocket, bytes, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

bool SendAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(kWorkerSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

Result<QueryRequest> ReceiveRequest() {
  uint32_t length = 0;
  std::string payload;
  if (!ReceiveAll(reinterpret_cast<char*>(&length), sizeof length)) return Error{"no request"};
  payload.resize(length);
  if (!ReceiveAll(payload.data(), payload.size())) return Error{"no request"};
  return DecodeRequest(payload);
}

bool Limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  getrlimit(resource, &now);
  // Lower limits set by the user stay in effect.
  const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  return setrlimit(resource, &wanted) == 0;
}

bool LimitMemory(uint64_t bytes) {
#ifdef WARPSIGHT_SANITIZED
  (void)bytes;  // sanitizers reserve terabytes
  return true;
#else
  return Limit(RLIMIT_AS, bytes, bytes);
#endif
}

// If memory is low, the kernel kills this process first.
void PreferAsOomVictim() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t ignored = write(file, "1000", 4);
  (void)ignored;
  close(file);
}

bool DropPrivileges(const QueryRequest& request) {
  PreferAsOomVictim();
  // Exceeding the file size limit must be an error instead of a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  if (request.nice > 0) setpriority(PRIO_PROCESS, 0, static_cast<int>(request.nice));
  bool limited = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  limited = Limit(RLIMIT_CORE, 0, 0) && limited;
  limited = Limit(RLIMIT_FSIZE, 0, 0) && limited;
  limited = Limit(RLIMIT_NOFILE, kMaxDescriptors, kMaxDescriptors) && limited;
  limited = LimitMemory(request.process_bytes) && limited;
  if (request.cpu_seconds > 0) {
    limited = Limit(RLIMIT_CPU, request.cpu_seconds, request.cpu_seconds + 1) && limited;
  }
  return limited;
}

int Work() {
  // If the parent dies, this process is killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_range(kWorkerProfile + 1, ~0U, 0);
  const auto request = ReceiveRequest();
  if (!request.ok() || getppid() != request->parent) return kFailed;
  if (!DropPrivileges(*request)) return kFailed;
  FrameWriter writer(SendAll, request->row_bytes);
  const EngineOptions options{request->path, kWorkerProfile, request->memory_bytes,
                              static_cast<unsigned>(request->threads)};
  writer.Finish(RunQueryHere(options, request->sql, writer));
  return 0;
}

}  // namespace
}  // namespace store

bool RanQueryWorker(int argc, char** argv) {
  if (argc != 2 || argv[1] != kQueryWorkerArgument) return false;
  int exit_code = store::kFailed;
  try {
    exit_code = store::Work();
  } catch (const std::exception&) {  // out of memory: the parent notices the missing final frame
  }
  // Exit without destructors: there is nothing to clean up, and state may be corrupt.
  _exit(exit_code);
}

}  // namespace warpsight
