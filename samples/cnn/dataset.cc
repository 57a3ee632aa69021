#include "dataset.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "random.h"

namespace cnn {
namespace {

struct Stroke {
  float x0, y0, x1, y1;
};

// The strokes of each digit in a box from (0, 0), top left, to (1, 2).
const std::vector<Stroke>& Strokes(int digit) {
  static const std::vector<Stroke> strokes[kClasses] = {
      {{0, 0, 1, 0}, {1, 0, 1, 2}, {1, 2, 0, 2}, {0, 2, 0, 0}},
      {{0.2f, 0.5f, 0.6f, 0}, {0.6f, 0, 0.6f, 2}},
      {{0, 0, 1, 0}, {1, 0, 1, 0.8f}, {1, 0.8f, 0, 2}, {0, 2, 1, 2}},
      {{0, 0, 1, 0}, {1, 0, 1, 2}, {0.2f, 1, 1, 1}, {0, 2, 1, 2}},
      {{0.3f, 0, 0, 1.1f}, {0, 1.1f, 1, 1.1f}, {0.8f, 0.4f, 0.8f, 2}},
      {{1, 0, 0, 0}, {0, 0, 0, 0.9f}, {0, 0.9f, 1, 1.1f}, {1, 1.1f, 1, 2}, {1, 2, 0, 2}},
      {{0.9f, 0, 0, 1}, {0, 1, 0, 2}, {0, 2, 1, 2}, {1, 2, 1, 1}, {1, 1, 0, 1}},
      {{0, 0, 1, 0}, {1, 0, 0.3f, 2}},
      {{0, 0, 1, 0}, {1, 0, 1, 2}, {1, 2, 0, 2}, {0, 2, 0, 0}, {0, 1, 1, 1}},
      {{1, 1, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 0.2f, 2}},
  };
  return strokes[digit];
}

float SquaredDistance(const Stroke& stroke, float x, float y) {
  const float dx = stroke.x1 - stroke.x0;
  const float dy = stroke.y1 - stroke.y0;
  float along = ((x - stroke.x0) * dx + (y - stroke.y0) * dy) / (dx * dx + dy * dy);
  along = std::clamp(along, 0.0f, 1.0f);
  const float away_x = x - stroke.x0 - along * dx;
  const float away_y = y - stroke.y0 - along * dy;
  return away_x * away_x + away_y * away_y;
}

void Draw(int digit, Random random, float* image) {
  const float size = random.Uniform(7, 10);  // pixels per unit of the strokes' box
  const float shear = random.Uniform(-0.25f, 0.25f);
  const float left = kImageSide / 2.0f - size / 2 + random.Uniform(-1.5f, 1.5f);
  const float top = kImageSide / 2.0f - size + random.Uniform(-1.5f, 1.5f);
  const float thickness = random.Uniform(0.8f, 1.8f);
  std::vector<Stroke> strokes = Strokes(digit);
  for (Stroke& stroke : strokes) {
    stroke = {left + size * (stroke.x0 + shear * (1 - stroke.y0)), top + size * stroke.y0,
              left + size * (stroke.x1 + shear * (1 - stroke.y1)), top + size * stroke.y1};
  }
  for (int y = 0; y < kImageSide; ++y) {
    for (int x = 0; x < kImageSide; ++x) {
      float nearest = 1e9f;
      for (const Stroke& stroke : strokes) {
        nearest = std::min(nearest, SquaredDistance(stroke, float(x), float(y)));
      }
      const float ink = std::clamp(thickness + 0.5f - std::sqrt(nearest), 0.0f, 1.0f);
      image[y * kImageSide + x] = ink + random.Uniform(-0.25f, 0.25f);
    }
  }
}

}  // namespace

DataSet MakeDataSet(int first, int count) {
  DataSet set;
  set.images.resize(size_t(count) * kImageSize);
  set.labels.resize(count);
  for (int i = 0; i < count; ++i) {
    set.labels[i] = (first + i) % kClasses;
    Draw(set.labels[i], Random(uint64_t(first) + i), &set.images[size_t(i) * kImageSize]);
  }
  return set;
}

}  // namespace cnn
