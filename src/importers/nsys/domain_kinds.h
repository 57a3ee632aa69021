#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "importers/api/sqlite_database.h"
#include "model/tables.h"

namespace warpsight::importers::nsys {

// `warpsight export --to nsys-sqlite` writes host ranges of all kinds as NVTX ranges: what each is,
// by the number of its domain. Empty for the exports of Nsight Systems itself.
using DomainKinds = absl::flat_hash_map<int64_t, HostKind>;

DomainKinds ReadDomainKinds(const SqliteDatabase& database);

}  // namespace warpsight::importers::nsys
