#include "model/list_text.h"

#include <limits>

namespace warpsight {
namespace {

// The shapes of tensors in a list, in the list of inputs.
constexpr int kDeepest = 4;

}  // namespace

bool ListText::Read(std::string_view text) {
  text_ = text;
  at_ = 0;
  nodes_.clear();
  bool whole = text.size() < std::numeric_limits<uint32_t>::max() && ReadNode(0);
  whole = whole && nodes_.front().is_list;
  SkipSpace();
  if (!whole || at_ != text_.size()) nodes_.clear();
  return !nodes_.empty();
}

bool ListText::ReadNode(int depth) {
  SkipSpace();
  if (at_ == text_.size()) return false;
  if (text_[at_] == '"') return ReadText();
  return text_[at_] == '[' ? ReadList(depth) : ReadWord();
}

bool ListText::ReadList(int depth) {
  if (depth == kDeepest) return false;
  ++at_;
  const size_t list = nodes_.size();
  nodes_.emplace_back().is_list = true;
  SkipSpace();
  bool closed = Take(']');
  while (!closed) {
    if (!ReadNode(depth + 1)) return false;
    SkipSpace();
    closed = Take(']');
    if (!closed && !Take(',')) return false;
  }
  nodes_[list].nodes = static_cast<uint32_t>(nodes_.size() - list);
  return true;
}

bool ListText::ReadText() {
  const size_t start = ++at_;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\') ++at_;
  }
  if (at_ >= text_.size()) return false;
  nodes_.emplace_back().text = text_.substr(start, at_ - start);
  ++at_;
  return true;
}

bool ListText::ReadWord() {
  const size_t start = at_;
  while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '[' &&
         text_[at_] != '"' && text_[at_] > ' ') {
    ++at_;
  }
  if (at_ == start) return false;
  nodes_.emplace_back().text = text_.substr(start, at_ - start);
  return true;
}

bool ListText::Take(char c) {
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void ListText::SkipSpace() {
  while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
}

}  // namespace warpsight
