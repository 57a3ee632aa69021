#pragma once

#include <string>

#include "analysis/accounting/range_summary.h"

namespace warpsight {

// Text of findings about the time breakdown, with the names and shares of the ledger: "host
// synchronization takes 12.3 % of the GPU's time".
std::string Takes(const RangeSummary& range, LedgerEntry entry);
inline std::string Takes(const RangeSummary& range, IdleCause cause) {
  return Takes(range, EntryOf(cause));
}
// "host work before the launch and launch latency take 58.7 % of the GPU's time"
std::string Take(const RangeSummary& range, LedgerEntry one, LedgerEntry other);
inline std::string Take(const RangeSummary& range, IdleCause one, IdleCause other) {
  return Take(range, EntryOf(one), EntryOf(other));
}
// The same at the beginning of a sentence.
std::string Sentence(std::string text);

}  // namespace warpsight
