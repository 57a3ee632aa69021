#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// A trace with everything derived from it: what a .warpsight file holds.
struct Profile {
  Trace trace;
  FactTables facts;
};

}  // namespace warpsight
