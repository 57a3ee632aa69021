#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reporting/report.h"

namespace warpsight {

// Where to look next: what a number of this profile says, and the view of the viewer that shows
// more about it.
struct Guidance {
  std::string text;
  std::string_view view;                                        // "timeline"
  std::vector<std::pair<std::string_view, std::string>> query;  // parameters of the view
};

// A handful at most, the most telling first.
std::vector<Guidance> GuidanceFor(const ReportInput& input);

}  // namespace warpsight
