#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "importers/xplane/event.h"
#include "importers/xplane/hlo_modules.h"
#include "importers/xplane/json_args.h"
#include "importers/xplane/line.h"
#include "importers/xplane/plane.h"
#include "model/hash_map.h"
#include "model/trace_builder.h"

namespace warpsight::importers::xplane {

// What the lines of a plane represent.
struct PlaneKind {
  enum class Kind { kHost, kGpu, kOther };
  Kind kind = Kind::kOther;
  int64_t device = kMissing;  // if it is a GPU
  std::string pid;            // if it is a host
};

// A step of the training loop as the profiler derived it.
struct DerivedStep {
  int64_t group;
  Interval on_gpu;
};

// The rows of a stretch of a line.
struct StretchRows {
  explicit StretchRows(SourceId source) : part(source) {}

  TracePart part;
  int64_t events = 0;
  bool has_steps = false;  // steps marked by the program
  // By group (step): the time from its first to its last event.
  HashMap<int64_t, Interval> host_spans;
  std::vector<DerivedStep> derived_steps;
};

// Makes rows from the events of one stretch. Offsets count from `file`.
class RowMaker {
 public:
  RowMaker(const Plane& plane, const PlaneKind& kind, const Line& line, HloModules& programs,
           const char* file, StretchRows& rows);

  void Read(const Line::Stretch& stretch);

 private:
  enum class Lane { kThread, kStream, kSteps, kRanges, kRepeats };
  static Lane LaneOf(const PlaneKind& kind, const Line& line);

  void Reserve(size_t events);
  void Add(const Event& event);
  void AddHost(const Event& event);
  void AddHostRange(const Event& event);
  void AddMemory(const Event& event, bool frees);
  void AddApi(const Event& event);
  void AddGpu(const Event& event);
  void AddGpuExtra(const Event& event);
  void AddGpuAnnotation(const Event& event);
  void AddStep(const Event& event);
  void NoteGroup(const Event& event);

  // Facts that follow from the name of an event alone.
  struct NameFacts {
    StringId name = StringId::kEmpty;
    bool api_function = false;
    bool allocates = false, frees = false;
    // As a range on the CPU.
    HostKind kind = HostKind::kAnnotation;
    StringId op_name = StringId::kEmpty, op_type = StringId::kEmpty, op_path = StringId::kEmpty;
  };
  struct ApiFunction {
    StringId name = StringId::kEmpty;
    ApiKind kind = ApiKind::kRuntime;
    bool is_record_name = false;
  };
  struct GpuOp {
    StringId name, type, path;
    HloCost cost;
  };
  using StatFilter = bool (*)(StatKind);

  StringId Text(std::string_view text);
  const NameFacts& FactsOf(const EventName& name);
  ApiFunction FunctionOf(const Event& event);
  GpuOp OpOf(const Event& event);
  // A key of the name and the encoded stats selected by `wanted`: events with equal keys have the
  // same results, if these depend on nothing else. Valid until the next call.
  const std::string& KeyOf(const Event& event, StatFilter wanted);
  // The stats that have no column in the row's table as JSON, with the event's name under
  // `name_key` if that is not empty.
  StringId Args(const Event& event, StatFilter is_argument, std::string_view name_key = "");
  // The same for GPU work, with the cost of its op.
  StringId GpuArgs(const Event& event, const HloCost& cost);
  StringId MakeArgs(const Event& event, StatFilter is_argument, std::string_view name_key,
                    const HloCost& cost);
  LaunchConfigId Launch(std::string_view details);
  StreamId StreamOf(int64_t stream);
  int64_t OffsetOf(const char* place) const { return place - file_; }

  const Plane& plane_;
  const PlaneKind& kind_;
  const Line& line_;
  HloModules& programs_;
  const char* file_;
  StretchRows& rows_;
  TracePart& part_;
  Lane lane_;
  int64_t stream_ = kMissing;
  ThreadId thread_ = kNone<ThreadId>;                       // for lines of a host
  std::pair<int64_t, Interval*> group_{kMissing, nullptr};  // the last group that was used
  std::string buffer_;
  std::string key_;
  JsonArgs json_;
  HashMap<const EventName*, NameFacts> names_;
  HashMap<const EventName*, ApiFunction> functions_;
  HashMap<std::string, StringId> args_;
  HashMap<std::string, GpuOp> ops_;
  HashMap<std::string_view, LaunchConfigId> launches_;
};

}  // namespace warpsight::importers::xplane
