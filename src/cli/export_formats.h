#pragma once

#include <string>
#include <vector>

#include "cli/help/description.h"

namespace warpsight {

// Writes a profile, or traces, with the exporter of that name; empty `output`: a default name.
// Prints what was written; returns an exit code.
int ExportTo(const std::string& format, const std::vector<std::string>& paths,
             const std::string& output, bool force);

// What --to takes.
std::vector<Term> ExportFormats();

}  // namespace warpsight
