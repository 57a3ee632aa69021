#include "cli/input_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "cli/terminal/console.h"
#include "model/tables.h"

namespace warpsight {
namespace {

constexpr const char* kName = "standard input";
constexpr int kPollMilliseconds = 100;
constexpr size_t kBlock = size_t{1} << 20;

Error Failed(std::string_view what) {
  return Error{fmt::format("{}: {}: {}", kName, what, std::strerror(errno))};
}

Status WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("cannot write its temporary file");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

// Whether read() has something to say. Waits a moment.
bool IsReadable() {
  pollfd events{STDIN_FILENO, POLLIN, 0};
  return poll(&events, 1, kPollMilliseconds) != 0;
}

}  // namespace

std::vector<std::string> TraceEndings() {
  return {".json",   ".json.gz", ".json.zst", ".sqlite",    ".nsys-rep",     ".qdrep",
          ".nvprof", ".nvvp",    ".csv",      ".xplane.pb", ".xplane.pb.gz", ".wscap"};
}

std::vector<std::string> InputEndings() {
  std::vector<std::string> endings = TraceEndings();
  endings.insert(endings.begin(), ".warpsight");
  return endings;
}

void AddInputVariables(Command& command) {
  command.AddVariable("TMPDIR",
                      "Where a copy of standard input and other temporary files go "
                      "(default: /tmp).");
  command.AddVariable("PATH",
                      "Where `nsys` is looked for, which converts reports of Nsight "
                      "Systems (.nsys-rep).");
}

std::string NameOfInput(const std::string& path) { return path == kStandardInput ? kName : path; }

Result<InputFiles> InputFiles::Open(const std::vector<std::string>& paths, Progress& progress) {
  InputFiles files;
  files.paths_ = paths;
  const auto standard = std::count(paths.begin(), paths.end(), kStandardInput);
  if (standard == 0) return files;
  if (standard > 1) return Error{fmt::format("{} can be read only once", kName)};
  if (const Status status = files.CopyStandardInput(progress); !status.ok()) return status.error();
  return files;
}

Status InputFiles::CopyStandardInput(Progress& progress) {
  if (IsTerminal(STDIN_FILENO)) {
    return Error{fmt::format("{} is a terminal; name a file or use a pipe", kName)};
  }
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return Error{fmt::format("{}: no temporary folder: {}", kName, error.message())};
  auto folder = UnfinishedFolder::CreateIn(parent.string());
  if (!folder.ok()) {
    return Error{
        fmt::format("{}: cannot write to {}: {}", kName, parent.string(), folder.error().message)};
  }
  folder_.emplace(std::move(*folder));
  // The profile is named after it, and an output that has no name after the profile.
  copy_ = folder_->Path("standard-input");
  std::replace(paths_.begin(), paths_.end(), std::string(kStandardInput), copy_);
  const Descriptor copy(open(copy_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (copy.get() < 0) return Failed("cannot write its temporary file");

  progress.Begin("reading standard input", 0);
  std::string block(kBlock, '\0');
  for (;;) {
    if (progress.cancelled()) return Error{"interrupted"};
    if (!IsReadable()) continue;
    const ssize_t n = read(STDIN_FILENO, block.data(), block.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return Failed("cannot read");
    if (n == 0) return {};
    const std::string_view bytes(block.data(), static_cast<size_t>(n));
    if (Status status = WriteAll(copy.get(), bytes); !status.ok()) return status;
    progress.Add(n);
  }
}

std::string InputFiles::Named(std::string text) const {
  if (copy_.empty()) return text;
  for (size_t at = text.find(copy_); at != text.npos; at = text.find(copy_, at)) {
    text.replace(at, copy_.size(), kName);
  }
  return text;
}

Error InputFiles::Named(Error error) const {
  error.message = Named(std::move(error.message));
  return error;
}

void InputFiles::NameIn(Trace& trace) const {
  if (copy_.empty()) return;
  const auto rename = [&](Column<StringId>& column) {
    for (StringId& id : column) id = trace.strings.Intern(Named(std::string(trace.Text(id))));
  };
  rename(trace.tables.sources.path);
  rename(trace.tables.import_log.message);
}

}  // namespace warpsight
