#include "tile_reader.h"

#include <cstring>
#include <utility>

namespace warpsight::testing {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  std::vector<T> Take(size_t count) {
    std::vector<T> values(count);
    if (bytes_.size() - at_ < count * sizeof(T)) {
      ok_ = false;
      return values;
    }
    if (count > 0) std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return values;
  }
  void Align(size_t unit) {
    while (at_ % unit != 0) ok_ = Take<uint8_t>(1)[0] == 0 && ok_;
  }
  std::string_view Rest() const { return bytes_.substr(at_); }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

TileRead ReadTile(std::string_view bytes) {
  TileRead tile;
  Reader reader(bytes);
  const auto header = reader.Take<uint32_t>(5);
  if (header[0] != 0x31545357) return tile;
  const size_t slices = header[2];
  const auto rows = reader.Take<uint32_t>(4 * size_t{header[1]});
  const auto value_rows = reader.Take<uint32_t>(2 * size_t{header[3]});
  reader.Align(8);
  const auto start = reader.Take<double>(slices);
  const auto duration = reader.Take<double>(slices);
  const auto event = reader.Take<uint32_t>(slices);
  const auto name = reader.Take<uint32_t>(slices);
  const auto count = reader.Take<uint32_t>(slices);
  const auto cover = reader.Take<float>(slices);
  const auto category = reader.Take<uint8_t>(slices);
  const auto table = reader.Take<uint8_t>(slices);
  reader.Align(4);
  for (size_t c = 0; c < header[3]; ++c) {
    tile.values.push_back({value_rows[2 * c], reader.Take<float>(value_rows[2 * c + 1])});
  }
  const auto name_ends = reader.Take<uint32_t>(header[4]);
  const std::string_view names = reader.Rest();
  if (!reader.ok()) return tile;
  const auto name_of = [&](uint32_t i) {
    const uint32_t begin = i == 0 ? 0 : name_ends[i - 1];
    return std::string(names.substr(begin, name_ends[i] - begin));
  };
  size_t next = 0;
  for (size_t r = 0; r < header[1]; ++r) {
    TileRowRead row{rows[4 * r], rows[4 * r + 1], {}, {}};
    if (rows[4 * r + 2] != next) return tile;
    for (const size_t end = next + rows[4 * r + 3]; next < end; ++next) {
      const auto from = static_cast<TimeNs>(start[next]);
      row.slices.push_back({from,
                            from + static_cast<DurationNs>(duration[next]),
                            {static_cast<EventTable>(table[next]), event[next]},
                            static_cast<Category>(category[next]),
                            count[next],
                            cover[next]});
      row.names.push_back(name_of(name[next]));
    }
    tile.rows.push_back(std::move(row));
  }
  tile.ok = next == slices && (name_ends.empty() ? 0 : name_ends.back()) == names.size();
  return tile;
}

}  // namespace warpsight::testing
