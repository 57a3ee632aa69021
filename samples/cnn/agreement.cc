#include "agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "network.h"

namespace cnn {
namespace {

double ShareOfEqual(const std::vector<int>& a, const std::vector<int>& b, size_t count) {
  size_t equal = 0;
  for (size_t i = 0; i < count; ++i) equal += a[i] == b[i] ? 1 : 0;
  return count == 0 ? 0 : double(equal) / double(count);
}

}  // namespace

Agreement Compare(const std::vector<float>& scores, const std::vector<float>& expected) {
  Agreement agreement;
  agreement.images = int(expected.size()) / kClasses;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = std::isfinite(scores[i]) ? std::fabs(double(scores[i]) - expected[i])
                                                  : std::numeric_limits<double>::infinity();
    agreement.largest_error = std::max(agreement.largest_error, error);
    agreement.largest_score = std::max(agreement.largest_score, std::fabs(double(expected[i])));
  }
  agreement.equal_labels = ShareOfEqual(Classify(scores), Classify(expected), agreement.images);
  return agreement;
}

double Accuracy(const std::vector<float>& scores, const std::vector<int>& labels) {
  return ShareOfEqual(Classify(scores), labels, labels.size());
}

}  // namespace cnn
