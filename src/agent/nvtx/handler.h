#pragma once

#include <nvtx3/nvToolsExt.h>

namespace warpsight::agent {

// Installs our functions as the NVTX implementation of a shared object; called once for each.
bool InstallNvtxHandler(NvtxGetExportTableFunc_t get_export_table);

}  // namespace warpsight::agent
