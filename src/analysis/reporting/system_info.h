#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "model/profile.h"

namespace warpsight {

// "NVIDIA H200, compute capability 9.0, 132 SMs, 150 GB", as far as recorded.
std::string DescribeDevice(const Trace& trace, DeviceId device);

// The GPUs that did any work, for a heading: "NVIDIA H200", "8 × NVIDIA A100"; may be empty.
std::string DescribeUsedDevices(ProfileView profile);
// The same for those that worked in the analyzed steps, to which all numbers refer.
std::string DescribeUsedDevices(const Trace& trace, const GpuTime& time);

int64_t CountUsedDevices(ProfileView profile);

// "rank 3 of 8 (nccl)"; empty for a program of one process.
std::string DescribeRank(const Trace& trace, SourceId source);

// Names and values of recorded facts about software and the recording, with readable versions:
// {"CUDA driver", "13.0"}. Long values, such as configurations, are omitted.
std::vector<std::pair<std::string, std::string>> DescribeSoftware(const Trace& trace);

// The GPUs as a list, one entry per kind: {"GPU 0", "NVIDIA H200, …"}, {"GPUs 0-7", "8 × NVIDIA
// A100, …"}. With several ranks, only GPUs that did any work, since each rank lists all GPUs of its
// machine.
std::vector<std::pair<std::string, std::string>> ListDevices(ProfileView profile);

// All of the above for a table: the profile's name, ranks, GPUs and software.
std::vector<std::pair<std::string, std::string>> DescribeSystem(ProfileView profile);

}  // namespace warpsight
