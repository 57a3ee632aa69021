#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wire/records.h"
#include "wire/varint.h"

namespace warpsight::wire {

// Rows of one kind as bytes: the number of fields, then field by field the difference between each
// row and the previous one. Times and ids grow slowly and most other fields do not change, so a row
// of eighteen numbers takes about eighteen bytes.
template <typename Record>
void EncodeRows(std::span<const Record> rows, std::string& out) {
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(int64_t) == 0);
  constexpr size_t kFields = sizeof(Record) / sizeof(int64_t);
  AppendVarint(kFields, out);
  for (size_t field = 0; field < kFields; ++field) {
    uint64_t before = 0;
    for (const Record& row : rows) {
      uint64_t value = 0;
      std::memcpy(&value, reinterpret_cast<const char*>(&row) + field * sizeof(value),
                  sizeof(value));
      // Differences may wrap around; adding them in the reader wraps around again.
      AppendVarint(ZigZag(static_cast<int64_t>(value - before)), out);
      before = value;
    }
  }
}

// Returns nullopt if the bytes are not `count` such rows. Fields added by a newer writer are
// skipped; fields missing from an older one are 0.
template <typename Record>
std::optional<std::vector<Record>> DecodeRows(std::string_view bytes, uint32_t count) {
  constexpr size_t kFields = sizeof(Record) / sizeof(int64_t);
  VarintReader reader(bytes.data(), bytes.data() + bytes.size());
  const uint64_t written = reader.Unsigned();
  // Each field of each row takes at least one byte.
  if (count > bytes.size() || (count > 0 && written > bytes.size() / count)) return std::nullopt;
  std::vector<Record> rows(count, Record{});
  for (size_t field = 0; field < written && count > 0; ++field) {
    uint64_t value = 0;
    for (Record& row : rows) {
      value += static_cast<uint64_t>(reader.Signed());
      if (field >= kFields) continue;
      std::memcpy(reinterpret_cast<char*>(&row) + field * sizeof(value), &value, sizeof(value));
    }
  }
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return rows;
}

// Encodes texts with the numbers `first`, `first` + 1, ...
void EncodeStrings(uint64_t first, std::span<const std::string> texts, std::string& out);
struct NumberedStrings {
  uint64_t first = 0;
  std::vector<std::string_view> texts;  // views into the encoded bytes
};
std::optional<NumberedStrings> DecodeStrings(std::string_view bytes, uint32_t count);

}  // namespace warpsight::wire
