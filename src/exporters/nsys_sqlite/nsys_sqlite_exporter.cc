#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "exporters/nsys_sqlite/nsys_tables.h"

namespace warpsight::exporters::nsys_sqlite {
namespace {

// Removes what was written so far, unless it was given its name.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path) : path_(path) { Remove(); }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() { Remove(); }

 private:
  void Remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path_;
};

int64_t CountRows(const TraceTables& t) {
  return static_cast<int64_t>(RowCount(t.host) + RowCount(t.api) + RowCount(t.gpu) +
                              RowCount(t.syncs) + RowCount(t.instants));
}

Result<ExportResult> Run(const ExportJob& job) {
  if (job.output == "-") return Error{"a database cannot be written to standard output"};
  std::error_code error;
  if (std::filesystem::is_directory(job.output, error)) {
    return CannotWrite(job.output, std::strerror(EISDIR));
  }
  job.progress.Begin("writing", CountRows(job.profile.trace.tables));
  const std::string place = UnfinishedName(job.output);
  const UnfinishedFile unfinished(place);
  SqliteWriter writer(place);
  WriteTables(job.profile, writer, job.progress);
  if (job.progress.cancelled()) return Error{"interrupted"};
  if (const Status status = writer.Finish(); !status.ok()) {
    return CannotWrite(job.output, status.error().message);
  }
  const auto bytes = std::filesystem::file_size(place, error);
  if (std::rename(place.c_str(), job.output.c_str()) != 0) {
    return CannotWrite(job.output, std::strerror(errno));
  }
  return ExportResult{1, static_cast<int64_t>(bytes)};
}

}  // namespace

Exporter Define() {
  return {"nsys-sqlite", "SQLite as Nsight Systems exports it, for `nsys stats` and scripts",
          ".sqlite", [](const Profile&) { return false; }, Run};
}

}  // namespace warpsight::exporters::nsys_sqlite
