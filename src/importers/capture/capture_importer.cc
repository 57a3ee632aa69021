// Reads capture files, which Warpsight's own agent writes (src/wire). Texts are read first. Then
// frames are decoded in parallel, some tens of thousands of records of one type at a time. Records
// that need the whole recording, such as ranges that never ended, are kept and processed at the
// end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "importers/api/importer.h"
#include "importers/capture/counter_rows.h"
#include "importers/capture/file_facts.h"
#include "importers/capture/frames.h"
#include "importers/capture/gpu_rows.h"
#include "importers/capture/graph_ops.h"
#include "importers/capture/host_rows.h"
#include "importers/capture/range_ops.h"
#include "importers/capture/range_rows.h"
#include "importers/capture/row_part.h"
#include "importers/capture/step_rows.h"
#include "tbb/parallel_for.h"
#include "wire/rows.h"

namespace warpsight::importers::capture {

Importer Define();

namespace {

using wire::RecordType;

constexpr uint64_t kRowsPerBlock = 1 << 17;
// The agent writes frames of at most 2^15 records; more than this limit is damage. A record can be
// one byte in the file and hundreds in memory, and memory is checked only between frames.
constexpr uint32_t kMaxFrameRows = 1 << 20;

// Records that are processed after everything was read.
struct KeptRecords {
  std::tuple<std::vector<wire::SyncRecord>, std::vector<wire::RangeRecord>,
             std::vector<wire::GraphNodeRecord>, std::vector<wire::MemoryRecord>,
             std::vector<wire::ThreadRecord>, std::vector<wire::GapRecord>,
             std::vector<wire::FactRecord>, std::vector<wire::CounterRecord>,
             std::vector<wire::AnchorRecord>, std::vector<wire::CleanStretchRecord>>
      lists;

  template <typename Record>
  std::vector<Record>& Of() {
    return std::get<std::vector<Record>>(lists);
  }
  void Append(KeptRecords&& other) {
    std::apply([&](auto&... list) { (AppendTo(list, other), ...); }, lists);
  }

 private:
  template <typename Record>
  static void AppendTo(std::vector<Record>& list, KeptRecords& other) {
    std::vector<Record>& more = other.Of<Record>();
    if (list.empty()) {
      list = std::move(more);
    } else {
      list.insert(list.end(), more.begin(), more.end());
    }
  }
};

// Frames of one record type, and the rows made from them.
struct Block {
  Block(RecordType its_record, const FileFacts& file) : record(its_record), rows(file) {}

  RecordType record;
  std::vector<const PackedFrame*> frames;
  uint64_t planned_rows = 0;

  RowPart rows;
  KeptRecords kept;
  int64_t events = 0;
};

// Decodes a frame; false if it is damaged.
using ReadFrame = bool (*)(std::string_view payload, uint32_t rows, Block& block);

template <typename Record, typename Use>
bool ReadRows(std::string_view payload, uint32_t rows, Block& block, Use use) {
  if (rows > kMaxFrameRows) return false;
  const auto records = wire::DecodeRows<Record>(payload, rows);
  if (!records) return false;
  block.events += rows;
  for (const Record& record : *records) use(record);
  return true;
}

template <typename Record, void (*kAdd)(const Record&, RowPart&)>
bool MakeRows(std::string_view payload, uint32_t rows, Block& block) {
  return ReadRows<Record>(payload, rows, block,
                          [&](const Record& record) { kAdd(record, block.rows); });
}

template <typename Record>
bool Keep(std::string_view payload, uint32_t rows, Block& block) {
  auto& kept = block.kept.Of<Record>();
  return ReadRows<Record>(payload, rows, block,
                          [&](const Record& record) { kept.push_back(record); });
}

struct KnownRecord {
  RecordType type;
  ReadFrame read;
};
constexpr KnownRecord kRecords[] = {
    {RecordType::kKernel, MakeRows<wire::KernelRecord, AddKernel>},
    {RecordType::kCopy, MakeRows<wire::CopyRecord, AddCopy>},
    {RecordType::kMemset, MakeRows<wire::MemsetRecord, AddMemset>},
    {RecordType::kSync, Keep<wire::SyncRecord>},
    {RecordType::kCall, MakeRows<wire::CallRecord, AddCall>},
    {RecordType::kRange, Keep<wire::RangeRecord>},
    {RecordType::kOp, MakeRows<wire::OpRecord, AddOp>},
    {RecordType::kGraphNode, Keep<wire::GraphNodeRecord>},
    {RecordType::kMemory, Keep<wire::MemoryRecord>},
    {RecordType::kOverhead, MakeRows<wire::OverheadRecord, AddOverhead>},
    {RecordType::kThread, Keep<wire::ThreadRecord>},
    {RecordType::kDevice, MakeRows<wire::DeviceRecord, AddDevice>},
    {RecordType::kGap, Keep<wire::GapRecord>},
    {RecordType::kMark, MakeRows<wire::MarkRecord, AddMark>},
    {RecordType::kFact, Keep<wire::FactRecord>},
    {RecordType::kCounter, Keep<wire::CounterRecord>},
    {RecordType::kAnchor, Keep<wire::AnchorRecord>},
    {RecordType::kStepTime, MakeRows<wire::StepTimeRecord, AddStepTime>},
    {RecordType::kCleanStretch, Keep<wire::CleanStretchRecord>},
};

ReadFrame ReaderOf(RecordType type) {
  for (const KnownRecord& known : kRecords) {
    if (known.type == type) return known.read;
  }
  return nullptr;
}

bool IsGpuWork(RecordType type) {
  return type == RecordType::kKernel || type == RecordType::kCopy || type == RecordType::kMemset;
}

bool Sniff(std::string_view head) {
  constexpr uint64_t kMagic = wire::FileHeader::kMagic;
  return head.size() >= sizeof(kMagic) && std::memcmp(head.data(), &kMagic, sizeof(kMagic)) == 0;
}

class Import {
 public:
  Import(ImportContext& context, const wire::FileHeader& header, std::string_view bytes)
      : context_(context),
        header_(header),
        bytes_(bytes),
        file_{context.source, std::to_string(header.pid), {}},
        last_(file_) {}

  Status Run() {
    list_ = ListFrames(bytes_);
    if (UnpacksTooFar(context_.bytes.consumed(), list_.unpacked)) return TooDense();
    ReadTexts();
    if (Status status = context_.CheckStopped(); !status.ok()) return status;
    PlanBlocks();
    ReadBlocks();
    if (Status status = context_.CheckStopped(); !status.ok()) return status;
    Finish();
    return {};
  }

 private:
  Error TooDense() const {
    return Error{
        fmt::format("{}: its frames decompress to more than {} times its size ({} bytes to {}), "
                    "which no recording does",
                    context_.path, kLargestUnpackRatio, context_.bytes.consumed(), list_.unpacked)};
  }

  void ReadTexts() {
    Unpacker unpacker;
    for (const PackedFrame& frame : list_.frames) {
      if (frame.type() != wire::FrameType::kStrings) continue;
      if (context_.MustStop()) return;
      std::string& buffer = text_buffers_.emplace_back();
      const auto payload = unpacker.Unpack(frame, buffer);
      if (!payload.ok()) {
        last_.part().Log("bad_frame", frame.offset, payload.error().message);
        text_buffers_.pop_back();
        continue;
      }
      const auto strings = frame.header.rows > kMaxFrameRows
                               ? std::nullopt
                               : wire::DecodeStrings(*payload, frame.header.rows);
      if (!strings) {
        last_.part().Log("bad_frame", frame.offset, "a frame whose texts do not match its header");
        text_buffers_.pop_back();
      } else if (!file_.texts.Add(*strings)) {
        last_.part().Log("bad_frame", frame.offset,
                         "two texts with the same number; the first one is used");
      }
    }
  }

  // Consecutive frames of one type become a block.
  void PlanBlocks() {
    std::array<Block*, 64> open{};
    for (const PackedFrame& frame : list_.frames) {
      if (frame.type() == wire::FrameType::kStrings || frame.type() == wire::FrameType::kEnd) {
        continue;
      }
      if (frame.type() != wire::FrameType::kRecords) {
        last_.part().Log("unknown_frame", frame.offset,
                         fmt::format("a frame of type {}, from a newer version",
                                     static_cast<int>(frame.type())));
        continue;
      }
      if (ReaderOf(frame.record()) == nullptr) {
        passed_over_[frame.header.record] += frame.header.rows;
        continue;
      }
      Block*& block = open[frame.header.record % open.size()];
      if (block == nullptr || block->planned_rows >= kRowsPerBlock) {
        block = &blocks_.emplace_back(frame.record(), file_);
      }
      block->frames.push_back(&frame);
      // Each record takes at least one byte: no block is planned for the records that a damaged
      // frame merely claims to have.
      block->planned_rows += std::min<uint64_t>(frame.header.rows, frame.size);
    }
  }

  void ReadBlocks() {
    tbb::parallel_for(
        size_t{0}, blocks_.size(), [&](size_t i) { ReadBlock(blocks_[i]); },
        tbb::simple_partitioner());
  }

  void ReadBlock(Block& block) {
    const ReadFrame read = ReaderOf(block.record);
    Unpacker unpacker;
    std::string buffer;
    for (const PackedFrame* frame : block.frames) {
      if (context_.MustStop()) return;
      block.rows.SetOffset(frame->offset);
      const auto payload = unpacker.Unpack(*frame, buffer);
      if (!payload.ok()) {
        block.rows.Log("bad_frame", payload.error().message);
      } else if (!read(*payload, frame->header.rows, block)) {
        block.rows.Log("bad_frame", "a frame whose records do not match its header");
      }
      context_.progress.Add(static_cast<int64_t>(frame->payload.size()));
    }
  }

  void LogPassedOver() {
    for (const auto& [type, count] : passed_over_) {
      events_ += static_cast<int64_t>(count);
      last_.part().Log(
          "unknown_records", kMissing,
          fmt::format("{} records of type {} were skipped: a newer version of Warpsight wrote them",
                      count, type));
    }
    if (const std::string damage = context_.bytes.damage(); !damage.empty()) {
      last_.part().Log("damaged_compression", kMissing, damage);
    }
  }

  Covered CoveredByRows() const {
    Covered covered;
    const auto add = [&](const RowPart& rows) {
      if (rows.earliest() == kMissing) return;
      covered.start =
          covered.start == kMissing ? rows.earliest() : std::min(covered.start, rows.earliest());
      covered.end = std::max(covered.end, rows.latest());
    };
    for (const Block& block : blocks_) add(block.rows);
    add(last_);
    return covered;
  }

  void Finish() {
    ContextDevices context_devices;
    std::vector<RowPart*> gpu_parts;
    std::vector<const RowPart*> parts;
    for (Block& block : blocks_) {
      events_ += block.events;
      kept_.Append(std::move(block.kept));
      parts.push_back(&block.rows);
      if (!IsGpuWork(block.record)) continue;
      gpu_parts.push_back(&block.rows);
      CollectContextDevices(block.rows.part(), context_devices);
    }
    parts.push_back(&last_);
    for (const wire::SyncRecord& sync : kept_.Of<wire::SyncRecord>()) {
      AddSync(sync, context_devices, last_);
    }
    AddMemory(kept_.Of<wire::MemoryRecord>(), last_);
    AddCleanStretches(kept_.Of<wire::CleanStretchRecord>(), CoveredByRows().end, last_);
    AddRanges(std::move(kept_.Of<wire::RangeRecord>()), CoveredByRows().end, last_);
    MakeRangesOps(parts, last_);
    const auto& threads = kept_.Of<wire::ThreadRecord>();
    NameGraphWork(kept_.Of<wire::GraphNodeRecord>(), parts, threads, gpu_parts);
    NameThreads(threads, parts, last_);
    AddCounters(kept_.Of<wire::CounterRecord>(), last_);
    const Recording recording =
        AddFacts(kept_.Of<wire::FactRecord>(), header_.run, last_, context_.builder);
    SetClock(std::move(kept_.Of<wire::AnchorRecord>()), last_, context_.builder);
    const Covered covered = CoveredByRows();
    LogGaps(kept_.Of<wire::GapRecord>(), recording, covered, last_);
    LogDamage(list_, recording, covered, last_);
    LogPassedOver();
    context_.builder.AddEvents(context_.source, events_);
    for (Block& block : blocks_) context_.builder.Add(std::move(block.rows.part()));
    context_.builder.Add(std::move(last_.part()));
  }

  ImportContext& context_;
  const wire::FileHeader header_;
  std::string_view bytes_;
  FileFacts file_;
  FrameList list_;
  std::deque<std::string> text_buffers_;  // owns decompressed texts
  std::deque<Block> blocks_;
  KeptRecords kept_;
  std::map<uint16_t, uint64_t> passed_over_;  // number of skipped records by type
  RowPart last_;                              // the rows that are made at the end
  int64_t events_ = 0;
};

Status ImportCapture(ImportContext& context) {
  const auto bytes = context.whole.Bytes();
  if (!bytes.ok()) return bytes.error();
  wire::FileHeader header;
  if (bytes->size() < sizeof(header)) {
    return Error{fmt::format("{}: the capture file is truncated in its header", context.path)};
  }
  std::memcpy(&header, bytes->data(), sizeof(header));
  if (header.magic != wire::FileHeader::kMagic) {
    return Error{fmt::format("{}: not a capture file: wrong magic number", context.path)};
  }
  if (header.version > wire::kVersion) {
    return Error{
        fmt::format("{}: capture file version {} is too new, this Warpsight reads versions up to "
                    "{}; use a newer Warpsight",
                    context.path, header.version, wire::kVersion)};
  }
  return Import(context, header, {bytes->data(), bytes->size()}).Run();
}

}  // namespace

Importer Define() {
  return {
      .name = "capture",
      .title = "Warpsight capture",
      .sniff_rank = 5,
      .sniff = Sniff,
      .import = ImportCapture,
      .recognize = nullptr,
      .endings = {".wscap"},
  };
}

}  // namespace warpsight::importers::capture
