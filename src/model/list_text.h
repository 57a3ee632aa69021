#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpsight {

// Lists of lists, words and texts in one JSON text. Reading another text reuses the memory.
class ListText {
 public:
  struct Node;

  // The items of a list, from first to last.
  class Items {
   public:
    Items() = default;
    Items(const Node* begin, const Node* end) : at_(begin), end_(end) {}
    // Null after the last one.
    const Node* Next();

   private:
    const Node* at_ = nullptr;
    const Node* end_ = nullptr;
  };

  struct Node {
    std::string_view text;  // of a word, or a text without its quotes
    uint32_t nodes = 1;     // itself and what it holds, which follows it
    bool is_list = false;

    Items items() const { return {this + 1, this + nodes}; }
  };

  // Whether all of the text is one list. Otherwise it is as if there were no items.
  bool Read(std::string_view text);
  Items items() const { return nodes_.empty() ? Items() : nodes_.front().items(); }
  // Only where there is one.
  const Node& list() const { return nodes_.front(); }

 private:
  bool ReadNode(int depth);
  bool ReadList(int depth);
  bool ReadText();
  bool ReadWord();
  bool Take(char c);
  void SkipSpace();

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Node> nodes_;
};

inline const ListText::Node* ListText::Items::Next() {
  if (at_ == end_) return nullptr;
  const Node* node = at_;
  at_ += node->nodes;
  return node;
}

}  // namespace warpsight
