#include "importers/nsys/shared_strings.h"

#include <algorithm>

#include "base/utf8.h"

namespace warpsight::importers::nsys {

SharedStrings::Block SharedStrings::Read(const SqliteDatabase& database, std::string_view rows) {
  Block block;
  std::string repaired;
  enum { kId, kText };
  const auto strings = database.Select("StringIds", {"id", "value"}, rows);
  while (strings->Next()) {
    const std::string_view text = ValidUtf8(strings->Text(kText), repaired);
    block.places.push_back({strings->Integer(kId), {block.texts.size(), text.size()}});
    block.texts += text;
  }
  block.error = strings->error();
  return block;
}

void SharedStrings::Add(Block block) {
  texts_.push_back(std::move(block.texts));
  const std::string_view texts = texts_.back();
  for (const auto& [id, place] : block.places) {
    const std::string_view text = texts.substr(place.first, place.second);
    const auto rows = static_cast<int64_t>(dense_.size() + block.places.size());
    if (id >= 0 && id < std::min(4 * rows + 1024, kDense)) {
      if (static_cast<size_t>(id) >= dense_.size()) dense_.resize(static_cast<size_t>(id) + 1);
      dense_[static_cast<size_t>(id)] = text;
    } else {
      others_[id] = text;
    }
  }
}

std::string_view SharedStrings::Text(int64_t id) const {
  if (id >= 0 && id < static_cast<int64_t>(dense_.size()) &&
      dense_[static_cast<size_t>(id)].data() != nullptr) {
    return dense_[static_cast<size_t>(id)];
  }
  const auto it = others_.find(id);
  return it == others_.end() ? std::string_view() : it->second;
}

StringId PartStrings::operator[](int64_t id) {
  const auto [it, added] = known_.try_emplace(id, StringId::kEmpty);
  if (added) it->second = part_.Intern(shared_.Text(id));
  return it->second;
}

}  // namespace warpsight::importers::nsys
