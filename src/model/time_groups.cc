#include "model/time_groups.h"

namespace warpsight {
namespace {

struct EntryWords {
  std::string_view id;
  std::string_view name;
};

constexpr std::array<EntryWords, kLedgerEntryCount> kEntries = {{
    {"tensor_cores", "Tensor Core kernels"},
    {"other_kernels", "other kernels"},
    {"communication", "exposed communication"},
    {"memory", "exposed copies"},
    {"gap_data", "waiting for data"},
    {"gap_sync", "host synchronization"},
    {"gap_allocation", "allocation"},
    {"gap_host_work", "host work before the launch"},
    {"gap_launch_latency", "launch latency"},
    {"gap_dependency", "dependency"},
    {"gap_other_rank", "waiting for another rank"},
    {"gap_unknown", "unknown"},
    {"hidden_communication", "hidden communication"},
    {"hidden_memory", "hidden copies"},
    {"host_data_loading", "data loading"},
    {"host_recording", "recording cost"},
    {"host_io", "I/O"},
    {"host_launches", "launches"},
    {"host_copies", "copy calls"},
    {"host_allocation", "allocation calls"},
    {"host_other_calls", "other CUDA calls"},
    {"host_ops", "ops and Python"},
    {"host_waiting", "waiting for the GPU"},
    {"host_other", "nothing recorded"},
}};

constexpr std::string_view kGap = "gap_";

// The first entry of each group. A group has the name of its entry, except the kernels.
constexpr LedgerEntry FirstEntry(TimeGroup group) {
  if (group == TimeGroup::kKernels) return LedgerEntry::kTensorCores;
  const auto number = static_cast<uint8_t>(group);
  if (group <= TimeGroup::kIdleUnknown) return static_cast<LedgerEntry>(number + 1);
  return static_cast<LedgerEntry>(number - static_cast<uint8_t>(TimeGroup::kHostDataLoading) +
                                  static_cast<uint8_t>(LedgerEntry::kHostDataLoading));
}
static_assert(FirstEntry(TimeGroup::kCopies) == LedgerEntry::kCopies);
static_assert(FirstEntry(TimeGroup::kIdleUnknown) == LedgerEntry::kIdleUnknown);
static_assert(FirstEntry(TimeGroup::kHostOther) == LedgerEntry::kHostOther);

}  // namespace

TimeGroup GroupOf(LedgerEntry entry) {
  for (size_t i = 0; i < kTimeGroupCount; ++i) {
    const auto group = static_cast<TimeGroup>(i);
    if (FirstEntry(group) == entry) return group;
  }
  return TimeGroup::kKernels;  // compute kernels; hidden entries overlap them
}

std::string_view ToString(LedgerEntry entry) { return kEntries[static_cast<size_t>(entry)].name; }

std::string_view ToString(IdleCause cause) { return ToString(EntryOf(cause)); }

std::string_view ToString(TimeGroup group) {
  return group == TimeGroup::kKernels ? "kernels" : ToString(FirstEntry(group));
}

std::string Headline(TimeGroup group) {
  std::string text(ToString(group));
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string_view IdOf(LedgerEntry entry) { return kEntries[static_cast<size_t>(entry)].id; }

std::string_view IdOf(IdleCause cause) { return IdOf(EntryOf(cause)).substr(kGap.size()); }

std::string_view VerdictId(TimeGroup group) {
  switch (group) {
    case TimeGroup::kKernels:
      return "gpu-bound";
    case TimeGroup::kCommunication:
    case TimeGroup::kIdleOtherRank:
      return "communication-bound";
    case TimeGroup::kCopies:
      return "copy-bound";
    case TimeGroup::kIdleData:
    case TimeGroup::kHostDataLoading:
      return "input-bound";
    case TimeGroup::kIdleSync:
    case TimeGroup::kHostWaiting:
      return "sync-bound";
    case TimeGroup::kIdleAllocation:
    case TimeGroup::kHostAllocation:
      return "allocation-bound";
    case TimeGroup::kIdleHostWork:
    case TimeGroup::kHostLaunches:
    case TimeGroup::kHostCopies:
    case TimeGroup::kHostOtherCalls:
    case TimeGroup::kHostOps:
      return "cpu-bound";
    case TimeGroup::kHostRecording:
      return "recording-bound";
    case TimeGroup::kIdleLaunchLatency:
      return "latency-bound";
    case TimeGroup::kIdleDependency:
      return "dependency-bound";
    case TimeGroup::kHostIo:
      return "io-bound";
    case TimeGroup::kIdleUnknown:
    case TimeGroup::kHostOther:
      break;
  }
  return "unknown";
}

}  // namespace warpsight
