#pragma once

#include <cstdint>
#include <string_view>

#include <simdjson.h>

#include "model/trace_builder.h"

namespace warpsight::importers::tensorrt {

// Converts the records of trtexec's two exports to rows. --exportProfile contains only one average
// time per layer. Layers become GPU work that names the layer as its op, placed one after the other
// from time 0: one iteration. --exportTimes contains when each inference was enqueued and when its
// copies and its compute began and ended. An inference becomes a step with one call on the CPU that
// started this work.
class Rows {
 public:
  explicit Rows(TracePart& part) : part_(part) {}

  // False when the record is of neither kind.
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
