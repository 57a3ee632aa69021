// Compares the FLOPs of whole training steps with the known cost of the architectures. The formulas
// here do not use ops: they start from layer sizes, which the traces' shapes confirm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "analysis/roofline/model_flops.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

struct StepFlops {
  ModelFlops flops;
  int64_t batch = 0;
};

StepFlops FlopsOf(const std::string& trace) {
  const Profile& profile = ImportOnce({BundledTracePath(trace)});
  const RangeSummary range = SummarizeRange(profile);
  const CostModel model(profile);
  return {ComputeModelFlops(profile, range, model), range.samples_per_iteration};
}

// A decoder-only transformer: every weight of a matrix is used for every token once forward and
// twice backward; attention computes two products of T x T per head forward and five backward, of
// which the causal mask leaves half.
double TransformerStep(double batch, double time, double width, double layers, double vocabulary) {
  const double block = 3 * width * width + width * width + 2 * 4 * width * width;
  const double weights = layers * block + vocabulary * width;
  const double scores = batch * time * time * width / 2;
  return 6 * weights * batch * time + layers * 2 * (2 + 5) * scores;
}

// One convolution of ResNet-50: multiply-adds per image.
struct Convolution {
  double in, out, filter, positions;
  double MultiplyAdds() const { return in * out * filter * filter * positions * positions; }
};

// Multiply-adds of ResNet-50 forward on one image of 224 x 224; 4.09e9 in the literature.
double ResNet50Forward() {
  double sum = Convolution{3, 64, 7, 112}.MultiplyAdds();
  const struct {
    double width, blocks, size;
  } stages[] = {{64, 3, 56}, {128, 4, 28}, {256, 6, 14}, {512, 3, 7}};
  double in = 64;
  double size = 56;
  for (const auto& stage : stages) {
    for (int block = 0; block < stage.blocks; ++block) {
      sum += Convolution{in, stage.width, 1, size}.MultiplyAdds();
      sum += Convolution{stage.width, stage.width, 3, stage.size}.MultiplyAdds();
      sum += Convolution{stage.width, 4 * stage.width, 1, stage.size}.MultiplyAdds();
      if (block == 0) sum += Convolution{in, 4 * stage.width, 1, stage.size}.MultiplyAdds();
      in = 4 * stage.width;
      size = stage.size;
    }
  }
  return sum + 2048 * 1000;
}

// The first convolution needs no gradient of its input.
double ResNet50Step(double batch) {
  return 2 * batch * (3 * ResNet50Forward() - Convolution{3, 64, 7, 112}.MultiplyAdds());
}

void ExpectWithin(double actual, double expected, double share) {
  EXPECT_NEAR(actual / expected, 1, share) << actual << " instead of " << expected;
}

TEST(ModelFlopsTest, LiteratureOfResNet50) { ExpectWithin(ResNet50Forward(), 4.09e9, 0.001); }

TEST(ModelFlopsTest, Gpt2) {
  // 12 layers of 768, vocabulary 50304, 8 sequences of 1024.
  const StepFlops step = FlopsOf("gpt2_bf16");
  EXPECT_EQ(step.batch, 8);
  ExpectWithin(step.flops.flops_per_iteration, TransformerStep(8, 1024, 768, 12, 50304), 0.001);
  EXPECT_EQ(step.flops.precision, Precision::kBf16);
  EXPECT_GT(step.flops.utilization, 0.10);
  EXPECT_LT(step.flops.utilization, 0.30);
}

TEST(ModelFlopsTest, CompiledGpt2DoesTheSame) {
  ExpectWithin(FlopsOf("gpt2_bf16_compiled").flops.flops_per_iteration,
               FlopsOf("gpt2_bf16").flops.flops_per_iteration, 0.001);
}

TEST(ModelFlopsTest, ResNet50) {
  const StepFlops amp = FlopsOf("resnet50_amp_workers8_nhwc");
  EXPECT_EQ(amp.batch, 64);
  ExpectWithin(amp.flops.flops_per_iteration, ResNet50Step(64), 0.001);
  EXPECT_EQ(amp.flops.precision, Precision::kFp16);

  const StepFlops fp32 = FlopsOf("resnet50_fp32_workers0");
  ExpectWithin(fp32.flops.flops_per_iteration, ResNet50Step(static_cast<double>(fp32.batch)),
               0.001);
  // cuDNN runs fp32 convolutions on Tensor Cores by default.
  EXPECT_EQ(fp32.flops.precision, Precision::kTf32);
}

TEST(ModelFlopsTest, NotAvailableWithoutOps) {
  const StepFlops graph = FlopsOf("resnet18_cuda_graph_inference");
  EXPECT_LT(graph.flops.flops_per_iteration, 0);
  EXPECT_LT(graph.flops.utilization, 0);
  EXPECT_FALSE(graph.flops.reason.empty());
}

// No op of a real trace exceeds the speed of light by more than caches explain.
TEST(ModelFlopsTest, NoOpExceedsTheSpeedOfLight) {
  for (const std::string& name : BundledTraces()) {
    const Profile& profile = ImportOnce({BundledTracePath(name)});
    const CostModel model(profile);
    if (!model.peaks()) continue;
    const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
    // A kernel's data may be in the L2 cache (50 MB), which has about twice the bandwidth.
    constexpr double kMost = 2.5;
    for (size_t i = 0; i < gpu.start.size(); ++i) {
      const OpCost cost = model.CostOf(MakeId<GpuId>(i));
      if (!cost.known()) continue;
      const double light = SpeedOfLightNs(cost, *model.peaks());
      EXPECT_LE(light, kMost * static_cast<double>(std::max<DurationNs>(gpu.duration[i], 1000)))
          << name << ": " << profile.trace.Text(gpu.name[i]);
    }
  }
}

// From the shapes in the compiled program; the model is in tests/gpu/record_jax.py. Its attention
// has no causal mask, and backward computes four products of T x T.
TEST(ModelFlopsTest, JaxTransformer) {
  const Profile profile = ImportForTest({SourcePath("tests/data/jax/transformer.xplane.pb.gz")});
  const RangeSummary range = SummarizeRange(profile);
  const CostModel model(profile);
  const ModelFlops flops = ComputeModelFlops(profile, range, model);
  constexpr double kWidth = 512, kLayers = 4, kTokens = 8 * 256, kLength = 256, kWords = 1000;
  const double weights = kLayers * 12 * kWidth * kWidth + kWords * kWidth;
  const double scores = kLayers * kTokens * kLength * kWidth;
  const double expected = 6 * weights * kTokens + 2 * (2 + 4) * scores;
  EXPECT_NEAR(flops.flops_per_iteration, expected, expected * 1e-9) << flops.reason;
  EXPECT_EQ(flops.precision, Precision::kBf16);
}

}  // namespace
}  // namespace warpsight::testing
