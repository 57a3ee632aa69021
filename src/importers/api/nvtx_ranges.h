#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "importers/api/host_row.h"
#include "importers/api/torch_markers.h"
#include "importers/api/tsl_text.h"
#include "model/trace_builder.h"

namespace warpsight {

// A range of NVTX.
struct NvtxRange {
  TimeNs start;
  TimeNs end;
  ThreadId thread;
  std::string_view text;
  std::string_view domain = {};  // its name, where it is known
  bool in_default_domain = true;
};

// The name of a range or mark that is none of PyTorch's: with its domain, as Nsight Systems shows
// it, "MPI:MPI_Send".
std::string NvtxName(std::string_view text, std::string_view domain);

// Turns the NVTX ranges of a trace into rows of nvtx_ranges, as they are, and of host_ranges:
// markers of PyTorch and XLA become ops with what they say about them, everything else annotations.
// Push/pop ranges of one thread come in order of their start, an enclosing one before those inside
// it.
class NvtxRanges {
 public:
  explicit NvtxRanges(TracePart& part) : part_(part) {}

  // A push/pop range.
  void Add(const NvtxRange& range);
  // A start/end range. Such need not nest and may end on another thread, so that host_ranges has
  // them on `lane`. `range.thread` is where it began, or `lane` if it ended elsewhere.
  void AddStartEnd(const NvtxRange& range, ThreadId lane);
  // A range that a recorder marked with a name that host_ranges shows as it is.
  void AddNamed(const NvtxRange& range, HostKind kind);
  // A range of host_ranges that is not one of NVTX.
  void AddOther(const NvtxRange& range, HostKind kind);

 private:
  // A module that XLA runs, and the scope that the names of its ops begin with.
  struct Module {
    TimeNs end;
    std::string name;
    std::string scope;
  };

  // Where the function whose call follows was called from.
  struct Place {
    TimeNs end;
    StringId path;
    StringId call_stack;
  };

  void Record(const NvtxRange& range, NvtxStyle style);
  void AddEmitted(const NvtxRange& range, const EmittedMarker& marker);
  void AddPyprof(const NvtxRange& range, const PyprofMarker& marker);
  void AddTsl(const NvtxRange& range, const xla::TslText& text);
  HostRow Row(const NvtxRange& range, HostKind kind, std::string_view name);
  HostExtraId Extra(const NvtxRange& call);
  // Those of the range's thread that are still open where it begins.
  template <typename Open>
  static std::vector<Open>& OpenAt(const NvtxRange& range, std::vector<std::vector<Open>>& all);

  TracePart& part_;
  std::vector<std::vector<Place>> places_;    // by thread: those that are open, outermost first
  std::vector<std::vector<Module>> modules_;  // the same
};

}  // namespace warpsight
