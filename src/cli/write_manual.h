#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/help/description.h"

namespace warpsight {

// The first argument with which the build has the program write its manual.
inline constexpr std::string_view kWriteManual = "--write-manual";

// Writes the man pages and the completions of shells into a folder, as they lie in /usr/share:
//   man/man1/warpsight.1, warpsight-report.1, ...
//   bash-completion/completions/warpsight
//   zsh/site-functions/_warpsight
//   fish/vendor_completions.d/warpsight.fish
Status WriteManual(const ProgramHelp& program, const std::string& folder);

}  // namespace warpsight
