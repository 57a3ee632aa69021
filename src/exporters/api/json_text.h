#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace warpsight {

// Appends JSON to a text; the caller adds commas and brackets.
class JsonText {
 public:
  explicit JsonText(std::string& out) : out_(out) {}

  void Raw(std::string_view text) { out_.append(text); }
  void Integer(int64_t value) {
    const fmt::format_int digits(value);
    out_.append(digits.data(), digits.size());
  }
  // With the shortest digits that represent the same number.
  void Real(double value) { fmt::format_to(std::back_inserter(out_), "{}", value); }
  // Nanoseconds as microseconds with three decimals, which is exact.
  void Microseconds(int64_t nanoseconds);
  // Invalid UTF-8 becomes U+FFFD.
  void Quoted(std::string_view text) { AppendJsonString(text, out_); }
  // Writes the text as a number if it is a valid JSON number, otherwise as a string.
  void NumberOrText(std::string_view text);

  std::string& out() { return out_; }

 private:
  std::string& out_;
};

// Whether the text can be put between quotes in JSON without escapes.
bool IsJsonStringContent(std::string_view text);

}  // namespace warpsight
