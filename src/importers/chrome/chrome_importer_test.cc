// Tests what the importer reads from the records of each program.
#include "importers/chrome/chrome_importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/chrome/import_text.h"
#include "model/compare.h"

namespace warpsight::importers::chrome {
namespace {

std::string ReadAll(const std::string& path) {
  auto bytes = OpenBytes(path);
  EXPECT_TRUE(bytes.ok());
  std::string text;
  for (size_t size = 0;;) {
    text.resize(size + (1 << 20));
    auto n = (*bytes)->Read(text.data() + size, 1 << 20);
    EXPECT_TRUE(n.ok());
    size += *n;
    text.resize(size);
    if (*n == 0) return text;
  }
}

std::string Bundled(const std::string& name) {
  return ReadAll(WARPSIGHT_SOURCE_DIR "/tests/data/h200/" + name + ".trace.json.gz");
}

std::string Events(std::string_view events) {
  return R"({"traceEvents":[)" + std::string(events) + "]}";
}

TEST(ChromeImporter, BlocksOfAnySizeGiveTheSameTrace) {
  for (const char* name :
       {"gpt2_bf16_stacks_memory.pt", "jax_mlp", "resnet18_cuda_graph_inference.pt"}) {
    const std::string text = Bundled(name);
    const Trace whole = ImportText(text, size_t{1} << 30);
    ASSERT_GT(RowCount(whole.tables.gpu), 0u);
    std::mt19937 random(3);
    std::vector<size_t> sizes = {997, 4096, 100'000, EventStream::kBlockSize};
    sizes.push_back(2000 + random() % 60'000);
    for (const size_t size : sizes) {
      EXPECT_EQ(FirstDifference(whole, ImportText(text, size)), "") << name << ", " << size;
    }
  }
}

TEST(ChromeImporter, BlocksMayBeCutAnywhere) {
  std::string text = Bundled("gpt2_bf16.pt");
  // A part of the file that contains records of many kinds, and ends with a complete record.
  text.resize(text.find("\n  },", 30'000) + 4);
  text += "\n], \"traceName\": \"x\"}";
  const Trace whole = ImportText(text, size_t{1} << 30);
  EXPECT_EQ(RowCount(whole.tables.import_log), 0u);
  for (size_t size = 1; size < 2500; size += 7) {
    ASSERT_EQ(FirstDifference(whole, ImportText(text, size)), "") << size;
  }
}

TEST(ChromeImporter, FieldsInAnyOrderAndForm) {
  const Trace trace = ImportText(Events(
      R"({"args":{"correlation":9007199254740993,"External id":"12","grid":[1,2,3],"block":[4,5,6],
          "device":1,"stream":7,"context":2,"registers per thread":32,"shared memory":1024,
          "blocks per SM":0.5,"warps per SM":"1.5","est. achieved occupancy %":50,"graph id":3,
          "graph node id":18446744073709551615,"queued":0},
          "dur":"1.5","ts":"1694128201545123.457","tid":"7","pid":1,"name":"a\u0041\"k",
          "cat":"kernel","ph":"X"})"));
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  ASSERT_EQ(RowCount(gpu), 1u);
  EXPECT_EQ(trace.origin_ns, 1694128201545123457);
  EXPECT_EQ(gpu.duration[0], 1500);
  EXPECT_EQ(trace.Text(gpu.name[0]), "aA\"k");
  EXPECT_EQ(gpu.correlation[0], 9007199254740993);
  EXPECT_EQ(gpu.external_id[0], 12);
  const auto& launch = trace.tables.launch_configs;
  EXPECT_EQ(launch.grid_y[0], 2);
  EXPECT_EQ(launch.block_z[0], 6);
  EXPECT_EQ(launch.registers[0], 32);
  EXPECT_EQ(launch.warps_per_sm[0], 1.5);
  EXPECT_EQ(trace.tables.gpu_extras.graph[0], 3);
  EXPECT_EQ(trace.tables.gpu_extras.graph_node[0], -1);
  EXPECT_EQ(trace.tables.devices.ordinal[0], 1);
  EXPECT_EQ(RowCount(trace.tables.import_log), 0u);
}

TEST(ChromeImporter, TheLastOfDuplicateKeysIsUsed) {
  const Trace trace = ImportText(Events(
      R"({"ph":"i","ph":"X","name":"a","name":"b","ts":1,"ts":2,"dur":3,"cat":"cpu_op",
          "args":{"External id":1,"External id":2}})"));
  ASSERT_EQ(RowCount(trace.tables.host), 1u);
  EXPECT_EQ(trace.Text(trace.tables.host.name[0]), "b");
  EXPECT_EQ(trace.origin_ns, 2000);
  EXPECT_EQ(trace.tables.host.external_id[0], 2);
}

TEST(ChromeImporter, WrongTypesAreLoggedAndLeftOut) {
  const Trace trace = ImportText(Events(
      R"({"ph":"X","name":5,"cat":[1],"pid":{},"tid":[[]],"ts":1,"dur":2,
          "args":{"External id":[1],"grid":"x","Input Dims":7}},
         {"ph":{},"name":"object as phase","ts":1},
         {"ph":"XX","name":"long phase","ts":1},
         {"ph":"X","name":"no time"},
         {"ph":"X","name":"time as object","ts":{}},
         {"ph":"X","name":"bad duration","ts":1,"dur":"long"},
         {"ph":"X","name":"negative duration","ts":1,"dur":-4},
         {"ph":"s","name":"flow without id","ts":1},
         {"ph":"X","name":"args as text","ts":1,"dur":1,"args":"text"},
         {"ph":"X","name":"args as null","ts":1,"dur":1,"args":null},
         {})"));
  EXPECT_EQ(RowCount(trace.tables.host), 4u);
  EXPECT_EQ(LogOf(trace, "wrong_type").count, 2);
  EXPECT_EQ(LogOf(trace, "no_phase").count, 2);
  EXPECT_EQ(LogOf(trace, "bad_time").count, 2);
  EXPECT_EQ(LogOf(trace, "bad_duration").count, 1);
  EXPECT_EQ(LogOf(trace, "negative_duration").count, 1);
  EXPECT_EQ(LogOf(trace, "bad_flow").count, 1);
  EXPECT_EQ(trace.tables.sources.events[0], 11);
}

TEST(ChromeImporter, LogsTheOffsetOfTheRecord) {
  const std::string text = Events(R"({"ph":"X","ts":1,"name":"a"}, {"name":"b","ph":"X"},
                                     {"name":"c","ph":"X"},{"ph":"X","ts":1})");
  for (const size_t block : {size_t{1}, size_t{40}, EventStream::kBlockSize}) {
    const Trace trace = ImportText(text, block);
    EXPECT_EQ(LogOf(trace, "bad_time").count, 2) << block;
    EXPECT_EQ(LogOf(trace, "bad_time").offset, static_cast<int64_t>(text.find(R"({"name":"b")")))
        << block;
  }
}

TEST(ChromeImporter, AbsurdNumbersAreLeftOut) {
  const Trace trace = ImportText(Events(
      R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":{"device":0,"stream":1,
          "grid":[1e15,-5,4294967295],"block":[1,1,1],"bytes":9223372036854775807}},
         {"ph":"X","cat":"kernel","name":"k","ts":1e300,"dur":1},
         {"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1e12},
         {"ph":"B","name":"wide","ts":-2e15,"tid":1},{"ph":"E","ts":2e15,"tid":1})"));
  EXPECT_EQ(RowCount(trace.tables.gpu), 1u);
  EXPECT_EQ(trace.tables.gpu.bytes[0], kMissing);
  EXPECT_EQ(trace.tables.launch_configs.grid_x[0], kMissing);
  EXPECT_EQ(trace.tables.launch_configs.grid_z[0], 4294967295);
  EXPECT_EQ(LogOf(trace, "absurd_number").count, 3);
  EXPECT_EQ(LogOf(trace, "bad_time").count, 1);
  EXPECT_EQ(LogOf(trace, "bad_duration").count, 2);
}

TEST(ChromeImporter, PairsBeginsAndEnds) {
  const std::string text = R"([
    {"name":"Convolution","cat":"operator","ph":"B","ts":10,"pid":0,"tid":1},
    {"name":"inner","cat":"operator","ph":"B","ts":12,"pid":0,"tid":1},
    {"name":"inner","cat":"operator","ph":"E","ts":15,"pid":0,"tid":1,"args":{"k":1}},
    {"name":"other thread","cat":"operator","ph":"B","ts":13,"pid":0,"tid":2},
    {"name":"Convolution","cat":"operator","ph":"E","ts":20,"pid":0,"tid":1},
    {"name":"other thread","cat":"operator","ph":"E","ts":30,"pid":0,"tid":2},
    {"name":"task","cat":"t","ph":"b","ts":1,"id":3,"pid":0,"tid":1},
    {"name":"task","cat":"t","ph":"b","ts":2,"id":"0x4","pid":0,"tid":1},
    {"name":"task","cat":"t","ph":"e","ts":9,"id":3,"pid":0,"tid":2},
    {"name":"task","cat":"t","ph":"e","ts":11,"id":"0x4","pid":0,"tid":1},
    {"name":"stray end","ph":"E","ts":50,"pid":0,"tid":1},
    {"name":"stray begin","ph":"B","ts":60,"pid":0,"tid":1},
    {"name":"samples/s","ph":"C","ts":4,"pid":0,"tid":1,"args":{"bytes":17}}])";
  const Trace trace = ImportText(text);
  const HostRangesTable& host = trace.tables.host;
  ASSERT_EQ(RowCount(host), 5u);
  EXPECT_EQ(host.start, (Column<TimeNs>{0, 1000, 9000, 11000, 12000}));
  EXPECT_EQ(host.duration, (Column<DurationNs>{8000, 9000, 10000, 3000, 17000}));
  EXPECT_EQ(host.kind[0], HostKind::kOther);
  EXPECT_EQ(host.kind[2], HostKind::kOp);
  EXPECT_EQ(trace.Text(trace.tables.host_extras.args[Index(host.extra[3])]), R"({"k":1})");
  EXPECT_EQ(LogOf(trace, "unmatched_end").offset,
            static_cast<int64_t>(text.find("{\"name\":\"stray end")));
  EXPECT_EQ(LogOf(trace, "unmatched_begin").count, 1);
  ASSERT_EQ(RowCount(trace.tables.instants), 1u);
  EXPECT_EQ(trace.Text(trace.tables.instants.category[0]), "counter");
  EXPECT_EQ(trace.Text(trace.tables.instants.args[0]), R"({"bytes":17})");
  for (size_t block = 1; block < 400; block += 13) {
    ASSERT_EQ(FirstDifference(trace, ImportText(text, block)), "") << block;
  }
}

TEST(ChromeImporter, ReadsJaxLanes) {
  const Trace trace = ImportText(Bundled("jax_mlp"));
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  ASSERT_GT(RowCount(gpu), 100u);
  size_t kernels = 0;
  for (size_t i = 0; i < gpu.kind.size(); ++i) {
    if (gpu.kind[i] != GpuKind::kKernel) continue;
    ++kernels;
    EXPECT_TRUE(IsSet(gpu.launch_config[i])) << trace.Text(gpu.name[i]);
    EXPECT_NE(gpu.correlation[i], kMissing);
  }
  EXPECT_GT(kernels, 100u);
  EXPECT_GT(RowCount(trace.tables.api), 0u);
  EXPECT_EQ(trace.tables.devices.ordinal, (Column<int64_t>{0}));
}

TEST(ChromeImporter, ReadsOldKinetoCategories) {
  const Trace trace = ImportText(Events(
      R"json({"ph":"X","cat":"Operator","name":"aten::add","pid":9,"tid":"9","ts":100,"dur":20,
          "args":{"External id":2}},
         {"ph":"X","cat":"Operator","name":"ProfilerStep#3","pid":9,"tid":"9","ts":90,"dur":50},
         {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":9,"tid":"9","ts":105,"dur":5,
          "args":{"correlation":4,"external id":2}},
         {"ph":"X","cat":"Kernel","name":"vectorized","pid":0,"tid":"stream 7","ts":115,"dur":3,
          "args":{"device":0,"stream":7,"correlation":4,"external id":2}},
         {"ph":"X","cat":"Memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,
          "tid":"stream 7","ts":120,"dur":3,"args":{
  "device" : 0, "stream" : 7, "bytes" : 12}},
         {"ph":"X","cat":"Memset","name":"Memset (Device)","pid":0,"tid":"stream 7","ts":124,
          "dur":3,"args":{"device":0,"stream":7,"bytes":8}},
         {"ph":"s","cat":"async_cpu_to_gpu","id":4,"name":"x","pid":9,"tid":"9","ts":105},
         {"ph":"f","cat":"async_cpu_to_gpu","id":4,"name":"x","pid":0,"tid":"stream 7","ts":115},
         {"ph":"X","cat":"hip_runtime","name":"hipMemcpy","pid":9,"tid":"9","ts":130,"dur":5})json"));
  EXPECT_EQ(trace.tables.host.kind, (Column<HostKind>{HostKind::kAnnotation, HostKind::kOp}));
  EXPECT_EQ(RowCount(trace.tables.api), 2u);
  EXPECT_EQ(trace.tables.gpu.kind,
            (Column<GpuKind>{GpuKind::kKernel, GpuKind::kCopy, GpuKind::kMemset}));
  EXPECT_EQ(trace.tables.gpu.copy_direction[1], CopyDirection::kHostToDevice);
  EXPECT_EQ(trace.tables.gpu.host_memory[1], HostMemory::kPageable);
  EXPECT_EQ(trace.tables.gpu.bytes[1], 12);
  EXPECT_EQ(trace.tables.flows.phase, (Column<FlowPhase>{FlowPhase::kStart, FlowPhase::kEnd}));
}

TEST(ChromeImporter, ReadsOnnxRuntimeProfiles) {
  const Trace trace = ImportText(R"([
{"cat" : "Session","pid" :7,"tid" :7,"dur" :912,"ts" :5,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :14,"ts" :100,"ph" : "X","name" :"Conv_0_kernel_time",
 "args" : {"op_name" : "Conv","provider" : "CPUExecutionProvider"}},
{"cat" : "Kernel","pid" :7,"tid" :8,"dur" :4,"ts" :120,"ph" : "X","name" :"sm80_xmma","args" : {}}
])");
  EXPECT_EQ(trace.tables.host.kind, (Column<HostKind>{HostKind::kAnnotation, HostKind::kOp}));
  EXPECT_EQ(RowCount(trace.tables.gpu), 1u);
  EXPECT_EQ(RowCount(trace.tables.import_log), 0u);
}

TEST(ChromeImporter, NamesTheNodesOfOnnxRuntime) {
  const Trace trace = ImportText(R"([
{"cat" : "Node","pid" :7,"tid" :7,"dur" :1,"ts" :99,"ph" : "X","name" :"/l1/conv/Conv_fence_before",
 "args" : {"op_name" : "Conv"}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :14,"ts" :100,"ph" : "X",
 "name" :"/l1/conv/Conv_kernel_time","args" : {"op_name" : "Conv","node_index" : "3"}},
{"cat" : "Kernel","pid" :7,"tid" :7,"dur" :4,"ts" :120,"ph" : "X","name" :"sm80_xmma",
 "args" : {"stream" : "13","grid_x" : "8","grid_y" : "2","grid_z" : "1","block_x" : "128",
 "block_y" : "1","block_z" : "1","op_name" : "Conv","parent_name" : "/l1/conv/Conv_kernel_time"}}
])");
  const HostRangesTable& host = trace.tables.host;
  EXPECT_EQ(host.kind, (Column<HostKind>{HostKind::kOther, HostKind::kOp}));
  EXPECT_EQ(trace.Text(host.name[1]), "Conv");
  const size_t op = Index(host.extra[1]);
  EXPECT_EQ(trace.Text(trace.tables.host_extras.module_hierarchy[op]), "l1/conv");
  EXPECT_EQ(trace.Text(trace.tables.host_extras.op_type[op]), "Conv");
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  ASSERT_EQ(RowCount(gpu), 1u);
  EXPECT_EQ(trace.tables.devices.ordinal, (Column<int64_t>{0}));
  EXPECT_EQ(trace.tables.streams.stream, (Column<int64_t>{13}));
  EXPECT_EQ(trace.tables.launch_configs.grid_y[Index(gpu.launch_config[0])], 2);
  const size_t named = Index(gpu.extra[0]);
  EXPECT_EQ(trace.Text(trace.tables.gpu_extras.op_name[named]), "Conv");
  EXPECT_EQ(trace.Text(trace.tables.gpu_extras.op_path[named]), "l1/conv");
}

TEST(ChromeImporter, StreamsOfTensorFlow1AreReadOnce) {
  const std::string events =
      R"({"args":{"name":"/job:w/replica:0/task:0/device:GPU:0 Compute"},"name":"process_name",
          "ph":"M","pid":1},
         {"args":{"name":"/device:GPU:0/stream:all Compute"},"name":"process_name","ph":"M","pid":2},
         {"args":{"name":"net/MatMul_1","op":"MatMul"},"cat":"Op","dur":2,"name":"MatMul","ph":"X",
          "pid":1,"tid":0,"ts":1000},
         {"args":{"name":"net/MatMul_1","op":"MatMul"},"cat":"Op","dur":12,"name":"MatMul",
          "ph":"X","pid":2,"tid":0,"ts":1005})";
  const Trace all = ImportText(Events(events));
  ASSERT_EQ(RowCount(all.tables.gpu), 1u);
  ASSERT_EQ(RowCount(all.tables.host), 1u);
  EXPECT_EQ(all.tables.host.kind[0], HostKind::kOp);
  EXPECT_EQ(all.Text(all.tables.host.name[0]), "MatMul_1");
  const size_t extra = Index(all.tables.gpu.extra[0]);
  EXPECT_EQ(all.Text(all.tables.gpu_extras.op_name[extra]), "MatMul_1");
  EXPECT_EQ(all.Text(all.tables.gpu_extras.op_type[extra]), "MatMul");
  EXPECT_EQ(all.Text(all.tables.gpu_extras.op_path[extra]), "net");
  const Trace numbered = ImportText(Events(events + R"(,
         {"args":{"name":"/device:GPU:0/stream:13 Compute"},"name":"process_name","ph":"M","pid":3},
         {"args":{"name":"net/MatMul_1","op":"MatMul"},"cat":"Op","dur":12,"name":"MatMul",
          "ph":"X","pid":3,"tid":0,"ts":1005})"));
  EXPECT_EQ(RowCount(numbered.tables.gpu), 1u);
  EXPECT_EQ(LogOf(numbered, "repeated_lane").count, 1);
  EXPECT_EQ(numbered.tables.streams.stream, (Column<int64_t>{13}));
}

TEST(ChromeImporter, ReadsTensorFlow1Timelines) {
  const Trace trace = ImportText(Events(
      R"({"args":{"name":"/device:GPU:0/stream:13 Compute"},"name":"process_name","ph":"M","pid":3},
         {"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Compute"},
          "name":"process_name","ph":"M","pid":1},
         {"args":{"name":"MatMul","op":"MatMul"},"cat":"Op","dur":12,"name":"MatMul","ph":"X",
          "pid":3,"tid":0,"ts":1500000000000000},
         {"args":{"name":"MEMCPYHtoD","op":"MEMCPYHtoD"},"cat":"Op","dur":2,"name":"MEMCPYHtoD",
          "ph":"X","pid":3,"tid":0,"ts":1500000000000020},
         {"args":{"name":"Const","op":"Const"},"cat":"Op","dur":1,"name":"Const","ph":"X","pid":1,
          "tid":0,"ts":1500000000000000})"));
  EXPECT_EQ(trace.tables.gpu.kind, (Column<GpuKind>{GpuKind::kKernel, GpuKind::kCopy}));
  EXPECT_EQ(trace.tables.streams.stream, (Column<int64_t>{13}));
  EXPECT_EQ(RowCount(trace.tables.host), 1u);
}

TEST(ChromeImporter, KeepsMetadataOfTheFile) {
  const Trace trace = ImportText(
      R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU \"X\"","numSms":132}],
          "distributedInfo":{"backend":"nccl","rank":3,"world_size":8},
          "baseTimeNanoseconds":1000,"traceEvents":[{"ph":"i","ts":2,"name":"x"}],
          "deviceProperties2":"\ud83d","traceName":"t.json"})");
  EXPECT_EQ(trace.tables.sources.rank[0], 3);
  EXPECT_EQ(trace.tables.sources.world_size[0], 8);
  EXPECT_EQ(trace.Text(trace.tables.devices.name[0]), "GPU \"X\"");
  EXPECT_EQ(trace.origin_unix_ns, 3000);
  EXPECT_EQ(RowCount(trace.tables.metadata), 6u);

  const Trace bad = ImportText(
      R"({"deviceProperties":[{"id":}],"baseTimeNanoseconds":9223372036854775807,"traceEvents":[]})");
  EXPECT_EQ(LogOf(bad, "bad_field").count, 1);
  EXPECT_EQ(RowCount(bad.tables.import_log), 2u);
  EXPECT_EQ(bad.origin_unix_ns, kMissing);
}

TEST(ChromeImporter, LanesMayHaveEscapedNames) {
  const Trace trace = ImportText(Events(
      R"({"ph":"X","name":"a","pid":"p\u0041\"","tid":"t\n","ts":1,"dur":1},
         {"ph":"M","name":"process_name","pid":"pA\"","args":{"name":"named"}})"));
  ASSERT_EQ(RowCount(trace.tables.processes), 1u);
  EXPECT_EQ(trace.Text(trace.tables.processes.pid[0]), "pA\"");
  EXPECT_EQ(trace.Text(trace.tables.processes.name[0]), "named");
  EXPECT_EQ(trace.Text(trace.tables.threads.tid[0]), "t\n");
}

TEST(ChromeImporter, ErrorsContainFileOffsetAndReason) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "test.json: the file is empty"},
      {" \n ", "test.json: the file is empty"},
      {"hello", "test.json: offset 0: expected a JSON object or array, found 'h'"},
      {"\xff", "test.json: offset 0: expected a JSON object or array, found byte 0xff"},
      {"{}", "test.json: offset 1: no \"traceEvents\" array in the object"},
      {R"({"traceEvents":{}})", "test.json: offset 17: no \"traceEvents\" array in the object"},
      {R"({"traceEvents":7})", "test.json: offset 16: no \"traceEvents\" array in the object"},
      {R"({"a":1,"traceEv)", "test.json: offset 7: the file ends before a \"traceEvents\" array"},
      {R"({"a" 1})", "test.json: offset 1: expected a field of an object"},
      {"{\"a\":\"x\n\",\"traceEvents\":[]}", "test.json: offset 5: expected a field of an object"},
  };
  for (const auto& [text, message] : cases) {
    const auto trace = TryImportText(text);
    ASSERT_FALSE(trace.ok()) << text;
    EXPECT_EQ(trace.error().message, message);
  }
}

}  // namespace
}  // namespace warpsight::importers::chrome
