#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mcp/tools/open_profiles.h"

// The costliest kernels, ops and copies of a profile, as the one-screen report ranks them.
namespace warpsight::mcp {

struct CostTable {
  std::string rows;       // a JSON array of objects
  std::string sql;        // the same rows
  std::string total_sql;  // how many rows there are without the limit
  std::string text;       // a line for each row
  size_t shown = 0;
  size_t total = 0;
};

CostTable TopKernels(const OpenedProfile& opened, size_t limit);
CostTable TopOps(const OpenedProfile& opened, size_t limit);
CostTable TopCopies(const OpenedProfile& opened, size_t limit);

}  // namespace warpsight::mcp
