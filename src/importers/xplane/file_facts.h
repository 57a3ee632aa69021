#pragma once

#include "importers/xplane/plane.h"
#include "importers/xplane/proto_fields.h"
#include "importers/xplane/row_maker.h"

namespace warpsight::importers::xplane {

// Adds an error, a warning or a host name of the XSpace.
void AddNote(const ProtoFields& field, TracePart& part);

// Adds the facts that a plane contains (the GPU, the process, the versions, the start of the
// recording), and returns the kind of the plane.
PlaneKind AddPlaneFacts(const Plane& plane, SourceId source, TraceBuilder& builder,
                        TracePart& part);

}  // namespace warpsight::importers::xplane
