#pragma once

#include <cstdint>

namespace cnn {

// SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine, unlike the
// distributions of <random>.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
  }

  // In [low, high), with 24 bits, so that the fraction is exact in a float.
  float Uniform(float low, float high) {
    return low + (high - low) * (float(Next() >> 40) * (1.0f / (1 << 24)));
  }

  // In [low, high], both included. The remainder's bias is below 2^-50 for small ranges.
  int Integer(int low, int high) { return low + int(Next() % uint64_t(high - low + 1)); }

 private:
  uint64_t state_;
};

}  // namespace cnn
