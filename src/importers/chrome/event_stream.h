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

// A stretch of traceEvents: whole records, as far as can be told without parsing.
struct TextBlock {
  // storage = '[' text ']' padding, so that the block can be parsed as an array in place.
  std::unique_ptr<char[]> storage;
  size_t capacity = 0;  // text that the storage can hold
  size_t size = 0;     // of the text
  int64_t offset = 0;  // of the text in the uncompressed file
  bool last = false;   // the end of the file; holds what follows the last record cut off

  std::string_view text() const { return {storage.get() + 1, size}; }
  std::string_view as_array() const { return {storage.get(), size + 2}; }
};

// A "key": value of the outermost object other than traceEvents; the value is JSON text.
using TopLevelField = std::pair<std::string, std::string>;

// Reads the file front to back in bounded memory: first what stands before the records, then the
// records in blocks. Used by one thread at a time.
class EventStream {
 public:
  EventStream(ByteSource& bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}

  // Reads up to the first record; appends the fields that stand before it.
  Status ReadHead(std::vector<TopLevelField>& fields);

  // The next block, or nullptr at the end.
  Result<std::unique_ptr<TextBlock>> Next();

  // Takes a block back, from any thread, to use its storage again: fresh memory for every block
  // costs a quarter of the time of reading a large file, in page faults.
  void Recycle(std::unique_ptr<TextBlock> block);

 private:
  // Makes at least one more byte of head_ available; false at the end of the file.
  Result<bool> Fill();
  std::unique_ptr<TextBlock> NewBlock(size_t capacity);

  ByteSource& bytes_;
  std::string path_;
  std::string head_;     // bytes read but not handed out
  int64_t offset_ = 0;   // of head_[0] in the file
  bool ended_ = false;   // nothing left to read
  bool finished_ = false;  // the last block was handed out

  std::mutex mutex_;  // guards free_
  std::vector<std::unique_ptr<TextBlock>> free_;
};

// Reads the fields of an object from `text` at `pos` (behind '{' or a value) until traceEvents'
// '[' or the end. Returns the position behind '[' with *in_events set, or where it stopped.
// `more` is called for more text (it may move `text`) and returns false at the end of the input.
struct FieldScan {
  size_t pos = 0;
  bool in_events = false;
  bool complete = true;  // false: more text is needed
};
FieldScan ScanFields(std::string_view text, size_t pos, std::vector<TopLevelField>& fields);

}  // namespace warpsight::importers::chrome
