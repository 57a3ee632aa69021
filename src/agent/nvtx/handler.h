#pragma once

#include "agent/cuda_abi/nvtx.h"

namespace warpsight::agent {

// Installs our functions as the NVTX implementation of a shared object; called once for each.
bool InstallNvtxHandler(NvtxGetExportTableFunc_t get_export_table);

}  // namespace warpsight::agent
