#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace warpsight::exporters::chrome {

enum class SliceTable : uint8_t { kHost, kApi, kGpu, kGpuAnnotation, kSync };

struct SliceRow {
  SliceTable table;
  uint32_t row;
};

// The order in which to write the slices of a file, so that every row has the same number when the
// file is imported again. Rows of tables without times (inputs, launch parameters, details,
// collectives) are numbered in order of their first use in a file, and slices with the same start
// and duration keep their order. Usually timeline order satisfies this; if it does not, the slice
// that must define a number is written earlier.
//
// Several files are ordered one after the other, in the order of their sources.
class WriteOrder {
 public:
  explicit WriteOrder(const Trace& trace);

  std::vector<SliceRow> Of(SourceId file);

 private:
  // The tables whose rows are numbered in order of appearance.
  enum Space { kHostExtras, kGpuExtras, kCollectives, kSignatures, kLaunches, kSpaces };
  struct Numbers {
    std::vector<SliceRow> definer;  // the slice of the current file that defines the number
    std::vector<uint8_t> rank;      // how well it suits: 0 not at all; higher is better
    std::vector<bool> defined;
    size_t next = 0;  // the first number that is not defined yet
  };
  struct Needs {
    std::array<uint32_t, kSpaces> id;
  };
  static constexpr uint32_t kNothing = UINT32_MAX;

  Needs NeedsOf(SliceRow slice) const;
  SourceId FileOf(SliceRow slice) const;
  bool TiesWithPrevious(SliceRow slice) const;
  size_t Rows(SliceTable table) const;

  void ChooseDefiners(SourceId file);
  void Offer(SliceRow slice, const Needs& needs);
  void Emit(SliceRow slice, int depth);
  void EmitTied(SliceRow slice, int depth);
  void Require(Space space, uint32_t id, int depth);
  void Define(Space space, size_t id);

  const Trace& trace_;
  const SourceFiles files_;
  std::array<Numbers, kSpaces> numbers_;
  std::array<std::vector<bool>, 5> written_;  // by table
  std::vector<SliceRow> order_;
};

}  // namespace warpsight::exporters::chrome
