#pragma once

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "wire/frame.h"
#include "wire/op_inputs.h"
#include "wire/rows.h"

namespace warpsight::importers::capture {

// Writes the inputs of an op, for tests.
class TestInputs {
 public:
  TestInputs& Tensor(int type, const std::vector<uint64_t>& sizes,
                     const std::vector<uint64_t>& strides) {
    Kind(wire::InputKind::kTensor);
    AppendTensor(type, sizes, strides);
    return *this;
  }
  // Adds float tensors of one dimension; a size of 0 stands for an undefined tensor.
  TestInputs& TensorList(const std::vector<uint64_t>& sizes) {
    Kind(wire::InputKind::kTensorList);
    wire::AppendVarint(sizes.size(), bytes_);
    for (const uint64_t size : sizes) {
      if (size == 0) {
        bytes_ += static_cast<char>(255);
      } else {
        AppendTensor(6, {size}, {1});
      }
    }
    return *this;
  }
  TestInputs& Integer(int64_t value) {
    Kind(wire::InputKind::kInteger);
    wire::AppendVarint(wire::ZigZag(value), bytes_);
    return *this;
  }
  TestInputs& Real(double value) {
    Kind(wire::InputKind::kReal);
    AppendReal(value);
    return *this;
  }
  TestInputs& Boolean(bool value) {
    Kind(wire::InputKind::kBoolean);
    bytes_ += static_cast<char>(value);
    return *this;
  }
  TestInputs& IntegerList(const std::vector<int64_t>& values) {
    Kind(wire::InputKind::kIntegerList);
    wire::AppendVarint(values.size(), bytes_);
    for (const int64_t value : values) wire::AppendVarint(wire::ZigZag(value), bytes_);
    return *this;
  }
  TestInputs& RealList(const std::vector<double>& values) {
    Kind(wire::InputKind::kRealList);
    wire::AppendVarint(values.size(), bytes_);
    for (const double value : values) AppendReal(value);
    return *this;
  }
  TestInputs& BooleanList(const std::vector<bool>& values) {
    Kind(wire::InputKind::kBooleanList);
    wire::AppendVarint(values.size(), bytes_);
    for (const bool value : values) bytes_ += static_cast<char>(value);
    return *this;
  }
  TestInputs& Kind(wire::InputKind kind) {
    bytes_ += static_cast<char>(kind);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void AppendTensor(int type, const std::vector<uint64_t>& sizes,
                    const std::vector<uint64_t>& strides) {
    bytes_ += static_cast<char>(type);
    wire::AppendVarint(sizes.size(), bytes_);
    for (const uint64_t size : sizes) wire::AppendVarint(size, bytes_);
    for (const uint64_t stride : strides) wire::AppendVarint(stride, bytes_);
  }
  void AppendReal(double value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    bytes_.append(bytes, sizeof(value));
  }

  std::string bytes_;
};

// Writes a small capture file as the agent does, for tests: texts before the records that refer to
// them, and one frame for each type of record.
class TestCapture {
 public:
  static constexpr int64_t kThread = 100;

  explicit TestCapture(uint32_t pid = 10, uint64_t run = 7) {
    header_.pid = pid;
    header_.run = run;
    header_.started_unix = 1'700'000'000'000'000'000;
  }

  wire::FileHeader& header() { return header_; }

  // The number of a text.
  int64_t Text(const std::string& text) {
    const auto [at, added] = numbers_.try_emplace(text, next_text_);
    if (added) {
      ++next_text_;
      new_texts_.push_back(text);
    }
    return at->second;
  }

  template <typename Record>
  void Add(const Record& record) {
    std::get<std::vector<Record>>(records_).push_back(record);
  }

  void Kernel(int64_t start, int64_t end, const std::string& name, int64_t correlation,
              int64_t graph_node = 0) {
    Add(wire::KernelRecord{start, end, Text(name), 0, 1, 7, correlation, 8, 4, 2, 64, 2, 1, 32,
                           1024, 512, graph_node == 0 ? 0 : 5, graph_node});
  }
  void Call(int64_t start, int64_t end, const std::string& name, int64_t correlation,
            int64_t thread = kThread) {
    Add(wire::CallRecord{start, end, thread, Text(name), 0, correlation, 0});
  }
  void Op(int64_t start, int64_t end, const std::string& name, int64_t sequence = -1,
          int64_t thread = kThread, const std::string& inputs = "", int64_t scope = 0) {
    Add(wire::OpRecord{start, end, thread, Text(name), scope, sequence, 0,
                       inputs.empty() ? 0 : Text(inputs), 0});
  }
  void Range(int64_t start, int64_t end, const std::string& name, wire::RangeKind kind,
             const std::string& domain = "", int64_t thread = kThread) {
    Add(wire::RangeRecord{start, end, thread, Text(name), domain.empty() ? 0 : Text(domain),
                          static_cast<int64_t>(kind)});
  }
  // The time of a step between two boundaries.
  void StepTime(int64_t start, int64_t end, wire::StepState state,
                const std::string& boundary = "Optimizer.step", int64_t thread = kThread) {
    Add(wire::StepTimeRecord{start, end, thread, Text(boundary), static_cast<int64_t>(state)});
  }
  void Fact(const std::string& key, const std::string& value) {
    Add(wire::FactRecord{1, Text(key), Text(value)});
  }

  // Writes the records added since the last call.
  void Flush(bool compressed = false) {
    if (!new_texts_.empty()) {
      std::string payload;
      const auto first = static_cast<uint64_t>(next_text_) - new_texts_.size();
      wire::EncodeStrings(first, new_texts_, payload);
      const auto count = static_cast<uint32_t>(new_texts_.size());
      Frame(wire::FrameType::kStrings, 0, payload, count, compressed);
      new_texts_.clear();
    }
    std::apply([&](auto&... list) { (FlushList(list, compressed), ...); }, records_);
  }

  // A frame of any kind.
  void Frame(wire::FrameType type, uint16_t record, const std::string& payload, uint32_t rows,
             bool compressed = false) {
    wire::FrameHeader header;
    header.type = static_cast<uint16_t>(type);
    header.record = record;
    header.rows = rows;
    header.sequence = next_frame_++;
    std::string packed = payload;
    if (compressed) {
      header.type |= wire::kCompressed;
      packed.resize(ZSTD_compressBound(payload.size()));
      packed.resize(ZSTD_compress(packed.data(), packed.size(), payload.data(), payload.size(), 1));
    }
    wire::AppendFrame(header, packed, frames_);
    ends_.push_back(sizeof(header_) + frames_.size());
  }
  void SkipFrame() { ++next_frame_; }

  // The file without its end, as a killed program leaves it.
  std::string Unfinished() {
    Flush();
    return std::string(reinterpret_cast<const char*>(&header_), sizeof(header_)) + frames_;
  }
  std::string Bytes() {
    Flush();
    Frame(wire::FrameType::kEnd, 0, "", 0);
    return Unfinished();
  }

  // The offsets at which the frames written so far end.
  const std::vector<size_t>& frame_ends() const { return ends_; }

 private:
  template <typename Record>
  void FlushList(std::vector<Record>& list, bool compressed) {
    if (list.empty()) return;
    std::string payload;
    wire::EncodeRows<Record>(list, payload);
    Frame(wire::FrameType::kRecords, static_cast<uint16_t>(Record::kType), payload,
          static_cast<uint32_t>(list.size()), compressed);
    list.clear();
  }

  wire::FileHeader header_;
  std::string frames_;
  std::vector<size_t> ends_;
  uint32_t next_frame_ = 0;
  std::map<std::string, int64_t> numbers_;
  std::vector<std::string> new_texts_;
  int64_t next_text_ = 1;
  wire::RecordLists records_;
};

}  // namespace warpsight::importers::capture
