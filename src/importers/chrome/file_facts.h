#pragma once

#include <vector>

#include "importers/chrome/event_stream.h"
#include "model/trace_builder.h"

namespace warpsight::importers::chrome {

// Stores the file's facts about itself: GPUs, rank, clock base; all of them are also added
// unchanged to the metadata table.
void AddFileFacts(const std::vector<TopLevelField>& fields, TracePart& part, TraceBuilder& builder);

// The first field written by `warpsight export`: the categories define the kind of every record, so
// that nothing needs to be guessed from lane names. It also lists the fields that the metadata
// table did not have. It says nothing about the run and is kept nowhere.
bool IsExported(const std::vector<TopLevelField>& fields);

}  // namespace warpsight::importers::chrome
