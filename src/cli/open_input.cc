#include "cli/open_input.h"

#include <utility>

#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "profiles/open_profile.h"

namespace warpsight {

Result<Profile> OpenInput(const std::vector<std::string>& paths, const IterationOptions& iterations,
                          const LoadOptions& load) {
  auto opened = [&] {
    Progress progress;
    const ProgressBar bar(progress);
    return OpenProfile(paths, iterations, progress, load);
  }();
  if (!opened.ok()) return opened.error();
  if (!opened->notice.empty()) Inform(opened->notice);
  return std::move(opened->profile);
}

}  // namespace warpsight
