#pragma once

#include <string>

#include "analysis/reporting/report.h"

namespace warpsight {

// The id of an event in viewer URLs, which consists of its table and row: "gpu:123", "host:4711",
// "api:9". Empty if the link has no event.
std::string EventText(const RowLink& link);

// The same as JSON; null if the link has no event.
std::string EventJson(const RowLink& link);

}  // namespace warpsight
