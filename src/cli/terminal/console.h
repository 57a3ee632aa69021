#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "analysis/reporting/render.h"
#include "base/printable.h"

// All output of the program goes through here (enforced by cmake/check_layers.py): texts contain
// names from traces, files and arguments, which must not reach a terminal unescaped.
namespace warpsight {

// Prints "warpsight: MESSAGE" to standard error and returns kExitFailed. Output written so far is
// flushed first, so that the order on a terminal is right. Further lines of a message are indented:
// a line cannot imitate a separate message.
int Fail(std::string_view message);
// The same with kExitUsage.
int FailUsage(std::string_view message);
// The same for what is not an error.
void Inform(std::string_view message);

// What a renderer of ours made: newlines and colors stay, anything else is escaped.
void PrintRendered(std::string_view text, std::FILE* file = stdout);

namespace internal {

// A value to print: texts on one line, and printable.
template <typename T>
decltype(auto) Shown(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return Printable(std::string_view(value));
  } else {
    return (value);
  }
}

template <typename... Args>
void PrintFormatted(std::FILE* file, fmt::string_view format, const Args&... args) {
  PrintRendered(fmt::vformat(format, fmt::make_format_args(args...)), file);
}

}  // namespace internal

// Like fmt::print, but string arguments are made printable: the format is trusted, they are not.
template <typename... Args>
void Print(std::FILE* file, fmt::format_string<Args...> format, const Args&... args) {
  internal::PrintFormatted(file, format, internal::Shown(args)...);
}
template <typename... Args>
void Print(fmt::format_string<Args...> format, const Args&... args) {
  internal::PrintFormatted(stdout, format, internal::Shown(args)...);
}

// Prints data for programs (CSV, JSON) to standard output: unchanged to a pipe or a file; on a
// terminal, all control characters except newlines are escaped.
void PrintData(std::string_view data);

// Reports on standard output.
class StandardOutput : public Output {
 public:
  explicit StandardOutput(ReportFormat format) : format_(format) {}
  void Write(std::string_view text) override;

 private:
  const ReportFormat format_;
};

// Flushes standard output; turns success into failure when it could not be written.
int FinishOutput(int exit_code);

// Whether texts for people are colored: kAuto on a terminal, unless NO_COLOR is set.
enum class ColorChoice { kAuto, kAlways, kNever };

// The output style for people: color, and the columns of the terminal or of the variable COLUMNS,
// otherwise 100.
TextStyle OutputStyle(int descriptor, ColorChoice color = ColorChoice::kAuto);
TextStyle StandardOutputStyle(ColorChoice color = ColorChoice::kAuto);

// The columns of lists on standard output, one entry per line: of the terminal or COLUMNS. Without
// both, lines stay whole, since scripts read them.
size_t ListWidth();

bool IsTerminal(int descriptor);

}  // namespace warpsight
