#include <string>

#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "exporters/api/output_folder.h"
#include "store/parquet.h"

namespace warpsight::exporters::parquet {
namespace {

OutputKind Kind() { return ExportedKind("parquet", &IsOurParquet); }

Result<ExportResult> Run(const ExportJob& job) {
  auto folder = OutputFolder::Create(job.output, job.rules, Kind());
  if (!folder.ok()) return folder.error();
  const std::string name = FileNameOf(job.profile.trace);
  const Status status = WriteParquet(job.profile, folder->unfinished(), name, job.progress);
  if (job.progress.cancelled()) return Error{"interrupted"};
  if (!status.ok()) return CannotWrite(job.output, status.error());
  const auto content = folder->Commit();
  if (!content.ok()) return content.error();
  return ExportResult{content->files, content->bytes};
}

}  // namespace

Exporter Define() {
  return {"parquet",  "Parquet tables for DuckDB, Spark, ClickHouse, pandas",
          "_parquet", [](const Profile&) { return true; },
          Run,        Kind};
}

}  // namespace warpsight::exporters::parquet
