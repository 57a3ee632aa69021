#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "importers/api/sqlite_database.h"
#include "model/hash_map.h"

namespace warpsight::importers::nvprof {

// The texts of a database by id. Read-only after construction.
class Strings {
 public:
  explicit Strings(const SqliteDatabase& database) {
    enum { kId, kText };
    const auto rows = database.Select("StringTable", {"_id_", "value"});
    while (rows->Next()) texts_.try_emplace(rows->Integer(kId), RepairUtf8(rows->Text(kText)));
  }

  // "" for an unknown id.
  std::string_view At(int64_t id) const {
    const auto it = texts_.find(id);
    return it == texts_.end() ? std::string_view() : std::string_view(it->second);
  }

 private:
  HashMap<int64_t, std::string> texts_;
};

}  // namespace warpsight::importers::nvprof
