#pragma once

#include <vector>

#include "importers/chrome/event_stream.h"
#include "model/trace_builder.h"

namespace warpsight::importers::chrome {

// Reads the fields that describe GPUs, rank and clock base. All fields are also added unchanged to
// the metadata table.
void AddFileFacts(const std::vector<TopLevelField>& fields, TracePart& part, TraceBuilder& builder);

// Whether the file was written by `warpsight export`, whose first field says so: then the
// categories define the kind of every record, and nothing needs to be guessed from lane names. That
// field also lists the fields that were not in the metadata table. It is not stored, since it says
// nothing about the recorded run.
bool IsExported(const std::vector<TopLevelField>& fields);

}  // namespace warpsight::importers::chrome
