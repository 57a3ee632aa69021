#pragma once

#include <cstddef>
#include <vector>

// Memory of many megabytes. The first access to each 4 KB page costs about a microsecond, as much
// as filling it; with 2 MB pages, which Linux provides on request, it costs a tenth.
namespace warpsight {

// Requests large pages for the part of a block that is aligned for them. Call it before filling the
// block.
void UseLargePages(void* begin, size_t bytes);

// vector.reserve() for values that are about to be written.
template <typename T>
void ReserveLarge(std::vector<T>& vector, size_t size) {
  const size_t before = vector.capacity();
  vector.reserve(size);
  if (vector.capacity() != before) UseLargePages(vector.data(), vector.capacity() * sizeof(T));
}

// vector.resize() of an empty vector.
template <typename T>
void ResizeLarge(std::vector<T>& vector, size_t size) {
  ReserveLarge(vector, size);
  vector.resize(size);
}

}  // namespace warpsight
