#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reporting/report.h"

namespace warpsight {

// A suggestion where to look next: a sentence with a number of this profile, and the view that
// shows more about it.
struct Guidance {
  std::string text;
  std::string_view view;                                        // "timeline"
  std::vector<std::pair<std::string_view, std::string>> query;  // parameters of the view
};

// A few suggestions, ordered by importance.
std::vector<Guidance> GuidanceFor(const ReportInput& input);

}  // namespace warpsight
