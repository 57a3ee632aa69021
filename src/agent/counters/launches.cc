#include "agent/counters/launches.h"

#include <utility>

#include "agent/cuda_abi/driver.h"

namespace warpsight::agent {
namespace {

template <typename Params>
Launch LaunchOf(const void* data) {
  const auto& params = *static_cast<const Params*>(data);
  return {{},
          {params.gridDimX, params.gridDimY, params.gridDimZ},
          {params.blockDimX, params.blockDimY, params.blockDimZ},
          params.hStream};
}

}  // namespace

DriverCall DriverCallOf(std::string_view function) {
  if (function == "cuLaunchKernel") return DriverCall::kLaunch;
  if (function == "cuLaunchCooperativeKernel") return DriverCall::kCooperativeLaunch;
  if (function == "cuLaunchKernelEx") return DriverCall::kConfiguredLaunch;
  if (function == "cuGraphLaunch") return DriverCall::kGraphLaunch;
  if (function.starts_with("cuStreamBeginCapture")) return DriverCall::kBeginCapture;
  if (function == "cuStreamEndCapture") return DriverCall::kEndCapture;
  if (function == "cuProfilerStart") return DriverCall::kProfilerStart;
  if (function == "cuProfilerStop") return DriverCall::kProfilerStop;
  return DriverCall::kOther;
}

std::optional<Launch> ReadLaunch(DriverCall call, const void* params, const char* symbol) {
  if (params == nullptr || symbol == nullptr || *symbol == '\0') return std::nullopt;
  Launch launch;
  switch (call) {
    case DriverCall::kLaunch:
      launch = LaunchOf<cuLaunchKernel_params>(params);
      break;
    case DriverCall::kCooperativeLaunch:
      launch = LaunchOf<cuLaunchCooperativeKernel_params>(params);
      break;
    case DriverCall::kConfiguredLaunch: {
      const CUlaunchConfig* config = static_cast<const cuLaunchKernelEx_params*>(params)->config;
      if (config == nullptr) return std::nullopt;
      launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
      launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
      launch.stream = config->hStream;
      break;
    }
    default:
      return std::nullopt;
  }
  launch.name = symbol;
  return launch;
}

bool IsCollective(std::string_view kernel) {
  for (const std::string_view mark : {"nccl", "Nccl", "NCCL", "nvshmem"}) {
    if (kernel.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

std::string LaunchSampler::KeyOf(const Launch& launch) {
  std::string key(launch.name);
  key.append(reinterpret_cast<const char*>(launch.grid.data()), sizeof(launch.grid));
  key.append(reinterpret_cast<const char*>(launch.block.data()), sizeof(launch.block));
  return key;
}

std::optional<LaunchSampler::Sample> LaunchSampler::Take(const Launch& launch) {
  std::string key = KeyOf(launch);
  const std::scoped_lock lock(mutex_);
  auto found = kinds_.find(key);
  if (found == kinds_.end()) {
    if (kinds_.size() >= kMostKinds || count_ == 0) return std::nullopt;
    found = kinds_.emplace(std::move(key), Kind{}).first;
  }
  Kind& kind = found->second;
  if (kind.taken >= count_) return std::nullopt;
  return Sample{kind.taken++, !kind.known};
}

void LaunchSampler::GiveBack(const Launch& launch) {
  const std::scoped_lock lock(mutex_);
  const auto found = kinds_.find(KeyOf(launch));
  if (found != kinds_.end() && found->second.taken > 0) --found->second.taken;
}

void LaunchSampler::NoteEverything(const Launch& launch) {
  const std::scoped_lock lock(mutex_);
  const auto found = kinds_.find(KeyOf(launch));
  if (found != kinds_.end()) found->second.known = true;
}

}  // namespace warpsight::agent
