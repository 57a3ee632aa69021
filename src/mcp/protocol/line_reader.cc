#include "mcp/protocol/line_reader.h"

#include <utility>

namespace warpsight::mcp {

std::optional<LineReader::Line> LineReader::Next() {
  const size_t end = waiting_.find('\n');
  if (end == waiting_.npos) {
    if (waiting_.size() > kLongestLine) {
      dropping_ = true;
      waiting_.clear();
    }
    return {};
  }
  Line line{waiting_.substr(0, end), std::exchange(dropping_, false) || end > kLongestLine};
  waiting_.erase(0, end + 1);
  if (line.too_long) line.text.clear();
  return line;
}

void LineReader::End() {
  if (!waiting_.empty() || dropping_) waiting_ += '\n';
}

}  // namespace warpsight::mcp
