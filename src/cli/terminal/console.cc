#include "cli/terminal/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <system_error>

#include "cli/terminal/exit_codes.h"

namespace warpsight {
namespace {

// Tables cannot be narrower, and lines longer than the second are hard to read.
constexpr int kNarrowest = 60;
constexpr int kWidest = 240;

void WriteTo(std::FILE* file, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);  // FinishOutput looks for errors
}

bool WantsColor() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return !dumb && (no_color == nullptr || *no_color == '\0');
}

// Of the variable COLUMNS, else of the terminal; 0 where neither says it.
int Columns(int descriptor) {
  if (const char* variable = std::getenv("COLUMNS"); variable != nullptr) {
    const std::string_view text(variable);
    int columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (error == std::errc() && end == text.data() + text.size() && columns > 0) return columns;
  }
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

void Inform(std::string_view message) {
  std::string text = "warpsight: ";
  for (const char c : PrintableLines(message)) {
    text += c;
    if (c == '\n') text += "  ";
  }
  text += '\n';
  std::fflush(stdout);
  WriteTo(stderr, text);
}

int Fail(std::string_view message) {
  Inform(message);
  return kExitFailed;
}

int FailUsage(std::string_view message) {
  Inform(message);
  return kExitUsage;
}

void PrintRendered(std::string_view text, std::FILE* file) { WriteTo(file, PrintableStyled(text)); }

void PrintData(std::string_view data) {
  if (IsTerminal(STDOUT_FILENO)) {
    WriteTo(stdout, PrintableLines(data));
  } else {
    WriteTo(stdout, data);
  }
}

void StandardOutput::Write(std::string_view text) {
  const bool data = format_ == ReportFormat::kCsv || format_ == ReportFormat::kJson;
  data ? PrintData(text) : PrintRendered(text);
}

int FinishOutput(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  return exit_code == kExitOk
             ? Fail(fmt::format("cannot write to standard output: {}", std::strerror(errno)))
             : exit_code;
}

bool IsTerminal(int descriptor) { return isatty(descriptor) == 1; }

TextStyle OutputStyle(int descriptor, ColorChoice color) {
  TextStyle style;
  style.color = color == ColorChoice::kAlways ||
                (color == ColorChoice::kAuto && IsTerminal(descriptor) && WantsColor());
  if (const int columns = Columns(descriptor); columns > 0) {
    style.width = std::clamp(columns, kNarrowest, kWidest);
  }
  return style;
}

TextStyle StandardOutputStyle(ColorChoice color) { return OutputStyle(STDOUT_FILENO, color); }

size_t ListWidth() {
  if (Columns(STDOUT_FILENO) <= 0) return std::numeric_limits<size_t>::max();
  return static_cast<size_t>(StandardOutputStyle().width);
}

}  // namespace warpsight
