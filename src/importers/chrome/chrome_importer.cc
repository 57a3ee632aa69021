// Reads Chrome traces: those of PyTorch / Kineto, and of other programs that write this format.
//
// The file is cut into blocks at places where a record seems to begin; blocks are parsed in
// parallel and collected in order. Parsing a block also verifies the cut after it: a parser that
// starts at the true beginning of a record and finds only complete records up to the end of the
// block has found the true beginning of the next record. If that fails, because the cut was wrong
// or the text is damaged, the RecordScanner reads the text until both agree on the beginning of a
// record again.
#include "importers/chrome/chrome_importer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/chrome/device_lanes.h"
#include "importers/chrome/event_parser.h"
#include "importers/chrome/event_stream.h"
#include "importers/chrome/file_facts.h"
#include "importers/chrome/json_text.h"
#include "importers/chrome/node_ops.h"
#include "importers/chrome/open_close.h"
#include "importers/chrome/record_scanner.h"
#include "importers/chrome/row_maker.h"
#include "tbb/enumerable_thread_specific.h"
#include "tbb/parallel_pipeline.h"
#include "tbb/task_arena.h"

namespace warpsight::importers::chrome {
namespace {

bool Sniff(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const size_t first = head.find_first_not_of(" \n\r\t");
  if (first == std::string_view::npos) return false;
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  if (head[first] == '[') return has("\"ph\"");
  if (head[first] != '{') return false;
  return has("traceEvents") || has("\"deviceProperties\"") || has("\"schemaVersion\"") ||
         has("\"displayTimeUnit\"");
}

struct ParsedBlock {
  std::unique_ptr<TextBlock> text;
  std::optional<BlockRows> rows;  // none: the fast parser could not read it
};

class Import {
 public:
  Import(ImportContext& context, size_t block_size)
      : context_(context), stream_(context.bytes, context.path, block_size) {}

  Status Run() {
    Status head = stream_.ReadHead(fields_);
    if (!head.ok()) return head;
    if (stream_.bare_array()) scanner_.AllowOpenEnd();
    const size_t tokens = 2 * static_cast<size_t>(tbb::this_task_arena::max_concurrency()) + 2;
    tbb::parallel_pipeline(
        tokens,
        tbb::make_filter<void, ParsedBlock*>(tbb::filter_mode::serial_in_order,
                                             [this](tbb::flow_control& c) { return Read(c); }) &
            tbb::make_filter<ParsedBlock*, ParsedBlock*>(
                tbb::filter_mode::parallel, [this](ParsedBlock* b) { return Parse(b); }) &
            tbb::make_filter<ParsedBlock*, void>(tbb::filter_mode::serial_in_order,
                                                 [this](ParsedBlock* b) { Collect(b); }));
    if (!error_.ok()) return error_;
    if (Status status = context_.CheckStopped(); !status.ok()) return status;
    Finish();
    return {};
  }

 private:
  ParsedBlock* Read(tbb::flow_control& control) {
    if (!context_.MustStop()) {
      auto block = stream_.Next();
      const int64_t consumed = context_.bytes.consumed();
      context_.progress.Add(consumed - reported_);
      reported_ = consumed;
      if (!block.ok()) {
        error_ = block.error();
      } else if (*block) {
        return new ParsedBlock{std::move(*block), std::nullopt};
      }
    }
    control.stop();
    return nullptr;
  }

  ParsedBlock* Parse(ParsedBlock* block) {
    if (block->text->last) return block;  // the scanner reads what follows
    block->rows.emplace(context_.source);
    RowMaker maker(*block->rows, block->text->text(), block->text->offset);
    const bool whole = parsers_.local().ParseArray(
        block->text->as_array(), [&](const RawEvent& event) { maker.Add(event); });
    if (!whole) block->rows.reset();
    return block;
  }

  void Collect(ParsedBlock* raw) {
    std::unique_ptr<ParsedBlock> block(raw);
    if (scanner_.array_ended() && block->rows && block->rows->phased > 0) {
      // There are events after the end of the array: a second array, or the text is damaged and a
      // ']' was misinterpreted as the end.
      Keep(ReadRest(false));
    }
    if (!block->rows || scanner_.waiting() || scanner_.array_ended()) {
      block->rows.emplace(context_.source);
      scanner_.Feed(*block->text, *block->rows);
    }
    Keep(std::move(*block->rows));
    stream_.Recycle(std::move(block->text));
  }

  void Keep(BlockRows rows) {
    events_ += rows.events;
    blocks_.push_back(std::move(rows));
  }

  // Reads what follows the array: the other fields of the object, or another array of records.
  BlockRows ReadRest(bool last) {
    using Stop = FieldScan::Stop;
    BlockRows rows(context_.source);
    while (scanner_.array_ended()) {
      const RecordScanner::Rest rest = scanner_.TakeRest();
      const FieldScan scan = ScanFields(rest.text, 0, fields_);
      const int64_t at = rest.offset + static_cast<int64_t>(scan.pos);
      const bool only_space = SkipSpace(rest.text, 0) == rest.text.size();
      if (scan.stop == Stop::kEvents) {
        rows.part.Log("second_array", at, "a second traceEvents array; it was read too");
        scanner_.Feed(std::string_view(rest.text).substr(scan.pos), at, {}, last, rows);
      } else if (!last) {
        rows.part.Log("second_array", at,
                      "records follow the end of traceEvents; they were read too");
      } else if (!rest.whole) {
        rows.part.Log("long_rest", rest.offset,
                      "too much text follows traceEvents; only a part was read");
      } else if (scan.stop == Stop::kDamage) {
        rows.part.Log("unexpected_text", at, "the text after traceEvents is not a list of fields");
      } else if (scan.stop == Stop::kTextEnds && !(stream_.bare_array() && only_space)) {
        rows.part.Log("truncated", at,
                      "the file ends before the object that contains traceEvents is closed");
      } else if (scan.stop == Stop::kClosed &&
                 SkipSpace(rest.text, scan.pos + 1) != rest.text.size()) {
        rows.part.Log("unexpected_text", at + 1, "text follows the end of the trace");
      }
      if (!last) break;
    }
    return rows;
  }

  void Finish() {
    Keep(ReadRest(true));
    BlockRows& last = blocks_.emplace_back(context_.source);
    if (const std::string damage = context_.bytes.damage(); !damage.empty()) {
      last.part.Log("damaged_compression", kMissing, damage + "; the part before it was read");
    }
    AddFileFacts(fields_, last.part, context_.builder);
    PairOpenClose(blocks_);
    if (!IsExported(fields_)) {
      MoveDeviceLanes(blocks_);
      NameNodeOps(blocks_);
    }
    context_.builder.AddEvents(context_.source, events_);
    for (BlockRows& rows : blocks_) context_.builder.Add(std::move(rows.part));
  }

  ImportContext& context_;
  EventStream stream_;
  tbb::enumerable_thread_specific<EventParser> parsers_;
  RecordScanner scanner_;
  std::vector<TopLevelField> fields_;  // of the outermost object
  std::vector<BlockRows> blocks_;
  int64_t events_ = 0;
  int64_t reported_ = 0;
  Status error_;
};

}  // namespace

Status ImportChrome(ImportContext& context, size_t block_size) {
  return Import(context, block_size).Run();
}

Importer Define() {
  return {"chrome", "PyTorch / Kineto and other Chrome JSON traces", 50, Sniff,
          [](ImportContext& context) { return ImportChrome(context); }};
}

}  // namespace warpsight::importers::chrome
