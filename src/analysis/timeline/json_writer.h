#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/text/json_text.h"

namespace warpsight {

// Writes JSON from front to back; the caller opens and closes what is around. Members are named,
// and elements of lists have empty names.
class JsonWriter {
 public:
  JsonWriter& Open(std::string_view name, char bracket) {
    Name(name);
    out_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }
  JsonWriter& Text(std::string_view name, std::string_view value) {
    Name(name);
    AppendJsonString(value, out_);
    return *this;
  }
  JsonWriter& Number(std::string_view name, int64_t value) {
    Name(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
    return *this;
  }
  JsonWriter& Null(std::string_view name) {
    Name(name);
    out_ += "null";
    return *this;
  }
  // null where the value is `missing`.
  JsonWriter& NumberOrNull(std::string_view name, int64_t value, int64_t missing) {
    return value == missing ? Null(name) : Number(name, value);
  }
  // 100 * part / whole with two decimals; null where the whole is nothing.
  JsonWriter& Percent(std::string_view name, int64_t part, int64_t whole) {
    if (whole == 0) return Null(name);
    Name(name);
    fmt::format_to(std::back_inserter(out_), "{:.2f}",
                   100.0 * static_cast<double>(part) / static_cast<double>(whole));
    return *this;
  }

  std::string Take() { return std::move(out_); }

 private:
  void Name(std::string_view name) {
    if (!first_) out_ += ", ";
    first_ = false;
    if (name.empty()) return;
    AppendJsonString(name, out_);
    out_ += ": ";
  }

  std::string out_;
  bool first_ = true;
};

}  // namespace warpsight
