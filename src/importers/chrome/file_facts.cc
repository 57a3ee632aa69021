#include "importers/chrome/file_facts.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "importers/chrome/json_text.h"
#include "importers/chrome/number.h"

namespace warpsight::importers::chrome {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// In the year 2116. Its sum with any time of the file does not overflow.
constexpr int64_t kLatestBase = int64_t{1} << 62;

int64_t IntegerAt(const object& o, const char* key) {
  int64_t value = kMissing;
  return o[key].get(value) == simdjson::SUCCESS ? value : kMissing;
}

std::string_view TextAt(const object& o, const char* key) {
  std::string_view value;
  return o[key].get(value) == simdjson::SUCCESS ? value : std::string_view();
}

void AddDevice(const object& o, TracePart& part) {
  const int64_t ordinal = IntegerAt(o, "id");
  if (ordinal == kMissing) return;
  const size_t row = Index(part.Device(ordinal));
  DevicesTable& t = part.tables.devices;
  t.name[row] = part.Intern(TextAt(o, "name"));
  t.compute_major[row] = IntegerAt(o, "computeMajor");
  t.compute_minor[row] = IntegerAt(o, "computeMinor");
  t.sms[row] = IntegerAt(o, "numSms");
  t.memory_bytes[row] = IntegerAt(o, "totalGlobalMem");
  t.threads_per_sm[row] = IntegerAt(o, "maxThreadsPerMultiprocessor");
  t.regs_per_sm[row] = IntegerAt(o, "regsPerMultiprocessor");
  t.shared_per_sm[row] = IntegerAt(o, "sharedMemPerMultiprocessor");
  t.warp_size[row] = IntegerAt(o, "warpSize");
}

constexpr std::string_view kExportedKey = "warpsightExport";

// The fields that `warpsight export` generated from other tables.
std::vector<std::string> AddedFields(const std::vector<TopLevelField>& fields) {
  std::vector<std::string> added;
  simdjson::dom::parser parser;
  for (const auto& [key, value] : fields) {
    object exported;
    array keys;
    if (key != kExportedKey || parser.parse(value).get(exported) != simdjson::SUCCESS) continue;
    if (exported["added"].get(keys) != simdjson::SUCCESS) continue;
    for (const element& item : keys) {
      std::string_view name;
      if (item.get(name) == simdjson::SUCCESS) added.emplace_back(name);
    }
  }
  return added;
}

}  // namespace

bool IsExported(const std::vector<TopLevelField>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](const TopLevelField& field) { return field.first == kExportedKey; });
}

void AddFileFacts(const std::vector<TopLevelField>& fields, TracePart& part,
                  TraceBuilder& builder) {
  simdjson::dom::parser parser;
  const std::vector<std::string> added = AddedFields(fields);
  for (const auto& [raw_key, raw_value] : fields) {
    if (raw_key == kExportedKey) continue;
    const std::string key = RepairUtf8(raw_key);
    const std::string value = RepairUtf8(raw_value);
    if (std::find(added.begin(), added.end(), key) == added.end()) {
      part.tables.metadata.source.push_back(part.source());
      part.tables.metadata.key.push_back(part.Intern(key));
      part.tables.metadata.value.push_back(part.Intern(value));
    }

    if (key == "baseTimeNanoseconds") {
      const auto base = ParseInteger(value);
      if (base && *base >= 0 && *base < kLatestBase) {
        builder.SetUnixBase(part.source(), *base);
      } else {
        part.Log("bad_field", kMissing, "baseTimeNanoseconds is not a time");
      }
      continue;
    }
    element root;
    const bool wanted =
        key == "deviceProperties" || key == "computeProperties" || key == "distributedInfo";
    if (!wanted) continue;
    if (const auto error = parser.parse(value).get(root)) {
      part.Log("bad_field", kMissing,
               fmt::format("{} could not be read: {}", key, simdjson::error_message(error)));
      continue;
    }
    array devices;
    object info;
    if (key == "distributedInfo") {
      if (root.get(info) == simdjson::SUCCESS) {
        builder.SetRank(part.source(), IntegerAt(info, "rank"), IntegerAt(info, "world_size"),
                        TextAt(info, "backend"));
      }
    } else if (root.get(devices) == simdjson::SUCCESS) {
      for (const element& item : devices) {
        if (object device; item.get(device) == simdjson::SUCCESS) AddDevice(device, part);
      }
    }
  }
}

}  // namespace warpsight::importers::chrome
