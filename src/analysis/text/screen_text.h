#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/text/text_style.h"

namespace warpsight {

enum class Ink { kPlain, kBold, kDim, kGreen, kYellow, kBlue, kMagenta, kCyan, kRed };

// Text in a color, where colors are wanted.
std::string Inked(std::string_view text, Ink ink, const TextStyle& style);

enum class Align { kLeft, kRight };

// The text in exactly `width` columns: filled with blanks, or cut and ended with "…".
std::string Fit(std::string_view text, size_t width, Align align = Align::kLeft);

// The text in at most `width` columns, with "…" in its middle where it is longer: kernel names
// often differ only at their ends.
std::string ShortenMiddle(std::string_view text, size_t width);

// A bar of `width` columns of which `share` (0..1) is filled, to an eighth of a column.
std::string Bar(double share, size_t width);

// One part of a bar that shows how a whole divides.
struct BarPart {
  double share;           // 0..1
  std::string_view mark;  // one column wide
  Ink ink;
};

// A bar of exactly `width` columns for parts that sum to 1. In color all parts are solid.
std::string StackedBar(std::span<const BarPart> parts, size_t width, const TextStyle& style);

// A printed page: labels in a margin on the left, everything else beside them; on narrow terminals
// below them.
class Page {
 public:
  explicit Page(const TextStyle& style);

  // Columns beside the margin.
  size_t width() const { return columns_ - margin_; }
  const TextStyle& style() const { return style_; }

  // A line across the page: left and right text.
  void Title(std::string_view left, std::string_view right);
  void Gap() { text_ += '\n'; }
  // The next line gets this label in its margin.
  void Label(std::string_view label) { label_ = label; }
  // Text of any length, broken between words. The first word can have a color.
  void Paragraph(std::string_view text, Ink first_word = Ink::kPlain);
  // A line as it is; it may hold colors.
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
