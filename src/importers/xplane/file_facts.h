#pragma once

#include "importers/xplane/plane.h"
#include "importers/xplane/proto_fields.h"
#include "importers/xplane/row_maker.h"

namespace warpsight::importers::xplane {

// Puts an error, a warning or a host name of the XSpace in its place.
void AddNote(const ProtoFields& field, TracePart& part);

// Puts what a plane says about itself in its place (the GPU, the process, the versions, the start
// of the recording) and tells what the plane is.
PlaneKind AddPlaneFacts(const Plane& plane, SourceId source, TraceBuilder& builder,
                        TracePart& part);

}  // namespace warpsight::importers::xplane
