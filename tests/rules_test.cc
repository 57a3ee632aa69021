// Every rule on a trace where it must have a finding, on one where it must not, and on traces that
// lack required data.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/advice/advise_on.h"
#include "analysis/advice/matrix_ops.h"
#include "analysis/roofline/cost_model.h"
#include "chrome_text.h"
#include "importers/api/byte_source.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string PairPath(const std::string& name) {
  return SourcePath("tests/data/" + name + ".pt.trace.json.gz");
}

// A kernel of a hand-made step. Times in microseconds from the step's start.
struct Launched {
  std::string name;
  double start = 0;
  double duration = 0;
  std::string args;
  int stream = 7;
  std::string op = "my_extension::run";
};

constexpr const char* kH200 =
    R"({"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320, "computeMajor": 9, )"
    R"("computeMinor": 0, "numSms": 132, "maxThreadsPerMultiprocessor": 2048, )"
    R"("regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 233472})";

// Steps that launch kernels one after the other and wait for all of them.
ChromeText StepsOf(const std::vector<Launched>& kernels, int steps = 5) {
  ChromeText text;
  text.Top("deviceProperties", fmt::format("[{}]", kH200));
  double t = 0;
  int id = 0;
  for (int step = 0; step < steps; ++step) {
    double at = t + 5;
    double end = 0;
    for (const Launched& kernel : kernels) {
      ++id;
      text.Slice("cpu_op", kernel.op, at - 2, 8);
      text.Call("cudaLaunchKernel", at, 5, id);
      text.Kernel(kernel.name, t + kernel.start, kernel.duration, id, kernel.stream, kernel.args);
      at += 10;
      end = std::max(end, t + kernel.start + kernel.duration);
    }
    text.Call("cudaDeviceSynchronize", at, end + 5 - at, 0);
    text.Slice("user_annotation", "ProfilerStep#" + std::to_string(step), t, end + 8 - t);
    t = end + 10;
  }
  return text;
}

// Steps of a host-bound program: in each, the host works, then launches everything with one call,
// and then the GPU works. With enough GPU work, the host runs ahead.
std::string HostSteps(const std::string& range, double host, double gpu, int steps = 6) {
  ChromeText text;
  text.Top("deviceProperties", fmt::format("[{}]", kH200));
  double t = 0;
  double free = 0;
  for (int step = 0; step < steps; ++step) {
    text.Slice("user_annotation", "step " + std::to_string(step), t, host + 20);
    text.Slice("user_annotation", range, t + 1, host + 15);
    text.Slice("user_annotation", "prepare arguments", t + 2, host - 4);
    text.Call("cudaGraphLaunch", t + host, 10, step + 1);
    free = std::max(free, t + host + 12);
    for (int k = 0; k < 4; ++k) {
      text.Kernel("nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT", free, gpu / 4, step + 1);
      free += gpu / 4;
    }
    t += host + 20;
  }
  return text.Text();
}

// Steps that launch two kernels at their start. The second is behind a stream wait that ends 1 ms
// later; without the call, there is no evidence of the reason for the delay.
std::string HeldSteps(bool with_wait, int steps = 5) {
  ChromeText text;
  text.Top("deviceProperties", fmt::format("[{}]", kH200));
  double t = 0;
  for (int step = 0; step < steps; ++step) {
    const int id = 10 * step;
    text.Slice("user_annotation", "ProfilerStep#" + std::to_string(step), t, 2000);
    text.Slice("cpu_op", "my_extension::run", t + 5, 60);
    text.Call("cudaLaunchKernel", t + 10, 5, id + 1);
    if (with_wait) text.Call("cudaStreamWaitEvent", t + 20, 5, id + 2);
    text.Call("cudaLaunchKernel", t + 30, 5, id + 3);
    text.Kernel("prepare(float*)", t + 20, 200, id + 1);
    text.Kernel("use(float*)", t + 1220, 700, id + 3);
    text.Call("cudaDeviceSynchronize", t + 70, 1855, id + 4);
    t += 2000;
  }
  return text.Text();
}

constexpr const char* kGemm = "nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT";
constexpr const char* kAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
constexpr const char* kCollective =
    R"("Collective name": "allreduce", "In msg nelems": 1000000, "Out msg nelems": 1000000, )"
    R"("dtype": "BFloat16", "Group size": 8)";
constexpr const char* kOwnKernel = "my_kernel(float*, int)";

std::string Grid(int blocks, int threads) {
  return fmt::format(R"("grid": [{}, 1, 1], "block": [{}, 1, 1], "registers per thread": 32, )"
                     R"("shared memory": 0)",
                     blocks, threads);
}

// Hand-made traces by name.
const std::map<std::string, std::string>& HandMade() {
  static const auto* traces = [] {
    auto* made = new std::map<std::string, std::string>;
    const Launched compute{kGemm, 50, 500, Grid(1024, 384), 7, "aten::mm"};
    (*made)["collective after compute"] =
        StepsOf({compute, {kAllReduce, 560, 400, kCollective, 20, "nccl:all_reduce"}}).Text();
    (*made)["collective beside compute"] =
        StepsOf({compute, {kAllReduce, 100, 400, kCollective, 20, "nccl:all_reduce"}}).Text();
    (*made)["no collective"] = StepsOf({compute}).Text();
    (*made)["own kernel of 16 blocks"] =
        StepsOf({compute, {kOwnKernel, 560, 500, Grid(16, 256)}}).Text();
    // 264 blocks of 1024 threads fit on 132 multiprocessors.
    (*made)["own kernel of 270 blocks"] =
        StepsOf({compute, {kOwnKernel, 560, 500, Grid(270, 1024)}}).Text();
    (*made)["own kernel of many blocks"] =
        StepsOf({compute, {kOwnKernel, 560, 500, Grid(2640, 1024)}}).Text();
    (*made)["own kernel without a grid"] = StepsOf({{kOwnKernel, 50, 500, ""}}).Text();
    std::string two = StepsOf({compute}).Text();
    const std::string second = std::string(", ") + kH200;
    two.insert(two.find(kH200) + std::string_view(kH200).size(),
               std::string(second).replace(second.find("\"id\": 0"), 7, "\"id\": 1"));
    (*made)["second GPU"] = two;
    (*made)["second GPU for another rank"] =
        two.insert(1, R"("distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},)");
    (*made)["busy host"] = HostSteps("PjitFunction(step)", 900, 300);
    (*made)["busy host, PyTorch"] = HostSteps("aten::forward", 900, 300);
    (*made)["host that runs ahead"] = HostSteps("PjitFunction(step)", 300, 900);
    (*made)["held by an event"] = HeldSteps(true);
    (*made)["held by nothing known"] = HeldSteps(false);
    ChromeText no_steps;
    no_steps.Call("cudaLaunchKernel", 10, 5, 1).Kernel(kGemm, 20, 50, 1);
    no_steps.Call("cudaLaunchKernel", 100, 5, 2).Kernel(kOwnKernel, 120, 90, 2);
    (*made)["no steps"] = no_steps.Text();
    ChromeText gpu_only;
    for (int k = 0; k < 9; ++k) gpu_only.Kernel(kGemm, 100 * k, 80, k + 1);
    (*made)["GPU only"] = gpu_only.Text();
    return made;
  }();
  return *traces;
}

// A trace of the repository, or a hand-made one; each is imported once.
const Profile& ProfileOf(const std::string& name) {
  static auto* profiles = new std::map<std::string, Profile>;
  const auto known = profiles->find(name);
  if (known != profiles->end()) return known->second;
  const auto made = HandMade().find(name);
  if (made == HandMade().end()) {
    return profiles->emplace(name, ImportForTest({PairPath(name)})).first->second;
  }
  const TemporaryFolder folder;
  const std::string path = folder.Path("trace.json");
  std::ofstream(path, std::ios::binary) << made->second;
  return profiles->emplace(name, ImportForTest({path})).first->second;
}

// The finding of a rule if it is above the threshold, or null.
struct Said {
  Advice advice;
  const RankedFinding* finding = nullptr;
};

Said Ask(const Profile& profile, std::string_view rule) {
  Said said{AdviseOn(profile, SummarizeRange(profile))};
  for (const RankedFinding& finding : said.advice.findings) {
    if (finding.rule == rule && said.advice.IsShownByDefault(finding)) said.finding = &finding;
  }
  return said;
}

struct Case {
  const char* rule;
  const char* fires;
  const char* quiet;
};

constexpr Case kCases[] = {
    {"allocation-in-step", "pairs_extra/empty_cache_each_step.before",
     "pairs_extra/empty_cache_each_step.after"},
    {"channels-last", "pairs/nchw_to_channels_last_amp.before",
     "pairs/nchw_to_channels_last_amp.after"},
    {"cuda-graphs", "pairs/eager_to_cuda_graph.before", "pairs/eager_to_cuda_graph.after"},
    {"cudnn-benchmark", "pairs_extra/cudnn_benchmark_off_to_on.before",
     "h200/resnet50_amp_workers8_nhwc"},
    {"exposed-communication", "collective after compute", "collective beside compute"},
    {"flash-attention", "pairs_extra/naive_attention_to_sdpa.before",
     "pairs_extra/naive_attention_to_sdpa.after"},
    {"fuse-elementwise", "pairs_extra/eager_to_compile_pointwise.before",
     "pairs_extra/eager_to_compile_pointwise.after"},
    {"fused-optimizer", "pairs/adam_loop_to_fused.before", "pairs/adam_loop_to_fused.after"},
    {"gpu-unused", "second GPU", "second GPU for another rank"},
    {"host-bound", "busy host", "host that runs ahead"},
    {"host-sync", "pairs/item_sync_removed.before", "pairs/item_sync_removed.after"},
    {"input-bound", "pairs/dataloader_workers_0_to_12.before",
     "pairs/dataloader_workers_0_to_12.after"},
    {"low-occupancy-kernel", "own kernel of 16 blocks", "own kernel of 270 blocks"},
    {"mixed-precision", "pairs/fp32_to_bf16_lm.before", "pairs/fp32_to_bf16_lm.after"},
    {"no-iterations", "no steps", "h200/bert_inference_nosteps"},
    {"pinned-memory", "pairs_extra/pageable_to_pinned_async.before",
     "pairs_extra/pageable_to_pinned_async.after"},
    {"small-batch", "pairs_extra/small_batch.before", "pairs_extra/small_batch.after"},
    {"stream-waits", "held by an event", "held by nothing known"},
    {"tail-effect", "own kernel of 270 blocks", "own kernel of many blocks"},
    {"tensor-core-alignment", "pairs/odd_dims_to_multiples_of_8.before",
     "pairs/odd_dims_to_multiples_of_8.after"},
    {"tf32", "pairs/fp32_to_bf16_lm.before", "h200/gpt2_bf16"},
    // Begins with kernels that were launched before the recording started: 33 % of the GPU work.
    {"trust", "GPU only", "pairs/odd_dims_to_multiples_of_8.before"},
    {"unstable-iterations", "h200/mlp_cpu_bound", "h200/gpt2_fp32_odd_shapes"},
};

class RuleTest : public ::testing::TestWithParam<Case> {};

TEST_P(RuleTest, HasAFinding) {
  const Said said = Ask(ProfileOf(GetParam().fires), GetParam().rule);
  ASSERT_NE(said.finding, nullptr) << GetParam().fires;
  const RankedFinding& finding = *said.finding;
  EXPECT_TRUE(finding.problem.ends_with('.')) << finding.problem;
  EXPECT_TRUE(finding.recommendation.ends_with('.')) << finding.recommendation;
  EXPECT_FALSE(finding.assumes.ends_with('.')) << finding.assumes;
  EXPECT_EQ(finding.assumes.empty(), !finding.predicts && finding.rule != "gpu-unused");
  EXPECT_FALSE(finding.evidence.empty());
  for (const Evidence& evidence : finding.evidence) EXPECT_FALSE(evidence.text.empty());
  for (const std::string& text : {finding.problem, finding.recommendation, finding.assumes}) {
    EXPECT_THAT(text, Not(AnyOf(HasSubstr("  "), HasSubstr("nan"), HasSubstr("-922"))));
  }
  if (finding.predicts) {
    EXPECT_GT(finding.speedup, 1.02);
    EXPECT_GT(finding.predicted_step, 0);
  }
}

TEST_P(RuleTest, HasNoFinding) {
  const Said said = Ask(ProfileOf(GetParam().quiet), GetParam().rule);
  EXPECT_EQ(said.finding, nullptr) << said.finding->problem;
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleTest, ::testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = info.param.rule;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Rules, EveryRuleIsTestedAndDescribed) {
  for (const Rule& rule : AllRules()) {
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases),
                            [&](const Case& c) { return c.rule == rule.id; }))
        << rule.id << " has no row in kCases";
    const std::string page = SourcePath("docs/rules/" + std::string(rule.id) + ".md");
    EXPECT_THAT(ReadFile(page), HasSubstr("# " + std::string(rule.id))) << page;
    EXPECT_FALSE(rule.title.empty());
  }
  EXPECT_EQ(AllRules().size(), std::size(kCases));
}

// The GPU works for 300 of 920 us: with more GPU work per call, host work is hidden.
TEST(Rules, HostBoundFitsTheFramework) {
  const Said jax = Ask(ProfileOf("busy host"), "host-bound");
  ASSERT_NE(jax.finding, nullptr);
  EXPECT_THAT(jax.finding->problem, HasSubstr("Host work before the launch takes 6"));
  EXPECT_THAT(jax.finding->recommendation, HasSubstr("jax.lax.scan"));
  EXPECT_THAT(jax.finding->evidence.front().text, HasSubstr("prepare arguments"));
  EXPECT_EQ(jax.finding->confidence, Confidence::kLow);
  EXPECT_GT(jax.finding->speedup, 2);
  EXPECT_LE(jax.finding->speedup, 1.001 * 920.0 / 300);
  const Said pytorch = Ask(ProfileOf("busy host, PyTorch"), "host-bound");
  ASSERT_NE(pytorch.finding, nullptr);
  EXPECT_THAT(pytorch.finding->recommendation, HasSubstr("torch.compile"));
  EXPECT_THAT(pytorch.finding->recommendation, Not(HasSubstr("jax")));
  // If individual launches are the bottleneck, the advice says so.
  EXPECT_EQ(Ask(ProfileOf("h200/mlp_cpu_bound"), "host-bound").finding, nullptr);
}

TEST(Rules, StreamWaitsNameTheWorkThatHadToWait) {
  const Said said = Ask(ProfileOf("held by an event"), "stream-waits");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_THAT(said.finding->problem, HasSubstr("idle for 1.00 ms although the next work"));
  ASSERT_EQ(said.finding->evidence.size(), 1u);
  const Evidence& evidence = said.finding->evidence.front();
  EXPECT_EQ(evidence.text, "use, launched by cudaLaunchKernel in my_extension::run");
  EXPECT_EQ(evidence.time_per_step, 1'000'000);
  EXPECT_EQ(evidence.count_per_step, 1);
  EXPECT_FALSE(said.finding->predicts);
}

// JAX does not wait for results in a CUDA call: its thread is idle until the GPU has finished.
TEST(Rules, HostSyncFindsWaitsWithoutACall) {
  const Profile profile = ImportForTest({SourcePath("tests/data/h200/jax_mlp.xplane.pb")});
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.synchronizations, range.steps());
  const Said said = Ask(profile, "host-sync");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_THAT(said.finding->problem, HasSubstr("The host waits for the GPU once per step"));
  EXPECT_THAT(said.finding->recommendation, HasSubstr("block_until_ready()"));
  EXPECT_EQ(said.finding->confidence, Confidence::kMedium);
  EXPECT_GT(said.finding->speedup, 1.5);
  EXPECT_LE(said.finding->speedup, 1 / range.gpu_utilization);
}

// No change of host work makes a step shorter than the busy time of the GPU.
TEST(Rules, PredictionsAreNotShorterThanTheGpuWork) {
  for (const char* name :
       {"pairs_extra/cudnn_benchmark_off_to_on.before",
        "pairs_extra/cudnn_benchmark_off_to_on.after", "pairs/eager_to_cuda_graph.before",
        "pairs/item_sync_removed.before", "h200/mlp_cpu_bound", "h200/gpt2_bf16"}) {
    SCOPED_TRACE(name);
    const Profile& profile = ProfileOf(name);
    const RangeSummary range = SummarizeRange(profile);
    const double busy = static_cast<double>(range.busy) / static_cast<double>(range.steps());
    for (const RankedFinding& finding : AdviseOn(profile, range).findings) {
      const bool host_side = finding.rule == "cuda-graphs" || finding.rule == "host-sync" ||
                             finding.rule == "host-bound" || finding.rule == "input-bound" ||
                             finding.rule == "allocation-in-step";
      if (!host_side || !finding.predicts) continue;
      EXPECT_GT(static_cast<double>(finding.predicted_step), 0.98 * busy) << finding.rule;
    }
  }
}

// Two workers of TensorFlow in one file, the second 650 ms after the first: the step is that of one
// worker.
TEST(Rules, ConsecutiveWorkersAreRanks) {
  const std::string path = SharedTraces() + "/tf_v100_multi_worker.xplane.pb.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing";
  const Said said = Ask(ImportForTest({path}), "cuda-graphs");
  EXPECT_NEAR(static_cast<double>(said.advice.replayed_step),
              static_cast<double>(said.advice.measured_step),
              0.01 * static_cast<double>(said.advice.measured_step));
  ASSERT_NE(said.finding, nullptr);
  EXPECT_LT(said.finding->speedup, 25.15 / 15) << "15 ms of kernels";
}

// A rank of a job, an inference server and an idle GPU do not get the advice to use a second GPU.
TEST(Rules, GpuUnusedDependsOnTheKindOfProgram) {
  const Said said = Ask(ProfileOf("second GPU"), "gpu-unused");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_THAT(said.finding->problem, HasSubstr("sees 2 GPUs and used 1 of them"));
  EXPECT_THAT(said.finding->recommendation, Not(HasSubstr("train.py"))) << "it does not train";
  std::string serving = HandMade().at("second GPU");
  for (size_t at = serving.find("ProfilerStep#"); at != serving.npos;
       at = serving.find("ProfilerStep#")) {
    serving.replace(at, std::string_view("ProfilerStep#0").size(), "decode[bs=32]");
  }
  const TemporaryFolder folder;
  std::ofstream(folder.Path("trace.json"), std::ios::binary) << serving;
  EXPECT_EQ(Ask(ImportForTest({folder.Path("trace.json")}), "gpu-unused").finding, nullptr);
}

// Steps measured without the profiler are in tests/data/pairs_extra/measured.json: 15.04 ms for one
// sequence, 18.13 ms for eight.
TEST(Rules, SmallBatchPredictsTheMeasuredGain) {
  const Said said = Ask(ProfileOf("pairs_extra/small_batch.before"), "small-batch");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_THAT(said.finding->recommendation, HasSubstr("8 samples instead of 1"));
  EXPECT_NEAR(said.finding->speedup, 8 * 15.04 / 18.13, 0.2 * 6.64);
}

TEST(Rules, CollectivesOfARealJob) {
  const std::string path = SharedTraces() + "/hta_a100_8rank_rank3.json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing";
  const Profile profile = ImportForTest({path});
  const Said said = Ask(profile, "exposed-communication");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_THAT(said.finding->evidence.front().text, HasSubstr("exposed"));
  // One of eight processes sees eight GPUs and uses one.
  EXPECT_EQ(Ask(profile, "gpu-unused").finding, nullptr);
}

TEST(Rules, PredictionsKeepTheTimeOfCollectives) {
  const Said said = Ask(ProfileOf("collective after compute"), "exposed-communication");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_GE(said.finding->predicted_step, 500'000);
  EXPECT_THAT(said.finding->evidence.front().text,
              HasSubstr("allreduce, 400 µs of it exposed, 2.00 MB"));
}

TEST(Rules, LaunchConfigurationsAreNamed) {
  const Said few = Ask(ProfileOf("own kernel of 16 blocks"), "low-occupancy-kernel");
  ASSERT_NE(few.finding, nullptr);
  EXPECT_THAT(few.finding->evidence.front().text,
              HasSubstr("my_kernel: grid [16, 1, 1], block [256, 1, 1], 32 registers; 16 blocks on "
                        "132 multiprocessors, 8 fit on each"));
  const Said tail = Ask(ProfileOf("own kernel of 270 blocks"), "tail-effect");
  ASSERT_NE(tail.finding, nullptr);
  EXPECT_THAT(tail.finding->evidence.front().text, HasSubstr("1.02 waves"));
  EXPECT_THAT(tail.finding->recommendation, HasSubstr("264 or 528 blocks instead of 270"));
}

// One of the steps waits for data.
TEST(Rules, OutliersAreExplained) {
  ChromeText text;
  double t = 0;
  for (int step = 0; step < 6; ++step) {
    const double wait = step == 4 ? 3000 : 100;
    text.Slice("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               t + 5, wait);
    text.Slice("cpu_op", "aten::mm", t + wait + 10, 20);
    text.Call("cudaLaunchKernel", t + wait + 15, 5, step + 1);
    text.Kernel(kGemm, t + wait + 25, 800, step + 1);
    text.Call("cudaDeviceSynchronize", t + wait + 40, 790, 0);
    text.Slice("user_annotation", "ProfilerStep#" + std::to_string(step), t, wait + 840);
    t += wait + 845;
  }
  const TemporaryFolder folder;
  const std::string path = folder.Path("trace.json");
  std::ofstream(path, std::ios::binary) << text.Text();
  const Said said = Ask(ImportForTest({path}), "unstable-iterations");
  ASSERT_NE(said.finding, nullptr);
  EXPECT_THAT(said.finding->problem, HasSubstr("iteration 4 takes 3.85 ms, 4.1 times the median"));
  EXPECT_THAT(said.finding->problem, HasSubstr("2.90 ms more of waiting for data"));
}

// A part of a real trace, as if the recording had left something out.
struct Variant {
  const char* name;
  std::vector<std::string> without;  // categories of events
  std::vector<std::pair<std::string, std::string>> replace;
};

const std::vector<Variant>& Variants() {
  static const auto* variants = new std::vector<Variant>{
      {"NoShapes", {}, {{"\"Input Dims\"", "\"Nothing\""}}},
      {"NoOps", {"cpu_op"}, {}},
      {"NoCalls", {"cuda_runtime", "cuda_driver"}, {}},
      {"GpuOnly", {"cpu_op", "cuda_runtime", "cuda_driver", "user_annotation"}, {}},
      {"NoGpuWork", {"kernel", "gpu_memcpy", "gpu_memset"}, {}},
      {"NoSteps", {"user_annotation"}, {}},
      {"UnknownGpu", {}, {{"NVIDIA H200", "NVIDIA Z9"}, {"\"numSms\"", "\"x\""}}},
      {"NoLaunchConfigurations", {}, {{"\"grid\"", "\"x\""}, {"\"block\"", "\"y\""}}},
  };
  return *variants;
}

std::string Uncompressed(const std::string& path) {
  auto source = OpenBytes(path);
  if (!source.ok()) {
    ADD_FAILURE() << source.error().message;
    return {};
  }
  std::string text;
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const auto read = (*source)->Read(buffer.data(), buffer.size());
    if (!read.ok() || *read == 0) return text;
    text.append(buffer.data(), *read);
  }
}

std::string Replaced(const std::string& text, const std::string& from, const std::string& to) {
  std::string replaced;
  size_t done = 0;
  for (size_t at; (at = text.find(from, done)) != std::string::npos; done = at + from.size()) {
    replaced.append(text, done, at - done).append(to);
  }
  return replaced.append(text, done);
}

std::string Stripped(const std::string& path, const Variant& variant) {
  std::string text = Uncompressed(path);
  for (const auto& [from, to] : variant.replace) text = Replaced(text, from, to);
  if (variant.without.empty()) return text;
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  EXPECT_EQ(parser.parse(text).get(root), simdjson::SUCCESS);
  std::string events;
  simdjson::dom::array list;
  EXPECT_EQ(root["traceEvents"].get(list), simdjson::SUCCESS);
  for (const simdjson::dom::element event : list) {
    std::string_view category;
    const bool known = event["cat"].get(category) == simdjson::SUCCESS;
    if (known && std::find(variant.without.begin(), variant.without.end(), category) !=
                     variant.without.end()) {
      continue;
    }
    events += (events.empty() ? "" : ",\n") + simdjson::minify(event);
  }
  simdjson::dom::element devices;
  EXPECT_EQ(root["deviceProperties"].get(devices), simdjson::SUCCESS);
  return "{\"deviceProperties\": " + simdjson::minify(devices) + ", \"traceEvents\": [" + events +
         "]}";
}

using Results = std::map<std::string_view, std::string>;

// Runs every rule; the results are "healthy", "found", or the reason for skipping. Predictions must
// be possible.
Results RunAll(const Profile& profile) {
  const RangeSummary range = SummarizeRange(profile);
  const WhatIf what_if(profile, range);
  const StepWork work(profile, range);
  const CostModel costs(profile);
  const std::vector<MatrixOp> matrix_ops = FindMatrixOps(profile, work, costs);
  const RuleInput input{profile, range, what_if, costs, work, matrix_ops, KindOfProgram(profile)};
  Results results;
  for (const Rule& rule : AllRules()) {
    const RuleResult result = rule.run(input);
    std::string& text = results[rule.id];
    if (const auto* skipped = std::get_if<Skipped>(&result)) {
      text = skipped->because;
      EXPECT_FALSE(text.empty()) << rule.id;
      EXPECT_FALSE(text.ends_with('.')) << rule.id << ": " << text;
    } else if (const auto* finding = std::get_if<Finding>(&result)) {
      text = "found";
      EXPECT_FALSE(finding->problem.empty()) << rule.id;
      EXPECT_FALSE(finding->recommendation.empty()) << rule.id;
      if (finding->edit != nullptr && !what_if.empty()) {
        EXPECT_GT(what_if.StepAfter(finding->edit), 0) << rule.id;
      }
    } else {
      text = "healthy";
    }
  }
  return results;
}

class StrippedTrace : public ::testing::TestWithParam<std::tuple<size_t, const char*>> {
 protected:
  Results Run() {
    const auto& [variant, trace] = GetParam();
    const TemporaryFolder folder;
    const std::string path = folder.Path("trace.json");
    std::ofstream(path, std::ios::binary) << Stripped(PairPath(trace), Variants()[variant]);
    return RunAll(ImportForTest({path}));
  }
};

TEST_P(StrippedTrace, RulesNameTheMissingData) {
  const std::string variant = Variants()[std::get<0>(GetParam())].name;
  Results results = Run();
  const auto skips = [&](std::initializer_list<std::string_view> rules, const char* words) {
    for (const std::string_view rule : rules) {
      EXPECT_THAT(results[rule], AnyOf("healthy", HasSubstr(words))) << rule;
    }
  };
  if (variant == "NoShapes") {
    skips({"mixed-precision", "tf32", "tensor-core-alignment", "flash-attention",
           "fuse-elementwise", "cudnn-benchmark"},
          "shapes");
  } else if (variant == "NoCalls" || variant == "GpuOnly") {
    skips({"cuda-graphs", "host-sync", "allocation-in-step", "small-batch"}, "not recorded");
    EXPECT_EQ(results["trust"], "found");
  } else if (variant == "NoGpuWork") {
    for (const auto& [rule, text] : results) {
      if (rule == "trust") continue;
      EXPECT_NE(text, "found") << rule;
    }
    EXPECT_EQ(results["trust"], "found");
  } else if (variant == "UnknownGpu") {
    skips({"mixed-precision", "tf32", "tensor-core-alignment", "flash-attention",
           "fuse-elementwise", "cudnn-benchmark"},
          "peaks");
    skips({"low-occupancy-kernel", "tail-effect", "small-batch"}, "multiprocessors");
  } else if (variant == "NoLaunchConfigurations") {
    skips({"low-occupancy-kernel", "tail-effect", "small-batch"}, "launched");
  }
  // Without collectives there is nothing to overlap.
  EXPECT_NE(results["exposed-communication"], "found");
}

INSTANTIATE_TEST_SUITE_P(
    Rules, StrippedTrace,
    ::testing::Combine(::testing::Range<size_t>(0, 8),
                       ::testing::Values("pairs/fp32_to_bf16_lm.before",
                                         "pairs/nchw_to_channels_last_amp.before",
                                         "pairs/item_sync_removed.before")),
    [](const auto& info) {
      std::string name = std::get<1>(info.param);
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
      return std::string(Variants()[std::get<0>(info.param)].name) + "_" + name;
    });

TEST(Rules, WithoutAnyEvents) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("trace.json");
  std::ofstream(path, std::ios::binary) << "{\"traceEvents\": []}";
  for (const auto& [rule, text] : RunAll(ImportForTest({path}))) {
    if (rule == "trust" || rule == "no-iterations") continue;
    EXPECT_NE(text, "found") << rule;
  }
}

TEST(Rules, OwnKernelsWithoutAGrid) {
  const Results results = RunAll(ProfileOf("own kernel without a grid"));
  EXPECT_THAT(results.at("low-occupancy-kernel"), HasSubstr("launched"));
  EXPECT_THAT(results.at("tail-effect"), HasSubstr("launched"));
}

}  // namespace
}  // namespace warpsight::testing
