#include "agent/cupti/calls.h"

#include <algorithm>
#include <array>

namespace warpsight::agent {
namespace {

bool EndsInDigits(std::string_view text, std::string_view mark) {
  const size_t at = text.rfind(mark);
  if (at == std::string_view::npos || at + mark.size() == text.size()) return false;
  const std::string_view digits = text.substr(at + mark.size());
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// Name prefixes of functions that launch work, wait, allocate or load. PyTorch makes several other
// calls (current device, capture state, last error) for each of these.
constexpr std::array<std::string_view, 31> kRecorded = {
    "cudaMemcpy",         "cudaMemset",        "cudaMemPrefetch",    "cudaMalloc",
    "cudaFree",           "cudaHostAlloc",     "cudaHostRegister",   "cudaHostUnregister",
    "cudaGraphInstantia", "cudaGraphExecUpda", "cudaGraphUpload",    "cudaStreamWaitEv",
    "cudaEventRecord",    "cudaStreamEndCap",  "cudaLibraryLoad",    "cudaLaunchHostFunc",
    "cuMemcpy",           "cuMemset",          "cuMemPrefetch",      "cuMemAlloc",
    "cuMemFree",          "cuMemHostAlloc",    "cuMemHostRegister",  "cuMemCreate",
    "cuMemMap",           "cuMemUnmap",        "cuGraphInstantiate", "cuModuleLoad",
    "cuLibraryLoad",      "cuStreamWaitEvent", "cuEventRecord",
};

constexpr std::array<std::string_view, 3> kLaunches = {"cudaLaunchKernel", "cudaLaunchCooperative",
                                                       "cuLaunch"};

// The ops inside a capture are those of all launches of the graph.
constexpr std::array<std::string_view, 2> kCaptures = {"cudaStreamBeginCa", "cuStreamBeginCapture"};

}  // namespace

std::string_view WithoutVersion(std::string_view name) {
  while (true) {
    const size_t before = name.size();
    if (EndsInDigits(name, "_v")) name = name.substr(0, name.rfind("_v"));
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    }
    if (name.size() == before) return name;
  }
}

CallUse UseOf(std::string_view function) {
  if (function == "cudaProfilerStart" || function == "cuProfilerStart") {
    return CallUse::kProfilerStart;
  }
  if (function == "cudaProfilerStop" || function == "cuProfilerStop") return CallUse::kProfilerStop;
  if (function == "cudaGraphLaunch" || function == "cuGraphLaunch") return CallUse::kGraphLaunch;
  const auto begins = [&](std::string_view start) { return function.starts_with(start); };
  if (function == "cuLaunchHostFunc") return CallUse::kRecorded;
  // One call of these starts a kernel on each of several GPUs.
  if (function.find("MultiDevice") != std::string_view::npos) return CallUse::kRecorded;
  if (std::ranges::any_of(kLaunches, begins)) return CallUse::kLaunch;
  if (std::ranges::any_of(kCaptures, begins)) return CallUse::kCapture;
  if (function.ends_with("Synchronize") || std::ranges::any_of(kRecorded, begins)) {
    return CallUse::kRecorded;
  }
  return CallUse::kIgnored;
}

}  // namespace warpsight::agent
