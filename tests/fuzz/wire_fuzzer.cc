// Reads any bytes as the frames of a capture file, as the payload of a frame of every kind, as
// numbers and as inputs of an op. Whatever can be read, written and read again must be equal.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "importers/capture/op_signature.h"
#include "wire/frame.h"
#include "wire/records.h"
#include "wire/rows.h"
#include "wire/varint.h"

namespace warpsight::wire {
namespace {

void Require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

template <typename Record>
void CheckRows(std::string_view payload, uint32_t count) {
  const auto rows = DecodeRows<Record>(payload, count);
  if (!rows) return;
  Require(rows->size() == count, "as many rows as the frame says");
  std::string bytes;
  EncodeRows<Record>(*rows, bytes);
  const auto again = DecodeRows<Record>(bytes, count);
  Require(again.has_value() && again->size() == count, "rows that were written can be read");
  Require(count == 0 || std::memcmp(rows->data(), again->data(), count * sizeof(Record)) == 0,
          "rows are read as they were written");
}

// Chooses the record type by the kind's number, as the importer does.
template <typename... Records>
void CheckKind(uint16_t kind, std::string_view payload, uint32_t count,
               const std::tuple<std::vector<Records>...>& /*kinds*/) {
  ((kind == static_cast<uint16_t>(Records::kType) ? CheckRows<Records>(payload, count) : void()),
   ...);
}

void CheckStrings(std::string_view payload, uint32_t count) {
  const auto strings = DecodeStrings(payload, count);
  if (!strings) return;
  Require(strings->texts.size() == count, "as many texts as the frame says");
  const std::vector<std::string> texts(strings->texts.begin(), strings->texts.end());
  std::string bytes;
  EncodeStrings(strings->first, texts, bytes);
  const auto again = DecodeStrings(bytes, count);
  Require(again.has_value() && again->first == strings->first && again->texts == strings->texts,
          "texts are read as they were written");
}

void CheckPayload(uint16_t type, uint16_t kind, uint32_t rows, std::string_view payload) {
  if (type == static_cast<uint16_t>(FrameType::kStrings)) CheckStrings(payload, rows);
  if (type == static_cast<uint16_t>(FrameType::kRecords)) {
    CheckKind(kind, payload, rows, RecordLists());
  }
}

void CheckFrames(std::string_view bytes) {
  FrameReader reader(bytes);
  size_t in_frames = 0;
  std::string copy;
  size_t frames = 0;
  while (const auto frame = reader.Next()) {
    Require(frame->payload.data() >= bytes.data() &&
                frame->payload.data() + frame->payload.size() <= bytes.data() + bytes.size(),
            "a payload lies in the file");
    in_frames += sizeof(FrameHeader) + frame->payload.size();
    ++frames;
    AppendFrame(frame->header, frame->payload, copy);
    CheckPayload(frame->header.type, frame->header.record, frame->header.rows, frame->payload);
  }
  Require(in_frames + reader.passed_over() == bytes.size(), "every byte is in a frame or counted");
  FrameReader again(copy);
  size_t copied = 0;
  while (again.Next()) ++copied;
  Require(copied == frames && again.passed_over() == 0, "frames are read as they were written");
}

void CheckNumbers(std::string_view bytes) {
  VarintReader reader(bytes.data(), bytes.data() + bytes.size());
  while (!reader.at_end()) {
    const uint64_t value = reader.Unsigned();
    if (!reader.ok()) return;
    std::string written;
    AppendVarint(value, written);
    VarintReader again(written.data(), written.data() + written.size());
    Require(again.Unsigned() == value && again.ok() && again.at_end(), "a number stays the same");
    Require(ZigZag(UnZigZag(value)) == value, "a signed number stays the same");
  }
}

}  // namespace
}  // namespace warpsight::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpsight;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wire::CheckFrames(bytes);
  wire::CheckNumbers(bytes);
  importers::capture::DecodeInputs(bytes);
  // Also passes the input as a payload, which a fuzzer would rarely reach behind a frame header.
  struct Head {
    uint16_t type, kind;
    uint32_t rows;
  } head{};
  if (size < sizeof(head)) return 0;
  std::memcpy(&head, data, sizeof(head));
  wire::CheckPayload(head.type % 4, head.kind % 20, head.rows, bytes.substr(sizeof(head)));
  return 0;
}
