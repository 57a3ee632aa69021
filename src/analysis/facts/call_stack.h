#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// The frames around a host range, innermost first: those recorded with the range or with a range
// around it, otherwise the Python frames and modules that were open on its thread. A backward op
// without frames has those of its forward op. Empty if the trace has none. Texts are valid as long
// as the trace.
std::vector<std::string_view> CallStack(ProfileView profile, HostId host);

// The same as one text, one frame per line, outermost first, as in DLProf.
std::string CallStackText(ProfileView profile, HostId host);

}  // namespace warpsight
