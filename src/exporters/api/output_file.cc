#include "exporters/api/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace warpsight {

std::string UnfinishedName(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name + ".part";
}

Error CannotWrite(const std::string& path, const std::string& reason) {
  return Error{fmt::format("{}: cannot write: {}", path == "-" ? "standard output" : path, reason)};
}

Result<OutputFile> OutputFile::Create(const std::string& path) {
  if (path == "-") return OutputFile(path, stdout);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return CannotWrite(path, std::strerror(EISDIR));
  std::FILE* file = std::fopen(UnfinishedName(path).c_str(), "wb");
  if (file == nullptr) return CannotWrite(path, std::strerror(errno));
  return OutputFile(path, file);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      failure_(other.failure_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  if (file_ == nullptr || standard_output()) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(UnfinishedName(path_), ignored);
}

void OutputFile::Write(std::string_view bytes) {
  if (failure_ != 0) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failure_ = errno;
  bytes_ += static_cast<int64_t>(bytes.size());
}

Status OutputFile::Commit() {
  if (failure_ == 0 && std::fflush(file_) != 0) failure_ = errno;
  if (failure_ != 0) return CannotWrite(path_, std::strerror(failure_));
  if (standard_output()) return {};
  std::FILE* file = std::exchange(file_, nullptr);
  const std::string unfinished = UnfinishedName(path_);
  if (std::fclose(file) == 0 && std::rename(unfinished.c_str(), path_.c_str()) == 0) return {};
  const Error error = CannotWrite(path_, std::strerror(errno));
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  return error;
}

}  // namespace warpsight
