#include "exporters/api/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"

namespace warpsight {
namespace {

// The name of the file in its private folder.
constexpr const char* kName = "output";

std::FILE* OpenForWriting(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666));
  std::FILE* const stream = file.ok() ? fdopen(file.get(), "wb") : nullptr;
  if (stream != nullptr) file.Release();
  return stream;
}

}  // namespace

Error CannotWrite(const std::string& path, const Error& reason) {
  return {
      fmt::format("{}: cannot write: {}", path == "-" ? "standard output" : path, reason.message),
      reason.code};
}

Result<OutputFile> OutputFile::Create(const std::string& path, const OutputRules& rules,
                                      const OutputKind& kind) {
  if (path == "-") return OutputFile(path, stdout);
  auto place = OutputPlace::Find(path, rules, kind);
  if (!place.ok()) return CannotWrite(path, place.error());
  if (place->is_stream()) {
    std::FILE* const stream = OpenForWriting(path, O_NOCTTY);
    if (stream == nullptr) return CannotWrite(path, Error{std::strerror(errno)});
    return OutputFile(path, stream);
  }
  auto folder = UnfinishedFolder::CreateBeside(place->target());
  if (!folder.ok()) return CannotWrite(path, folder.error());
  auto file = CreatePart(folder->Path(kName), path);
  if (!file.ok()) return file;
  file->place_.emplace(std::move(*place));
  file->folder_.emplace(std::move(*folder));
  return file;
}

Result<OutputFile> OutputFile::CreatePart(const std::string& unfinished, const std::string& path) {
  std::FILE* const file = OpenForWriting(unfinished, O_CREAT | O_EXCL | O_NOFOLLOW);
  if (file == nullptr) return CannotWrite(path, Error{std::strerror(errno)});
  return OutputFile(path, file);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      folder_(std::move(other.folder_)),
      file_(std::exchange(other.file_, nullptr)),
      failure_(other.failure_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  if (file_ != nullptr && !standard_output()) std::fclose(file_);
}

void OutputFile::Write(std::string_view bytes) {
  if (failure_ != 0) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failure_ = errno;
  bytes_ += static_cast<int64_t>(bytes.size());
}

Status OutputFile::Commit() {
  if (failure_ == 0 && std::fflush(file_) != 0) failure_ = errno;
  if (failure_ == 0 && !standard_output()) {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) failure_ = errno;
  }
  if (failure_ != 0) return CannotWrite(path_, Error{std::strerror(failure_)});
  if (!place_) return {};
  const Status status = place_->Fill(*folder_, kName);
  return status.ok() ? status : CannotWrite(path_, status.error());
}

}  // namespace warpsight
