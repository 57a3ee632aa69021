#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/api/sqlite_database.h"
#include "model/hash_map.h"
#include "model/trace_builder.h"

namespace warpsight::importers::nsys {

// The texts of the table StringIds, by id. Filled once, then read by any thread.
class SharedStrings {
 public:
  // Some rows of StringIds, read by one thread.
  struct Block {
    std::string texts;
    std::vector<std::pair<int64_t, std::pair<size_t, size_t>>> places;  // id, offset and length
    std::string error;
  };
  static Block Read(const SqliteDatabase& database, std::string_view rows);

  void Add(Block block);

  // "" for an unknown id.
  std::string_view Text(int64_t id) const;

 private:
  // Ids are assigned consecutively, so nearly all of them are below this limit.
  static constexpr int64_t kDense = int64_t{1} << 26;

  std::deque<std::string> texts_;
  std::vector<std::string_view> dense_;
  HashMap<int64_t, std::string_view> others_;
};

// Maps the texts of StringIds to ids of one TracePart. Used by one thread.
class PartStrings {
 public:
  PartStrings(const SharedStrings& shared, TracePart& part) : shared_(shared), part_(part) {}

  StringId operator[](int64_t id);

 private:
  const SharedStrings& shared_;
  TracePart& part_;
  HashMap<int64_t, StringId> known_;
};

}  // namespace warpsight::importers::nsys
