#include "analysis/roofline/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/cost_model.h"

namespace warpsight {
namespace {

struct Capability {
  int64_t version;  // 10 * major + minor; applies up to the next row
  int64_t threads, blocks, shared_kib;
};

// Each of them has 64 Ki registers.
constexpr Capability kCapabilities[] = {
    {50, 2048, 32, 64},  {52, 2048, 32, 96},  {60, 2048, 32, 64},  {61, 2048, 32, 96},
    {70, 2048, 32, 96},  {75, 1024, 16, 64},  {80, 2048, 32, 164}, {86, 1536, 16, 100},
    {87, 1536, 16, 164}, {89, 1536, 24, 100}, {90, 2048, 32, 228}, {100, 2048, 32, 228},
    {120, 1536, 24, 100}};
constexpr int64_t kRegisters = 65'536;
// Registers are allocated to warps in units of this many.
constexpr int64_t kRegisterUnit = 256;
constexpr int64_t kWarp = 32;
// Each scheduler has its part of the registers and of the warps.
constexpr int64_t kSchedulers = 4;
// From compute capability 8.0 on, a block uses this much shared memory in addition to its request.
constexpr int64_t kReservedShared = 1024;

Capability CapabilityOf(int64_t version) {
  Capability found = kCapabilities[0];
  for (const Capability& row : kCapabilities) {
    if (row.version <= version) found = row;
  }
  return found;
}

int64_t Recorded(int64_t value, int64_t otherwise) { return value > 0 ? value : otherwise; }

int64_t RoundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

GpuLimits LimitsFor(const DevicesTable& devices, size_t d, int64_t sms, int64_t version) {
  const Capability known = CapabilityOf(version);
  GpuLimits limits;
  limits.sms = sms;
  limits.threads = Recorded(devices.threads_per_sm[d], known.threads);
  limits.blocks = known.blocks;
  limits.registers = Recorded(devices.regs_per_sm[d], kRegisters);
  limits.shared_bytes = Recorded(devices.shared_per_sm[d], known.shared_kib << 10);
  return limits;
}

// 10 * major + minor; 0 if it was not recorded.
int64_t VersionOf(const DevicesTable& devices, size_t d) {
  if (devices.compute_major[d] <= 0) return 0;
  return 10 * devices.compute_major[d] + std::max<int64_t>(0, devices.compute_minor[d]);
}

}  // namespace

std::optional<GpuLimits> LimitsOf(ProfileView profile, const CostModel& costs, DeviceId device) {
  const DevicesTable& devices = profile.trace.tables.devices;
  const size_t d = Index(device);
  const std::optional<GpuPeaks>& peaks = costs.PeaksOf(device);
  const int64_t sms = Recorded(devices.sms[d], peaks ? peaks->sms : 0);
  if (sms <= 0) return std::nullopt;
  // Without a recorded capability, that of current data-center GPUs is used.
  constexpr int64_t kCurrent = 90;
  return LimitsFor(devices, d, sms, Recorded(VersionOf(devices, d), kCurrent));
}

std::optional<GpuLimits> RecordedLimitsOf(const Trace& trace, DeviceId device) {
  const DevicesTable& devices = trace.tables.devices;
  const size_t d = Index(device);
  const int64_t version = VersionOf(devices, d);
  const bool amd = devices.warp_size[d] > kWarp;
  if (devices.sms[d] <= 0 || version == 0 || amd) return std::nullopt;
  return LimitsFor(devices, d, devices.sms[d], version);
}

std::optional<LaunchShape> LaunchOf(const Trace& trace, GpuId gpu) {
  const size_t g = Index(gpu);
  const LaunchConfigId id = trace.tables.gpu.launch_config[g];
  if (trace.tables.gpu.kind[g] != GpuKind::kKernel || !IsSet(id)) return std::nullopt;
  const LaunchConfigsTable& t = trace.tables.launch_configs;
  const size_t c = Index(id);
  // CUDA's limits are applied so that damaged records do not overflow.
  const auto product = [](int64_t x, int64_t y, int64_t z) {
    const double all = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
    return x > 0 && y > 0 && z > 0 && all < 1e15 ? x * y * z : 0;
  };
  LaunchShape launch;
  launch.blocks = product(t.grid_x[c], t.grid_y[c], t.grid_z[c]);
  launch.threads = product(t.block_x[c], t.block_y[c], t.block_z[c]);
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads > 1024) return std::nullopt;
  launch.registers = std::clamp<int64_t>(t.registers[c], 0, 255);
  launch.shared_bytes = std::clamp<int64_t>(t.shared_bytes[c], 0, int64_t{1} << 20);
  return launch;
}

std::string LaunchText(const Trace& trace, GpuId gpu) {
  const std::optional<LaunchShape> launch = LaunchOf(trace, gpu);
  if (!launch) return {};
  const LaunchConfigsTable& t = trace.tables.launch_configs;
  const size_t c = Index(trace.tables.gpu.launch_config[Index(gpu)]);
  std::string text = fmt::format("grid [{}, {}, {}], block [{}, {}, {}]", t.grid_x[c], t.grid_y[c],
                                 t.grid_z[c], t.block_x[c], t.block_y[c], t.block_z[c]);
  if (launch->registers > 0) text += fmt::format(", {} registers", launch->registers);
  if (launch->shared_bytes > 0) {
    text += fmt::format(", {:.1f} KiB shared", static_cast<double>(launch->shared_bytes) / 1024);
  }
  return text;
}

int64_t ResidentBlocks(const LaunchShape& launch, const GpuLimits& limits) {
  const int64_t warps = (launch.threads + kWarp - 1) / kWarp;
  int64_t resident = std::min(limits.blocks, limits.threads / (warps * kWarp));
  if (launch.registers > 0) {
    const int64_t per_warp = RoundedUp(launch.registers * kWarp, kRegisterUnit);
    const int64_t fitting = kSchedulers * (limits.registers / kSchedulers / per_warp);
    resident = std::min(resident, fitting / warps);
  }
  if (launch.shared_bytes > 0) {
    resident = std::min(resident, limits.shared_bytes / (launch.shared_bytes + kReservedShared));
  }
  return std::max<int64_t>(1, resident);
}

double AchievedOccupancyPercent(const LaunchShape& launch, const GpuLimits& limits) {
  const double blocks =
      std::min(static_cast<double>(ResidentBlocks(launch, limits)),
               static_cast<double>(launch.blocks) / static_cast<double>(limits.sms));
  return std::min(100.0, 100 * blocks * static_cast<double>(launch.threads) /
                             static_cast<double>(limits.threads));
}

double Waves(const LaunchShape& launch, const GpuLimits& limits) {
  return static_cast<double>(launch.blocks) /
         static_cast<double>(limits.sms * ResidentBlocks(launch, limits));
}

}  // namespace warpsight
