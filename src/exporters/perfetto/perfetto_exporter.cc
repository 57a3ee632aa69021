#include <cstdint>
#include <string>

#include "exporters/api/exporter.h"
#include "exporters/api/unpacked_head.h"
#include "exporters/perfetto/trace_writer.h"

namespace warpsight::exporters::perfetto {
namespace {

int64_t CountRows(const TraceTables& t) {
  return static_cast<int64_t>(RowCount(t.host) + RowCount(t.api) + RowCount(t.gpu) +
                              RowCount(t.gpu_annotations) + RowCount(t.syncs) + RowCount(t.memory) +
                              RowCount(t.instants));
}

OutputKind Kind() {
  return ExportedKind("perfetto", [](const std::string& path) {
    const std::string first = FirstPacket();
    return ReadUnpackedHead(path, first.size()) == first;
  });
}

Result<ExportResult> Run(const ExportJob& job) {
  auto file = OutputFile::Create(job.output, job.rules, Kind());
  if (!file.ok()) return file.error();
  const Trace& trace = job.profile.trace;
  job.progress.Begin("writing", CountRows(trace.tables));
  PacketWriter packets(trace, *file, job.output.ends_with(".gz"));
  WriteTrace(job.profile, packets, *file, job.progress);
  if (job.progress.cancelled()) return Error{"interrupted"};
  if (const Status status = file->Commit(); !status.ok()) return status.error();
  return ExportResult{1, file->bytes()};
}

}  // namespace

Exporter Define() {
  return {"perfetto", "Perfetto's own format (protobuf), for ui.perfetto.dev and trace_processor",
          ".pftrace", [](const Profile&) { return false; },
          Run,        Kind};
}

}  // namespace warpsight::exporters::perfetto
