#include "analysis/facts/call_stack.h"

#include <algorithm>

namespace warpsight {
namespace {

// PyTorch records a stack as one text, with ';' between frames.
std::vector<std::string_view> SplitFrames(std::string_view text) {
  std::vector<std::string_view> frames;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    std::string_view frame = text.substr(0, end);
    while (frame.starts_with(' ')) frame.remove_prefix(1);
    if (!frame.empty()) frames.push_back(frame);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return frames;
}

// Parents in other programs' files may form cycles; only parents before their child are used.
HostId ParentOf(ProfileView profile, HostId child) {
  const HostId parent = profile.facts.host.parent[Index(child)];
  return parent < child ? parent : kNone<HostId>;
}

std::vector<std::string_view> OwnStack(ProfileView profile, HostId host) {
  const TraceTables& tables = profile.trace.tables;
  for (HostId at = host; IsSet(at); at = ParentOf(profile, at)) {
    const HostExtraId extra = tables.host.extra[Index(at)];
    if (!IsSet(extra)) continue;
    std::vector<std::string_view> frames =
        SplitFrames(profile.trace.Text(tables.host_extras.call_stack[Index(extra)]));
    if (!frames.empty()) return frames;
  }
  std::vector<std::string_view> frames;
  for (HostId at = host; IsSet(at); at = ParentOf(profile, at)) {
    const HostKind kind = tables.host.kind[Index(at)];
    if (kind == HostKind::kPythonFunction || kind == HostKind::kModule) {
      frames.push_back(profile.trace.Text(tables.host.name[Index(at)]));
    }
  }
  return frames;
}

}  // namespace

std::vector<std::string_view> CallStack(ProfileView profile, HostId host) {
  std::vector<std::string_view> frames = OwnStack(profile, host);
  const HostId forward = profile.facts.host.forward[Index(host)];
  if (frames.empty() && IsSet(forward)) frames = OwnStack(profile, forward);
  return frames;
}

std::string CallStackText(ProfileView profile, HostId host) {
  std::string text;
  const std::vector<std::string_view> frames = CallStack(profile, host);
  for (size_t i = frames.size(); i-- > 0;) {
    if (!text.empty()) text += '\n';
    text += frames[i];
  }
  return text;
}

}  // namespace warpsight
