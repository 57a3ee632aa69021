#include "analysis/text/screen_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/text/display_width.h"
#include "analysis/text/wrap_text.h"
#include "base/printable.h"

namespace warpsight {
namespace {

// On narrower terminals lines wrap; wider ones are not filled, because long lines are hard to read.
constexpr int kNarrowest = 60;
constexpr int kWidest = 120;
constexpr size_t kMargin = 14;
// Narrower pages have labels on separate lines, and this margin instead.
constexpr size_t kLabelsBeside = 72;
constexpr size_t kSmallMargin = 2;

std::string_view CodeOf(Ink ink) {
  static constexpr std::array<std::string_view, 9> kCodes = {"",         "\x1b[1m",  "\x1b[2m",
                                                             "\x1b[32m", "\x1b[33m", "\x1b[34m",
                                                             "\x1b[35m", "\x1b[36m", "\x1b[31m"};
  return kCodes[static_cast<size_t>(ink)];
}

void AppendRepeated(std::string_view text, size_t count, std::string& out) {
  for (size_t i = 0; i < count; ++i) out += text;
}

}  // namespace

std::string Inked(std::string_view text, Ink ink, const TextStyle& style) {
  if (!style.color || ink == Ink::kPlain) return std::string(text);
  return fmt::format("{}{}\x1b[0m", CodeOf(ink), text);
}

std::string Fit(std::string_view text, size_t width, Align align) {
  std::string fitted = Shorten(Printable(text), width);
  const std::string blanks(width - std::min(width, DisplayWidth(fitted)), ' ');
  return align == Align::kLeft ? fitted + blanks : blanks + fitted;
}

std::string ShortenMiddle(std::string_view text, size_t width) {
  std::string clean = Printable(text);
  const bool ascii =
      std::all_of(clean.begin(), clean.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (!ascii || clean.size() <= width || width < 8) return Shorten(clean, width);
  const size_t tail = width / 3;
  return clean.substr(0, width - 1 - tail) + "…" + clean.substr(clean.size() - tail);
}

std::string Bar(double share, size_t width) {
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                               "▌", "▋", "▊", "▉"};
  const double clamped = std::clamp(share, 0.0, 1.0);
  const auto eighths = static_cast<size_t>(std::lround(clamped * 8 * static_cast<double>(width)));
  std::string bar;
  AppendRepeated("█", eighths / 8, bar);
  bar += kEighths[eighths % 8];
  bar.append(width - DisplayWidth(bar), ' ');
  return bar;
}

std::string StackedBar(std::span<const BarPart> parts, size_t width, const TextStyle& style) {
  std::string bar;
  double sum = 0;
  size_t drawn = 0;
  for (const BarPart& part : parts) {
    sum += part.share;
    const auto edge =
        static_cast<size_t>(std::lround(std::clamp(sum, 0.0, 1.0) * static_cast<double>(width)));
    if (edge <= drawn) continue;
    std::string piece;
    AppendRepeated(style.color ? "█" : part.mark, edge - drawn, piece);
    bar += Inked(piece, part.ink, style);
    drawn = edge;
  }
  bar.append(width - drawn, ' ');
  return bar;
}

Page::Page(const TextStyle& style)
    : style_(style),
      columns_(static_cast<size_t>(std::clamp(style.width, kNarrowest, kWidest))),
      margin_(columns_ < kLabelsBeside ? kSmallMargin : kMargin) {}

void Page::Title(std::string_view left, std::string_view right) {
  const std::string tail = Shorten(Printable(right), columns_ / 2);
  const size_t room = columns_ - DisplayWidth(tail) - (tail.empty() ? 0 : 2);
  const std::string head = Shorten(Printable(left), room);
  text_ += Inked(head, Ink::kBold, style_);
  if (!tail.empty()) {
    text_.append(columns_ - DisplayWidth(head) - DisplayWidth(tail), ' ');
    text_ += Inked(tail, Ink::kDim, style_);
  }
  text_ += '\n';
}

void Page::Paragraph(std::string_view text, Ink first_word) {
  std::vector<std::string> lines = WrapText(Printable(text), width());
  if (!lines.empty()) {
    std::string& first = lines.front();
    const size_t end = EndOfWord(first, 0);
    first.replace(0, end, Inked(std::string_view(first).substr(0, end), first_word, style_));
  }
  for (const std::string& line : lines) Line(line);
}

void Page::Line(std::string_view line) {
  if (margin_ == kSmallMargin && !label_.empty()) {
    text_ += Inked(label_, Ink::kBold, style_) + '\n';
    label_.clear();
  }
  text_ += Inked(Fit(label_, margin_), label_.empty() ? Ink::kPlain : Ink::kBold, style_);
  label_.clear();
  text_ += line;
  while (text_.ends_with(' ')) text_.pop_back();
  text_ += '\n';
}

}  // namespace warpsight
