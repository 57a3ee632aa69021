#pragma once

#include <string>

#include "analysis/reporting/report.h"

namespace warpsight {

// The id of an event in viewer URLs, its table and row: "gpu:123", "host:4711", "api:9". Empty
// where the link names none.
std::string EventText(const RowLink& link);

// The same as JSON: null where the link names none.
std::string EventJson(const RowLink& link);

}  // namespace warpsight
