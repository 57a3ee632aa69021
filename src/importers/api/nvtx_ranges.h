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
  std::string_view domain = {};  // its name, if known
  bool in_default_domain = true;
};

// The name of a range or mark that is not one of PyTorch's: with its domain, as Nsight Systems
// shows it ("MPI:MPI_Send").
std::string NvtxName(std::string_view text, std::string_view domain);

// Adds the NVTX ranges of a trace to nvtx_ranges, unchanged, and to host_ranges: markers of PyTorch
// and XLA become ops with their properties, all others annotations. Push/pop ranges of one thread
// must be added in order of their start, enclosing ranges first.
class NvtxRanges {
 public:
  explicit NvtxRanges(TracePart& part) : part_(part) {}

  // A push/pop range.
  void Add(const NvtxRange& range);
  // A start/end range. Such ranges need not nest and may end on another thread, so host_ranges has
  // them on the separate `lane`. `range.thread` is where it began, or `lane` if it ended on another
  // thread.
  void AddStartEnd(const NvtxRange& range, ThreadId lane);
  // A range whose name needs no interpretation: host_ranges gets it unchanged.
  void AddNamed(const NvtxRange& range, HostKind kind);
  // A range for host_ranges that is not an NVTX range.
  void AddOther(const NvtxRange& range, HostKind kind);

 private:
  // A module that XLA runs, and the prefix of its ops' names.
  struct Module {
    TimeNs end;
    std::string name;
    std::string scope;
  };

  // A PyProf marker: the place from which the function in the next call marker was called.
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
  // The ranges of `range.thread` that are still open when `range` begins.
  template <typename Open>
  static std::vector<Open>& OpenAt(const NvtxRange& range, std::vector<std::vector<Open>>& all);

  TracePart& part_;
  std::vector<std::vector<Place>> places_;    // by thread: open places, outermost first
  std::vector<std::vector<Module>> modules_;  // by thread: open modules, outermost first
};

}  // namespace warpsight
