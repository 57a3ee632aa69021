#include "agent/core/thread_log.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/core/session.h"

namespace warpsight::agent {

ThreadLog* ThreadLog::Make(Session& session, size_t number) {
  // Few threads record much; the thousand threads of a server must not use a gigabyte.
  const size_t bytes = number < 32 ? size_t{1} << 20U : size_t{128} << 10U;
  // Touched before it is used: a page fault costs the program more than a record.
  void* ring = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (ring == MAP_FAILED) return nullptr;
  return new ThreadLog(session, static_cast<uint64_t*>(ring), bytes / sizeof(uint64_t));
}

void ThreadLog::Adopt() {
  thread_.store(static_cast<int64_t>(syscall(SYS_gettid)), std::memory_order_relaxed);
  inside_runtime = 0;
  ranges_.clear();
  ops_.clear();
  epoch_ = session_.epoch();
  finished.store(false, std::memory_order_release);
}

void ThreadLog::Commit() {
  ring_.Commit();
  records_.store(records() + 1, std::memory_order_relaxed);
  if (ring_.HalfFull()) session_.WakeWriter();
}

int64_t ThreadLog::Text(std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, kLongestText);
  const auto found = texts_.Number(text, [this] { return session_.NextText(); });
  if (!found.is_new) return found.number;
  const auto words = static_cast<uint32_t>(2 + (text.size() + 7) / 8);
  uint64_t* entry = ring_.Reserve(kText, words);
  if (entry == nullptr) {
    texts_.Forget();
    return 0;
  }
  entry[0] = found.number;
  entry[1] = text.size();
  std::memcpy(entry + 2, text.data(), text.size());
  Commit();
  return found.number;
}

int ThreadLog::CountOpen(int64_t domain, wire::RangeKind kind) const {
  int count = 0;
  for (const OpenRange& range : ranges_) {
    count += static_cast<int>(range.domain == domain && range.kind == static_cast<int64_t>(kind));
  }
  return count;
}

int ThreadLog::Push(int64_t name, int64_t domain, wire::RangeKind kind) {
  if (epoch_ != session_.epoch()) WriteOpenRanges();
  if (ranges_.size() > kMaxOpen) ranges_.erase(ranges_.begin());
  const int level = CountOpen(domain, kind);
  ranges_.push_back({Now(), name, domain, static_cast<int64_t>(kind), false});
  return level;
}

int ThreadLog::Pop(int64_t domain, wire::RangeKind kind, bool record) {
  const TimeNs end = Now();
  for (size_t i = ranges_.size(); i-- > 0;) {
    const OpenRange range = ranges_[i];
    if (range.domain != domain || range.kind != static_cast<int64_t>(kind)) continue;
    ranges_.erase(ranges_.begin() + static_cast<ptrdiff_t>(i));
    if (record || range.written) {
      Write(wire::RangeRecord{range.start, end, thread(), range.name, range.domain, range.kind});
    }
    return CountOpen(domain, kind);
  }
  return -1;
}

void ThreadLog::WriteOpenRanges() {
  epoch_ = session_.epoch();
  for (OpenRange& range : ranges_) {
    if (range.written) continue;
    range.written = true;
    Write(wire::RangeRecord{range.start, 0, thread(), range.name, range.domain, range.kind});
  }
}

void ThreadLog::BeginOp(const wire::OpRecord& op, uint64_t token) {
  if (epoch_ != session_.epoch()) WriteOpenRanges();
  if (ops_.size() > kMaxOpen) ops_.erase(ops_.begin());
  ops_.push_back({op, token});
  ops_.back().record.thread = thread();
  ops_.back().record.start = Now();  // as late as possible: our own work is not the op's
}

void ThreadLog::EndOp(uint64_t token) {
  const TimeNs end = Now();
  for (size_t i = ops_.size(); i-- > 0;) {
    if (ops_[i].token != token) continue;
    wire::OpRecord record = ops_[i].record;
    record.end = end;
    ops_.erase(ops_.begin() + static_cast<ptrdiff_t>(i));
    Write(record);
    return;
  }
}

}  // namespace warpsight::agent
