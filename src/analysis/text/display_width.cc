#include "analysis/text/display_width.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace warpsight {
namespace {

struct CharacterRange {
  char32_t first, last;
};

// Marks that are drawn over the previous character, and characters that are not drawn.
constexpr std::array kZeroWidth = {
    CharacterRange{0x0300, 0x036F}, CharacterRange{0x0483, 0x0489}, CharacterRange{0x0591, 0x05BD},
    CharacterRange{0x0610, 0x061A}, CharacterRange{0x064B, 0x065F}, CharacterRange{0x1AB0, 0x1AFF},
    CharacterRange{0x1DC0, 0x1DFF}, CharacterRange{0x200B, 0x200F}, CharacterRange{0x20D0, 0x20FF},
    CharacterRange{0xFE00, 0xFE0F}, CharacterRange{0xFE20, 0xFE2F}, CharacterRange{0xFEFF, 0xFEFF},
};

// The blocks with W or F in Unicode's EastAsianWidth.txt.
constexpr std::array kDoubleWidth = {
    CharacterRange{0x1100, 0x115F},   CharacterRange{0x2E80, 0x303E},
    CharacterRange{0x3041, 0xA4CF},   CharacterRange{0xA960, 0xA97F},
    CharacterRange{0xAC00, 0xD7A3},   CharacterRange{0xF900, 0xFAFF},
    CharacterRange{0xFE30, 0xFE6F},   CharacterRange{0xFF00, 0xFF60},
    CharacterRange{0xFFE0, 0xFFE6},   CharacterRange{0x1F300, 0x1F64F},
    CharacterRange{0x1F680, 0x1F6FF}, CharacterRange{0x1F900, 0x1F9FF},
    CharacterRange{0x20000, 0x3FFFD},
};

template <size_t N>
bool Within(const std::array<CharacterRange, N>& ranges, char32_t c) {
  const auto it = std::lower_bound(ranges.begin(), ranges.end(), c,
                                   [](const CharacterRange& r, char32_t x) { return r.last < x; });
  return it != ranges.end() && it->first <= c;
}

size_t CharacterWidth(char32_t c) {
  if (c < 0x300) return 1;
  if (Within(kZeroWidth, c)) return 0;
  return Within(kDoubleWidth, c) ? 2 : 1;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) width += CharacterWidth(TakeCharacter(text));
  return width;
}

std::string Shorten(std::string_view text, size_t width) {
  if (text.size() <= width || DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string_view rest = text;
  size_t kept = 0;
  for (size_t used = 0;;) {
    std::string_view after = rest;
    used += CharacterWidth(TakeCharacter(after));
    if (used > width - 1) break;
    rest = after;
    kept = text.size() - rest.size();
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::string ShortenFront(std::string_view text, size_t width) {
  size_t rest = DisplayWidth(text);
  if (rest <= width) return std::string(text);
  if (width == 0) return "";
  while (rest > width - 1) rest -= CharacterWidth(TakeCharacter(text));
  return "…" + std::string(text);
}

}  // namespace warpsight
