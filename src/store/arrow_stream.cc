#include "store/arrow_stream.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

namespace warpsight::store {
namespace {

constexpr int64_t kArrowNullable = 2;

const char* FormatOf(StoredType type) {
  switch (type) {
    case StoredType::kInteger:
      return "l";
    case StoredType::kReal:
      return "g";
    case StoredType::kText:
    case StoredType::kRow:
      return "I";
    case StoredType::kKind:
      return "C";
  }
  return "";
}

// The memory that a batch owns: validity bits and Arrow's descriptions. The values stay in the
// model.
struct Batch {
  struct Column {
    std::vector<uint64_t> validity;
    const void* buffers[2] = {nullptr, nullptr};
    ArrowArray array{};
  };
  std::vector<Column> columns;
  std::vector<ArrowArray*> children;
  const void* buffers[1] = {nullptr};
};

// Sets the bits of all values that are not `missing`; returns their number.
template <typename T>
size_t FillValidity(const T* values, size_t rows, T missing, std::vector<uint64_t>& validity) {
  validity.resize((rows + 63) / 64);
  size_t present = 0;
  for (size_t word = 0; word < validity.size(); ++word) {
    const size_t begin = word * 64;
    const size_t count = std::min<size_t>(64, rows - begin);
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) {
      bits |= static_cast<uint64_t>(values[begin + i] != missing) << i;
    }
    validity[word] = bits;
    present += static_cast<size_t>(std::popcount(bits));
  }
  return rows - present;
}

size_t FillValidity(StoredType type, const void* values, size_t rows,
                    std::vector<uint64_t>& validity) {
  const auto fill = [&]<typename T>(const T* typed) {
    return FillValidity(typed, rows, *static_cast<const T*>(MissingValueOf(type)), validity);
  };
  switch (type) {
    case StoredType::kInteger:
      return fill(static_cast<const int64_t*>(values));
    case StoredType::kReal:
      return fill(static_cast<const double*>(values));
    case StoredType::kText:
    case StoredType::kRow:
      return fill(static_cast<const uint32_t*>(values));
    case StoredType::kKind:
      return fill(static_cast<const uint8_t*>(values));
  }
  return 0;
}

void DescribeColumn(const StoredColumn& column, size_t first, size_t rows, Batch::Column& out) {
  const char* values = static_cast<const char*>(column.data()) + first * WidthOf(column.type);
  const size_t missing = FillValidity(column.type, values, rows, out.validity);
  out.buffers[0] = missing == 0 ? nullptr : out.validity.data();
  out.buffers[1] = values;
  out.array = {};
  out.array.length = static_cast<int64_t>(rows);
  out.array.null_count = static_cast<int64_t>(missing);
  out.array.n_buffers = 2;
  out.array.buffers = out.buffers;
  out.array.release = [](ArrowArray* array) { array->release = nullptr; };
}

}  // namespace

ArrowTableStream::ArrowTableStream(const StoredTable& table,
                                   std::vector<const StoredColumn*> columns, Progress& progress)
    : table_(table), columns_(std::move(columns)), progress_(progress), fields_(columns_.size()) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    fields_[i] = {};
    fields_[i].format = FormatOf(columns_[i]->type);
    fields_[i].name = columns_[i]->name.c_str();
    fields_[i].flags = kArrowNullable;
    fields_[i].release = [](ArrowSchema* schema) { schema->release = nullptr; };
    field_pointers_.push_back(&fields_[i]);
  }
  schema_ = {};
  schema_.format = "+s";
  schema_.name = "";
  schema_.n_children = static_cast<int64_t>(fields_.size());
  schema_.children = field_pointers_.data();
  schema_.release = [](ArrowSchema* schema) { schema->release = nullptr; };
  stream_ = {&GetSchema, &GetNext, &GetLastError,
             [](ArrowArrayStream* stream) { stream->release = nullptr; }, this};
}

int ArrowTableStream::GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = static_cast<ArrowTableStream*>(stream->private_data)->schema_;
  return 0;
}

int ArrowTableStream::GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto& self = *static_cast<ArrowTableStream*>(stream->private_data);
  *out = {};
  if (self.progress_.cancelled()) return ECANCELED;
  const size_t first = self.next_row_;
  const size_t rows = std::min(kBatchRows, self.table_.rows - first);
  if (rows == 0) return 0;
  self.next_row_ += rows;
  self.progress_.Add(static_cast<int64_t>(rows));

  auto batch = std::make_unique<Batch>();
  batch->columns.resize(self.columns_.size());
  for (size_t i = 0; i < self.columns_.size(); ++i) {
    DescribeColumn(*self.columns_[i], first, rows, batch->columns[i]);
    batch->children.push_back(&batch->columns[i].array);
  }
  out->length = static_cast<int64_t>(rows);
  out->n_buffers = 1;
  out->buffers = batch->buffers;
  out->n_children = static_cast<int64_t>(batch->children.size());
  out->children = batch->children.data();
  out->release = [](ArrowArray* array) {
    delete static_cast<Batch*>(array->private_data);
    array->release = nullptr;
  };
  out->private_data = batch.release();
  return 0;
}

const char* ArrowTableStream::GetLastError(ArrowArrayStream* stream) {
  const auto& self = *static_cast<ArrowTableStream*>(stream->private_data);
  return self.progress_.cancelled() ? "canceled" : nullptr;
}

}  // namespace warpsight::store
