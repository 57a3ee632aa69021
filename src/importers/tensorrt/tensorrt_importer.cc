// Reads what TensorRT's trtexec exports as JSON: the average time of each layer (--exportProfile),
// or the times of each inference (--exportTimes).
#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "importers/api/importer.h"
#include "importers/tensorrt/json_records.h"
#include "importers/tensorrt/rows.h"

namespace warpsight::importers::tensorrt {
namespace {

// Whether the text is an array whose first objects have the fields of one of the exports.
bool Sniff(std::string_view head) {
  JsonRecords records(head);
  for (int i = 0; i < 2; ++i) {
    const std::string_view record = records.Next();
    const auto has = [&](std::string_view key) { return Contains(record, key); };
    if (has("\"averageMs\"") && has("\"name\"")) return true;
    if (has("\"startEnqMs\"") && has("\"startComputeMs\"")) return true;
    if (!has("\"count\"")) return false;
  }
  return false;
}

Status Import(ImportContext& context) {
  auto bytes = context.whole.Bytes();
  if (!bytes.ok()) return bytes.error();
  TracePart part(context.source);
  Rows rows(part);
  JsonRecords records({bytes->data(), bytes->size()});
  simdjson::dom::parser parser;
  int64_t events = 0;
  for (std::string_view text = records.Next(); !text.empty(); text = records.Next()) {
    if (++events % 1024 == 0 && context.MustStop()) break;
    simdjson::dom::object record;
    const bool is_record =
        parser.parse(RepairUtf8(text)).get(record) == simdjson::SUCCESS && rows.Add(record);
    if (!is_record) part.Log("bad_record", records.offset(), "neither a layer nor an inference");
  }
  if (Status status = context.CheckStopped(); !status.ok()) return status;
  if (events == 0) {
    return Error{fmt::format("{}: offset {}: expected an array of layers or inferences",
                             context.path, records.offset())};
  }
  if (records.end() == JsonRecords::End::kCut) {
    part.Log("truncated", records.offset(), "the file ends before the array");
  } else if (records.end() == JsonRecords::End::kDamaged) {
    part.Log("gave_up", records.offset(), "expected an object or the end of the array");
  }
  if (rows.layers() > 0) {
    part.Log("made_up_times", kMissing,
             "the file contains only the average time of each layer: layers are placed one after "
             "the other, as one iteration");
  }
  if (const std::string damage = context.bytes.damage(); !damage.empty()) {
    part.Log("damaged_compression", kMissing, damage + "; the part before it was read");
  }
  context.builder.AddEvents(context.source, events);
  context.builder.Add(std::move(part));
  return {};
}

}  // namespace

Importer Define() {
  return {"tensorrt", "TensorRT layer profiles and inference times (trtexec)", 40, Sniff, Import};
}

}  // namespace warpsight::importers::tensorrt
