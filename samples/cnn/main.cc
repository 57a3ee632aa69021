// Classifies images with a small convolutional network, with several implementations of
// convolution.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "agreement.h"
#include "gpu.h"
#include "network.h"
#include "nvtx_range.h"
#include "options.h"
#include "self_test.h"
#include "variants.h"

namespace cnn {
namespace {

enum ExitCode { kOk = 0, kFailed = 1, kUsage = 2, kUnavailable = 3 };

// Near ties may be decided differently; a larger share may not.
constexpr double kEqualLabels = 0.98;

void PrintVariants() {
  for (const Variant& variant : Variants()) {
    const std::string why = variant.on_gpu ? WhyNotBuilt(variant.name) : "";
    std::printf("%-8s %s%s\n", variant.name.c_str(), variant.description.c_str(),
                why.empty() ? "" : (" (not built: " + why + ")").c_str());
  }
}

void PrintTimes(const LayerTimes& times, int images, int repeat) {
  std::printf("Op time  mean of %d %s over %d images\n", repeat, repeat == 1 ? "pass" : "passes",
              images);
  const std::pair<const char*, double> rows[] = {{"conv1", times.conv1},
                                                 {"conv2", times.conv2},
                                                 {"the rest", times.rest},
                                                 {"total", times.total()}};
  for (const auto& [name, time] : rows) {
    std::printf("         %-8s %12.3f ms %6.1f %%\n", name, time, 100 * time / times.total());
  }
}

ForwardResult RepeatOnCpu(const Weights& weights, const DataSet& set, int repeat) {
  ForwardResult result;
  LayerTimes sum;
  for (int pass = 1; pass <= repeat; ++pass) {
    NvtxRange range(("repeat " + std::to_string(pass)).c_str());
    result = ForwardOnCpu(weights, set.images.data(), set.size());
    sum.conv1 += result.times.conv1 / repeat;
    sum.conv2 += result.times.conv2 / repeat;
    sum.rest += result.times.rest / repeat;
  }
  result.times = sum;
  return result;
}

// Compares with the CPU's result for the first images; returns whether they agree.
bool Check(const Variant& variant, const Weights& weights, const DataSet& set, int count,
           const std::vector<float>& scores) {
  NvtxRange range("check");
  const ForwardResult expected = ForwardOnCpu(weights, set.images.data(), count);
  const Agreement agreement = Compare(scores, expected.scores);
  const double allowed = variant.tolerance * agreement.largest_score;
  const bool agrees = agreement.largest_error <= allowed && agreement.equal_labels >= kEqualLabels;
  std::printf(
      "Check    %d images against the CPU: largest error %.2g of scores up to %.2g "
      "(allowed %.2g), %.1f %% equal labels: %s\n",
      agreement.images, agreement.largest_error, agreement.largest_score, allowed,
      100 * agreement.equal_labels, agrees ? "agrees" : "DIFFERS");
  return agrees;
}

int Classify(const Variant& variant, const Options& options) {
  std::string device = "CPU";
  if (variant.on_gpu) {
    if (const std::string why = WhyNotBuilt(variant.name); !why.empty()) {
      std::fprintf(stderr, "cnn: %s is not built: %s\n", variant.name.c_str(), why.c_str());
      return kUnavailable;
    }
    device = GpuName();
  }
  DataSet set;
  Weights weights;
  {
    NvtxRange range("load");
    set = MakeDataSet(0, options.images);
    weights = MakeWeights();
  }
  const int repeat = options.repeat > 0 ? options.repeat : (variant.on_gpu ? 3 : 1);
  const int batch = options.batch > 0 ? options.batch : options.images;
  const ForwardResult result =
      variant.on_gpu
          ? ForwardOnGpu(variant.name, weights, set.images.data(), set.size(), {batch, repeat})
          : RepeatOnCpu(weights, set, repeat);
  std::printf("Variant  %s: %s, on %s\n", variant.name.c_str(), variant.description.c_str(),
              device.c_str());
  PrintTimes(result.times, set.size(), repeat);
  std::printf("Accuracy %.2f %%\n", 100 * Accuracy(result.scores, set.labels));
  const int check = std::min(options.check, set.size());
  if (!variant.on_gpu || check == 0) return kOk;
  return Check(variant, weights, set, check, result.scores) ? kOk : kFailed;
}

int Main(const std::vector<std::string>& arguments) {
  try {
    const Options options = ParseOptions(arguments);
    if (options.help) {
      std::fputs(HelpText().c_str(), stdout);
      return kOk;
    }
    if (options.list) {
      PrintVariants();
      return kOk;
    }
    if (options.self_test) {
      std::printf("GPU      %s\n", GpuName().c_str());
      return SelfTest(options.variant) ? kOk : kFailed;
    }
    return Classify(*FindVariant(options.variant), options);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "cnn: %s\n'cnn --help' says more.\n", error.what());
    return kUsage;
  } catch (const NoGpu& error) {
    std::fprintf(stderr, "cnn: no GPU to run on: %s\n'cnn cpu' needs none.\n", error.what());
    return kUnavailable;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cnn: %s\n", error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace cnn

int main(int argc, char** argv) { return cnn::Main({argv + 1, argv + argc}); }
