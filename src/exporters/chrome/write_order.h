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

// In which order to write the slices of a file so that reading them again gives every row its
// number. Rows that are shared or stand beside a table (inputs, launch parameters, details,
// collectives) are numbered as they first appear in a file, and slices of the same start
// and duration keep their order. An imported file satisfied all of this in its own order. Usually
// timeline order does, too; where it does not, the slice that defines a number is written earlier.
//
// Files are ordered one after the other, in their order.
class WriteOrder {
 public:
  explicit WriteOrder(const Trace& trace);

  std::vector<SliceRow> Of(SourceId file);

 private:
  // The tables whose rows are numbered as they appear.
  enum Space { kHostExtras, kGpuExtras, kCollectives, kSignatures, kLaunches, kSpaces };
  struct Numbers {
    std::vector<SliceRow> definer;  // which slice brings the number; of the file at hand
    std::vector<uint8_t> rank;      // how well it suits: 0 none, higher is better
    std::vector<bool> defined;
    size_t next = 0;  // the first that is not defined
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
