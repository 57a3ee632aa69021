#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace.h"

namespace warpsight::exporters::chrome {

// The first bytes of every written file.
inline constexpr std::string_view kFileMark = "{\"warpsightExport\":";

// The text around the records of one file: the fields of the outermost object, and the names of
// lanes.
struct FileFrame {
  std::string head;  // up to and including the first record, which is the name of a lane
  std::string tail;  // starting with the ']'
  // The offset to add to the trace's times to get those of the file.
  int64_t clock = 0;
};

FileFrame MakeFrame(const Trace& trace, SourceId file);

}  // namespace warpsight::exporters::chrome
