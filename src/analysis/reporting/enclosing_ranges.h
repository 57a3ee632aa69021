#pragma once

#include <string_view>
#include <vector>

#include "model/profile.h"

namespace warpsight {

// What NVTX ranges are to Nsight Systems: a user's annotations and the framework's modules.
inline bool IsUserRange(HostKind kind) {
  return kind == HostKind::kAnnotation || kind == HostKind::kModule;
}

// How Nsight Systems calls ranges that nest on a thread; all user ranges of a trace do.
inline constexpr std::string_view kPushPop = "PushPop";

// For each API call the innermost op, annotation, module or Python frame that was open on its
// thread when it began; the ranges around that one follow by host.parent. One sweep over both
// tables.
std::vector<HostId> InnermostRanges(const Profile& profile);

// For each host range the innermost user range that it is or lies in.
std::vector<HostId> InnermostUserRanges(const Profile& profile);

// The user range around a user range; `user_ranges` as InnermostUserRanges gives them.
inline HostId OuterUserRange(const Profile& profile, const std::vector<HostId>& user_ranges,
                             HostId range) {
  const HostId parent = profile.facts.host.parent[Index(range)];
  return IsSet(parent) ? user_ranges[Index(parent)] : kNone<HostId>;
}

}  // namespace warpsight
