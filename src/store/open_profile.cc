#include "store/open_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "store/catalog.h"
#include "store/held_file.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"
#include "store/text.h"

namespace warpsight {
namespace store {
namespace {

// DuckDB's storage format begins with a checksum of 8 bytes, followed by this magic.
constexpr size_t kMagicOffset = 8;
constexpr std::string_view kMagic = "DUCK";

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

// Whether the file begins like a DuckDB database, or why it cannot be read.
Result<bool> HasMagic(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return Error{"it is a directory"};
  // Opening a pipe would wait for its writer, and reading would consume bytes of the trace in it.
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

// The table `warpsight` of real profiles has far fewer rows.
constexpr int64_t kMaxMetaRows = 1000;

// Whether the file has a table `warpsight` (not a view with that name) with the columns of a
// profile.
bool DescribesItself(const Catalog& catalog) {
  const CatalogTable* table = catalog.Find("warpsight");
  return table != nullptr && table->rows <= kMaxMetaRows && table->IsPlain("key", "VARCHAR") &&
         table->IsPlain("value", "VARCHAR");
}

Status ReadMeta(Connection& connection, HashMap<std::string, std::string>& meta) {
  auto rows = connection.Query(
      fmt::format("SELECT \"key\", \"value\" FROM {}.main.warpsight", kAttachedCatalog));
  if (!rows.ok()) return rows.error();
  return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      meta[*ReadText(chunk, 0, row)] = *ReadText(chunk, 1, row);
    }
    return {};
  });
}

// earlier_schemas.h describes the differences of earlier versions.
Result<int> ParseVersion(const std::string& path, std::string_view text) {
  int version = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (code != std::errc() || end != text.data() + text.size() || version < 1) {
    return Error{fmt::format("{} has an unknown schema version ('{}'; this program reads 1 to {})",
                             path, text, kSchemaVersion),
                 "damaged"};
  }
  if (version > kSchemaVersion) {
    return Error{
        fmt::format(
            "{} was made by a newer Warpsight (schema {}; this program reads up to {}): update",
            path, version, kSchemaVersion),
        "newer-schema"};
  }
  return version;
}

// A file that another program is writing to, or that was written by a later DuckDB, is not damaged.
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
  auto catalog = Catalog::Read(*connection);
  if (!catalog.ok()) return DamagedError(path, catalog.error());
  if (DescribesItself(*catalog)) {
    Status status = ReadMeta(*connection, opened.meta);
    if (!status.ok()) return DamagedError(path, status.error());
  }
  if (!opened.meta.contains("schema_version")) {
    return Error{fmt::format("{} is a DuckDB database, but not a Warpsight profile", path),
                 "not-a-profile"};
  }
  const auto version = ParseVersion(path, opened.meta["schema_version"]);
  if (!version.ok()) return version.error();
  opened.schema_version = *version;
  return {};
}

std::string FileOf(const std::string& path, int descriptor) {
  return descriptor < 0 ? path : PathOfDescriptor(descriptor);
}

// Checks what can be checked before DuckDB opens the file. `path` is its name in messages, `file`
// its location.
Status CheckFile(const std::string& path, const std::string& file) {
  auto magic = HasMagic(file);
  std::error_code ignored;
  if (!magic.ok()) {
    const bool exists = std::filesystem::exists(file, ignored);
    return Error{fmt::format("cannot open {}: {}", path, magic.error().message),
                 exists ? "unreadable" : "missing"};
  }
  if (!*magic) {
    return Error{fmt::format("{} is not a Warpsight profile: it is not a DuckDB database", path),
                 "not-a-profile"};
  }
  // DuckDB would apply any log that it finds beside the file. Profiles are saved without one.
  const std::string log = path + ".wal";
  if (std::filesystem::exists(log, ignored)) {
    return Error{fmt::format("cannot open {}: {} beside it contains uncommitted changes; open it "
                             "once with DuckDB to apply them, or delete the log",
                             path, log),
                 "unreadable"};
  }
  return {};
}

// Settings that prevent SQL from accessing anything except the file.
std::vector<Database::Option> ClosedOff(const std::vector<Database::Option>& options) {
  std::vector<Database::Option> all = {
      // Nothing may be written beside a profile that is only read. Must be set while external
      // access is enabled.
      {"temp_directory", ""},
      {"autoload_known_extensions", "false"},
      {"autoinstall_known_extensions", "false"},
      {"allow_community_extensions", "false"},
  };
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

Status Attach(Database& database, const std::string& path) {
  auto connection = Connection::Open(database);
  if (!connection.ok()) return connection.error();
  // An absolute path cannot be mistaken for a URL or the name of an extension.
  std::error_code code;
  const std::string absolute = std::filesystem::absolute(path, code).string();
  Status status = connection->Run(fmt::format("ATTACH {} AS {} (READ_ONLY, TYPE duckdb)",
                                              Quoted(code ? path : absolute), kAttachedCatalog));
  if (status.ok()) status = connection->Run("SET enable_external_access = false");
  // Without this, enable_logging() in DuckDB 1.4 accepts a path, and ends the program if it may not
  // write there.
  if (status.ok()) status = connection->Run("SET disabled_filesystems = 'LocalFileSystem'");
  if (status.ok()) status = connection->Run("SET lock_configuration = true");
  return status;
}

}  // namespace

Error DamagedError(const std::string& path, const Error& error) {
  return Error{fmt::format("{} is damaged: {}", path, ReasonOf(error.message, path)), "damaged"};
}

Result<OpenedProfile> AttachProfile(const std::string& path,
                                    const std::vector<Database::Option>& options, int descriptor) {
  const std::string file = FileOf(path, descriptor);
  if (Status status = CheckFile(path, file); !status.ok()) return status.error();
  auto database = Database::Open(":memory:", ClosedOff(options));
  if (!database.ok())
    return Error{fmt::format("cannot open {}: {}", path, database.error().message)};
  if (Status status = Attach(*database, file); !status.ok()) return OpenError(path, status.error());
  OpenedProfile opened{std::move(*database), 0, {}};
  if (Status status = ReadHead(path, opened); !status.ok()) return status.error();
  return opened;
}

}  // namespace store

bool LooksLikeProfile(const std::string& path) {
  const auto magic = store::HasMagic(path);
  return magic.ok() && *magic;
}

}  // namespace warpsight
