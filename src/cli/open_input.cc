#include "cli/open_input.h"

#include <utility>

#include "cli/input_files.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "profiles/open_profile.h"

namespace warpsight {

Result<Profile> OpenInput(const std::vector<std::string>& paths, const IterationOptions& iterations,
                          const LoadOptions& load) {
  auto opened = [&] {
    Progress progress;
    const ProgressBar bar(progress);
    const auto files = InputFiles::Open(paths, progress);
    if (!files.ok()) return Result<OpenedProfile>(files.error());
    auto profile = OpenProfile(files->paths(), iterations, progress, load);
    if (!profile.ok()) return Result<OpenedProfile>(files->Named(profile.error()));
    files->NameIn(profile->profile.trace);
    profile->notice = files->Named(profile->notice);
    return profile;
  }();
  if (!opened.ok()) return opened.error();
  if (!opened->notice.empty()) Inform(opened->notice);
  return std::move(opened->profile);
}

}  // namespace warpsight
