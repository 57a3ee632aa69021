#pragma once

#include <optional>
#include <string>

#include "analysis/roofline/gpu_peaks.h"
#include "cli/command_line.h"

namespace warpsight {

// --peaks: the same for every command that compares with the speed of light.
void AddPeaksFlag(Command& command, std::string& text);

// What the flag says; nothing where it was not given. The Error names the flag.
Result<std::optional<GpuPeaks>> ReadPeaksFlag(const std::string& text);

}  // namespace warpsight
