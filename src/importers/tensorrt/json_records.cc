#include "importers/tensorrt/json_records.h"

namespace warpsight::importers::tensorrt {

JsonRecords::JsonRecords(std::string_view text) : text_(text) {
  SkipSpace();
  at_ = next_;
  if (next_ == text_.size() || text_[next_] != '[') {
    end_ = End::kDamaged;
  } else {
    ++next_;
  }
}

std::string_view JsonRecords::Next() {
  if (end_ != End::kOpen) return {};
  SkipSpace();
  if (!first_ && next_ < text_.size() && text_[next_] == ',') {
    ++next_;
    SkipSpace();
  }
  first_ = false;
  at_ = next_;
  if (next_ == text_.size()) return Stop(End::kCut);
  if (text_[next_] == ']') return Stop(End::kClosed);
  if (text_[next_] != '{') return Stop(End::kDamaged);
  bool in_string = false;
  for (size_t i = next_; i < text_.size(); ++i) {
    if (in_string && text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && text_[i] == '}') {
      const std::string_view record = text_.substr(next_, i + 1 - next_);
      next_ = i + 1;
      return record;
    }
  }
  return Stop(End::kCut);
}

void JsonRecords::SkipSpace() {
  next_ = text_.find_first_not_of(" \n\r\t", next_);
  if (next_ == std::string_view::npos) next_ = text_.size();
}

std::string_view JsonRecords::Stop(End end) {
  end_ = end;
  return {};
}

}  // namespace warpsight::importers::tensorrt
