#include "importers/api/byte_source.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "importers/api/input_file.h"

namespace warpsight {
namespace {

constexpr size_t kInputSize = 256 * 1024;

// A file whose first bytes were already read to detect its format.
class FileSource : public ByteSource {
 public:
  FileSource(std::unique_ptr<InputFile> file, std::vector<char> head)
      : file_(std::move(file)), head_(std::move(head)) {}
  int64_t consumed() const override { return file_->consumed(); }
  int64_t file_size() const override { return file_->size(); }
  std::string change() const override { return file_->Change(); }

 protected:
  const std::string& path() const { return file_->path(); }
  Result<size_t> ReadRaw(char* buffer, size_t size) {
    if (head_used_ < head_.size()) {
      const size_t n = std::min(size, head_.size() - head_used_);
      std::memcpy(buffer, head_.data() + head_used_, n);
      head_used_ += n;
      if (n == size) return n;
      auto rest = file_->Read(buffer + n, size - n);
      if (!rest.ok()) return rest;
      return n + *rest;
    }
    return file_->Read(buffer, size);
  }

 private:
  std::unique_ptr<InputFile> file_;
  std::vector<char> head_;
  size_t head_used_ = 0;
};

class PlainSource : public FileSource {
 public:
  using FileSource::FileSource;
  Result<size_t> Read(char* buffer, size_t size) override { return ReadRaw(buffer, size); }
  bool plain() const override { return true; }
};

// A compressed file: subclasses turn input_[used_, filled_) into output.
class CompressedSource : public FileSource {
 public:
  using FileSource::FileSource;

  Result<size_t> Read(char* buffer, size_t size) override {
    size_t written = 0;
    while (written < size && damage_.empty()) {
      if (used_ == filled_ && !ended_) {
        auto n = ReadRaw(input_.data(), input_.size());
        if (!n.ok()) return n;
        used_ = 0;
        filled_ = *n;
        ended_ = *n == 0;
      }
      const size_t before = used_;
      const size_t produced = Decompress(buffer + written, size - written);
      written += produced;
      unpacked_ += static_cast<int64_t>(produced);
      if (UnpacksTooFar(consumed(), unpacked_)) return TooDense();
      if (ended_ && produced == 0) {
        if (damage_.empty() && !AtBoundary()) damage_ = std::string(Name()) + " data ends early";
        break;
      }
      if (produced == 0 && used_ == before && used_ < filled_ && damage_.empty()) {
        damage_ = std::string(Name()) + " data is damaged";  // Decompress() makes no progress
      }
    }
    return written;
  }

  std::string damage() const override { return damage_; }

 protected:
  virtual std::string_view Name() const = 0;
  // Decompresses a part of the input: advances used_ and returns the number of bytes written. Sets
  // damage_ on bad data.
  virtual size_t Decompress(char* output, size_t size) = 0;
  // Whether the data may end here.
  virtual bool AtBoundary() const = 0;

  std::vector<char> input_ = std::vector<char>(kInputSize);
  size_t used_ = 0;
  size_t filled_ = 0;
  bool ended_ = false;
  std::string damage_;

 private:
  Error TooDense() const {
    return Error{
        fmt::format("{}: decompresses to more than {} times its size ({} bytes of {} data gave {} "
                    "so far), which no trace does; decompress it yourself to import it anyway",
                    path(), kLargestUnpackRatio, consumed(), Name(), unpacked_)};
  }

  int64_t unpacked_ = 0;
};

class GzipSource : public CompressedSource {
 public:
  GzipSource(std::unique_ptr<InputFile> file, std::vector<char> head)
      : CompressedSource(std::move(file), std::move(head)) {
    StartMember();
  }

 protected:
  std::string_view Name() const override { return "gzip"; }

  size_t Decompress(char* output, size_t size) override {
    if (state_.block_state == ISAL_BLOCK_FINISH) {
      if (used_ == filled_) return 0;
      if (input_[used_] != '\x1f') {  // padding or other bytes after the last member
        used_ = filled_;
        return 0;
      }
      StartMember();
    }
    state_.next_in = reinterpret_cast<uint8_t*>(input_.data() + used_);
    state_.avail_in = static_cast<uint32_t>(filled_ - used_);
    state_.next_out = reinterpret_cast<uint8_t*>(output);
    state_.avail_out = static_cast<uint32_t>(std::min<size_t>(size, 1u << 30));
    const uint32_t room = state_.avail_out;
    const int status = isal_inflate(&state_);
    used_ = filled_ - state_.avail_in;
    if (status == ISAL_INCORRECT_CHECKSUM) {
      damage_ = "gzip checksum is wrong";
    } else if (status < 0) {
      damage_ = "gzip data is damaged";
    }
    return room - state_.avail_out;
  }

  bool AtBoundary() const override { return state_.block_state == ISAL_BLOCK_FINISH; }

 private:
  void StartMember() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  inflate_state state_;
};

class ZstdSource : public CompressedSource {
 public:
  ZstdSource(std::unique_ptr<InputFile> file, std::vector<char> head)
      : CompressedSource(std::move(file), std::move(head)), stream_(ZSTD_createDStream()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

 protected:
  std::string_view Name() const override { return "zstd"; }

  size_t Decompress(char* output, size_t size) override {
    const bool starved = used_ == filled_;
    ZSTD_inBuffer in{input_.data(), filled_, used_};
    ZSTD_outBuffer out{output, size, 0};
    const size_t status = ZSTD_decompressStream(stream_, &out, &in);
    used_ = in.pos;
    if (ZSTD_isError(status)) {
      damage_ = fmt::format("zstd data is damaged: {}", ZSTD_getErrorName(status));
    } else if (!starved || out.pos > 0) {
      // Without input between two frames, ZSTD_decompressStream() returns the size of the next
      // frame's header, which must not count as expected data.
      expected_ = status;
    }
    return out.pos;
  }

  bool AtBoundary() const override { return expected_ == 0; }

 private:
  ZSTD_DStream* stream_;
  size_t expected_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenBytes(const std::string& path, const Progress* progress) {
  auto opened = InputFile::Open(path, progress);
  if (!opened.ok()) return opened.error();
  std::unique_ptr<InputFile> file = std::move(*opened);
  std::vector<char> head(4);
  auto n = file->Read(head.data(), head.size());
  if (!n.ok()) return n.error();
  head.resize(*n);
  const std::string_view magic(head.data(), head.size());
  if (magic.starts_with("\x1f\x8b")) {
    return std::unique_ptr<ByteSource>(new GzipSource(std::move(file), std::move(head)));
  }
  if (magic.starts_with("\x28\xb5\x2f\xfd")) {
    return std::unique_ptr<ByteSource>(new ZstdSource(std::move(file), std::move(head)));
  }
  return std::unique_ptr<ByteSource>(new PlainSource(std::move(file), std::move(head)));
}

}  // namespace warpsight
