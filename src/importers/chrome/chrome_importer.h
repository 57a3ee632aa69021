#pragma once

#include "importers/api/importer.h"
#include "importers/chrome/event_stream.h"

namespace warpsight::importers::chrome {

// Reads a Chrome trace. The result does not depend on the block size, which tests vary.
Status ImportChrome(ImportContext& context, size_t block_size = EventStream::kBlockSize);

}  // namespace warpsight::importers::chrome
