#pragma once

#include <cstdint>
#include <utility>

#include "importers/api/sqlite_database.h"
#include "model/hash_map.h"

namespace warpsight::importers::nsys {

// Maps numbers of GPUs. The tables use the numbering of each process, so GPU 0 of two processes may
// be different GPUs; they are mapped to the machine's numbers, if known.
class DeviceNumbers {
 public:
  void Read(const SqliteDatabase& database);

  int64_t Of(int64_t pid, int64_t device) const;

 private:
  HashMap<std::pair<int64_t, int64_t>, int64_t> of_process_;
  HashMap<int64_t, int64_t> of_all_;
};

}  // namespace warpsight::importers::nsys
