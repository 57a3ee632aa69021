#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace warpsight::exporters::chrome {

// The arguments of one record, with Kineto's names. Missing values are omitted. Reused for all
// records, so that its memory is, too.
class ArgsWriter {
 public:
  void Clear();

  void Integer(std::string_view key, int64_t value);
  void Real(std::string_view key, double value);
  void Text(std::string_view key, std::string_view text);  // "" is missing
  void Json(std::string_view key, std::string_view json);  // "" is missing

  // Appends ,"args":{...} to `out`, or nothing if there are no arguments. `original` contains all
  // arguments of the imported record, if some of them have no column. It is written unchanged if it
  // agrees with the columns, otherwise in addition to them.
  enum class Original { kNone, kEmpty, kGiven };
  void Append(Original state, std::string_view original, std::string& out) const;

 private:
  struct Field {
    std::string_view key;
    size_t begin, end;  // position of its value in text_
  };
  std::string_view ValueOf(const Field& field) const {
    return std::string_view(text_).substr(field.begin, field.end - field.begin);
  }
  std::string& Begin(std::string_view key);
  void End() { fields_.back().end = text_.size(); }
  bool SaysTheSame(std::string_view original) const;

  std::string text_;
  std::vector<Field> fields_;
};

}  // namespace warpsight::exporters::chrome
