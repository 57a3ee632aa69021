#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/facts.h"

// The names of time groups. All reports, the API and the viewer use these.
namespace warpsight {

// The entries of the GPU's view in the order in which they are shown; they sum to the window.
inline constexpr std::array kGpuEntries = {
    LedgerEntry::kTensorCores,    LedgerEntry::kOtherKernels,  LedgerEntry::kCommunication,
    LedgerEntry::kCopies,         LedgerEntry::kIdleData,      LedgerEntry::kIdleSync,
    LedgerEntry::kIdleAllocation, LedgerEntry::kIdleHostWork,  LedgerEntry::kIdleLaunchLatency,
    LedgerEntry::kIdleDependency, LedgerEntry::kIdleOtherRank, LedgerEntry::kIdleUnknown};
// The host's view; the verdict uses it if no GPU did any work.
inline constexpr std::array kHostEntries = {
    LedgerEntry::kHostDataLoading, LedgerEntry::kHostRecording, LedgerEntry::kHostIo,
    LedgerEntry::kHostLaunches,    LedgerEntry::kHostCopies,    LedgerEntry::kHostAllocation,
    LedgerEntry::kHostOtherCalls,  LedgerEntry::kHostOps,       LedgerEntry::kHostWaiting,
    LedgerEntry::kHostOther};

// The groups that a verdict can name: an entry, or both kinds of compute kernels together.
enum class TimeGroup : uint8_t {
  kKernels,
  kCommunication,
  kCopies,
  kIdleData,
  kIdleSync,
  kIdleAllocation,
  kIdleHostWork,
  kIdleLaunchLatency,
  kIdleDependency,
  kIdleOtherRank,
  kIdleUnknown,
  kHostDataLoading,
  kHostRecording,
  kHostIo,
  kHostLaunches,
  kHostCopies,
  kHostAllocation,
  kHostOtherCalls,
  kHostOps,
  kHostWaiting,
  kHostOther,
};
inline constexpr size_t kTimeGroupCount = 21;

// The group of an entry of either view.
TimeGroup GroupOf(LedgerEntry entry);

// Names as printed: "Tensor Core kernels", "host synchronization", "kernels", ...
std::string_view ToString(LedgerEntry entry);
std::string_view ToString(IdleCause cause);
std::string_view ToString(TimeGroup group);
// "Host synchronization": at the start of a line.
std::string Headline(TimeGroup group);

// The API's id of an entry ("tensor_cores", "gap_sync", "host_ops") and of a cause ("sync").
std::string_view IdOf(LedgerEntry entry);
std::string_view IdOf(IdleCause cause);
// The verdict's id for programs: "gpu-bound", "input-bound", ...
std::string_view VerdictId(TimeGroup group);

}  // namespace warpsight
