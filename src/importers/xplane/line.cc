#include "importers/xplane/line.h"

#include <cstddef>

#include "importers/xplane/proto_fields.h"

namespace warpsight::importers::xplane {
namespace {

// Large enough that the overhead of a task and the caching of names pay off.
constexpr ptrdiff_t kStretchBytes = 4 << 20;

}  // namespace

Line ReadLine(std::string_view bytes) {
  Line line;
  ProtoFields fields(bytes);
  const char* begin = nullptr;  // start of the current stretch
  const char* end = nullptr;
  size_t events = 0;
  const auto close = [&] {
    if (begin != nullptr)
      line.stretches.push_back({{begin, static_cast<size_t>(end - begin)}, events});
    begin = nullptr;
    events = 0;
  };
  std::string_view display_name;
  while (fields.Next()) {
    if (fields.number() == 4) {
      if (begin == nullptr) begin = fields.place();
      end = fields.after();
      ++events;
      if (end - begin >= kStretchBytes) close();
      continue;
    }
    close();
    if (fields.number() == 1) line.id = fields.integer();
    if (fields.number() == 2) line.name = fields.bytes();
    if (fields.number() == 3) line.timestamp_ns = fields.signed_integer();
    if (fields.number() == 11) display_name = fields.bytes();
  }
  close();
  if (!display_name.empty()) line.name = display_name;
  line.whole = fields.whole();
  return line;
}

}  // namespace warpsight::importers::xplane
