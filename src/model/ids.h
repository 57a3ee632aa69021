#pragma once

#include <cstdint>

#include "base/ids.h"

namespace warpsight {

// Rows of the tables in tables.h and facts.h.
enum class SourceId : uint32_t {};
enum class ProcessId : uint32_t {};
enum class ThreadId : uint32_t {};
enum class DeviceId : uint32_t {};
enum class StreamId : uint32_t {};
enum class SignatureId : uint32_t {};
enum class LaunchConfigId : uint32_t {};
enum class CollectiveId : uint32_t {};
enum class HostExtraId : uint32_t {};
enum class GpuExtraId : uint32_t {};
enum class HostId : uint32_t {};
enum class ApiId : uint32_t {};
enum class GpuId : uint32_t {};
enum class IterationId : uint32_t {};
enum class FindingId : uint32_t {};

}  // namespace warpsight
