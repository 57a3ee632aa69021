#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/seeded_hash.h"

namespace warpsight {

// Hash tables whose keys come from files. absl's own hash is public and its seed is only an
// address, so a malicious file could contain keys that all collide. The order of their entries
// differs from run to run.
template <typename Key, typename Value>
using HashMap = absl::flat_hash_map<Key, Value, SeededHash>;
template <typename Key>
using HashSet = absl::flat_hash_set<Key, SeededHash>;

}  // namespace warpsight
