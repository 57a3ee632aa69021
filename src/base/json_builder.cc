#include "base/json_builder.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json_text.h"
#include "base/units.h"

namespace warpsight {

JsonObject& JsonObject::Json(std::string_view key, std::string_view value) {
  if (text_.size() > 1) text_ += ", ";
  AppendJsonString(key, text_);
  text_ += ": ";
  text_ += value;
  return *this;
}

JsonObject& JsonObject::Text(std::string_view key, std::string_view value) {
  return Json(key, JsonString(value));
}

JsonObject& JsonObject::Integer(std::string_view key, int64_t value) {
  return Json(key, value == kMissing ? "null" : fmt::format("{}", value));
}

JsonObject& JsonObject::Real(std::string_view key, double value) {
  return Json(key, std::isfinite(value) ? fmt::format("{}", value) : "null");
}

JsonObject& JsonObject::YesNo(std::string_view key, bool value) {
  return Json(key, value ? "true" : "false");
}

JsonArray& JsonArray::Text(std::string_view value) { return Json(JsonString(value)); }

JsonArray& JsonArray::Json(std::string_view value) {
  text_ += text_.size() > 1 ? ",\n" : "\n";
  text_ += value;
  return *this;
}

}  // namespace warpsight
