#pragma once

#include <cstdint>

// Numbers of the fields in use, from TensorFlow's event.proto, summary.proto, tensor.proto and
// types.proto.
namespace warpsight::exporters::tensorboard {

namespace event {
inline constexpr uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5,
                          kSourceMetadata = 10;
inline constexpr uint32_t kWriter = 1;  // of kSourceMetadata
}  // namespace event
namespace summary {
inline constexpr uint32_t kValue = 1;
inline constexpr uint32_t kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;  // of kValue
}  // namespace summary
namespace metadata {
inline constexpr uint32_t kPluginData = 1, kDisplayName = 2, kDescription = 3, kDataClass = 4;
inline constexpr uint32_t kPluginName = 1;          // of kPluginData
inline constexpr int32_t kScalar = 1, kTensor = 2;  // of kDataClass
}  // namespace metadata
namespace tensor {
inline constexpr uint32_t kType = 1, kShape = 2, kStringValue = 8;
inline constexpr int32_t kString = 7;  // of kType
}  // namespace tensor

}  // namespace warpsight::exporters::tensorboard
