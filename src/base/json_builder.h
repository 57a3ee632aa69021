#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace warpsight {

// Builds JSON objects and arrays piece by piece. Unknown values become null: kMissing, and reals
// that are not finite.
class JsonObject {
 public:
  JsonObject& Text(std::string_view key, std::string_view value);
  JsonObject& Integer(std::string_view key, int64_t value);
  // With enough digits to read back the same number.
  JsonObject& Real(std::string_view key, double value);
  JsonObject& YesNo(std::string_view key, bool value);
  // A value that is already JSON.
  JsonObject& Json(std::string_view key, std::string_view value);
  std::string Take() { return std::move(text_ += '}'); }

 private:
  std::string text_ = "{";
};

class JsonArray {
 public:
  JsonArray& Text(std::string_view value);
  JsonArray& Json(std::string_view value);
  std::string Take() { return std::move(text_ += ']'); }

 private:
  std::string text_ = "[";
};

}  // namespace warpsight
