#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "mcp/protocol/tool.h"
#include "mcp/tools/open_profiles.h"

namespace warpsight::mcp {

// What clients are told about all tools together.
std::string_view Instructions();

// All tools. They share the profiles that the client opens.
std::vector<Tool> AllTools();

// The tools, one file each. `profiles` outlives them.
using Profiles = std::shared_ptr<OpenProfiles>;
Tool OpenProfileTool(const Profiles& profiles);
Tool ListProfilesTool(const Profiles& profiles);
Tool CloseProfileTool(const Profiles& profiles);
Tool SummaryTool(const Profiles& profiles);
Tool FindingsTool(const Profiles& profiles);
Tool TopTool(const Profiles& profiles);
Tool ExplainKernelTool(const Profiles& profiles);
Tool CompareTool(const Profiles& profiles);
Tool QueryTool(const Profiles& profiles);
Tool SchemaTool();

// The parameter that names an open profile.
Parameter ProfileParameter();

}  // namespace warpsight::mcp
