#include "store/text.h"

namespace warpsight::store {

std::string ReasonOf(std::string_view message, std::string_view path) {
  if (message.find("Could not read enough bytes") != std::string_view::npos ||
      message.find("attempted to read") != std::string_view::npos) {
    return "it is truncated";
  }
  if (message.find("does not match stored checksum") != std::string_view::npos) {
    const size_t place = message.find("in block at location");
    return "wrong checksum" +
           (place == std::string_view::npos ? "" : " " + std::string(message.substr(place)));
  }
  // 'IO Error: Could not write file "/x/y": No space left on device'
  const std::string quoted = '"' + std::string(path);
  size_t name = message.find(quoted);
  // The file may have been opened by its descriptor.
  if (name == std::string_view::npos) name = message.find("\"/proc/self/fd/");
  if (name != std::string_view::npos) {
    const size_t colon = message.find("\": ", name);
    if (colon != std::string_view::npos) return std::string(message.substr(colon + 3));
  }
  const size_t kind = message.find(" Error: ");
  if (kind != std::string_view::npos && kind < 30) message.remove_prefix(kind + 8);
  return std::string(message);
}

}  // namespace warpsight::store
