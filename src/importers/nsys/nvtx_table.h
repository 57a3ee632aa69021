#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "importers/nsys/nvtx_domains.h"
#include "importers/nsys/table_part.h"

namespace warpsight::importers::nsys {

// Some rows of NVTX_EVENTS, read by one thread.
struct NvtxRows {
  struct Range {
    TimeNs start;
    TimeNs end;  // kMissing for ranges that were still open, and for marks
    int64_t global_tid;
    std::string_view text;  // in `texts` or in the shared strings
    int64_t domain = 0;
    bool ended_elsewhere = false;  // on another thread than the one on which it began
  };
  std::vector<Range> nested;   // push/pop
  std::vector<Range> started;  // start/end
  std::vector<Range> marks;
  NvtxDomains domains;        // that were created
  TimeNs latest = INT64_MIN;  // the latest of all starts and ends
  // The texts that are not shared; they do not move.
  std::unique_ptr<std::string> texts = std::make_unique<std::string>();
  // Whether the meaning of some ranges depends on the ranges around them: markers of PyProf and
  // XLA.
  bool nesting_matters = false;
};

NvtxRows ReadNvtx(const SqliteDatabase& database, std::string_view rows, TablePart& part);

// Data that the ranges of all blocks share.
struct NvtxContext {
  NvtxDomains domains;
  TimeNs latest = INT64_MIN;
};

// Adds the rows of the ranges in `blocks`. Push/pop ranges are sorted first, since PyProf's markers
// apply to nested ranges. Names outside the default domain are written as in Nsight Systems,
// "MPI:MPI_Send".
void AddNvtxRows(const std::vector<NvtxRows*>& blocks, const NvtxContext& context, TablePart& part);

}  // namespace warpsight::importers::nsys
