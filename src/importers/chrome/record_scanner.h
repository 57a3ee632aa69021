#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "importers/chrome/event_parser.h"
#include "importers/chrome/event_stream.h"
#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// The slow parser of traceEvents: goes record by record, repairs records that are almost JSON, and
// skips and reports damaged ones. It is used for blocks that the fast parser rejected, and it finds
// the end of the array. Blocks are fed in order; one thread at a time.
class RecordScanner {
 public:
  // Reads the records of a block, which follows what was fed before.
  void Feed(const TextBlock& block, BlockRows& rows);
  // The same for any text; `separator` stands between it and what is fed next, `last` says that
  // nothing follows it.
  void Feed(std::string_view text, int64_t offset, std::string_view separator, bool last,
            BlockRows& rows);

  // The array may end without a ']'.
  void AllowOpenEnd() { open_end_ = true; }

  // Whether a record begun earlier is still open: the next block must be fed here too.
  bool waiting() const { return !carry_.empty(); }
  // Whether the array has ended; what is fed from then on is collected in the rest.
  bool array_ended() const { return array_ended_; }

  struct Rest {
    std::string text;
    int64_t offset = 0;
    bool whole = true;  // false: there was too much of it
  };
  // What follows the array. The scanner is then ready for the records of another one.
  Rest TakeRest();

 private:
  // Parses the record at text[pos, end); false when it is damaged.
  bool ReadRecord(std::string_view text, size_t pos, size_t end, int64_t offset, BlockRows& rows);
  // Skips the value at text[pos] and returns the position after it, or npos if the only option is
  // to search for the next record. `cost` receives the number of wasted bytes.
  size_t ReadValue(std::string_view text, size_t pos, int64_t offset, BlockRows& rows,
                   size_t* cost);

  EventParser parser_;
  std::string carry_;
  int64_t carry_offset_ = 0;
  bool open_end_ = false;
  bool array_ended_ = false;
  Rest rest_;
};

}  // namespace warpsight::importers::chrome
