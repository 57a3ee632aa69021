#include "wire/rows.h"

namespace warpsight::wire {

void EncodeStrings(uint64_t first, std::span<const std::string> texts, std::string& out) {
  AppendVarint(first, out);
  for (const std::string& text : texts) {
    AppendVarint(text.size(), out);
    out += text;
  }
}

std::optional<NumberedStrings> DecodeStrings(std::string_view bytes, uint32_t count) {
  VarintReader reader(bytes.data(), bytes.data() + bytes.size());
  NumberedStrings strings;
  strings.first = reader.Unsigned();
  if (count > bytes.size()) return std::nullopt;
  strings.texts.reserve(count);
  for (uint32_t i = 0; i < count; ++i) strings.texts.push_back(reader.Bytes(reader.Unsigned()));
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return strings;
}

}  // namespace warpsight::wire
