#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "importers/api/importer.h"

namespace warpsight::importers::tensorrt {

Importer Define();

namespace {

constexpr std::string_view kProfile = R"([
  { "count" : 200 }
, { "name" : "conv1 + relu1", "timeMs" : 20.5, "averageMs" : 0.1025, "medianMs" : 0.1, "percentage" : 75 }
, { "name" : "fc \"x\"", "timeMs" : 5, "averageMs" : 0.025, "medianMs" : 0.02, "percentage" : 25 }
]
)";

constexpr std::string_view kTimes = R"([
  { "startEnqMs" : 1, "endEnqMs" : 1.5, "startH2dMs" : 1.1, "endH2dMs" : 1.2, "startComputeMs" : 1.3, "endComputeMs" : 2.3, "startD2hMs" : 2.4, "endD2hMs" : 2.5, "h2dMs" : 0.1, "computeMs" : 1, "d2hMs" : 0.1, "latencyMs" : 1.2 }
, { "startEnqMs" : 3, "endEnqMs" : 3.5, "startH2dMs" : 3.1, "endH2dMs" : 3.2, "startComputeMs" : 3.3, "endComputeMs" : 4.3, "startD2hMs" : 4.4, "endD2hMs" : 4.5, "h2dMs" : 0.1, "computeMs" : 1, "d2hMs" : 0.1, "latencyMs" : 1.2 }
]
)";

Result<Trace> TryImport(std::string_view text) {
  MemorySource source(text);
  WholeFile whole("test.json", source);
  TraceBuilder builder;
  Progress progress;
  const SourceId id = builder.AddSource("test.json", "tensorrt", source.file_size());
  ImportContext context{"test.json", source, whole, builder, id, progress};
  if (const Status status = Define().import(context); !status.ok()) return status.error();
  return builder.Seal();
}

Trace Import(std::string_view text) {
  auto trace = TryImport(text);
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

bool Logged(const Trace& trace, std::string_view code) {
  for (const StringId logged : trace.tables.import_log.code) {
    if (trace.Text(logged) == code) return true;
  }
  return false;
}

TEST(TensorRtImporter, LayersAreGpuWorkWithTheLayerAsOp) {
  const Trace trace = Import(kProfile);
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  EXPECT_EQ(gpu.start, (Column<TimeNs>{0, 102500}));
  EXPECT_EQ(gpu.duration, (Column<DurationNs>{102500, 25000}));
  const GpuExtrasTable& extras = trace.tables.gpu_extras;
  EXPECT_EQ(trace.Text(extras.op_name[Index(gpu.extra[0])]), "conv1 + relu1");
  EXPECT_EQ(trace.Text(extras.op_name[Index(gpu.extra[1])]), "fc \"x\"");
  EXPECT_EQ(trace.Text(extras.op_type[Index(gpu.extra[1])]), "layer");
  EXPECT_TRUE(Logged(trace, "made_up_times"));
}

TEST(TensorRtImporter, InferencesAreStepsWithGpuWork) {
  const Trace trace = Import(kTimes);
  EXPECT_EQ(trace.tables.gpu.start.size(), 6u);
  EXPECT_EQ(trace.tables.api.correlation, (Column<int64_t>{0, 1}));
  EXPECT_EQ(trace.tables.gpu.copy_direction[0], CopyDirection::kHostToDevice);
  EXPECT_EQ(trace.tables.gpu.duration[1], 1'000'000);
  EXPECT_EQ(trace.Text(trace.tables.host.name[1]), "inference 1");
  EXPECT_TRUE(trace.tables.import_log.code.empty());
}

TEST(TensorRtImporter, TruncatedAndDamagedFiles) {
  for (const std::string_view text : {kProfile, kTimes}) {
    for (size_t cut = 1; cut + 3 < text.size(); ++cut) {
      const auto trace = TryImport(text.substr(0, cut));
      if (trace.ok()) {
        EXPECT_EQ(CheckIntegrity(*trace), "") << cut;
        EXPECT_TRUE(Logged(*trace, "truncated")) << cut;
      } else {
        EXPECT_EQ(trace.error().message.find("test.json: offset "), 0u) << trace.error().message;
      }
    }
  }
  const Trace trace = Import(R"([{"name":"a","averageMs":1},{"x":1},{"name":"b","averageMs":-1}])");
  EXPECT_EQ(trace.tables.gpu.start.size(), 1u);
  EXPECT_TRUE(Logged(trace, "bad_record"));
  EXPECT_FALSE(TryImport("x").ok());
}

TEST(TensorRtImporter, RecognizesOnlyItsOwnFiles) {
  const Importer importer = Define();
  EXPECT_TRUE(importer.sniff(kProfile));
  EXPECT_TRUE(importer.sniff(kTimes));
  EXPECT_FALSE(importer.sniff(R"([{"ph":"X","name":"a","ts":1,"dur":2}])"));
  EXPECT_FALSE(importer.sniff(R"({"traceEvents":[]})"));
  EXPECT_FALSE(importer.sniff(R"([{"count":3}])"));
  EXPECT_FALSE(importer.sniff(""));
}

}  // namespace
}  // namespace warpsight::importers::tensorrt
