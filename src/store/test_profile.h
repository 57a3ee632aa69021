#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_folder.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"

// Profiles and files for the tests of this folder.
namespace warpsight::store {

using TestFolder = ::warpsight::testing::TemporaryFolder;

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Texts that a database might not keep.
inline void AddTestStrings(StringPool& strings) {
  using std::string_literals::operator""s;
  for (const std::string& text :
       {"aten::mm"s, "aten::mm "s, "h\u00e4\u00df \u4f60\u597d \U0001F680"s, "a\0b"s, "\0"s,
        "invalid \xff\xfe"s, "invalid \xff\xff"s, "half \xe4\xbd"s, "surrogate \xed\xa0\x80"s,
        "\xef\xbf\xbd"s, "it's \"quoted\"\n\ttwice\\"s, std::string(300'000, 'x'), "NULL"s}) {
    strings.Intern(text);
  }
}

// The value of row `row` of a column: all kinds, ids and texts in turn, every third id missing
// where it may be, and the ends of the number ranges.
template <typename T>
T TestValue(const StoredColumn& column, size_t row, size_t limit) {
  if constexpr (std::is_unsigned_v<T>) {
    const bool missing =
        column.type != StoredType::kKind && !column.required && (limit == 0 || row % 3 == 2);
    if (missing) return *static_cast<const T*>(MissingValueOf(column.type));
    return static_cast<T>(row % limit);
  } else if constexpr (std::is_same_v<T, double>) {
    const double values[] = {0.0, 1e300, kMissingReal, -1.5, 0.1, -0.0};
    return values[row % 6];
  } else {
    const int64_t values[] = {0, INT64_MAX, kMissing, INT64_MIN + 1, -1, 12345678901};
    return values[row % 6];
  }
}

inline void FillTestColumn(const StoredColumn& column, size_t rows, size_t limit) {
  void* values = column.Resize(rows);
  const auto fill = [&]<typename T>(T* typed) {
    for (size_t row = 0; row < rows; ++row) typed[row] = TestValue<T>(column, row, limit);
  };
  switch (column.type) {
    case StoredType::kInteger:
      return fill(static_cast<int64_t*>(values));
    case StoredType::kReal:
      return fill(static_cast<double*>(values));
    case StoredType::kText:
    case StoredType::kRow:
      return fill(static_cast<uint32_t*>(values));
    case StoredType::kKind:
      return fill(static_cast<uint8_t*>(values));
  }
}

template <typename Table>
void FillTimes(Table& table) {
  if constexpr (requires { table.start, table.duration; }) {
    for (size_t i = 0; i < table.start.size(); ++i) {
      table.start[i] = static_cast<int64_t>(i) * 10;
      table.duration[i] = static_cast<int64_t>(i % 7);
    }
  } else if constexpr (requires { table.time; }) {
    for (size_t i = 0; i < table.time.size(); ++i) table.time[i] = static_cast<int64_t>(i) * 10;
  }
}

// A profile with values in every column of every table but the named one, which stays empty.
inline Profile MakeTestProfile(size_t rows = 7, std::string_view empty_table = "collectives") {
  Profile profile;
  AddTestStrings(profile.trace.strings);
  std::vector<StoredTable> tables = ListTables(profile);
  for (StoredTable& table : tables) table.rows = table.name == empty_table ? 0 : rows;
  for (const StoredTable& table : tables) {
    for (const StoredColumn& column : table.columns) {
      size_t limit = profile.trace.strings.size();
      if (column.type == StoredType::kKind) limit = column.kinds;
      if (column.type == StoredType::kRow) limit = tables[column.limit_table].rows;
      FillTestColumn(column, table.rows, limit);
    }
  }
  TraceTables::Tables([&](auto, auto, auto member) { FillTimes(profile.trace.tables.*member); });
  if (rows != 0) profile.facts.host.direction[0] = kNone<Direction>;
  profile.trace.origin_ns = INT64_MIN + 5;
  profile.trace.origin_unix_ns = 1'700'000'000'123'456'789;
  profile.trace.end = static_cast<int64_t>(rows) * 10 + 10;
  profile.trace.profile_name = "r\u00fcn 'one'; --";
  IndexKernelNames(profile.facts, profile.trace.strings.size());
  return profile;
}

// The first difference in words, or "".
inline std::string Difference(const Profile& a, const Profile& b) {
  if (a.trace.strings.size() != b.trace.strings.size()) return "number of strings";
  for (size_t i = 0; i < a.trace.strings.size(); ++i) {
    const auto id = MakeId<StringId>(i);
    if (a.trace.Text(id) != b.trace.Text(id)) return "string " + std::to_string(i);
  }
  const std::vector<StoredTable> left = ListTables(a);
  const std::vector<StoredTable> right = ListTables(b);
  for (size_t t = 0; t < left.size(); ++t) {
    for (size_t c = 0; c < left[t].columns.size(); ++c) {
      const StoredColumn& x = left[t].columns[c];
      const StoredColumn& y = right[t].columns[c];
      std::string name = std::string(left[t].name) + "." + x.name;
      if (x.size() != y.size()) return "number of rows of " + name;
      if (x.size() != 0 && std::memcmp(x.data(), y.data(), x.size() * WidthOf(x.type)) != 0) {
        return name;
      }
    }
  }
  if (a.trace.origin_ns != b.trace.origin_ns) return "origin_ns";
  if (a.trace.origin_unix_ns != b.trace.origin_unix_ns) return "origin_unix_ns";
  if (a.trace.end != b.trace.end) return "end";
  if (a.trace.profile_name != b.trace.profile_name) return "profile_name";
  if (a.facts.kernel_row != b.facts.kernel_row) return "kernel_row";
  return "";
}

// Saves, and fails the test when that fails.
inline void SaveOrFail(const Profile& profile, const std::string& path) {
  Progress progress;
  const Status status = SaveProfile(profile, path, progress);
  ASSERT_TRUE(status.ok()) << status.error().message;
}

}  // namespace warpsight::store
