#pragma once

#include <string>
#include <string_view>

#include "importers/chrome/event_parser.h"
#include "importers/chrome/row_maker.h"

namespace warpsight::importers::chrome {

// The patient way through the text of traceEvents: record by record, passing over what is damaged
// and saying where. It decides what a block means whenever the quick parser could not, and it finds
// the end of the array. Blocks are fed in order; one thread at a time.
class RecordScanner {
 public:
  // Reads the records of `text`, which follows what was fed before. `last`: nothing follows it.
  void Feed(std::string_view text, int64_t offset, bool last, BlockRows& rows);

  // Whether a record begun earlier is still open: the next block must be fed here too.
  bool waiting() const { return !carry_.empty(); }
  // Whether the array has ended; what is fed from then on is collected in rest().
  bool array_ended() const { return array_ended_; }
  const std::string& rest() const { return rest_; }

 private:
  // Parses the record at text[pos, end); false when it is damaged.
  bool ReadRecord(std::string_view text, size_t pos, size_t end, int64_t offset, BlockRows& rows);

  EventParser parser_;
  std::string carry_;
  int64_t carry_offset_ = 0;
  bool array_ended_ = false;
  std::string rest_;
};

}  // namespace warpsight::importers::chrome
