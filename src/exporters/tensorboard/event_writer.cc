#include "exporters/tensorboard/event_writer.h"

#include <protozero/pbf_writer.hpp>

#include "base/crc32c.h"
#include "base/utf8.h"
#include "exporters/tensorboard/schema.h"

namespace warpsight::exporters::tensorboard {
namespace {

using protozero::pbf_writer;

constexpr std::string_view kFileVersion = "brain.Event:2";
constexpr std::string_view kWriterName = "warpsight";
constexpr std::string_view kScalarPlugin = "scalars";
constexpr std::string_view kTextPlugin = "text";

void AppendLittleEndian(uint64_t value, size_t bytes, std::string& out) {
  for (size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
}

// TFRecord masks checksums, because the CRC of data that contains its own CRC is useless.
uint32_t MaskedChecksum(std::string_view bytes) {
  constexpr uint32_t kMask = 0xA282EAD8;
  const uint32_t crc = Crc32c(bytes);
  return ((crc >> 15U) | (crc << 17U)) + kMask;
}

std::string Record(std::string_view data) {
  std::string record;
  AppendLittleEndian(data.size(), sizeof(uint64_t), record);
  AppendLittleEndian(MaskedChecksum(record), sizeof(uint32_t), record);
  record += data;
  AppendLittleEndian(MaskedChecksum(data), sizeof(uint32_t), record);
  return record;
}

void AddText(pbf_writer& message, uint32_t field, std::string_view text) {
  message.add_string(field, text.data(), text.size());
}

// The time comes last, so that all files begin with the same bytes.
std::string FirstEvent(double wall_time) {
  std::string bytes;
  pbf_writer event(bytes);
  AddText(event, event::kFileVersion, kFileVersion);
  {
    pbf_writer source(event, event::kSourceMetadata);
    AddText(source, event::kWriter, kWriterName);
  }
  event.add_double(event::kWallTime, wall_time);
  return bytes;
}

// Metadata that tells TensorBoard how to show the values of a tag.
struct Presentation {
  std::string_view plugin;
  int32_t data_class;
  std::string_view name;
  std::string_view description;
};

void AddMetadata(pbf_writer& value, const Presentation& presentation) {
  pbf_writer metadata(value, summary::kMetadata);
  {
    pbf_writer plugin(metadata, metadata::kPluginData);
    AddText(plugin, metadata::kPluginName, presentation.plugin);
  }
  AddText(metadata, metadata::kDisplayName, presentation.name);
  AddText(metadata, metadata::kDescription, presentation.description);
  metadata.add_enum(metadata::kDataClass, presentation.data_class);
}

// Writes a tensor without dimensions.
void AddTextTensor(pbf_writer& value, std::string_view text) {
  pbf_writer tensor(value, summary::kTensor);
  tensor.add_enum(tensor::kType, tensor::kString);
  tensor.add_message(tensor::kShape, "", 0);
  tensor.add_bytes(tensor::kStringValue, text.data(), text.size());
}

}  // namespace

std::string FileHead() {
  constexpr size_t kEndBytes = sizeof(double) + sizeof(uint32_t);  // the time and the checksum
  std::string head = Record(FirstEvent(0));
  head.resize(head.size() - kEndBytes);
  return head;
}

EventWriter::EventWriter(OutputFile& file, double wall_time) : file_(file) {
  file_.Write(Record(FirstEvent(wall_time)));
}

void EventWriter::Write(double wall_time, int64_t step, std::span<const Scalar> scalars) {
  std::string bytes;
  for (const Scalar& scalar : scalars) {
    const std::string tag = scalar.group + "/" + scalar.name;
    pbf_writer summary(bytes);
    pbf_writer value(summary, summary::kValue);
    AddText(value, summary::kTag, tag);
    if (IsNew(tag)) {
      AddMetadata(value, {kScalarPlugin, metadata::kScalar, scalar.name, scalar.description});
    }
    // Not as a tensor, as TensorFlow 2 does: every reader of event files supports this form.
    value.add_float(summary::kSimpleValue, static_cast<float>(scalar.value));
  }
  WriteEvent(wall_time, step, bytes);
}

void EventWriter::Write(double wall_time, int64_t step, const Text& text) {
  const std::string tag = text.group + "/" + text.name;
  std::string bytes;
  {
    pbf_writer summary(bytes);
    pbf_writer value(summary, summary::kValue);
    AddText(value, summary::kTag, tag);
    if (IsNew(tag)) {
      AddMetadata(value, {kTextPlugin, metadata::kTensor, text.name, text.description});
    }
    AddTextTensor(value, RepairUtf8(text.markdown));
  }
  WriteEvent(wall_time, step, bytes);
}

void EventWriter::WriteEvent(double wall_time, int64_t step, const std::string& summary) {
  std::string bytes;
  pbf_writer event(bytes);
  event.add_double(event::kWallTime, wall_time);
  event.add_int64(event::kStep, step);
  event.add_message(event::kSummary, summary);
  file_.Write(Record(bytes));
}

}  // namespace warpsight::exporters::tensorboard
