#pragma once

#include <string_view>

#include "importers/api/importer.h"

namespace warpsight::importers::nvprof {

// Whether a text begins like `nvprof --csv --print-gpu-trace` or `--print-api-trace`.
bool LooksLikeCsvTrace(std::string_view head);
Status ReadCsv(ImportContext& context);

}  // namespace warpsight::importers::nvprof
