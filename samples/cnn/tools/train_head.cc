// Trains the last layer and prints head_weights.inc: ridge regression from the features that the
// fixed layers compute for training images to +1 for the right class and -1 for the others.

#include <cmath>
#include <cstdio>
#include <vector>

#include "network.h"

namespace cnn {
namespace {

constexpr int kTrainingImages = 4000;
constexpr int kRows = kHidden + 1;  // the bias is an additional feature that is always 1
constexpr double kRidge = 1e-3;     // relative to the features' mean square

// Solves a * x = b for a symmetric, positive definite [n][n], all columns of b at once.
void SolveByCholesky(std::vector<double>& a, std::vector<double>& b, int n, int columns) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      for (int i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
    const double root = std::sqrt(a[j * n + j]);
    for (int i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (int column = 0; column < columns; ++column) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) b[i * columns + column] -= a[i * n + k] * b[k * columns + column];
      b[i * columns + column] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) {
        b[i * columns + column] -= a[k * n + i] * b[k * columns + column];
      }
      b[i * columns + column] /= a[i * n + i];
    }
  }
}

void PrintArray(const char* name, const double* values, int count) {
  std::printf("constexpr float %s[] = {", name);
  for (int i = 0; i < count; ++i) {
    std::printf("%s%.5e%s", i % 6 == 0 ? "\n    " : " ", values[i], i + 1 < count ? "," : "");
  }
  std::printf("\n};\n");
}

void Train() {
  const DataSet set = MakeDataSet(kFirstTrainingImage, kTrainingImages);
  std::vector<float> hidden;
  ForwardOnCpu(MakeWeights(), set.images.data(), set.size(), &hidden);

  std::vector<double> gram(kRows * kRows, 0.0);
  std::vector<double> head(kRows * kClasses, 0.0);
  std::vector<double> row(kRows, 1.0);
  double mean_square = 0;
  for (int n = 0; n < set.size(); ++n) {
    for (int i = 0; i < kHidden; ++i) row[i] = hidden[size_t(n) * kHidden + i];
    for (int i = 0; i < kRows; ++i) {
      mean_square += row[i] * row[i] / kRows;
      for (int j = 0; j < kRows; ++j) gram[i * kRows + j] += row[i] * row[j];
      for (int c = 0; c < kClasses; ++c) {
        head[i * kClasses + c] += row[i] * (c == set.labels[n] ? 1 : -1);
      }
    }
  }
  for (int i = 0; i < kHidden; ++i) gram[i * kRows + i] += kRidge * mean_square;
  SolveByCholesky(gram, head, kRows, kClasses);

  std::printf("// Made by tools/train_head.cc.\n\n");
  PrintArray("kHeadWeights", head.data(), kHidden * kClasses);
  std::printf("\n");
  PrintArray("kHeadBias", head.data() + kHidden * kClasses, kClasses);
}

}  // namespace
}  // namespace cnn

int main() { cnn::Train(); }
