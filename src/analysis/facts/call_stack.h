#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// The frames around a host range, innermost first: as recorded with it or with a range around it,
// else the Python frames and modules that were open on its thread. A backward op without any has
// those of its forward op. Empty where the trace holds none. Texts are valid as long as the trace.
std::vector<std::string_view> CallStack(ProfileView profile, HostId host);

// The same as one text, a frame on a line, outermost first, as DLProf writes it.
std::string CallStackText(ProfileView profile, HostId host);

}  // namespace warpsight
