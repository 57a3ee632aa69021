// Reads any bytes as a trace of one format and checks the invariants of traces and profiles.
#include <simdjson.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/advice/advise_on.h"
#include "analysis/compute_facts.h"
#include "analysis/timeline/timeline.h"
#include "importers/api/importer.h"
#include "model/integrity.h"
#include "tbb/global_control.h"

namespace warpsight::importers::WARPSIGHT_FUZZ_NAMESPACE {
Importer Define();
}

namespace warpsight {
namespace {

void Require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

// A file in memory, so that compressed inputs are decompressed like files.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    Require(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "a file in memory can be written");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// Checks the timeline of the imported trace: the slices of every row do not overlap, and the tile
// of the whole run contains every event.
void CheckTimeline(const Profile& profile, const RangeSummary& range) {
  const auto timeline = Timeline::Build(profile);
  uint64_t events = 0;
  for (const Lane& lane : timeline->lanes()) {
    std::vector<Slice> slices;
    for (size_t row = 0; row < lane.slices.row_count(); ++row) {
      const size_t first = slices.size();
      lane.slices.AppendSlices(row, 0, TimeNs{1} << timeline->span_log(), timeline->max_level(),
                               slices);
      for (size_t i = first; i < slices.size(); ++i) {
        Require(i == first || slices[i - 1].end <= slices[i].start, "slices do not overlap");
        events += slices[i].count;
      }
    }
  }
  const TraceTables& t = profile.trace.tables;
  Require(events == RowCount(t.host) + RowCount(t.api) + RowCount(t.gpu) +
                        RowCount(t.gpu_annotations) + RowCount(profile.facts.gaps),
          "the timeline shows every event");
  for (int64_t level = 0; level <= timeline->max_level(); level += 7) {
    const int64_t last = timeline->end() >> (timeline->span_log() - level);
    Require(Tile(*timeline, profile, range, level, last, {}).ok(), "every tile can be drawn");
  }
  for (const char* event : {"host:0", "api:0", "gpu:0", "gap:0", "iteration:0", "annotation:0"}) {
    if (!Exists(profile, *ParseEventRef(event))) continue;
    Require(EventJson(*timeline, profile, range, event).ok(), "every event has details");
  }
  Require(SearchJson(*timeline, profile, range, "a", 10, 0).ok(), "every text can be looked for");
  Require(timeline->end() == 0 || SelectionJson(*timeline, profile, 0, timeline->end()).ok(),
          "every stretch can be selected");
  LongestGapsJson(*timeline, profile, range, 5);
}

void CheckProfile(Trace trace, Progress& progress) {
  const std::string problem = CheckIntegrity(trace);
  Require(problem.empty(), problem);
  for (size_t i = 0; i < trace.strings.size(); ++i) {
    const std::string_view text = trace.strings.View(MakeId<StringId>(i));
    Require(simdjson::validate_utf8(text.data(), text.size()), "texts are UTF-8");
  }
  auto facts = ComputeFacts(trace, {}, progress);
  if (!facts.ok()) return;
  const Profile profile{std::move(trace), std::move(*facts)};
  const std::string wrong_fact = CheckFacts(profile.trace, profile.facts);
  Require(wrong_fact.empty(), wrong_fact);
  const RangeSummary range = SummarizeRange(profile);
  DurationNs sum = 0;
  for (const LedgerEntry entry : range.View()) sum += range.Of(entry);
  Require(sum == range.capacity, "the view sums to its windows");
  DurationNs idle = 0;
  for (size_t i = 0; i < kIdleCauseCount; ++i) idle += range.Of(static_cast<IdleCause>(i));
  Require(idle == range.idle, "the causes sum to the idle time");
  if (!range.gpus.empty()) {
    Require(range.busy + range.idle == range.capacity, "busy and idle sum to the GPUs' time");
  }
  CheckTimeline(profile, range);
  const Advice advice = AdviseOn(profile, range);
  for (const RankedFinding& finding : advice.findings) {
    Require(finding.predicted_step >= 0, "no step takes less than no time");
    Require(!finding.problem.empty() && !finding.recommendation.empty(), "findings have words");
  }
}

void Import(std::string_view bytes) {
  Progress progress;
  const Importer importer = importers::WARPSIGHT_FUZZ_NAMESPACE::Define();
  TraceBuilder builder;
  const SourceId source = builder.AddSource("input", importer.name, 0);
  const bool compressed = bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
  if (compressed) {
    const MemoryFile file(bytes);
    auto unpacked = OpenBytes(file.path());
    Require(unpacked.ok(), "a file in memory can be read");
    WholeFile whole("input", **unpacked);
    ImportContext context{"input", **unpacked, whole, builder, source, progress};
    if (!importer.import(context).ok()) return;
  } else {
    MemorySource plain(bytes);
    WholeFile whole("input", plain);
    ImportContext context{"input", plain, whole, builder, source, progress};
    // Bytes that the sniffer rejects never reach the importer in the program; here they test it,
    // too.
    importer.sniff(bytes);
    if (!importer.import(context).ok()) return;
  }
  auto trace = builder.Seal();
  if (trace.ok()) CheckProfile(std::move(*trace), progress);
}

}  // namespace
}  // namespace warpsight

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  warpsight::Import({reinterpret_cast<const char*>(data), size});
  return 0;
}
