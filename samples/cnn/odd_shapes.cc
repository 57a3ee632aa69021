#include "odd_shapes.h"

#include "network.h"
#include "random.h"

namespace cnn {

std::vector<ConvShape> OddShapes() {
  std::vector<ConvShape> shapes = {Conv1(3), Conv2(3), Conv1(1), Conv2(1)};
  for (int kernel : {3, 5, 7}) {
    shapes.push_back({1, 1, kernel, kernel, 1, kernel});  // a single output
    shapes.push_back({1, 1, kernel + 1, kernel, 1, kernel});
    shapes.push_back({2, 3, kernel, kernel + 8, 5, kernel});        // one row, wider than a tile
    shapes.push_back({5, 2, 17, 19, 7, kernel});                    // not a multiple of anything
    shapes.push_back({3, 9, 13, 11, 33, kernel});                   // just over tiles of 8 and 32
    shapes.push_back({7, 31, 9, 16, 31, kernel});                   // just below 32
    shapes.push_back({2, 8, kernel + 7, kernel + 15, 32, kernel});  // whole tiles
    shapes.push_back({4, 17, 12, 12, 64, kernel});
    shapes.push_back({3, 5, 12, 10, 129, kernel});   // just over 128
    shapes.push_back({1, 40, 24, 23, 150, kernel});  // deep
    shapes.push_back({37, 4, 10, 10, 12, kernel});   // many images, few pixels
    shapes.push_back({300, 1, kernel + 1, kernel + 2, 20, kernel});
    shapes.push_back({65, 2, kernel, kernel, 130, kernel});  // one output in an image
  }
  return shapes;
}

std::vector<float> SmallIntegers(size_t size, unsigned seed) {
  Random random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = float(random.Integer(-4, 4));
  return values;
}

}  // namespace cnn
