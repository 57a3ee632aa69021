#include "base/gzip.h"

#include <gtest/gtest.h>

#include <random>

namespace warpsight {
namespace {

std::string Noise(size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(Gzip, RoundTrips) {
  // Sizes around that of an output block; random bytes do not become smaller.
  for (const size_t size : {0u, 1u, 1000u, 262'143u, 262'144u, 262'145u, 1'000'000u}) {
    const std::string noise = Noise(size);
    const std::string same(size, 'x');
    for (const GzipLevel level : {GzipLevel::kFast, GzipLevel::kSmall}) {
      EXPECT_TRUE(Gunzip(Gzip(noise, level)) == noise) << size;
      EXPECT_TRUE(Gunzip(Gzip(same, level)) == same) << size;
    }
  }
}

TEST(Gzip, IsTheSameWhateverTheMemoryHeldBefore) {
  const std::string text = std::string(5000, 'x') + Noise(1000);
  for (const GzipLevel level : {GzipLevel::kFast, GzipLevel::kSmall}) {
    const std::string first = Gzip(text, level);
    for (const size_t size : {100u, 6000u, 300'000u}) {
      Gzip(Noise(size) + text, level);
      EXPECT_TRUE(Gzip(text, level) == first) << size;
    }
  }
}

TEST(Gzip, MakesTextSmaller) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "[\"aten::linear\", " + std::to_string(i) + "],\n";
  const std::string fast = Gzip(text, GzipLevel::kFast);
  const std::string small = Gzip(text, GzipLevel::kSmall);
  EXPECT_LT(fast.size(), text.size() / 3);
  EXPECT_LT(small.size(), text.size() / 3);
  EXPECT_EQ(fast.substr(0, 2), "\x1f\x8b");
}

TEST(Gzip, StopsAtDamage) {
  std::string compressed = Gzip(std::string(500'000, 'x') + Noise(500'000), GzipLevel::kFast);
  EXPECT_LT(Gunzip(compressed.substr(0, compressed.size() / 2)).size(), 1'000'001u);
  for (size_t i = 20; i < compressed.size(); i += 97)
    compressed[i] = static_cast<char>(~compressed[i]);
  EXPECT_LT(Gunzip(compressed).size(), 2'000'000'000u);
  EXPECT_EQ(Gunzip("no gzip at all"), "");
  EXPECT_EQ(Gunzip(""), "");
}

}  // namespace
}  // namespace warpsight
