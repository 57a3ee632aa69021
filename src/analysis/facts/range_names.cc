#include "analysis/facts/range_names.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace warpsight {
namespace {

// "AddmmBackward0", "torch::autograd::CopyBackwards", "CompiledFunctionBackward".
bool IsBackwardNode(std::string_view name) {
  if (name.starts_with("aten::")) return false;
  const size_t at = name.rfind("Backward");
  if (at == std::string_view::npos) return false;
  std::string_view rest = name.substr(at + std::string_view("Backward").size());
  if (rest.starts_with('s')) rest.remove_prefix(1);
  return rest.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

RangeName ClassifyRangeName(std::string_view name) {
  RangeName result;
  const bool evaluates = name.starts_with("autograd::engine::evaluate_function");
  result.backward_node = !evaluates && IsBackwardNode(name);
  result.autograd_wrapper = evaluates || result.backward_node || name.ends_with("AccumulateGrad");
  result.wrapper = result.autograd_wrapper || name.starts_with("Torch-Compiled Region") ||
                   name == "CompiledFunction";
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

bool IsSynchronisation(std::string_view name) { return name.ends_with("Synchronize"); }

bool IsAllocation(std::string_view name) {
  for (const std::string_view part :
       {"Malloc", "MemAlloc", "HostAlloc", "HostRegister", "MemCreate", "MemMap", "MemUnmap",
        "MemRelease", "MemAddressReserve", "MemAddressFree"}) {
    if (Contains(name, part)) return true;
  }
  return Contains(name, "Free") && !Contains(name, "MemGetInfo");
}

bool IsGraphRecording(std::string_view name) { return name == "command_buffer::update"; }

bool IsGraphLaunch(std::string_view name) { return Contains(name, "GraphLaunch"); }

bool IsLaunch(std::string_view name) {
  return Contains(name, "Launch") && !Contains(name, "LaunchHostFunc") &&
         !Contains(name, "PushCallConfiguration");
}

}  // namespace warpsight
