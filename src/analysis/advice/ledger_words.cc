#include "analysis/advice/ledger_words.h"

#include <fmt/format.h>

#include "analysis/text/format.h"

namespace warpsight {
namespace {

std::string OfTheTime(const RangeSummary& range, DurationNs time) {
  return fmt::format("{} of the {} time", FormatShare(range.Share(time), 1),
                     range.gpus.size() > 1 ? "GPUs'" : "GPU's");
}

bool IsPlural(LedgerEntry entry) {
  return entry == LedgerEntry::kTensorCores || entry == LedgerEntry::kOtherKernels ||
         entry == LedgerEntry::kCopies;
}

}  // namespace

std::string Takes(const RangeSummary& range, LedgerEntry entry) {
  return fmt::format("{} {} {}", ToString(entry), IsPlural(entry) ? "take" : "takes",
                     OfTheTime(range, range.Of(entry)));
}

std::string Take(const RangeSummary& range, LedgerEntry one, LedgerEntry other) {
  return fmt::format("{} and {} take {}", ToString(one), ToString(other),
                     OfTheTime(range, range.Of(one) + range.Of(other)));
}

std::string Sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace warpsight
