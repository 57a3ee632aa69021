#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace warpsight {

// Hashes of names and numbers that come from files. If the hash function were known, a malicious
// file could contain keys that all collide, making every lookup linear. So the function depends on
// a random seed per process. Stored or printed results must not depend on these hashes or on the
// order of such a hash table: both differ from run to run.
class HashSeed {
 public:
  // The seed of this process, generated from the system's random numbers at the first call, on any
  // thread.
  static const HashSeed& OfProcess();

  uint64_t OfNumber(uint64_t number) const { return Finish(Mix(number ^ words_[0], words_[1])); }
  // The hash of a compound key: `hash` of its first parts, extended by `number`.
  uint64_t Combine(uint64_t hash, uint64_t number) const {
    return Mix(number ^ words_[0], hash ^ words_[2]);
  }
  // The last step. After only one multiplication, the low bits of regular numbers are still
  // regular, and with some seeds few of them differ.
  uint64_t Finish(uint64_t hash) const { return Mix(hash, words_[1]); }
  uint64_t OfText(std::string_view text) const;

 private:
  HashSeed();

  static uint64_t Mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  std::array<uint64_t, 4> words_;
};

// For hash tables with keys from files: numbers, ids, texts, pointers, and pairs, tuples and arrays
// of those. A struct gives its fields as a tuple: `auto HashedFields() const`.
struct SeededHash {
  using is_transparent = void;

  template <typename Key>
  size_t operator()(const Key& key) const {
    return Hash(HashSeed::OfProcess(), key);
  }

 private:
  template <typename Key>
  static uint64_t Hash(const HashSeed& seed, const Key& key) {
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
      return seed.OfText(key);
    } else if constexpr (std::is_pointer_v<Key>) {
      return seed.OfNumber(reinterpret_cast<uintptr_t>(key));
    } else if constexpr (std::is_enum_v<Key> || std::is_integral_v<Key>) {
      return seed.OfNumber(static_cast<uint64_t>(key));
    } else if constexpr (requires { key.HashedFields(); }) {
      return Hash(seed, key.HashedFields());
    } else {
      return std::apply(
          [&](const auto&... part) {
            uint64_t hash = 0;
            ((hash = seed.Combine(hash, Part(seed, part))), ...);
            return seed.Finish(hash);
          },
          key);
    }
  }
  // A number in a compound key is not mixed by itself: Combine() mixes it.
  template <typename Key>
  static uint64_t Part(const HashSeed& seed, const Key& key) {
    if constexpr (std::is_enum_v<Key> || std::is_integral_v<Key>) {
      return static_cast<uint64_t>(key);
    } else {
      return Hash(seed, key);
    }
  }
};

}  // namespace warpsight
