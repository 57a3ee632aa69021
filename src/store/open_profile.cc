#include "store/open_profile.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "store/held_file.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"
#include "store/text.h"

namespace warpsight {
namespace store {
namespace {

// DuckDB's storage format: a checksum of 8 bytes, then these.
constexpr size_t kMagicOffset = 8;
constexpr std::string_view kMagic = "DUCK";

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

// Whether the first bytes are a DuckDB database's, or why they cannot be read.
Result<bool> HasMagic(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return Error{"it is a directory"};
  // Opening a pipe waits for its writer, and reading from it takes bytes from the trace that it is.
  if (std::filesystem::is_other(path, code)) return Error{"it is a pipe or a device"};
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return Error{std::strerror(errno)};
  char head[kMagicOffset + kMagic.size()] = {};
  const size_t read = std::fread(head, 1, sizeof head, file.get());
  if (read < sizeof head && std::ferror(file.get()) != 0) return Error{std::strerror(errno)};
  return std::string_view(head, read).substr(std::min(read, kMagicOffset)) == kMagic;
}

Result<std::string> ReadText(const Chunk& chunk, size_t column, size_t row) {
  auto* values = static_cast<duckdb_string_t*>(const_cast<void*>(chunk.data(column)));
  const uint64_t* validity = chunk.validity(column);
  if (validity != nullptr && (validity[row / 64] >> (row % 64) & 1) == 0) return std::string();
  return std::string(duckdb_string_t_data(&values[row]), duckdb_string_t_length(values[row]));
}

Status ReadMeta(Connection& connection, absl::flat_hash_map<std::string, std::string>& meta) {
  auto rows = connection.Query("SELECT key::VARCHAR, value::VARCHAR FROM main.warpsight");
  if (!rows.ok()) return rows.error();
  return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      meta[*ReadText(chunk, 0, row)] = *ReadText(chunk, 1, row);
    }
    return {};
  });
}

// Version 2 added advice, which only the whole analysis gives, version 3 the processes of streams,
// version 4 hardware counters and who says whether a kernel uses Tensor Cores: older profiles are
// imported again. A later version adds a step here for each older one that it
// still reads.
Status CheckVersion(const std::string& path, std::string_view text) {
  int version = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (code != std::errc() || end != text.data() + text.size() || version < 1) {
    return Error{fmt::format("{} has an unknown schema version ('{}'; this program reads {})", path,
                             text, kSchemaVersion),
                 "damaged"};
  }
  if (version > kSchemaVersion) {
    return Error{
        fmt::format(
            "{} was made by a newer Warpsight (schema {}; this program reads up to {}): update",
            path, version, kSchemaVersion),
        "newer-schema"};
  }
  if (version < kSchemaVersion) {
    return Error{fmt::format("{} was made by an older Warpsight (schema {}; this program reads "
                             "{}): import the trace again",
                             path, version, kSchemaVersion),
                 "older-schema"};
  }
  return {};
}

// A file that another program writes to, or of a later DuckDB, is not damaged.
Error OpenError(const std::string& path, const Error& error) {
  const auto mentions = [&](const char* words) {
    return error.message.find(words) != std::string::npos;
  };
  if (mentions("Could not set lock") || mentions("version number") || mentions("newer version")) {
    return Error{fmt::format("cannot open {}: {}", path, ReasonOf(error.message, path))};
  }
  return DamagedError(path, error);
}

Status ReadHead(const std::string& path, OpenedProfile& opened) {
  auto connection = Connection::Open(opened.database);
  if (!connection.ok()) return DamagedError(path, connection.error());
  if (Status status = ReadMeta(*connection, opened.meta); !status.ok()) {
    const std::string& reason = status.error().message;
    if (reason.starts_with("Catalog Error") || reason.starts_with("Binder Error")) {
      return Error{fmt::format("{} is a DuckDB database, but no Warpsight profile", path),
                   "not-a-profile"};
    }
    return DamagedError(path, status.error());
  }
  if (!opened.meta.contains("schema_version")) {
    return Error{fmt::format("{} is a DuckDB database, but no Warpsight profile", path),
                 "not-a-profile"};
  }
  return CheckVersion(path, opened.meta["schema_version"]);
}

}  // namespace

Error DamagedError(const std::string& path, const Error& error) {
  return Error{fmt::format("{} is damaged: {}", path, ReasonOf(error.message, path)), "damaged"};
}

Result<OpenedProfile> OpenProfile(const std::string& path,
                                  const std::vector<Database::Option>& options, int descriptor) {
  const std::string file = descriptor < 0 ? path : PathOfDescriptor(descriptor);
  auto magic = HasMagic(file);
  if (!magic.ok()) {
    std::error_code ignored;
    const bool exists = std::filesystem::exists(file, ignored);
    return Error{fmt::format("cannot open {}: {}", path, magic.error().message),
                 exists ? "unreadable" : "missing"};
  }
  if (!*magic) {
    return Error{fmt::format("{} is no Warpsight profile: it is not a DuckDB database", path),
                 "not-a-profile"};
  }
  std::vector<Database::Option> all = {
      {"access_mode", "READ_ONLY"},
      // Nothing is ever written beside a profile that is only read. Before the next setting, which
      // would forbid it.
      {"temp_directory", ""},
      {"enable_external_access", "false"},
      {"autoload_known_extensions", "false"},
      {"autoinstall_known_extensions", "false"},
      {"allow_community_extensions", "false"},
  };
  all.insert(all.end(), options.begin(), options.end());
  auto database = Database::Open(file, all);
  if (!database.ok()) return OpenError(path, database.error());
  OpenedProfile opened{std::move(*database), {}};
  if (Status status = ReadHead(path, opened); !status.ok()) return status.error();
  return opened;
}

}  // namespace store

bool LooksLikeProfile(const std::string& path) {
  const auto magic = store::HasMagic(path);
  return magic.ok() && *magic;
}

}  // namespace warpsight
