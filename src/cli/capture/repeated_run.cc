#include "cli/capture/repeated_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace warpsight {
namespace {

constexpr const char* kNothing = "/dev/null";
// Enough for the end of a Python traceback.
constexpr off_t kTailBytes = 4096;
constexpr size_t kTailLines = 20;

}  // namespace

RepeatedInput::RepeatedInput() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0 || isatty(STDIN_FILENO) == 1) return;
  if (S_ISREG(status.st_mode)) {
    begin_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
  } else {
    used_up_ = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  }
}

RepeatedInput::~RepeatedInput() {
  if (end_ >= 0) lseek(STDIN_FILENO, end_, SEEK_SET);
  if (nothing_ >= 0) close(nothing_);
}

int RepeatedInput::Again() {
  if (begin_ >= 0) {
    end_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
    lseek(STDIN_FILENO, begin_, SEEK_SET);
  }
  if (used_up_ && nothing_ < 0) nothing_ = open(kNothing, O_RDONLY | O_CLOEXEC);
  return nothing_;
}

HiddenOutput::HiddenOutput(const std::string& folder) {
  descriptor_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  // Not every file system has files without a name.
  if (descriptor_ < 0) descriptor_ = open(kNothing, O_RDWR | O_CLOEXEC);
}

HiddenOutput::~HiddenOutput() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string HiddenOutput::Tail() const {
  const off_t size = lseek(descriptor_, 0, SEEK_END);
  if (size <= 0) return {};
  std::string text(static_cast<size_t>(std::min(size, kTailBytes)), '\0');
  const ssize_t got =
      pread(descriptor_, text.data(), text.size(), std::max<off_t>(0, size - kTailBytes));
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t begin = text.size();
  for (size_t lines = 0; lines < kTailLines && begin > 0; ++lines) {
    const size_t line = text.rfind('\n', begin - 1);
    begin = line == std::string::npos ? 0 : line;
  }
  return text.substr(begin == 0 ? 0 : begin + 1);
}

}  // namespace warpsight
