#include "importers/api/sqlite_problems.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

namespace warpsight {
namespace {

constexpr size_t kHeaderBytes = 100;

// The size of the database according to its header.
uint64_t PromisedBytes(std::span<const char> bytes) {
  const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(bytes[i])}; };
  uint64_t page = byte(16) << 8 | byte(17);
  if (page == 1) page = 65536;
  const uint64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
  return page * pages;
}

}  // namespace

void LogSqliteProblems(const ImportContext& context, std::span<const char> bytes, TracePart& part) {
  std::error_code error;
  const std::string wal = context.path + "-wal";
  if (const auto size = std::filesystem::file_size(wal, error); !error && size > 0) {
    part.Log("unread_changes", kMissing,
             fmt::format("{} contains changes that are not in the file itself; they were not read. "
                         "Open the file once with sqlite3 to merge them",
                         std::filesystem::path(wal).filename().string()));
  }
  if (bytes.size() >= kHeaderBytes && bytes.size() < PromisedBytes(bytes)) {
    part.Log("truncated", static_cast<int64_t>(bytes.size()),
             fmt::format("the file ends after {} of {} bytes; the readable part was read",
                         bytes.size(), PromisedBytes(bytes)));
  }
  if (const std::string damage = context.bytes.damage(); !damage.empty()) {
    part.Log("damaged_compression", kMissing, damage + "; the part before it was read");
  }
}

}  // namespace warpsight
