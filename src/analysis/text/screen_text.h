#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/text/text_style.h"

namespace warpsight {

enum class Ink { kPlain, kBold, kDim, kGreen, kYellow, kBlue, kMagenta, kCyan, kRed };

// Text in a color, if the style has colors.
std::string Inked(std::string_view text, Ink ink, const TextStyle& style);

enum class Align { kLeft, kRight };

// The text in exactly `width` columns: padded with blanks, or shortened and ended with "…".
std::string Fit(std::string_view text, size_t width, Align align = Align::kLeft);

// The text in at most `width` columns; a longer one has "…" in the middle, since kernel names often
// differ only at their ends.
std::string ShortenMiddle(std::string_view text, size_t width);

// A bar of `width` columns; `share` (0..1) of it is filled, to an eighth of a column.
std::string Bar(double share, size_t width);

// One part of a stacked bar.
struct BarPart {
  double share;           // 0..1
  std::string_view mark;  // one column wide
  Ink ink;
};

// A bar of exactly `width` columns for parts that sum to 1. With colors, all parts are solid.
std::string StackedBar(std::span<const BarPart> parts, size_t width, const TextStyle& style);

// A printed page with labels in a margin on the left; on narrow terminals, labels are above their
// text.
class Page {
 public:
  explicit Page(const TextStyle& style);

  // The number of columns beside the margin.
  size_t width() const { return columns_ - margin_; }
  const TextStyle& style() const { return style_; }

  // A line across the page, with text on the left and on the right.
  void Title(std::string_view left, std::string_view right);
  void Gap() { text_ += '\n'; }
  // The next line gets this label in its margin.
  void Label(std::string_view label) { label_ = label; }
  // Text of any length, broken between words. The first word can have a color.
  void Paragraph(std::string_view text, Ink first_word = Ink::kPlain);
  // A line that is printed unchanged; it may contain colors.
  void Line(std::string_view line);

  std::string Take() { return std::move(text_); }

 private:
  TextStyle style_;
  size_t columns_;
  size_t margin_;
  std::string label_;
  std::string text_;
};

}  // namespace warpsight
