#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "importers/chrome/event_parser.h"
#include "importers/chrome/event_stream.h"
#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// The slow parser of traceEvents: reads record by record, repairs records that are almost JSON, and
// skips and reports damaged ones. Used for blocks that the fast parser rejected, and to find the
// end of the array. Blocks must be fed in order, by one thread at a time.
class RecordScanner {
 public:
  // Reads the records of a block that follows the text fed before.
  void Feed(const TextBlock& block, BlockRows& rows);
  // The same for any text. `separator` is the text between it and the text fed next; `last` means
  // that no text follows.
  void Feed(std::string_view text, int64_t offset, std::string_view separator, bool last,
            BlockRows& rows);

  // Accepts an array without a ']' at its end.
  void AllowOpenEnd() { open_end_ = true; }

  // Whether a record is still open at the end of the text fed so far: the next block must then be
  // fed to the scanner too.
  bool waiting() const { return !carry_.empty(); }
  // Whether the array has ended; further text is then collected in the rest.
  bool array_ended() const { return array_ended_; }

  struct Rest {
    std::string text;
    int64_t offset = 0;
    bool whole = true;  // false: there was too much text to keep all of it
  };
  // Returns the text after the array. The scanner can then read the records of another array.
  Rest TakeRest();

 private:
  // Parses the record at text[pos, end); returns false if it is damaged.
  bool ReadRecord(std::string_view text, size_t pos, size_t end, int64_t offset, BlockRows& rows);
  // Skips the value at text[pos] and returns the position after it, or npos if the next record must
  // be searched for. `cost` receives the number of bytes that were read in vain.
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
