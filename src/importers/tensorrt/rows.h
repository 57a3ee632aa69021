#pragma once

#include <cstdint>
#include <string_view>

#include <simdjson.h>

#include "model/trace_builder.h"

namespace warpsight::importers::tensorrt {

// Makes rows of the records of trtexec's two exports.
//
// --exportProfile gives one average time per layer and nothing else. Layers become GPU work, which
// names the layer as its op, laid one after the other from 0 on: one iteration.
//
// --exportTimes gives when each inference was enqueued and when its copies and its computing began
// and ended. An inference becomes a step with one call on the CPU that started this work.
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
