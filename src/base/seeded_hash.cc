#include "base/seeded_hash.h"

#include <sys/random.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

namespace warpsight {
namespace {

uint64_t Load64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

}  // namespace

HashSeed::HashSeed() : words_{0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0} {
  std::array<uint64_t, 4> drawn{};
  if (getrandom(drawn.data(), sizeof drawn, GRND_NONBLOCK) != sizeof drawn) {
    // This happens only while a system starts. Memory addresses and the time are hard to guess,
    // too.
    drawn = {reinterpret_cast<uintptr_t>(&drawn), reinterpret_cast<uintptr_t>(&Load64),
             static_cast<uint64_t>(getpid()),
             static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())};
  }
  for (size_t i = 0; i < words_.size(); ++i) words_[i] ^= drawn[i];
  words_[1] |= 1;  // a factor of zero would make all hashes equal
}

const HashSeed& HashSeed::OfProcess() {
  static const HashSeed seed;
  return seed;
}

// Multiply-fold over 16-byte steps: names and shapes are 10 to 3000 bytes, and four of them are
// looked up for every op, so this is one of the hottest functions of an import. The length is part
// of the first step, so that zeros at the end count. Each factor is combined with its own random
// word: without knowing the words, an attacker cannot make a factor zero or swap the two.
uint64_t HashSeed::OfText(std::string_view text) const {
  const char* p = text.data();
  size_t n = text.size();
  uint64_t h = Mix(n ^ words_[0], words_[1]);
  while (n >= 16) {
    h = Mix(Load64(p) ^ words_[2] ^ h, Load64(p + 8) ^ words_[3]);
    p += 16;
    n -= 16;
  }
  char tail[16] = {};
  if (n != 0) std::memcpy(tail, p, n);
  return Mix(Load64(tail) ^ words_[0] ^ h, Load64(tail + 8) ^ words_[1]);
}

}  // namespace warpsight
