#pragma once

#include "base/progress.h"
#include "exporters/perfetto/packet_writer.h"
#include "model/profile.h"

namespace warpsight::exporters::perfetto {

// Writes a profile as packets: threads, then streams, then counters. Stops early if the progress is
// cancelled or the file cannot be written.
void WriteTrace(const Profile& profile, PacketWriter& packets, const OutputFile& file,
                Progress& progress);

}  // namespace warpsight::exporters::perfetto
