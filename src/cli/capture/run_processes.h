#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warpsight {

// Whether a program can be recorded here without touching its files: false where neither the kernel
// nor the container lets a thread have file descriptors of its own (base/descriptor_table.h).
bool CanIsolateDescriptors();

// Processes of a run that have not ended, such as daemons; those that end within a moment are not
// counted.
std::vector<pid_t> ProcessesStillRunning(const std::string& run_id);

}  // namespace warpsight
