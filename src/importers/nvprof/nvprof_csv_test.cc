#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "importers/api/importer.h"
#include "importers/nvprof/call_names.h"
#include "importers/nvprof/csv_lines.h"
#include "importers/nvprof/csv_reader.h"

namespace warpsight::importers::nvprof {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kGpuTrace =
    R"csv(==42== NVPROF is profiling process 42, command: ./train --fast
==42== Profiling application: ./train --fast
==42== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"
ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,
186.554000,1.280000,,,,,,,,,,0.000977,0.745058,"Pageable","Device","Tesla V100-SXM2-16GB (0)","1","7","[CUDA memcpy HtoD]"
187.000000,2.500000,80,1,1,256,1,1,16,1.5,64,,,,,"Tesla V100-SXM2-16GB (0)","1","7","void add<float, ""x"">(int, float*) [123]"
187.100000,0.500000,,,,,,,,,,0.000004,8.0,"Device","","Tesla V100-SXM2-16GB (0)","1","7","[CUDA memset]"
187.200000,3.000000,,,,,,,,,,,,,,,,,"cudaDeviceSynchronize [124]"
this is not a record
)csv";

Result<Trace> Import(std::string_view text) {
  MemorySource bytes(text);
  WholeFile whole("trace.csv", bytes);
  TraceBuilder builder;
  const SourceId source = builder.AddSource("trace.csv", "nvprof", 0);
  Progress progress;
  ImportContext context{"trace.csv", bytes, whole, builder, source, progress};
  if (Status status = ReadCsv(context); !status.ok()) return status.error();
  return builder.Seal();
}

TEST(NvprofCsvTest, ReadsKernelsCopiesAndCalls) {
  ASSERT_TRUE(LooksLikeCsvTrace(kGpuTrace));
  const auto trace = Import(kGpuTrace);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(CheckIntegrity(*trace), "");
  const GpuActivitiesTable& gpu = trace->tables.gpu;
  EXPECT_THAT(gpu.start, ElementsAre(0, 446'000, 546'000));
  EXPECT_THAT(gpu.duration, ElementsAre(1280, 2500, 500));
  EXPECT_THAT(gpu.kind, ElementsAre(GpuKind::kCopy, GpuKind::kKernel, GpuKind::kMemset));
  EXPECT_EQ(gpu.bytes[0], 1024);
  EXPECT_EQ(gpu.host_memory[0], HostMemory::kPageable);
  EXPECT_EQ(trace->Text(gpu.name[0]), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(trace->Text(gpu.name[1]), "void add<float, \"x\">(int, float*)");
  EXPECT_EQ(gpu.correlation[1], 123);
  const LaunchConfigsTable& launches = trace->tables.launch_configs;
  const size_t launch = Index(gpu.launch_config[1]);
  EXPECT_EQ(launches.grid_x[launch], 80);
  EXPECT_EQ(launches.block_x[launch], 256);
  EXPECT_EQ(launches.shared_bytes[launch], 1536 + 64);
  EXPECT_EQ(trace->Text(trace->tables.devices.name[0]), "Tesla V100-SXM2-16GB");
  ASSERT_EQ(trace->tables.api.start.size(), 1u);
  EXPECT_EQ(trace->Text(trace->tables.api.name[0]), "cudaDeviceSynchronize");
  EXPECT_EQ(trace->Text(trace->tables.processes.name[0]), "./train --fast");
  ASSERT_EQ(trace->tables.import_log.code.size(), 1u);
  EXPECT_EQ(trace->Text(trace->tables.import_log.code[0]), "bad_line");
}

TEST(NvprofCsvTest, RejectsOtherTexts) {
  EXPECT_FALSE(LooksLikeCsvTrace("Start of my notes\n"));
  EXPECT_FALSE(LooksLikeCsvTrace("==12== NVPROF is profiling process 12\n"));
  EXPECT_FALSE(LooksLikeCsvTrace(R"({"traceEvents": []})"));
  EXPECT_FALSE(Import("==1== NVPROF\n").ok());
}

TEST(NvprofCsvTest, NumbersHaveUnits) {
  EXPECT_EQ(Scaled("1.5", "ms"), 1'500'000);
  EXPECT_EQ(Scaled("2", "KB"), 2048);
  EXPECT_EQ(Scaled("7", ""), 7);
  EXPECT_EQ(Scaled("", "ms"), std::nullopt);
  EXPECT_EQ(Scaled("1e300", "s"), std::nullopt);
  EXPECT_EQ(Scaled("nan", "s"), std::nullopt);
}

TEST(NvprofCallNamesTest, AreThoseOfCupti) {
  EXPECT_EQ(RuntimeCallName(211), "cudaLaunchKernel");
  EXPECT_EQ(RuntimeCallName(41), "cudaMemcpyAsync");
  EXPECT_EQ(DriverCallName(307), "cuLaunchKernel");
  EXPECT_EQ(RuntimeCallName(-1), "");
  EXPECT_EQ(RuntimeCallName(1 << 20), "");
}

TEST(NvprofCsvTest, MessagesWithTruncatedLinesAreValidUtf8) {
  std::string bad(199, 'x');
  for (int i = 0; i < 10; ++i) bad += "\xC3\xA9";  // é, of which the truncation keeps one byte
  const auto trace = Import("\"Start\",\"Duration\",\"Name\"\nms,us,\n" + bad + "\n1,2,\"f\"\n");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const ImportLogTable& log = trace->tables.import_log;
  ASSERT_EQ(log.message.size(), 1u);
  const std::string_view message = trace->Text(log.message[0]);
  std::string repaired;
  EXPECT_EQ(ValidUtf8(message, repaired), message);
}

}  // namespace
}  // namespace warpsight::importers::nvprof
