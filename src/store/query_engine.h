#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/query.h"

namespace warpsight::store {

struct EngineOptions {
  std::string path;     // of the profile, for messages
  int descriptor = -1;  // the open profile
  uint64_t memory_bytes = 0;
  unsigned threads = 1;
};

// Runs SQL in this process, which the statement may crash or exhaust: use it only in the process
// that RunQuery() starts. Otherwise, the contract is that of RunQuery().
Status RunQueryHere(const EngineOptions& options, const std::string& sql, QuerySink& sink);

}  // namespace warpsight::store
