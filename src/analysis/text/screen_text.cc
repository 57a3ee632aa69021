#include "analysis/text/screen_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/text/display_width.h"
#include "base/printable.h"

namespace warpsight {
namespace {

// Narrower terminals wrap; wider ones are not filled, because long lines are hard to read.
constexpr int kNarrowest = 72;
constexpr int kWidest = 120;
constexpr size_t kMargin = 14;

std::string_view CodeOf(Ink ink) {
  static constexpr std::array<std::string_view, 9> kCodes = {"",         "\x1b[1m",  "\x1b[2m",
                                                             "\x1b[32m", "\x1b[33m", "\x1b[34m",
                                                             "\x1b[35m", "\x1b[36m", "\x1b[31m"};
  return kCodes[static_cast<size_t>(ink)];
}

void AppendRepeated(std::string_view text, size_t count, std::string& out) {
  for (size_t i = 0; i < count; ++i) out += text;
}

// Where the word at `at` ends. A number keeps its unit: "19.1 %" and "875 µs" are one word each.
size_t EndOfWord(std::string_view text, size_t at) {
  const size_t end = std::min(text.find(' ', at), text.size());
  if (end == text.size() || end == at || text[end - 1] < '0' || text[end - 1] > '9') return end;
  for (const std::string_view unit : {"%", "ns", "µs", "ms", "s"}) {
    const std::string_view rest = text.substr(end + 1);
    if (!rest.starts_with(unit)) continue;
    const size_t next = rest.find(' ');
    // With what closes it: "%)." but not "samples".
    if (next != rest.npos && next > unit.size() + 2) continue;
    return end + 1 + std::min(next, rest.size());
  }
  return end;
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
      width_(static_cast<size_t>(std::clamp(style.width, kNarrowest, kWidest)) - kMargin) {}

void Page::Title(std::string_view left, std::string_view right) {
  const size_t total = width_ + kMargin;
  const std::string tail = Shorten(Printable(right), total / 2);
  const size_t room = total - DisplayWidth(tail) - (tail.empty() ? 0 : 2);
  const std::string head = Shorten(Printable(left), room);
  text_ += Inked(head, Ink::kBold, style_);
  if (!tail.empty()) {
    text_.append(total - DisplayWidth(head) - DisplayWidth(tail), ' ');
    text_ += Inked(tail, Ink::kDim, style_);
  }
  text_ += '\n';
}

void Page::Paragraph(std::string_view text, Ink first_word) {
  const std::string clean = Printable(text);
  std::string line;
  size_t used = 0;
  for (size_t at = 0; at < clean.size();) {
    const size_t end = EndOfWord(clean, at);
    const std::string_view word = std::string_view(clean).substr(at, end - at);
    const size_t width = DisplayWidth(word);
    if (used > 0 && used + 1 + width > width_) {
      Line(line);
      line.clear();
      used = 0;
    }
    if (used > 0) line += ' ';
    used += width + (used > 0 ? 1 : 0);
    line += at == 0 ? Inked(word, first_word, style_) : std::string(word);
    at = end + 1;
  }
  if (used > 0) Line(line);
}

void Page::Line(std::string_view line) {
  text_ += Inked(Fit(label_, kMargin), label_.empty() ? Ink::kPlain : Ink::kBold, style_);
  label_.clear();
  text_ += line;
  while (text_.ends_with(' ')) text_.pop_back();
  text_ += '\n';
}

}  // namespace warpsight
