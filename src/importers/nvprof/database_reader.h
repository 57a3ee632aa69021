#pragma once

#include "importers/api/importer.h"

namespace warpsight::importers::nvprof {

// Says what the database is instead, where it is none of nvprof's.
Status RecognizeDatabase(WholeFile& file);
Status ReadDatabase(ImportContext& context);

}  // namespace warpsight::importers::nvprof
