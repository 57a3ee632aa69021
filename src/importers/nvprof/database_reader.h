#pragma once

#include "importers/api/importer.h"

namespace warpsight::importers::nvprof {

// Checks that the file is a database of nvprof; the Error says what it is instead.
Status RecognizeDatabase(WholeFile& file);
Status ReadDatabase(ImportContext& context);

}  // namespace warpsight::importers::nvprof
