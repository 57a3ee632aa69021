#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/nsys/table_part.h"

namespace warpsight::importers::nsys {

// Some rows of NVTX_EVENTS, read by one thread.
struct NvtxRows {
  struct Range {
    TimeNs start;
    TimeNs end;
    int64_t global_tid;
    std::string_view text;                        // in `texts` or in the shared strings
    std::optional<HostKind> kind = std::nullopt;  // where the domain says it
  };
  std::vector<Range> nested;  // push/pop
  // Holds the texts that are not shared; it does not move.
  std::unique_ptr<std::string> texts = std::make_unique<std::string>();
  bool has_pyprof = false;
};

// Start/end ranges and marks become rows at once; push/pop ranges are returned.
NvtxRows ReadNvtx(const SqliteDatabase& database, std::string_view rows, TablePart& part);

// Makes rows of the ranges in `blocks`, which are put in order first: PyProf's markers belong to
// those around them.
void AddNvtxRanges(const std::vector<NvtxRows*>& blocks, TablePart& part);

// The name of a range without what JAX and TensorFlow append to it: "train#step_num=3#" is
// "train#3", "jit_f#hlo=1#" is "jit_f".
std::string WithoutTslMetadata(std::string_view text);

}  // namespace warpsight::importers::nsys
