#include "analysis/facts/range_names.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "model/host_name.h"

namespace warpsight {

RangeName ClassifyRangeName(std::string_view name) {
  RangeName result;
  result.backward_node = IsBackwardNode(name);
  result.autograd_wrapper = IsAutogradWrapper(name);
  result.wrapper = IsWrapper(name);
  result.optimizer_step = name.starts_with("Optimizer.step#");
  const bool profiler_marks = name.starts_with("enumerate(DataLoader)#");
  result.data_loading = profiler_marks || name == "DataLoader";
  result.loader_next = profiler_marks && name.ends_with("__next__");
  result.step_marker = name.starts_with("ProfilerStep#");
  return result;
}

bool IsFileAccess(std::string_view system_call) {
  static constexpr std::string_view kCalls[] = {
      "read",    "pread",     "readv",        "preadv",   "preadv2",         "fread",
      "getc",    "fgetc",     "fgets",        "write",    "pwrite",          "writev",
      "pwritev", "pwritev2",  "fwrite",       "putc",     "fputc",           "fputs",
      "open",    "openat",    "creat",        "fopen",    "close",           "fclose",
      "fsync",   "fdatasync", "fflush",       "sendfile", "copy_file_range", "getdelim",
      "getline", "readahead", "io_getevents", "io_submit"};
  std::string_view name = system_call;
  if (name.ends_with("64")) name.remove_suffix(2);
  if (name.ends_with("_unlocked")) name.remove_suffix(std::string_view("_unlocked").size());
  return std::find(std::begin(kCalls), std::end(kCalls), name) != std::end(kCalls);
}

bool IsSynchronization(std::string_view name) { return name.ends_with("Synchronize"); }

bool IsStreamWait(std::string_view name) {
  for (const std::string_view part : {"StreamWaitEvent", "StreamWaitValue", "StreamBatchMemOp",
                                      "LaunchHostFunc", "StreamAddCallback"}) {
    if (Contains(name, part)) return true;
  }
  return false;
}

bool IsHostCallback(std::string_view name) {
  return Contains(name, "LaunchHostFunc") || Contains(name, "StreamAddCallback");
}

bool IsAllocation(std::string_view name) {
  for (const std::string_view part :
       {"Malloc", "MemAlloc", "HostAlloc", "HostRegister", "MemCreate", "MemMap", "MemUnmap",
        "MemRelease", "MemAddressReserve", "MemAddressFree"}) {
    if (Contains(name, part)) return true;
  }
  return Contains(name, "Free") && !Contains(name, "MemGetInfo");
}

bool IsGraphRecording(std::string_view name) { return name == "command_buffer::update"; }

bool IsCaptureBegin(std::string_view name) { return Contains(name, "StreamBeginCapture"); }

bool IsCaptureEnd(std::string_view name) { return Contains(name, "StreamEndCapture"); }

bool IsGraphLaunch(std::string_view name) { return Contains(name, "GraphLaunch"); }

bool IsLaunch(std::string_view name) {
  return Contains(name, "Launch") && !Contains(name, "LaunchHostFunc") &&
         !Contains(name, "PushCallConfiguration");
}

}  // namespace warpsight
