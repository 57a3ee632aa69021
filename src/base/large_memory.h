#pragma once

#include <cstddef>
#include <vector>

// Memory of many megabytes. The first touch of each page of 4 KB costs about a microsecond, as long
// as filling it does; with pages of 2 MB, which Linux gives on request, it costs a tenth.
namespace warpsight {

// Asks for large pages in the part of a block that can have them. To be called before it is filled.
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
