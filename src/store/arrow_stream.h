#pragma once

#include <duckdb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "store/stored_tables.h"

namespace warpsight::store {

// The Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), whose
// layout never changes.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// The given columns of a table as an Arrow stream. DuckDB reads the model's vectors in place, and
// gives each thread one batch at a time: this is the only way of its C API to fill one table from
// several threads with the rows in order. The table must outlive the stream. DuckDB calls it from
// its own threads, one at a time.
class ArrowTableStream {
 public:
  // The size of DuckDB's row groups: the thread that received a batch of this size compresses and
  // writes it itself.
  static constexpr size_t kBatchRows = 122880;

  ArrowTableStream(const StoredTable& table, std::vector<const StoredColumn*> columns,
                   Progress& progress);
  ArrowTableStream(const ArrowTableStream&) = delete;
  ArrowTableStream& operator=(const ArrowTableStream&) = delete;

  duckdb_arrow_stream get() { return reinterpret_cast<duckdb_arrow_stream>(&stream_); }

 private:
  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out);
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out);
  static const char* GetLastError(ArrowArrayStream* stream);

  const StoredTable& table_;
  std::vector<const StoredColumn*> columns_;
  Progress& progress_;
  std::vector<ArrowSchema> fields_;
  std::vector<ArrowSchema*> field_pointers_;
  ArrowSchema schema_;
  ArrowArrayStream stream_;
  size_t next_row_ = 0;
};

}  // namespace warpsight::store
