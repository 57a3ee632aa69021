// Writes Chrome JSON like Kineto. Importing it gives an equal model.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/gzip.h"
#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "exporters/api/output_folder.h"
#include "exporters/api/unpacked_head.h"
#include "exporters/chrome/event_writer.h"
#include "exporters/chrome/file_frame.h"
#include "tbb/parallel_pipeline.h"
#include "tbb/task_arena.h"

namespace warpsight::exporters::chrome {
namespace {

// The number of records that one thread writes as a block: about a megabyte of text.
constexpr size_t kBlockRows = 4096;

// All rows of one file in the order in which they are written.
struct FileRows {
  std::vector<SliceRow> slices;
  std::vector<uint32_t> memory, flows, instants, nvtx;

  size_t size() const {
    return slices.size() + memory.size() + flows.size() + instants.size() + nvtx.size();
  }

  void Write(size_t index, EventWriter& writer) const {
    if (index < slices.size()) return writer.Slice(slices[index]);
    index -= slices.size();
    if (index < memory.size()) return writer.Memory(memory[index]);
    index -= memory.size();
    if (index < flows.size()) return writer.Flow(flows[index]);
    index -= flows.size();
    if (index < instants.size()) return writer.Instant(instants[index]);
    writer.Nvtx(nvtx[index - instants.size()]);
  }
};

FileRows CollectRows(const Trace& trace, WriteOrder& order, SourceId file) {
  const TraceTables& t = trace.tables;
  const SourceFiles files(trace);
  const auto rows_of = [&](const auto& table) {
    std::vector<uint32_t> rows;
    for (size_t i = 0; i < table.thread.size(); ++i) {
      if (files.FileOf(trace.SourceOf(table.thread[i])) == file) {
        rows.push_back(static_cast<uint32_t>(i));
      }
    }
    return rows;
  };
  return {order.Of(file), rows_of(t.memory), rows_of(t.flows), rows_of(t.instants),
          rows_of(t.nvtx)};
}

// Blocks of records are created in parallel and written in order.
class FileWriter {
 public:
  FileWriter(const Trace& trace, const FileRows& rows, const FileFrame& frame, bool compress,
             OutputFile& file, Progress& progress)
      : trace_(trace),
        rows_(rows),
        frame_(frame),
        compress_(compress),
        file_(file),
        progress_(progress) {}

  void Run() {
    file_.Write(Packed(frame_.head));
    const size_t tokens = 2 * static_cast<size_t>(tbb::this_task_arena::max_concurrency()) + 2;
    tbb::parallel_pipeline(
        tokens,
        tbb::make_filter<void, size_t>(tbb::filter_mode::serial_in_order,
                                       [this](tbb::flow_control& c) { return NextBlock(c); }) &
            tbb::make_filter<size_t, std::shared_ptr<std::string>>(
                tbb::filter_mode::parallel, [this](size_t first) { return MakeBlock(first); }) &
            tbb::make_filter<std::shared_ptr<std::string>, void>(
                tbb::filter_mode::serial_in_order,
                [this](const std::shared_ptr<std::string>& block) { file_.Write(*block); }));
    file_.Write(Packed(frame_.tail));
  }

 private:
  size_t NextBlock(tbb::flow_control& control) {
    if (next_ >= rows_.size() || progress_.cancelled() || !file_.ok()) {
      control.stop();
      return 0;
    }
    const size_t first = next_;
    next_ += kBlockRows;
    return first;
  }

  std::shared_ptr<std::string> MakeBlock(size_t first) {
    auto text = std::make_shared<std::string>();
    text->reserve(kBlockRows * 256);
    EventWriter writer(trace_, frame_.clock, *text);
    const size_t end = std::min(first + kBlockRows, rows_.size());
    for (size_t i = first; i < end; ++i) rows_.Write(i, writer);
    progress_.Add(static_cast<int64_t>(end - first));
    if (compress_) *text = Gzip(*text, GzipLevel::kSmall);
    return text;
  }

  std::string Packed(const std::string& text) const {
    return compress_ ? Gzip(text, GzipLevel::kSmall) : text;
  }

  const Trace& trace_;
  const FileRows& rows_;
  const FileFrame& frame_;
  const bool compress_;
  OutputFile& file_;
  Progress& progress_;
  size_t next_ = 0;
};

OutputKind Kind() {
  return ExportedKind("chrome", [](const std::string& path) {
    return ReadUnpackedHead(path, kFileMark.size()) == kFileMark;
  });
}

Result<int64_t> WriteFile(const Trace& trace, SourceId file, WriteOrder& order, bool compress,
                          Result<OutputFile> output, Progress& progress) {
  if (!output.ok()) return output.error();
  const FileRows rows = CollectRows(trace, order, file);
  const FileFrame frame = MakeFrame(trace, file);
  FileWriter(trace, rows, frame, compress, *output, progress).Run();
  if (progress.cancelled()) return Error{"interrupted"};
  if (const Status status = output->Commit(); !status.ok()) return status.error();
  return output->bytes();
}

int64_t CountRows(const TraceTables& t) {
  return static_cast<int64_t>(RowCount(t.host) + RowCount(t.api) + RowCount(t.gpu) +
                              RowCount(t.gpu_annotations) + RowCount(t.syncs) + RowCount(t.memory) +
                              RowCount(t.flows) + RowCount(t.instants) + RowCount(t.nvtx));
}

// By source: whether it is a file that has a timeline.
std::vector<bool> FilesWithTimeline(const Trace& trace) {
  std::vector<bool> timeline = SourcesWithTimeline(trace);
  const SourceFiles files(trace);
  for (size_t i = 0; i < timeline.size(); ++i) {
    if (!files.IsFile(MakeId<SourceId>(i))) timeline[i] = false;
  }
  return timeline;
}

// Correlation and flow ids are unique only within a file, so each source becomes a separate file.
// The file names sort in the order of the sources.
std::string SourceFileName(const Trace& trace, size_t source, size_t sources) {
  const int64_t rank = trace.tables.sources.rank[source];
  const size_t digits = std::to_string(sources - 1).size();
  const std::string suffix = rank == kMissing ? "" : fmt::format("_rank{}", rank);
  return fmt::format("trace{:0{}}{}.json.gz", source, digits, suffix);
}

Result<ExportResult> WriteFolder(const ExportJob& job, WriteOrder& order) {
  const Trace& trace = job.profile.trace;
  auto folder = OutputFolder::Create(job.output, job.rules, Kind());
  if (!folder.ok()) return folder.error();
  const std::vector<bool> timeline = FilesWithTimeline(trace);
  const size_t sources = timeline.size();
  for (size_t i = 0; i < sources; ++i) {
    if (!timeline[i]) continue;
    const auto bytes =
        WriteFile(trace, MakeId<SourceId>(i), order, /*compress=*/true,
                  folder->CreateFile(SourceFileName(trace, i, sources)), job.progress);
    if (!bytes.ok()) return bytes.error();
  }
  const auto content = folder->Commit();
  if (!content.ok()) return content.error();
  return ExportResult{content->files, content->bytes};
}

bool MakesFolder(const Profile& profile) {
  const std::vector<bool> timeline = FilesWithTimeline(profile.trace);
  return std::count(timeline.begin(), timeline.end(), true) > 1;
}

// The only file with a timeline, or the first file if none has one.
SourceId TheFile(const Trace& trace) {
  const std::vector<bool> timeline = FilesWithTimeline(trace);
  const auto at = std::find(timeline.begin(), timeline.end(), true);
  return at == timeline.end() ? SourceId{}
                              : MakeId<SourceId>(static_cast<size_t>(at - timeline.begin()));
}

Result<ExportResult> Run(const ExportJob& job) {
  const Trace& trace = job.profile.trace;
  if (trace.tables.sources.path.empty()) return Error{"the profile contains no trace"};
  job.progress.Begin("writing", CountRows(trace.tables));
  WriteOrder order(trace);
  if (MakesFolder(job.profile)) return WriteFolder(job, order);
  const auto bytes = WriteFile(trace, TheFile(trace), order, job.output.ends_with(".gz"),
                               OutputFile::Create(job.output, job.rules, Kind()), job.progress);
  if (!bytes.ok()) return bytes.error();
  return ExportResult{1, *bytes};
}

}  // namespace

Exporter Define() {
  return {"chrome",   "Chrome JSON, as PyTorch writes it: Perfetto, chrome://tracing",
          ".json.gz", MakesFolder,
          Run,        Kind};
}

}  // namespace warpsight::exporters::chrome
