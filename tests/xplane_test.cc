// The two files of one JAX profile agree on the data that both contain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/aggregation/op_table.h"
#include "analysis/facts/named_op.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

Profile XPlane() { return ImportForTest({SourcePath("tests/data/h200/jax_mlp.xplane.pb")}); }
Profile Json() { return ImportForTest({SourcePath("tests/data/h200/jax_mlp.trace.json.gz")}); }

// The same training step without command buffers (CUDA graphs): every kernel has its own HLO op.
std::string TransformerPath(const std::string& ending) {
  return SourcePath("tests/data/jax/transformer." + ending);
}

// The value of a key in JSON arguments, as text.
std::string ArgOf(std::string_view args, const std::string& key) {
  const std::string mark = '"' + key + "\":\"";
  const size_t at = args.find(mark);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + mark.size();
  return std::string(args.substr(begin, args.find('"', begin) - begin));
}

using Work = std::tuple<TimeNs, DurationNs, std::string, GpuKind, int64_t, int64_t, int64_t,
                        std::string, std::string>;

std::vector<Work> WorkOf(const Trace& trace) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<Work> work;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    const size_t extra = Index(gpu.extra[i]);
    const std::string_view args = trace.Text(trace.tables.gpu_extras.args[extra]);
    const LaunchConfigId launch = gpu.launch_config[i];
    work.emplace_back(trace.origin_ns + gpu.start[i], gpu.duration[i], trace.Text(gpu.name[i]),
                      gpu.kind[i], gpu.correlation[i], trace.tables.gpu_extras.graph_node[extra],
                      IsSet(launch) ? trace.tables.launch_configs.grid_x[Index(launch)] : kMissing,
                      ArgOf(args, "hlo_op"), ArgOf(args, "hlo_module"));
  }
  std::sort(work.begin(), work.end());
  return work;
}

std::vector<std::tuple<TimeNs, DurationNs, std::string>> CallsOf(const Trace& trace) {
  const ApiCallsTable& api = trace.tables.api;
  std::vector<std::tuple<TimeNs, DurationNs, std::string>> calls;
  for (size_t i = 0; i < api.start.size(); ++i) {
    calls.emplace_back(trace.origin_ns + api.start[i], api.duration[i], trace.Text(api.name[i]));
  }
  std::sort(calls.begin(), calls.end());
  return calls;
}

std::vector<Interval> StepsOf(const Profile& profile) {
  std::vector<Interval> steps;
  const IterationsTable& t = profile.facts.iterations;
  const TimeNs origin = profile.trace.origin_ns;
  for (size_t i = 0; i < t.start.size(); ++i) {
    steps.push_back({origin + t.start[i], origin + t.end[i]});
  }
  return steps;
}

TEST(XPlaneAndJson, ContainTheSameGpuWork) {
  const Profile xplane = XPlane();
  const Profile json = Json();
  EXPECT_THAT(WorkOf(xplane.trace), ::testing::ContainerEq(WorkOf(json.trace)));
  EXPECT_EQ(WorkOf(xplane.trace).size(), 234u);
}

TEST(XPlaneAndJson, ContainTheSameCallsAndSteps) {
  const Profile xplane = XPlane();
  const Profile json = Json();
  EXPECT_THAT(CallsOf(xplane.trace), ::testing::ContainerEq(CallsOf(json.trace)));
  EXPECT_EQ(StepsOf(xplane), StepsOf(json));
  EXPECT_EQ(StepsOf(xplane).size(), 6u);
}

// The JSON file leaves out the compiled programs. Where the XPlane file has a kernel's instruction,
// the JSON file has only the group of instructions (the command buffer).
TEST(XPlaneAndJson, NameTheOpsOfAllGpuWork) {
  for (const Profile& profile : {XPlane(), Json()}) {
    for (size_t i = 0; i < profile.trace.tables.gpu.start.size(); ++i) {
      EXPECT_TRUE(HasOp(profile.trace, profile.facts, i)) << i;
    }
  }
  const Profile json = Json();
  const Profile xplane = XPlane();
  const RangeSummary json_range = SummarizeRange(json);
  const RangeSummary xplane_range = SummarizeRange(xplane);
  const OpTable json_ops({json, json_range});
  const OpTable xplane_ops({xplane, xplane_range});
  const auto names = [](const OpTable& table) {
    std::vector<std::string> found;
    for (const Op& op : table.ops()) found.push_back(op.name);
    return found;
  };
  EXPECT_THAT(names(json_ops), ::testing::ElementsAre("jit_step/command_buffer_1"));
  EXPECT_THAT(names(xplane_ops), ::testing::Contains("jit_step/command_buffer_1"));
  EXPECT_THAT(names(xplane_ops),
              ::testing::Contains("jit(step)/jvp()/dot_general/gemm_fusion_dot_general.11"));
}

TEST(XPlaneAndJson, AgreeOnEveryOpWithoutCommandBuffers) {
  const Profile xplane = ImportForTest({TransformerPath("xplane.pb.gz")});
  const Profile json = ImportForTest({TransformerPath("trace.json.gz")});
  EXPECT_THAT(WorkOf(xplane.trace), ::testing::ContainerEq(WorkOf(json.trace)));
  EXPECT_THAT(CallsOf(xplane.trace), ::testing::ContainerEq(CallsOf(json.trace)));
  EXPECT_EQ(StepsOf(xplane), StepsOf(json));
  EXPECT_EQ(StepsOf(xplane).size(), 5u);
  const auto ops = [](const Profile& profile) {
    const RangeSummary range = SummarizeRange(profile);
    const OpTable table({profile, range});
    // Without their scopes, some of which are missing in the JSON file.
    std::vector<std::tuple<std::string, std::string, int64_t, DurationNs>> found;
    for (const Op& op : table.ops()) {
      if (op.kernels == 0) continue;  // XLA's own ranges that are named like a TensorFlow op
      EXPECT_TRUE(op.associated()) << op.name;
      EXPECT_EQ(op.name.find("command_buffer"), std::string::npos) << op.name;
      found.emplace_back(op.name.substr(op.name.rfind('/') + 1), op.type, op.kernels,
                         op.times.gpu.total);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_THAT(ops(xplane), ::testing::ContainerEq(ops(json)));
  EXPECT_EQ(RowCount(xplane.trace.tables.gpu), 825u);
}

TEST(XPlaneAndJson, AreReadOnceFromAFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"jax_mlp.xplane.pb", "jax_mlp.trace.json.gz"}) {
    std::filesystem::copy_file(SourcePath("tests/data/h200/" + std::string(name)),
                               folder.Path(name));
  }
  const Profile profile = ImportForTest({folder.Path("")});
  EXPECT_EQ(RowCount(profile.trace.tables.sources), 1u);
  EXPECT_EQ(RowCount(profile.trace.tables.gpu), 234u);
  ASSERT_EQ(RowCount(profile.trace.tables.import_log), 1u);
  EXPECT_EQ(profile.trace.Text(profile.trace.tables.import_log.code[0]), "file_left_out");
}

}  // namespace
}  // namespace warpsight::testing
