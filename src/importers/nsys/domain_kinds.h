#pragma once

#include <cstdint>

#include "importers/api/sqlite_database.h"
#include "model/hash_map.h"
#include "model/tables.h"

namespace warpsight::importers::nsys {

// `warpsight export --to nsys-sqlite` writes host ranges of all kinds as NVTX ranges in different
// domains: the kind by number of the domain. Empty for exports of Nsight Systems itself.
using DomainKinds = HashMap<int64_t, HostKind>;

DomainKinds ReadDomainKinds(const SqliteDatabase& database);

}  // namespace warpsight::importers::nsys
