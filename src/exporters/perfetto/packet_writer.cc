#include "exporters/perfetto/packet_writer.h"

#include <protozero/pbf_writer.hpp>

#include "base/gzip.h"

namespace warpsight::exporters::perfetto {
namespace {

using protozero::pbf_writer;

constexpr size_t kFlushBytes = 1024 * 1024;
constexpr uint32_t kSequence = 1;

constexpr std::array<std::string_view, 17> kArgNames = {
    "correlation", "external id",    "sequence number",      "input dims",    "input types",
    "grid",        "block",          "registers per thread", "shared memory", "occupancy %",
    "bytes",       "graph id",       "graph node id",        "call stack",    "module hierarchy",
    "collective",  "other arguments"};

constexpr std::array<std::string_view, 15> kCategoryNames = {
    "cpu_op",          "user_annotation",
    "python_function", "module",
    "overhead",        "Trace",
    "system_call",     "other",
    "cuda_runtime",    "cuda_driver",
    "kernel",          "gpu_memcpy",
    "gpu_memset",      "gpu_user_annotation",
    "cuda_sync"};

// Numbers of interned values begin with 1.
template <typename Id>
uint64_t Iid(Id id) {
  return static_cast<uint64_t>(id) + 1;
}

void AddEntry(pbf_writer& interned, uint32_t list, uint64_t iid, std::string_view text) {
  pbf_writer entry(interned, list);
  entry.add_uint64(interned::kIid, iid);
  entry.add_bytes(interned::kText, text.data(), text.size());
}

void AddAnnotation(pbf_writer& event, const ArgValue& value) {
  pbf_writer annotation(event, event::kAnnotation);
  annotation.add_uint64(annotation::kNameIid, Iid(value.arg));
  if (value.type == ArgValue::Type::kInteger) {
    annotation.add_int64(annotation::kInteger, value.integer);
  } else if (value.type == ArgValue::Type::kReal) {
    annotation.add_double(annotation::kReal, value.real);
  } else if (value.type == ArgValue::Type::kInlineText) {
    annotation.add_string(annotation::kText, value.inline_text);
  } else {
    annotation.add_uint64(annotation::kTextIid, Iid(value.text));
  }
}

}  // namespace

std::string FirstPacket() {
  std::string bytes;
  pbf_writer packet(bytes);
  packet.add_uint32(packet::kSequenceId, kSequence);
  packet.add_uint32(packet::kSequenceFlags, packet::kStateCleared | packet::kNeedsState);
  {
    pbf_writer interned(packet, packet::kInternedData);
    for (size_t i = 0; i < kCategoryNames.size(); ++i) {
      AddEntry(interned, interned::kCategories, i + 1, kCategoryNames[i]);
    }
    for (size_t i = 0; i < kArgNames.size(); ++i) {
      AddEntry(interned, interned::kAnnotationNames, i + 1, kArgNames[i]);
    }
  }
  std::string first;
  pbf_writer(first).add_message(trace::kPacket, bytes);
  return first;
}

PacketWriter::PacketWriter(const Trace& trace, OutputFile& file, bool compress)
    : trace_(trace),
      file_(file),
      compress_(compress),
      buffer_(FirstPacket()),
      names_(trace.strings.size()),
      texts_(trace.strings.size()) {}

void PacketWriter::Append() {
  pbf_writer(buffer_).add_message(trace::kPacket, packet_);
  packet_.clear();
  if (buffer_.size() >= kFlushBytes) Flush();
}

void PacketWriter::Flush() {
  if (buffer_.empty()) return;
  file_.Write(compress_ ? Gzip(buffer_, GzipLevel::kSmall) : buffer_);
  buffer_.clear();
}

void PacketWriter::Track(const TrackInfo& track) {
  pbf_writer packet(packet_);
  packet.add_uint32(packet::kSequenceId, kSequence);
  {
    pbf_writer descriptor(packet, packet::kTrackDescriptor);
    descriptor.add_uint64(track::kUuid, track.uuid);
    if (track.parent != 0) descriptor.add_uint64(track::kParent, track.parent);
    if (track.type == TrackInfo::Type::kProcess) {
      pbf_writer process(descriptor, track::kProcess);
      process.add_int64(track::kProcessPid, track.pid);
      process.add_string(track::kProcessName, track.name);
      if (!track.labels.empty()) process.add_string(track::kProcessLabels, track.labels);
    } else if (track.type == TrackInfo::Type::kThread) {
      pbf_writer thread(descriptor, track::kThread);
      thread.add_int64(track::kThreadPid, track.pid);
      thread.add_int64(track::kThreadTid, track.tid);
      thread.add_string(track::kThreadName, track.name);
    } else {
      descriptor.add_string(track::kName, track.name);
    }
    if (track.type == TrackInfo::Type::kCounter) {
      pbf_writer counter(descriptor, track::kCounter);
      if (track.bytes) counter.add_enum(track::kCounterUnit, track::kUnitBytes);
    }
  }
  Append();
}

bool PacketWriter::IsNew(std::vector<bool>& seen, StringId id) {
  if (seen[Index(id)]) return false;
  seen[Index(id)] = true;
  return true;
}

void PacketWriter::AddInterned(const SliceBegin& slice) {
  interned_.clear();
  pbf_writer interned(interned_);
  if (IsNew(names_, slice.name)) {
    AddEntry(interned, interned::kNames, Iid(slice.name), trace_.Text(slice.name));
  }
  for (const ArgValue& value : slice.args) {
    if (value.type != ArgValue::Type::kText || !IsNew(texts_, value.text)) continue;
    AddEntry(interned, interned::kTexts, Iid(value.text), trace_.Text(value.text));
  }
}

void PacketWriter::Begin(const SliceBegin& slice) {
  AddInterned(slice);
  pbf_writer packet(packet_);
  packet.add_uint64(packet::kTimestamp, static_cast<uint64_t>(slice.time));
  packet.add_uint32(packet::kSequenceId, kSequence);
  packet.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
  if (!interned_.empty()) packet.add_message(packet::kInternedData, interned_);
  {
    pbf_writer event(packet, packet::kTrackEvent);
    event.add_enum(event::kType, event::kSliceBegin);
    event.add_uint64(event::kTrack, slice.track);
    event.add_uint64(event::kCategory, Iid(slice.category));
    event.add_uint64(event::kName, Iid(slice.name));
    for (const ArgValue& value : slice.args) AddAnnotation(event, value);
    for (const uint64_t flow : slice.flows) event.add_fixed64(event::kFlow, flow);
    for (const uint64_t flow : slice.ended_flows) event.add_fixed64(event::kFlowEnd, flow);
  }
  Append();
}

template <typename Fill>
void PacketWriter::Event(TimeNs time, uint64_t track, int32_t type, Fill fill) {
  pbf_writer packet(packet_);
  packet.add_uint64(packet::kTimestamp, static_cast<uint64_t>(time));
  packet.add_uint32(packet::kSequenceId, kSequence);
  {
    pbf_writer event(packet, packet::kTrackEvent);
    event.add_enum(event::kType, type);
    event.add_uint64(event::kTrack, track);
    fill(event);
  }
  Append();
}

void PacketWriter::End(TimeNs time, uint64_t track) {
  Event(time, track, event::kSliceEnd, [](pbf_writer&) {});
}

void PacketWriter::Instant(TimeNs time, uint64_t track, StringId name) {
  const bool is_new = IsNew(names_, name);
  pbf_writer packet(packet_);
  packet.add_uint64(packet::kTimestamp, static_cast<uint64_t>(time));
  packet.add_uint32(packet::kSequenceId, kSequence);
  packet.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
  if (is_new) {
    pbf_writer interned(packet, packet::kInternedData);
    AddEntry(interned, interned::kNames, Iid(name), trace_.Text(name));
  }
  {
    pbf_writer event(packet, packet::kTrackEvent);
    event.add_enum(event::kType, event::kInstant);
    event.add_uint64(event::kTrack, track);
    event.add_uint64(event::kName, Iid(name));
  }
  Append();
}

void PacketWriter::Counter(TimeNs time, uint64_t track, int64_t value) {
  Event(time, track, event::kCounter,
        [&](pbf_writer& event) { event.add_int64(event::kCounterValue, value); });
}

void PacketWriter::Counter(TimeNs time, uint64_t track, double value) {
  Event(time, track, event::kCounter,
        [&](pbf_writer& event) { event.add_double(event::kRealCounterValue, value); });
}

}  // namespace warpsight::exporters::perfetto
