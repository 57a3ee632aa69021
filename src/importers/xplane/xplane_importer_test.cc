#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdint>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "importers/api/importer.h"
#include "importers/xplane/event.h"
#include "importers/xplane/proto_fields.h"

namespace warpsight::importers::xplane {

Importer Define();

namespace {

// Builds an XPlane message.
class PlaneText {
 public:
  explicit PlaneText(std::string_view name) : name_(name) {}

  using Stats = std::vector<std::pair<std::string, std::string>>;
  struct EventText {
    std::string name;
    int64_t offset_ps;
    int64_t duration_ps;
    Stats stats;
  };

  void Line(uint64_t id, std::string_view name, int64_t timestamp_ns,
            const std::vector<EventText>& events) {
    std::string line;
    protozero::pbf_writer writer(line);
    writer.add_uint64(1, id);
    writer.add_string(2, name.data(), name.size());
    writer.add_int64(3, timestamp_ns);
    for (const EventText& event : events) {
      protozero::pbf_writer message(writer, 4);
      message.add_int64(1, IdOf(event_names_, event.name));
      message.add_int64(2, event.offset_ps);
      message.add_int64(3, event.duration_ps);
      for (const auto& [key, value] : event.stats) AddStat(message, 4, key, value);
    }
    lines_.push_back(line);
  }
  // Adds bytes to the last line that are not a field.
  void DamageLine() { lines_.back() += '\0'; }
  void Stat(std::string_view key, std::string_view value) { stats_.emplace_back(key, value); }

  std::string Message() {
    std::string message;
    protozero::pbf_writer writer(message);
    writer.add_string(2, name_);
    for (const std::string& line : lines_) writer.add_message(3, line);
    std::string stats;
    protozero::pbf_writer stats_writer(stats);
    for (const auto& [key, value] : stats_) AddStat(stats_writer, 6, key, value);
    AddNames(writer, 4, event_names_);
    AddNames(writer, 5, stat_names_);
    return message + stats;
  }

 private:
  using Names = std::map<std::string, int64_t>;

  static int64_t IdOf(Names& names, const std::string& name) {
    return names.try_emplace(name, static_cast<int64_t>(names.size()) + 1).first->second;
  }
  void AddStat(protozero::pbf_writer& writer, uint32_t field, const std::string& key,
               const std::string& value) {
    protozero::pbf_writer stat(writer, field);
    stat.add_int64(1, IdOf(stat_names_, key));
    stat.add_string(5, value);
  }
  static void AddNames(protozero::pbf_writer& writer, uint32_t field, const Names& names) {
    for (const auto& [name, id] : names) {
      protozero::pbf_writer entry(writer, field);
      entry.add_int64(1, id);
      protozero::pbf_writer value(entry, 2);
      value.add_int64(1, id);
      value.add_string(2, name);
      // TensorFlow stores the type of an op as display name.
      const size_t colon = name.rfind(':');
      if (field == 4 && colon != std::string::npos) value.add_string(4, name.substr(colon + 1));
    }
  }

  std::string name_;
  std::vector<std::string> lines_;
  std::vector<std::pair<std::string, std::string>> stats_;
  Names event_names_, stat_names_;
};

std::string Space(const std::vector<std::string>& planes) {
  std::string space;
  protozero::pbf_writer writer(space);
  for (const std::string& plane : planes) writer.add_message(1, plane);
  writer.add_string(4, "somehost");
  return space;
}

Result<Trace> TryImport(std::string_view bytes) {
  MemorySource source(bytes);
  WholeFile whole("test.pb", source);
  TraceBuilder builder;
  Progress progress;
  const SourceId id = builder.AddSource("test.pb", "xplane", source.file_size());
  ImportContext context{"test.pb", source, whole, builder, id, progress};
  if (const Status status = Define().import(context); !status.ok()) return status.error();
  return builder.Seal();
}

Trace Import(std::string_view bytes) {
  auto trace = TryImport(bytes);
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

int64_t Logged(const Trace& trace, std::string_view code) {
  const ImportLogTable& log = trace.tables.import_log;
  for (size_t i = 0; i < log.code.size(); ++i) {
    if (trace.Text(log.code[i]) == code) return log.count[i];
  }
  return 0;
}

constexpr char kDetails[] =
    "regs:154 static_shared:16 dynamic_shared:1000 grid:512,2,1 block:128,1,1 occ_pct:12.5";

std::string GpuPlane() {
  PlaneText plane("/device:GPU:3");
  plane.Stat("gpu_device_name", "NVIDIA H200");
  plane.Stat("core_count", "132");
  plane.Stat("compute_cap_major", "9");
  plane.Line(14, "Stream #14(Compute)", 1000,
             {{"fusion_7",
               2'000'500,
               3'000'499,
               {{"correlation_id", "15"},
                {"kernel_details", kDetails},
                {"hlo_op", "fusion.7"},
                {"hlo_module", "jit_step"},
                {"tf_op", "XlaModule:"}}},
              {"MemcpyH2D",
               6'000'000,
               1'000'000,
               {{"memcpy_details", "kind_src:pageable kind_dst:device size:4096 dest:3 async:1"}}},
              {"matmul_kernel",
               8'000'000,
               1'000'000,
               {{"kernel_details", kDetails}, {"tf_op", "model/dense/MatMul_1:MatMul"}}}});
  plane.Line(99, "XLA Ops", 1000, {{"fusion.7", 2'000'000, 3'000'000, {}}});
  plane.Line(98, "XLA Modules", 1000, {{"jit_step", 2'000'000, 7'000'000, {}}});
  return plane.Message();
}

TEST(XPlaneImporter, GpuWork) {
  const Trace trace = Import(Space({GpuPlane()}));
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  ASSERT_EQ(gpu.start.size(), 3u);
  EXPECT_EQ(trace.origin_ns, 3000);
  EXPECT_EQ(gpu.start[0], 1);        // 1000 + 2000.5 rounds up
  EXPECT_EQ(gpu.duration[0], 3000);  // 3000.499 rounds down
  EXPECT_EQ(gpu.kind, (Column<GpuKind>{GpuKind::kKernel, GpuKind::kCopy, GpuKind::kKernel}));
  EXPECT_EQ(gpu.copy_direction[1], CopyDirection::kHostToDevice);
  EXPECT_EQ(gpu.host_memory[1], HostMemory::kPageable);
  EXPECT_EQ(gpu.bytes[1], 4096);
  const size_t launch = Index(gpu.launch_config[0]);
  EXPECT_EQ(trace.tables.launch_configs.grid_x[launch], 512);
  EXPECT_EQ(trace.tables.launch_configs.shared_bytes[launch], 1016);
  EXPECT_EQ(trace.tables.streams.stream[Index(gpu.stream[0])], 14);
  EXPECT_EQ(trace.tables.devices.ordinal[0], 3);
  EXPECT_EQ(trace.Text(trace.tables.devices.name[0]), "NVIDIA H200");
  EXPECT_EQ(trace.tables.devices.sms[0], 132);
  // Derived lines are not GPU work.
  EXPECT_EQ(trace.tables.gpu_annotations.start.size(), 1u);
}

TEST(XPlaneImporter, GpuWorkNamesItsOp) {
  const Trace trace = Import(Space({GpuPlane()}));
  const GpuExtrasTable& extras = trace.tables.gpu_extras;
  const auto op = [&](size_t gpu) {
    const size_t extra = Index(trace.tables.gpu.extra[gpu]);
    return std::tuple(trace.Text(extras.op_path[extra]), trace.Text(extras.op_name[extra]),
                      trace.Text(extras.op_type[extra]));
  };
  EXPECT_EQ(op(0), std::tuple("jit_step", "fusion.7", "fusion"));
  EXPECT_EQ(op(1), std::tuple("", "", ""));
  EXPECT_EQ(op(2), std::tuple("model/dense", "MatMul_1", "MatMul"));
}

TEST(XPlaneImporter, HostThreads) {
  PlaneText host("/host:CPU");
  host.Stat("process_id", "752");
  host.Line(7, "python3", 0,
            {{"train", 0, 9'000'000, {{"step_num", "0"}}},
             {"$main.py:3 run", 1'000'000, 1'000'000, {}},
             {"model/dense/MatMul:MatMul", 2'000'000, 4'000'000, {}},
             {"some_kernel", 3'000'000, 1'000'000, {{"correlation_id", "15"}}},
             {"cuGraphLaunch (CudaGraph:16)", 4'000'000, 1'000'000, {{"correlation_id", "16"}}},
             {"MemcpyD2H",
              5'000'000,
              1'000'000,
              {{"correlation_id", "17"}, {"memcpy_details", "size:4 async:0"}}},
             {"MemoryAllocation",
              6'000'000,
              0,
              {{"allocator_name", "GPU_1_bfc"},
               {"allocation_bytes", "256"},
               {"bytes_allocated", "1024"}}}});
  const Trace trace = Import(Space({host.Message()}));
  const HostRangesTable& t = trace.tables.host;
  ASSERT_EQ(t.kind,
            (Column<HostKind>{HostKind::kAnnotation, HostKind::kPythonFunction, HostKind::kOp}));
  EXPECT_EQ(trace.Text(t.name[2]), "MatMul");
  const size_t extra = Index(t.extra[2]);
  EXPECT_EQ(trace.Text(trace.tables.host_extras.module_hierarchy[extra]), "model/dense");
  EXPECT_EQ(trace.Text(trace.tables.host_extras.op_type[extra]), "MatMul");
  const ApiCallsTable& api = trace.tables.api;
  ASSERT_EQ(api.name.size(), 3u);
  EXPECT_EQ(trace.Text(api.name[0]), "cuLaunchKernel");
  EXPECT_EQ(trace.Text(api.args[0]), R"({"record":"some_kernel"})");
  EXPECT_EQ(trace.Text(api.name[1]), "cuGraphLaunch");
  EXPECT_EQ(trace.Text(api.name[2]), "cuMemcpyDtoH");
  EXPECT_EQ(api.correlation, (Column<int64_t>{15, 16, 17}));
  EXPECT_EQ(trace.tables.memory.bytes, (Column<int64_t>{256}));
  EXPECT_EQ(trace.tables.memory.device, (Column<int64_t>{1}));
  EXPECT_EQ(trace.Text(trace.tables.processes.pid[0]), "752");
}

TEST(XPlaneImporter, DerivedStepsLastAsLongAsTheirEventsOnTheHost) {
  PlaneText host("/host:CPU");
  host.Line(7, "main", 0,
            {{"FunctionRun", 1'000'000, 2'000'000, {{"group_id", "4"}}},
             {"Process", 2'000'000, 5'000'000, {{"group_id", "4"}}}});
  PlaneText gpu("/device:GPU:0");
  gpu.Line(9, "Steps", 0, {{"12", 5'000'000, 9'000'000, {{"group_id", "4"}}}});
  const Trace trace = Import(Space({host.Message(), gpu.Message()}));
  const HostRangesTable& t = trace.tables.host;
  size_t step = 0;
  while (step < t.name.size() && trace.Text(t.name[step]) != "step") ++step;
  ASSERT_LT(step, t.name.size());
  EXPECT_EQ(trace.origin_ns + t.start[step], 1000);
  EXPECT_EQ(t.duration[step], 6000);
}

TEST(XPlaneImporter, ATruncatedFileIsReadUpToTheCut) {
  PlaneText host("/host:CPU");
  host.Line(7, "main", 0, {{"first", 0, 1'000'000, {}}, {"second", 2'000'000, 1'000'000, {}}});
  const std::string first = Space({host.Message()});
  const std::string whole = Space({host.Message(), GpuPlane()});
  for (size_t cut = first.size(); cut < whole.size() - 12; cut += 7) {
    const Trace trace = Import(std::string_view(whole).substr(0, cut));
    EXPECT_EQ(trace.tables.host.start.size(), 2u) << cut;
    EXPECT_EQ(Logged(trace, "truncated"), 1) << cut;
  }
}

TEST(XPlaneImporter, OtherContentIsAnErrorWithAnOffset) {
  const auto trace = TryImport("\x0F\x0F\x0F");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().message, "test.pb: offset 0: expected a plane of an XSpace message");
}

TEST(XPlaneImporter, ADamagedLineIsLogged) {
  PlaneText host("/host:CPU");
  host.Line(1, "main", 0, {{"train", 0, 1000, {}}});
  EXPECT_EQ(Logged(Import(Space({host.Message()})), "damaged_line"), 0);
  host.DamageLine();
  const Trace trace = Import(Space({host.Message()}));
  EXPECT_EQ(Logged(trace, "damaged_line"), 1);
  EXPECT_EQ(trace.tables.host.name.size(), 1U);
}

TEST(XPlaneImporter, BadRecordsAreLoggedAndSkipped) {
  PlaneText host("/host:CPU");
  host.Line(7, "main", 0,
            {{"long", 0, INT64_MAX, {}}, {"negative", 0, -5'000'000, {}}, {"b\xFF", 0, 1000, {}}});
  const Trace trace = Import(Space({host.Message()}));
  ASSERT_EQ(trace.tables.host.start.size(), 1u);
  EXPECT_EQ(trace.Text(trace.tables.host.name[0]), "b\xEF\xBF\xBD");
  EXPECT_EQ(Logged(trace, "bad_duration"), 2);
}

TEST(XPlaneImporter, DamagedFilesGiveATraceOrAnError) {
  PlaneText host("/host:CPU");
  host.Stat("process_id", "752");
  host.Line(7, "python3", 0,
            {{"train", 0, 9'000'000, {{"step_num", "0"}, {"group_id", "1"}}},
             {"net/MatMul:MatMul", 2'000'000, 4'000'000, {}},
             {"cuGraphLaunch (CudaGraph:16)", 4'000'000, 1'000'000, {{"correlation_id", "16"}}}});
  const std::string whole = Space({GpuPlane(), host.Message()});
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i <= round % 6; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto trace = TryImport(bytes);
    if (!trace.ok()) continue;
    ASSERT_EQ(CheckIntegrity(*trace), "") << round;
    for (size_t i = 0; i < trace->strings.size(); ++i) {
      const std::string_view text = trace->strings.View(MakeId<StringId>(i));
      ASSERT_TRUE(simdjson::validate_utf8(text.data(), text.size())) << round;
    }
  }
}

TEST(XPlaneImporter, RecognizesOnlyXPlaneFiles) {
  const Importer importer = Define();
  EXPECT_TRUE(importer.sniff(Space({GpuPlane()})));
  EXPECT_TRUE(importer.sniff(std::string_view(Space({GpuPlane()})).substr(0, 40)));
  EXPECT_FALSE(importer.sniff(""));
  EXPECT_FALSE(importer.sniff("\n"));
  EXPECT_FALSE(importer.sniff("\n[{\"ph\":\"X\"}]"));
  EXPECT_FALSE(importer.sniff("{\"traceEvents\":[]}"));
  PlaneText other("something else");
  EXPECT_FALSE(importer.sniff(Space({other.Message()})));
}

TEST(XPlaneTimes, RoundToTheNearestNanosecond) {
  EXPECT_EQ(ToNanoseconds(0), 0);
  EXPECT_EQ(ToNanoseconds(499), 0);
  EXPECT_EQ(ToNanoseconds(500), 1);
  EXPECT_EQ(ToNanoseconds(1999), 2);
  EXPECT_EQ(ToNanoseconds(-500), 0);
  EXPECT_EQ(ToNanoseconds(-501), -1);
}

}  // namespace
}  // namespace warpsight::importers::xplane
