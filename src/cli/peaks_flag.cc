#include "cli/peaks_flag.h"

#include <fmt/format.h>

namespace warpsight {

void AddPeaksFlag(Command& command, std::string& text) {
  command
      .AddOption("--peaks", text,
                 "Peaks of the GPU in TFLOP/s and GB/s: bf16=989,fp32=67,bandwidth=4800 "
                 "(default: by its name)")
      .Type("KEY=N,...");
}

Result<std::optional<GpuPeaks>> ReadPeaksFlag(const std::string& text) {
  if (text.empty()) return std::optional<GpuPeaks>();
  const auto peaks = ParsePeaks(text);
  if (!peaks.ok()) return Error{fmt::format("--peaks: {}", peaks.error().message)};
  return std::optional<GpuPeaks>(*peaks);
}

}  // namespace warpsight
