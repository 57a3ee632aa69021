#include "base/string_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/seeded_hash.h"

namespace warpsight {
namespace {

// Block sizes grow from the first to the last, since an import creates one pool per block of input
// and most of these stay small.
constexpr size_t kFirstBlock = 16 * 1024;
constexpr size_t kLastBlock = 1024 * 1024;
constexpr size_t kFirstSlots = 1024;

}  // namespace

StringPool::StringPool() : slots_(kFirstSlots) { Intern(""); }

StringPool::StringPool(StringPool&& other) noexcept { *this = std::move(other); }

StringPool& StringPool::operator=(StringPool&& other) noexcept {
  slots_ = std::move(other.slots_);
  segments_ = std::move(other.segments_);
  size_.store(other.size_.exchange(0));
  blocks_ = std::move(other.blocks_);
  block_free_ = std::exchange(other.block_free_, 0);
  block_next_ = std::exchange(other.block_next_, nullptr);
  return *this;
}

uint64_t StringPool::Hash(std::string_view text) { return HashSeed::OfProcess().OfText(text); }

StringId StringPool::Find(std::string_view text) const {
  const uint64_t hash = Hash(text);
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == UINT32_MAX) return kNone<StringId>;
    if (slot.hash == tag && At(slot.id) == text) return MakeId<StringId>(slot.id);
  }
}

StringId StringPool::InternHashed(std::string_view text, uint64_t hash) {
  const size_t mask = slots_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  size_t i = hash & mask;
  for (;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id == UINT32_MAX) break;
    if (slot.hash == tag && At(slot.id) == text) return MakeId<StringId>(slot.id);
  }
  const auto id = static_cast<uint32_t>(size());
  slots_[i] = {tag, id};
  Append(Store(text));
  if (size() * 2 > slots_.size()) Grow();
  return MakeId<StringId>(id);
}

void StringPool::Append(std::string_view stored) {
  const size_t index = size();
  const Place place = PlaceOf(index);
  auto& segment = segments_[place.segment];
  if (!segment) {
    segment =
        std::make_unique<std::string_view[]>(size_t{1} << (place.segment + kFirstSegmentBits));
  }
  segment[place.offset] = stored;
  size_.store(index + 1, std::memory_order_release);
}

std::string_view StringPool::Store(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > block_free_) {
    const size_t next = std::min(kFirstBlock << std::min<size_t>(blocks_.size(), 16), kLastBlock);
    const size_t size = std::max(next, text.size());
    blocks_.emplace_back(new char[size]);  // not value-initialized: texts are copied over it
    block_next_ = blocks_.back().get();
    block_free_ = size;
  }
  char* place = block_next_;
  std::memcpy(place, text.data(), text.size());
  block_next_ += text.size();
  block_free_ -= text.size();
  return {place, text.size()};
}

void StringPool::Grow() {
  std::vector<Slot> larger(slots_.size() * 4);
  const size_t mask = larger.size() - 1;
  for (uint32_t id = 0; id < size(); ++id) {
    const uint64_t hash = Hash(At(id));
    size_t i = hash & mask;
    while (larger[i].id != UINT32_MAX) i = (i + 1) & mask;
    larger[i] = {static_cast<uint32_t>(hash >> 32), id};
  }
  slots_ = std::move(larger);
}

}  // namespace warpsight
