#include "analysis/timeline/category.h"

#include <array>

#include "analysis/accounting/waiting_calls.h"
#include "analysis/facts/range_names.h"

namespace warpsight {
namespace {

constexpr std::array<std::string_view, kCategoryCount - kIdleCauseCount> kIds = {
    "tensor_cores", "other_kernels", "communication", "memory", "data_loading", "io",
    "cpu",          "other",         "annotation",    "module", "python",       "api",
    "sync",         "overhead",      "iteration",     "outside"};

}  // namespace

std::string_view IdOf(Category category) {
  const auto number = static_cast<size_t>(category);
  if (number < kIds.size()) return kIds[number];
  return IdOf(EntryOf(static_cast<IdleCause>(number - kIds.size())));
}

EventCategories::EventCategories(ProfileView profile)
    : profile_(profile),
      gpu_classes_(profile.trace, profile.facts),
      loading_(profile.trace.strings.size()),
      file_access_(profile.trace.strings.size()),
      waiting_(WaitingCalls(profile.trace, profile.facts)) {
  const HostRangesTable& host = profile.trace.tables.host;
  RangeNames names(profile.trace);
  ByName<bool> file_access(profile.trace, IsFileAccess);
  for (size_t h = 0; h < host.start.size(); ++h) {
    const StringId name = host.name[h];
    if (host.kind[h] == HostKind::kAnnotation) {
      if (names[name].data_loading) loading_[Index(name)] = true;
    } else if (host.kind[h] == HostKind::kSystemCall) {
      if (file_access[name]) file_access_[Index(name)] = true;
    }
  }
}

Category EventCategories::OfKind(HostKind kind) {
  switch (kind) {
    case HostKind::kOp:
      return Category::kCpu;
    case HostKind::kAnnotation:
      return Category::kAnnotation;
    case HostKind::kPythonFunction:
      return Category::kPython;
    case HostKind::kModule:
      return Category::kModule;
    case HostKind::kOverhead:
      return Category::kOverhead;
    case HostKind::kSpan:
    case HostKind::kSystemCall:
    case HostKind::kOther:
      break;
  }
  return Category::kOther;
}

}  // namespace warpsight
