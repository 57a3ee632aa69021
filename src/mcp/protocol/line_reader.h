#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpsight::mcp {

// The longest message that is read. Requests are far shorter: an SQL statement is the largest thing
// that they contain.
inline constexpr size_t kLongestLine = size_t{4} << 20;

// Cuts what a client sends into lines. Holds at most one line that is not complete; what is longer
// than kLongestLine is dropped up to its end.
class LineReader {
 public:
  struct Line {
    std::string text;       // without its end
    bool too_long = false;  // the text is empty
  };

  void Append(std::string_view bytes) { waiting_ += bytes; }
  // The next complete line. Call it after each Append() until there is none.
  std::optional<Line> Next();
  // The input has ended: what follows the last line break is a line, too.
  void End();

 private:
  std::string waiting_;
  bool dropping_ = false;  // the beginning of this line was dropped
};

}  // namespace warpsight::mcp
