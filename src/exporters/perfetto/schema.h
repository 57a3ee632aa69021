#pragma once

#include <cstdint>

// Numbers of the fields in use, from protos/perfetto/trace in Perfetto: trace_packet.proto,
// track_event/track_descriptor.proto, track_event/track_event.proto,
// track_event/debug_annotation.proto, interned_data/interned_data.proto.
namespace warpsight::exporters::perfetto {

namespace trace {
inline constexpr uint32_t kPacket = 1;
}
namespace packet {
inline constexpr uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                          kSequenceFlags = 13, kTrackDescriptor = 60;
inline constexpr uint32_t kStateCleared = 1, kNeedsState = 2;  // of kSequenceFlags
}  // namespace packet
namespace track {
inline constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5,
                          kCounter = 8;
inline constexpr uint32_t kProcessPid = 1, kProcessName = 6, kProcessLabels = 8;
inline constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
inline constexpr uint32_t kCounterUnit = 3, kUnitBytes = 3;
}  // namespace track
namespace event {
inline constexpr uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11,
                          kCounterValue = 30, kRealCounterValue = 44, kFlow = 47, kFlowEnd = 48;
inline constexpr int32_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace event
namespace annotation {
inline constexpr uint32_t kNameIid = 1, kInteger = 4, kReal = 5, kText = 6, kTextIid = 17;
}
namespace interned {
inline constexpr uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kTexts = 29;
inline constexpr uint32_t kIid = 1, kText = 2;
}  // namespace interned

}  // namespace warpsight::exporters::perfetto
