#include <cstdint>
#include <filesystem>
#include <system_error>

#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "exporters/nsys_sqlite/nsys_tables.h"

namespace warpsight::exporters::nsys_sqlite {
namespace {

int64_t CountRows(const TraceTables& t) {
  return static_cast<int64_t>(RowCount(t.host) + RowCount(t.api) + RowCount(t.gpu) +
                              RowCount(t.syncs) + RowCount(t.instants));
}

// The name of the file in its private folder.
constexpr const char* kName = "output";

OutputKind Kind() { return ExportedKind("nsys-sqlite", &IsOurDatabase); }

Result<ExportResult> Run(const ExportJob& job) {
  if (job.output == "-") return Error{"a database cannot be written to standard output"};
  const auto place = OutputPlace::Find(job.output, job.rules, Kind());
  if (!place.ok()) return CannotWrite(job.output, place.error());
  if (place->is_stream()) return CannotWrite(job.output, Error{"it is not a regular file"});
  auto folder = UnfinishedFolder::CreateBeside(place->target());
  if (!folder.ok()) return CannotWrite(job.output, folder.error());
  job.progress.Begin("writing", CountRows(job.profile.trace.tables));
  SqliteWriter writer(folder->Path(kName));
  WriteTables(job.profile, writer, job.progress);
  if (job.progress.cancelled()) return Error{"interrupted"};
  Status status = writer.Finish();
  std::error_code error;
  const auto bytes = std::filesystem::file_size(folder->Path(kName), error);
  if (status.ok()) status = place->Fill(*folder, kName);
  if (!status.ok()) return CannotWrite(job.output, status.error());
  return ExportResult{1, static_cast<int64_t>(bytes)};
}

}  // namespace

Exporter Define() {
  return {"nsys-sqlite", "SQLite as Nsight Systems exports it, for `nsys stats` and scripts",
          ".sqlite",     [](const Profile&) { return false; },
          Run,           Kind};
}

}  // namespace warpsight::exporters::nsys_sqlite
