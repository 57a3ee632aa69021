// What counts as one step, on small traces with known answers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/iterations/gpu_windows.h"
#include "chrome_text.h"
#include "import_once.h"
#include "model/integrity.h"
#include "profiles/open_profile.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

Profile Import(const ChromeText& text) {
  const TemporaryFolder folder;
  std::ofstream(folder.Path("trace.json")) << text.Text();
  Progress progress;
  auto profile = ImportProfile({folder.Path("trace.json")}, "", {}, progress);
  if (!profile.ok()) {
    ADD_FAILURE() << profile.error().message;
    return {};
  }
  return std::move(*profile);
}

// Writes passes through a model of equal layers: an embedding, the layers, a head. Every kernel has
// a launch and an op, 100 us apart, unless `gpu_only`.
class Model {
 public:
  Model(int layers, bool gpu_only) : layers_(layers), gpu_only_(gpu_only) {}

  double now() const { return now_; }
  ChromeText& text() { return text_; }
  void Wait(double time) { now_ += time; }

  void Launch(const std::string& op, const std::string& kernel) {
    if (!gpu_only_) {
      text_.Slice("cpu_op", op, now_, 20);
      text_.Call("cudaLaunchKernel", now_ + 5, 5, id_);
    }
    text_.Kernel(kernel, now_ + 15, 50, id_);
    now_ += 100;
    ++id_;
  }

  void Layer() {
    for (const char* kernel :
         {"norm", "qkv", "attention", "projection", "norm", "up", "gelu", "down"})
      Launch("aten::op", kernel);
  }

  void Pass(const std::string& first = "aten::embedding", const std::string& last = "aten::mm") {
    Launch(first, "gather");
    for (int i = 0; i < layers_; ++i) {
      const double start = now_;
      Layer();
      if (!layer_category_.empty()) {
        text_.Slice(layer_category_, fmt::format(fmt::runtime(layer_name_), i), start - 5,
                    now_ - start - 10);
      }
    }
    Launch(last, "head");
  }

  void Name(std::string category, std::string name) {
    layer_category_ = std::move(category);
    layer_name_ = std::move(name);
  }

 private:
  int layers_;
  bool gpu_only_;
  ChromeText text_;
  std::string layer_category_, layer_name_;
  double now_ = 1000;
  int id_ = 1;
};

TEST(Steps, LayersOfOnePassAreNotSteps) {
  struct Case {
    std::string_view what;
    bool gpu_only;
    std::string around;  // name of a range around the pass
    std::string category, layer;
    std::string first = "aten::embedding", last = "aten::mm";
  };
  const std::vector<Case> cases = {
      {"ops only", false, "", "", ""},
      {"GPU only", true, "", "", ""},
      {"ops of one name", false, "", "", "", "aten::op", "aten::op"},
      {"a range around", false, "forward", "", "", "aten::op", "aten::op"},
      {"ranges of layers", false, "", "user_annotation", "layer"},
      {"numbered ranges of layers", false, "", "user_annotation", "layer {}"},
      {"numbered ranges in a range", false, "forward", "user_annotation", "h.{}", "aten::op",
       "aten::op"},
      {"modules", false, "", "python_function", "nn.Module: DecoderLayer_{}", "aten::op",
       "aten::op"},
      {"modules in a range", false, "forward", "python_function", "nn.Module: DecoderLayer_{}"},
  };
  for (const Case& c : cases) {
    Model model(24, c.gpu_only);
    model.Name(c.category, c.layer);
    const double start = model.now() - 20;
    model.Pass(c.first, c.last);
    if (!c.around.empty()) {
      model.text().Slice("user_annotation", c.around, start, model.now() - start + 20);
    }
    const RangeSummary range = SummarizeRange(Import(model.text()));
    EXPECT_EQ(range.total, 1) << c.what << ": " << range.explanation;
    EXPECT_EQ(range.source, IterationSource::kNone) << c.what << ": " << range.explanation;
  }
}

// The period of a layer matches to 98 %, that of a pass to 100 %.
TEST(Steps, PassesOfManyLayersAreSteps) {
  for (const bool gpu_only : {false, true}) {
    for (const std::string first : {"aten::embedding", "aten::op"}) {
      Model model(96, gpu_only);
      for (int i = 0; i < 4; ++i) model.Pass(first);
      const Profile profile = Import(model.text());
      const RangeSummary range = SummarizeRange(profile);
      EXPECT_EQ(range.total, 4) << gpu_only << first << ": " << range.explanation;
      EXPECT_EQ(range.source, IterationSource::kKernelPeriod);
    }
  }
}

// A recording of CUDA calls and kernels, without ops.
struct CallsOnly {
  void Launch(const std::string& kernel) {
    text.Call("cudaLaunchKernel", now, 5, id).Kernel(kernel, now + 10, 50, id);
    now += 100;
    ++id;
  }

  ChromeText text;
  double now = 1000;
  int id = 1;
};

// The loss after the layers shows that they are one pass.
TEST(Steps, WithoutOpsKernelsDistinguishLayersFromSteps) {
  const auto record = [](int passes) {
    CallsOnly program;
    for (int pass = 0; pass < passes; ++pass) {
      for (int layer = 0; layer < 24; ++layer) {
        for (const char* kernel : {"norm", "qkv", "attention", "mlp"}) program.Launch(kernel);
      }
      program.Launch("void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float>(float*)");
    }
    return SummarizeRange(Import(program.text));
  };
  const RangeSummary one = record(1);
  EXPECT_EQ(one.source, IterationSource::kNone) << one.explanation;
  EXPECT_EQ(record(4).total, 4);
}

// The norm after the last layer is also the first kernel of each layer.
TEST(Steps, APassThatEndsLikeALayerBeginsIsOnePass) {
  const auto record = [](bool whole) {
    CallsOnly program;
    const std::vector<std::string> norm = {"pow", "mean", "add", "rsqrt", "mul"};
    for (const char* kernel : {"gather", "cos", "sin"}) program.Launch(kernel);
    for (int layer = 0; layer < 24; ++layer) {
      for (const std::string& kernel : norm) program.Launch(kernel);
      for (const char* kernel : {"q", "k", "v", "rope", "attention", "out", "up", "silu", "down"}) {
        program.Launch(kernel);
      }
    }
    if (!whole) {
      for (const std::string& kernel : norm) program.Launch(kernel);
    }
    return SummarizeRange(Import(program.text));
  };
  EXPECT_EQ(record(false).source, IterationSource::kNone) << record(false).explanation;
  EXPECT_EQ(record(true).total, 24) << "steps after a setup are complete";
}

// A range around a loop is not a pass.
TEST(Steps, LoopsInARangeAreSteps) {
  Model model(12, false);
  const double start = model.now() - 20;
  for (int i = 0; i < 5; ++i) model.Pass();
  model.text().Slice("user_annotation", "benchmark", start, model.now() - start + 20);
  EXPECT_EQ(SummarizeRange(Import(model.text())).total, 5);
}

TEST(Steps, CallsOfAModelAreStepsAndItsLayersAreNot) {
  Model model(6, false);
  model.Name("python_function", "nn.Module: Block_{}");
  for (int i = 0; i < 4; ++i) {
    const double start = model.now() - 20;
    model.Launch("aten::op", fmt::format("tuned{}", i));  // so that kernels do not repeat exactly
    model.Pass();
    model.text().Slice("python_function", "nn.Module: Gpt_0", start, model.now() - start - 5);
  }
  EXPECT_EQ(SummarizeRange(Import(model.text())).total, 4);
}

// Iterations found from kernels alone contain these kernels, on the GPU's time axis.
TEST(Steps, WithoutCpuEventsIterationsOwnTheirKernels) {
  Model model(3, true);
  for (int i = 0; i < 5; ++i) {
    model.Pass();
    model.Wait(500);
  }
  const Profile profile = Import(model.text());
  const IterationsTable& iterations = profile.facts.iterations;
  ASSERT_EQ(iterations.start.size(), 5U);
  std::vector<int64_t> kernels(5);
  for (const IterationId iteration : profile.facts.gpu.iteration) {
    ASSERT_TRUE(IsSet(iteration));
    ++kernels[Index(iteration)];
  }
  EXPECT_EQ(kernels, std::vector<int64_t>(5, 26));
  for (size_t i = 0; i + 1 < 5; ++i) {
    EXPECT_EQ(iterations.end[i] - iterations.start[i], 26 * 100'000 + 500'000);
  }
}

struct ServingCase {
  std::vector<std::string> names;
  int64_t sequences;
  std::string explanation;
};

TEST(Steps, RangesOfServersAreSteps) {
  const std::vector<ServingCase> cases = {
      {{"step[DECODE bs=32]", "step[DECODE bs=32]", "step[EXTEND bs=3 toks=512]"},
       22,
       "3 iterations, marked by step[…] (1 prefill, 2 decode; 3 to 32 sequences each)"},
      {{"execute_517_context_2(sq514sk514sqsq9sqsk9)_generation_3(sq3sk9sqsq3sqsk9)",
        "execute_context_0(0)_generation_5(5)"},
       5,
       "2 iterations, marked by execute_…_context_…_generation_… (1 decode, 1 mixed; 5 sequences "
       "each)"},
      {{"execute_context_1(512)_generation_0"},
       1,
       "1 iteration, marked by execute_…_context_…_generation_… (1 prefill; 1 sequence)"},
  };
  for (const ServingCase& c : cases) {
    ChromeText text;
    int id = 1;
    for (size_t i = 0; i < c.names.size(); ++i) {
      const double start = 1000 + 1000 * static_cast<double>(i);
      text.Slice("user_annotation", c.names[i], start, 600);
      // Tokens of all sequences, concatenated.
      text.Slice("cpu_op", "aten::linear", start + 100, 50,
                 R"("Input Dims": [[15360, 64], [64, 64], []])");
      text.Call("cudaLaunchKernel", start + 110, 5, id).Kernel("gemm", start + 200, 300, id);
      ++id;
      // Sampling, after the range.
      text.Slice("cpu_op", "aten::argmax", start + 700, 50);
      text.Call("cudaLaunchKernel", start + 710, 5, id).Kernel("argmax", start + 800, 50, id);
      ++id;
    }
    const Profile profile = Import(text);
    const RangeSummary range = SummarizeRange(profile);
    EXPECT_EQ(range.source, IterationSource::kMarkers);
    EXPECT_EQ(range.explanation, c.explanation);
    EXPECT_EQ(range.samples_per_iteration, c.sequences);
    EXPECT_EQ(profile.facts.iterations.start[0], 0);
    if (c.names.size() > 1) {
      EXPECT_EQ(profile.facts.iterations.end[0], 1'000'000);
    }
  }
}

TEST(Steps, PrefillIsNotWarmUp) {
  ChromeText text;
  double at = 0;
  for (int i = 0; i < 8; ++i) {
    const double length = i == 0 ? 5000 : 300;
    text.Slice("user_annotation", i == 0 ? "step[EXTEND bs=4 toks=900]" : "step[DECODE bs=4]", at,
               length);
    text.Call("cudaLaunchKernel", at + 10, 5, i + 1).Kernel("k", at + 20, length - 50, i + 1);
    at += length;
  }
  const RangeSummary range = SummarizeRange(Import(text));
  EXPECT_EQ(range.first, 0);
  EXPECT_EQ(range.total, 8);
}

ChromeText StepsOf(const std::vector<double>& lengths, int mallocs_in_first = 0) {
  ChromeText text;
  double at = 0;
  int id = 1;
  for (size_t i = 0; i < lengths.size(); ++i) {
    text.Slice("user_annotation", fmt::format("ProfilerStep#{}", i), at, lengths[i]);
    for (int m = 0; i == 0 && m < mallocs_in_first; ++m) {
      text.Call("cudaMalloc", at + 100 + m, 1, 1000 + m);
    }
    text.Call("cudaLaunchKernel", at + 10, 5, id).Kernel("k", at + 20, lengths[i] / 2, id);
    ++id;
    at += lengths[i];
  }
  return text;
}

TEST(Steps, FastFirstStepsAreNotWarmUp) {
  const RangeSummary range =
      SummarizeRange(Import(StepsOf({118'000, 116'000, 1'015'000, 1'068'000, 1'076'000})));
  EXPECT_EQ(range.first, 0);
  EXPECT_EQ(range.last, 4);
}

TEST(Steps, WarmUpNamesItsReason) {
  const RangeSummary range = SummarizeRange(Import(StepsOf({9000, 1000, 1010, 990, 1005}, 7)));
  EXPECT_EQ(range.first, 1);
  EXPECT_TRUE(range.explanation.ends_with("; iteration 0 is left out as warm-up (7 allocations)"))
      << range.explanation;
}

TEST(Steps, OneIterationOverTheWholeTraceIsTheWholeTrace) {
  ChromeText text;
  text.Slice("Trace", "PyTorch Profiler (0)", 0, 10'000);
  text.Kernel("launched before the recording", 100, 200, 999);
  text.Call("cudaLaunchKernel", 3000, 5, 1).Kernel("a", 4000, 500, 1);
  const Profile profile = Import(text);
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.source, IterationSource::kNone);
  EXPECT_EQ(range.wall, profile.trace.end);
  for (const IterationId iteration : profile.facts.gpu.iteration) EXPECT_TRUE(IsSet(iteration));
}

TEST(Steps, StepsRestartInEveryEpoch) {
  ChromeText text;
  int id = 1;
  for (int epoch = 0; epoch < 2; ++epoch) {
    text.Slice("user_annotation", fmt::format("epoch {}", epoch), epoch * 5000, 4900);
    for (int step = 0; step < 4; ++step) {
      const double at = epoch * 5000 + step * 1000 + 10;
      text.Slice("user_annotation", fmt::format("step {}", step), at, 900);
      text.Call("cudaLaunchKernel", at + 10, 5, id).Kernel("k", at + 50, 300, id);
      ++id;
    }
  }
  EXPECT_EQ(SummarizeRange(Import(text)).total, 8);
}

// If few launches are recorded, iterations are on the GPU's time axis, and work belongs to the
// iteration in which it ran, even if it was launched earlier.
TEST(Steps, WorkOfStepsFoundOnTheGpuBelongsToTheStepInWhichItRan) {
  ChromeText text;
  for (int step = 0; step < 8; ++step) {
    for (int kernel = 0; kernel < 4; ++kernel) {
      const double at = 1000 + 400 * step + 100 * kernel;
      const int id = 4 * step + kernel + 1;
      text.Kernel("kernel_" + std::to_string(kernel), at, 80, id);
      if (kernel == 0) text.Call("cudaLaunchKernel", at - 150, 10, id);
    }
  }
  const Profile profile = Import(text);
  EXPECT_EQ(SummarizeRange(profile).total, 8);
  EXPECT_EQ(CheckFacts(profile.trace, profile.facts), "");
  for (size_t g = 0; g < 32; ++g) EXPECT_EQ(Index(profile.facts.gpu.iteration[g]), g / 4);
}

// Collectives on another stream run concurrently with other kernels in every step.
TEST(Steps, TheStreamWithMostKernelsDeterminesTheSteps) {
  ChromeText text;
  int id = 0;
  for (int step = 0; step < 6; ++step) {
    const double start = 1000.0 * step;
    for (int kernel = 0; kernel < 8; ++kernel) {
      text.Kernel("kernel_" + std::to_string(kernel), start + 100 * kernel, 80, ++id, 7);
    }
    for (int collective = 0; collective < 3; ++collective) {
      const double at = start + 40 + 130 * collective + 37 * ((step + collective) % 4);
      text.Kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL()", at, 30, ++id, 20);
    }
  }
  const Profile profile = Import(text);
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.source, IterationSource::kKernelPeriod);
  EXPECT_EQ(range.total, 6);
  EXPECT_EQ(CheckFacts(profile.trace, profile.facts), "");
}

// On a GPU, the windows of all iterations are contiguous and contain the kernels, in all
// recordings.
TEST(Steps, WindowsOfRecordingsAreContiguousAndContainTheirWork) {
  for (const std::string& name : BundledTraces()) {
    const Profile& profile = ImportOnce({BundledTracePath(name)});
    const auto windows = WindowsByGpu(profile);
    for (const std::vector<Interval>& of_gpu : windows) {
      for (size_t i = 0; i < of_gpu.size(); ++i) {
        EXPECT_LE(of_gpu[i].start, of_gpu[i].end) << name;
        if (i > 0) {
          EXPECT_EQ(of_gpu[i].start, of_gpu[i - 1].end) << name;
        }
      }
    }
    const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const IterationId iteration = profile.facts.gpu.iteration[g];
      if (!IsSet(iteration)) continue;
      const auto number = static_cast<size_t>(profile.facts.iterations.number[Index(iteration)]);
      const Interval window = windows[Index(profile.trace.DeviceOf(gpu.stream[g]))][number];
      EXPECT_LE(gpu.start[g] + gpu.duration[g], window.end) << name;
    }
  }
}

}  // namespace
}  // namespace warpsight::testing
