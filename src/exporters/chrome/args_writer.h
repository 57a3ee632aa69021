#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace warpsight::exporters::chrome {

// The arguments of one record, in Kineto's names. Missing values are left out. Used again and
// again, so that its memory is.
class ArgsWriter {
 public:
  void Clear();

  void Integer(std::string_view key, int64_t value);
  void Real(std::string_view key, double value);
  void Text(std::string_view key, std::string_view text);  // "" is missing
  void Json(std::string_view key, std::string_view json);  // "" is missing

  // Appends ,"args":{...} to `out`, or nothing where there are no arguments. `original` is what the
  // model keeps of the arguments that were read, where some of them have no column. It contains all
  // of them and is written unchanged if it agrees with the columns, otherwise in addition to them.
  enum class Original { kNone, kEmpty, kGiven };
  void Append(Original state, std::string_view original, std::string& out) const;

 private:
  struct Field {
    std::string_view key;
    size_t begin, end;  // of its value in text_
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
