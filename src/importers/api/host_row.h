#pragma once

#include <cstdint>

#include "model/trace_builder.h"

namespace warpsight {

// A row of host_ranges for NVTX ranges and similar events. The other columns are not filled: they
// have no value in any row of the part.
struct HostRow {
  TimeNs start;
  DurationNs duration;
  StringId name;
  ThreadId thread;
  HostKind kind;
  int64_t sequence = kMissing;
  SignatureId signature = kNone<SignatureId>;
  HostExtraId extra = kNone<HostExtraId>;
};

inline void Add(const HostRow& row, TracePart& part) {
  HostRangesTable& t = part.tables.host;
  t.start.push_back(row.start);
  t.duration.push_back(row.duration);
  t.name.push_back(row.name);
  t.thread.push_back(row.thread);
  t.kind.push_back(row.kind);
  t.sequence.push_back(row.sequence);
  t.signature.push_back(row.signature);
  t.extra.push_back(row.extra);
}

}  // namespace warpsight
