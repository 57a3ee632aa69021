#pragma once

#include <cstdint>
#include <string_view>

#include <simdjson.h>

#include "model/trace_builder.h"

namespace warpsight::importers::tensorrt {

// Converts the records of trtexec's two exports to rows. --exportProfile contains only the average
// time of each layer. Layers become GPU work that names the layer as its op; they are placed one
// after the other from time 0, as one iteration. --exportTimes contains the times at which each
// inference was enqueued, and at which its copies and its compute began and ended. An inference
// becomes a step with one call on the CPU, which started this work.
class Rows {
 public:
  explicit Rows(TracePart& part) : part_(part) {}

  // Returns false if the record belongs to neither export.
  bool Add(const simdjson::dom::object& record);

  int64_t layers() const { return layers_; }
  int64_t inferences() const { return inferences_; }

 private:
  bool AddLayer(const simdjson::dom::object& record);
  bool AddInference(const simdjson::dom::object& record);
  void AddWork(std::string_view name, GpuKind kind, CopyDirection direction, TimeNs start,
               TimeNs end, int64_t correlation);

  TracePart& part_;
  int64_t layers_ = 0;
  int64_t inferences_ = 0;
  TimeNs next_layer_ = 0;
};

}  // namespace warpsight::importers::tensorrt
