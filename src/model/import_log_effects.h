#pragma once

#include <string_view>

namespace warpsight {

// How an entry of the import log affects the numbers.
enum class LogEffect {
  kNote,           // no effect: everything was read exactly as in the file
  kLostRecord,     // as many records as it counts are not in the trace
  kChangedRecord,  // as many values of records were corrected or left out
  kUnreadPart,     // a part of the input, with an unknown number of records, is not in the trace
  kCut,            // the input ends early
  kChangedFile,    // the input changed while it was read
};

// By the code of the entry. Unknown codes count as kUnreadPart: a new code must not be considered
// harmless.
LogEffect EffectOf(std::string_view code);

// Whether the entry is about a file that was not read, and not about records of one that was.
bool IsAboutUnreadFile(std::string_view code);

// Whether the code is in the list that EffectOf uses.
bool IsKnownLogCode(std::string_view code);

}  // namespace warpsight
