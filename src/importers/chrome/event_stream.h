#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "importers/api/byte_source.h"

namespace warpsight::importers::chrome {

// A block of traceEvents. It contains complete records, as far as that can be determined without
// parsing.
struct TextBlock {
  // storage = '[' text ']' padding, so that the block can be parsed as an array in place.
  std::unique_ptr<char[]> storage;
  size_t capacity = 0;    // length of the text that fits
  size_t size = 0;        // length of the text
  int64_t offset = 0;     // offset of the text in the uncompressed file
  bool last = false;      // the block is the end of the file, and its last record may be truncated
  std::string separator;  // the comma and white space between this block and the next

  std::string_view text() const { return {storage.get() + 1, size}; }
  std::string_view as_array() const { return {storage.get(), size + 2}; }
};

// A "key": value of the outermost object other than traceEvents; the value is JSON text.
using TopLevelField = std::pair<std::string, std::string>;

// Reads the file from front to back in bounded memory: first the part before the records, then the
// records in blocks. Used by one thread at a time.
class EventStream {
 public:
  // Large enough to make the cost of cutting negligible, and small enough to stay in a core's
  // cache.
  static constexpr size_t kBlockSize = 2 * 1024 * 1024;

  // Tests use small blocks, so that cuts occur everywhere.
  EventStream(ByteSource& bytes, std::string path, size_t block_size = kBlockSize)
      : bytes_(bytes), path_(std::move(path)), block_size_(block_size) {}

  // Reads up to the first record; appends the fields before it.
  Status ReadHead(std::vector<TopLevelField>& fields);
  // Whether the file is an array of records without an object around it. Its ']' may be missing:
  // the specification of the format allows that for writers that end unexpectedly.
  bool bare_array() const { return bare_array_; }

  // The next block, or nullptr at the end.
  Result<std::unique_ptr<TextBlock>> Next();

  // Takes a block back to reuse its storage; may be called from any thread. Allocating fresh memory
  // for every block takes a quarter of the time of reading a large file, because of page faults.
  void Recycle(std::unique_ptr<TextBlock> block);

 private:
  // Makes at least one more byte of head_ available; false at the end of the file.
  Result<bool> Fill();
  std::unique_ptr<TextBlock> NewBlock(size_t capacity);

  ByteSource& bytes_;
  std::string path_;
  size_t block_size_;
  std::string head_;    // bytes that were read but not returned yet
  int64_t offset_ = 0;  // of head_[0] in the file
  bool bare_array_ = false;
  bool ended_ = false;     // everything was read
  bool finished_ = false;  // the last block was returned

  std::mutex mutex_;  // guards free_
  std::vector<std::unique_ptr<TextBlock>> free_;
};

// Where ScanFields() stopped.
struct FieldScan {
  enum class Stop {
    kEvents,    // after the '[' of traceEvents
    kClosed,    // at the end of the object
    kDamage,    // at something other than a field
    kTextEnds,  // more text is needed
  };
  Stop stop = Stop::kTextEnds;
  size_t pos = 0;
};
// Reads the fields of an object from text[pos] (after its '{' or after a value) and appends them to
// `fields`.
FieldScan ScanFields(std::string_view text, size_t pos, std::vector<TopLevelField>& fields);

}  // namespace warpsight::importers::chrome
