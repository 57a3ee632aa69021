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
    TimeNs end;  // kMissing where it was still open; of marks always
    int64_t global_tid;
    std::string_view text;  // in `texts` or in the shared strings
    int64_t domain = 0;
    bool ended_elsewhere = false;  // on another thread than it began on
  };
  std::vector<Range> nested;   // push/pop
  std::vector<Range> started;  // start/end
  std::vector<Range> marks;
  NvtxDomains domains;        // that were made
  TimeNs latest = INT64_MIN;  // of all starts and ends
  // Holds the texts that are not shared; it does not move.
  std::unique_ptr<std::string> texts = std::make_unique<std::string>();
  bool nested_in_meaning = false;  // some belong to those around them: PyProf's and XLA's markers
};

NvtxRows ReadNvtx(const SqliteDatabase& database, std::string_view rows, TablePart& part);

// What the ranges of all blocks share.
struct NvtxContext {
  NvtxDomains domains;
  TimeNs latest = INT64_MIN;
};

// Makes rows of what is in `blocks`. Push/pop ranges are put in order first: PyProf's markers
// belong to those around them. What is not in the default domain is named as Nsight Systems shows
// it, "MPI:MPI_Send".
void AddNvtxRows(const std::vector<NvtxRows*>& blocks, const NvtxContext& context, TablePart& part);

}  // namespace warpsight::importers::nsys
