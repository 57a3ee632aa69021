#pragma once

#include <vector>

#include "importers/chrome/event_stream.h"
#include "model/trace_builder.h"

namespace warpsight::importers::chrome {

// Puts what the file says about itself in its place: GPUs, rank, clock base; everything also goes
// into the metadata table as it stands.
void AddFileFacts(const std::vector<TopLevelField>& fields, TracePart& part, TraceBuilder& builder);

// The field that `warpsight export` puts first: the file's categories say what everything is, so
// that nothing is to be guessed from the names of lanes. It also lists the fields that the metadata
// table did not have. It says nothing about the run and is kept nowhere.
bool IsExported(const std::vector<TopLevelField>& fields);

}  // namespace warpsight::importers::chrome
