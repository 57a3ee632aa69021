// Reads Chrome traces: PyTorch / Kineto first of all, and the other writers of that container.
//
// The file is cut into blocks at places where a record seems to begin; blocks are parsed in parallel
// and collected in order. A block's parse also proves its cut: whoever starts at a record's true
// beginning and finds whole records up to the block's end has found the next record's true
// beginning. Where that fails, because the cut was wrong or the text is damaged, the RecordScanner
// takes over until the two are in step again.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "importers/api/importer.h"
#include "importers/chrome/device_lanes.h"
#include "importers/chrome/event_parser.h"
#include "importers/chrome/event_stream.h"
#include "importers/chrome/file_facts.h"
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
  std::optional<BlockRows> rows;  // none: the quick parser could not read it
};

class Import {
 public:
  explicit Import(ImportContext& context)
      : context_(context), stream_(context.bytes, context.path) {}

  Status Run() {
    std::vector<TopLevelField> fields;
    const Status head = stream_.ReadHead(fields);
    if (!head.ok()) return head;
    const size_t tokens = 2 * static_cast<size_t>(tbb::this_task_arena::max_concurrency()) + 2;
    tbb::parallel_pipeline(
        tokens, tbb::make_filter<void, ParsedBlock*>(tbb::filter_mode::serial_in_order,
                                                     [this](tbb::flow_control& c) {
                                                       return Read(c);
                                                     }) &
                    tbb::make_filter<ParsedBlock*, ParsedBlock*>(
                        tbb::filter_mode::parallel, [this](ParsedBlock* b) { return Parse(b); }) &
                    tbb::make_filter<ParsedBlock*, void>(
                        tbb::filter_mode::serial_in_order, [this](ParsedBlock* b) { Collect(b); }));
    if (!error_.ok()) return error_;
    if (context_.progress.cancelled()) return Error{"interrupted"};
    Finish(fields);
    return {};
  }

 private:
  ParsedBlock* Read(tbb::flow_control& control) {
    if (!context_.progress.cancelled()) {
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
    if (block->text->last) return block;  // what follows the array is for the scanner
    block->rows.emplace(context_.source);
    RowMaker maker(*block->rows, block->text->text(), block->text->offset);
    const bool whole = parsers_.local().ParseArray(
        block->text->as_array(), [&](const RawEvent& event) { maker.Add(event); });
    if (!whole) block->rows.reset();
    return block;
  }

  void Collect(ParsedBlock* raw) {
    std::unique_ptr<ParsedBlock> block(raw);
    if (!block->rows || scanner_.waiting() || scanner_.array_ended()) {
      block->rows.emplace(context_.source);
      scanner_.Feed(block->text->text(), block->text->offset, block->text->last, *block->rows);
    }
    events_ += block->rows->events;
    blocks_.push_back(std::move(*block->rows));
    stream_.Recycle(std::move(block->text));
  }

  void Finish(std::vector<TopLevelField>& fields) {
    BlockRows& last = blocks_.emplace_back(context_.source);
    if (scanner_.array_ended()) ScanFields(scanner_.rest(), 0, fields);
    if (const std::string damage = context_.bytes.damage(); !damage.empty()) {
      last.part.Log("damaged_compression", kMissing, damage + "; the part before it was read");
    }
    AddFileFacts(fields, last.part, context_.builder);
    PairOpenClose(blocks_);
    MoveDeviceLanes(blocks_);
    context_.builder.AddEvents(context_.source, events_);
    for (BlockRows& rows : blocks_) context_.builder.Add(std::move(rows.part));
  }

  ImportContext& context_;
  EventStream stream_;
  tbb::enumerable_thread_specific<EventParser> parsers_;
  RecordScanner scanner_;
  std::vector<BlockRows> blocks_;
  int64_t events_ = 0;
  int64_t reported_ = 0;
  Status error_;
};

Status ImportChrome(ImportContext& context) { return Import(context).Run(); }

}  // namespace

Importer Define() {
  return {"chrome", "PyTorch / Kineto and other Chrome JSON traces", 50, Sniff, ImportChrome};
}

}  // namespace warpsight::importers::chrome
