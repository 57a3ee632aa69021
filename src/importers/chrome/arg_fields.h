#pragma once

#include <array>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "importers/chrome/raw_event.h"

namespace warpsight::importers::chrome {

// How the value of an argument is read, and which member of RawEvent::Args receives it.
struct ArgField {
  enum class Kind : uint8_t {
    kInteger,     // `integer`
    kId,          // `integer`; unsigned and hexadecimal numbers wrap
    kIdAndOther,  // as kId, and also kept with the arguments that have no field
    kStream,      // `integer`; null is kNoStream
    kReal,        // `real`
    kText,        // `text`, without its quotes
    kJson,        // `text`: any value, unchanged
    kFlag,        // `flag`, whatever the value
    kNothing,     // known, but not needed
  };
  using Args = RawEvent::Args;

  constexpr ArgField(std::string_view name, Kind kind) : name(name), kind(kind), integer(nullptr) {}
  constexpr ArgField(std::string_view name, Kind kind, int64_t Args::*member)
      : name(name), kind(kind), integer(member) {}
  constexpr ArgField(std::string_view name, double Args::*member)
      : name(name), kind(Kind::kReal), real(member) {}
  constexpr ArgField(std::string_view name, Kind kind, std::string_view Args::*member)
      : name(name), kind(kind), text(member) {}
  constexpr ArgField(std::string_view name, bool Args::*member)
      : name(name), kind(Kind::kFlag), flag(member) {}

  std::string_view name;
  Kind kind;
  union {  // by kind
    int64_t Args::*integer;
    double Args::*real;
    std::string_view Args::*text;
    bool Args::*flag;
  };
};

// A name and its closing quote as 8-byte words, for a fast comparison with the text of a key.
class QuotedName {
 public:
  constexpr QuotedName() = default;
  constexpr explicit QuotedName(std::string_view name) : last_(name.size() / kWord) {
    for (size_t w = 0; w <= last_; ++w) {
      std::array<char, kWord> text{};
      std::array<unsigned char, kWord> mask{};
      for (size_t i = 0; i < kWord && w * kWord + i <= name.size(); ++i) {
        text[i] = w * kWord + i < name.size() ? name[w * kWord + i] : '"';
        mask[i] = UCHAR_MAX;
      }
      words_[w] = std::bit_cast<uint64_t>(text);
      last_mask_ = std::bit_cast<uint64_t>(mask);
    }
  }

  // Reads up to one word beyond the quote.
  bool IsAt(const char* key) const {
    for (size_t w = 0; w < last_; ++w) {
      if (Load(key, w) != words_[w]) return false;
    }
    return (Load(key, last_) & last_mask_) == words_[last_];
  }

 private:
  static constexpr size_t kWord = sizeof(uint64_t);
  static uint64_t Load(const char* key, size_t word) {
    uint64_t text;
    std::memcpy(&text, key + word * kWord, kWord);
    return text;
  }

  size_t last_ = 0;
  uint64_t last_mask_ = 0;
  std::array<uint64_t, 5> words_{};
};

// Finds arguments by name. Records of one kind have their arguments in the same order, so each
// argument is first compared with the one that followed its predecessor the last time.
class ArgFinder {
 public:
  // The argument whose name begins at `key` and ends with a quote; null if it has no field.
  // kPadding bytes after the quote must be readable.
  const ArgField* Find(const char* key) {
    uint8_t& next = next_[last_];
    if (!kEntries[next].name.IsAt(key)) next = Search(key);
    last_ = next;
    return kEntries[last_].field;
  }

 private:
  struct Entry {
    QuotedName name;
    const ArgField* field;
  };
  struct Index;
  // Grouped by first letter. The first entry stands for all arguments without a field.
  static const Entry* const kEntries;
  static uint8_t Search(const char* key);

  uint8_t last_ = 0;
  std::array<uint8_t, 256> next_{};
};

}  // namespace warpsight::importers::chrome
