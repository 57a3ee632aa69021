#pragma once

#include <nvtx3/nvToolsExt.h>

namespace warpsight::agent {

// Makes our functions those that a shared object's NVTX calls; called once for each.
bool InstallNvtxHandler(NvtxGetExportTableFunc_t get_export_table);

}  // namespace warpsight::agent
