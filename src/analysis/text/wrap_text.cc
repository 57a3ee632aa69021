#include "analysis/text/wrap_text.h"

#include <algorithm>

#include "analysis/text/display_width.h"

namespace warpsight {

size_t EndOfWord(std::string_view text, size_t at) {
  const size_t end = std::min(text.find(' ', at), text.size());
  if (end == text.size() || end == at || text[end - 1] < '0' || text[end - 1] > '9') return end;
  for (const std::string_view unit : {"%", "ns", "µs", "ms", "s"}) {
    const std::string_view rest = text.substr(end + 1);
    if (!rest.starts_with(unit)) continue;
    const size_t next = std::min(rest.find(' '), rest.size());
    // Closing characters may follow a unit: "%)." but "samples" is not "s".
    if (next > unit.size() + 2) continue;
    return end + 1 + next;
  }
  return end;
}

std::vector<std::string> WrapText(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = EndOfWord(text, at);
    const std::string_view word = text.substr(at, end - at);
    const size_t columns = DisplayWidth(word);
    if (used > 0 && used + 1 + columns > width) {
      lines.push_back(line);
      line.clear();
      used = 0;
    }
    if (used > 0) line += ' ';
    used += columns + (used > 0 ? 1 : 0);
    line += word;
    at = end + 1;
  }
  if (used > 0) lines.push_back(line);
  return lines;
}

std::string HangingText(std::string_view head, size_t margin, std::string_view text, size_t width) {
  std::string all(head);
  const size_t columns = DisplayWidth(head);
  bool beside = columns == 0 || columns < margin;
  if (beside) all.append(margin - columns, ' ');
  // If the margin leaves no room, lines are longer than `width`.
  constexpr size_t kNarrowest = 16;
  for (const std::string& line : WrapText(text, std::max(width, margin + kNarrowest) - margin)) {
    if (!beside) all += '\n' + std::string(margin, ' ');
    all += line;
    beside = false;
  }
  while (all.ends_with(' ')) all.pop_back();
  return all + '\n';
}

}  // namespace warpsight
