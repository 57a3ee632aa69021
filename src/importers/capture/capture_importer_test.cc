#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_folder.h"
#include "importers/capture/alternating_capture.h"
#include "importers/capture/import_capture.h"
#include "importers/capture/sample_capture.h"
#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using wire::RangeKind;

// The texts of a column of names.
std::vector<std::string> Names(const Trace& trace, const Column<StringId>& column) {
  std::vector<std::string> names;
  for (const StringId name : column) names.emplace_back(trace.Text(name));
  return names;
}

TEST(CaptureImporter, ReadsKernelsCallsAndOps) {
  TestCapture file;
  file.Op(1000, 2000, "aten::linear", 3, TestCapture::kThread,
          TestInputs().Tensor(6, {8, 4}, {4, 1}).Integer(1).bytes());
  file.Call(1100, 1200, "cudaLaunchKernel_v7000", 5);
  file.Kernel(1500, 1700, "_Z4gemmIfEvi", 5);
  const Trace trace = ImportBytes(file.Bytes());
  const TraceTables& t = trace.tables;
  ASSERT_EQ(t.gpu.start.size(), 1U);
  EXPECT_EQ(trace.Text(t.gpu.name[0]), "void gemm<float>(int)");
  EXPECT_EQ(t.gpu.start[0], 500);
  EXPECT_EQ(t.gpu.duration[0], 200);
  EXPECT_EQ(t.gpu.correlation[0], 5);
  EXPECT_EQ(t.launch_configs.grid_y[0], 4);
  EXPECT_EQ(t.launch_configs.block_x[0], 64);
  EXPECT_EQ(t.launch_configs.registers[0], 32);
  EXPECT_EQ(t.launch_configs.shared_bytes[0], 1536);
  EXPECT_EQ(t.streams.stream[0], 7);
  EXPECT_TRUE(IsSet(t.streams.process[0]));
  ASSERT_EQ(t.api.start.size(), 1U);
  EXPECT_EQ(trace.Text(t.api.name[0]), "cudaLaunchKernel");
  EXPECT_EQ(trace.Text(t.threads.tid[Index(t.api.thread[0])]), "100");
  ASSERT_EQ(t.host.start.size(), 1U);
  EXPECT_EQ(t.host.kind[0], HostKind::kOp);
  EXPECT_EQ(t.host.sequence[0], 3);
  EXPECT_EQ(t.host.forward_thread[0], kMissing);
  EXPECT_EQ(trace.Text(t.signatures.dims[Index(t.host.signature[0])]), "[[8, 4], []]");
  EXPECT_EQ(t.sources.events[0], 3);
  EXPECT_EQ(trace.Text(t.processes.pid[0]), "10");
  EXPECT_EQ(LogOf(trace), "");
}

TEST(CaptureImporter, ReadsCopiesMemsetsAndSyncs) {
  TestCapture file;
  file.Add(wire::CopyRecord{1000, 1100, 4096, 1, 1, 3, 2, 9, 13, 21, 0, 0});
  file.Add(wire::CopyRecord{1200, 1300, 64, 2, 3, 2, 2, 9, 13, 22, 0, 0});
  file.Add(wire::CopyRecord{1400, 1500, 64, 77, 0, 0, 2, 9, 13, 23, 0, 0});
  file.Add(wire::MemsetRecord{1600, 1700, 128, 3, 2, 9, 13, 24, 0, 0});
  file.Add(wire::SyncRecord{1650, 1800, 3, 9, 13, 25, 0xFFFFFFFF});
  file.Add(wire::SyncRecord{1650, 1700, 4, 9, 0xFFFFFFFF, 26, 0xFFFFFFFF});
  file.Add(wire::SyncRecord{1660, 1700, 2, 9, 13, 27, 31});
  const Trace trace = ImportBytes(file.Bytes());
  const TraceTables& t = trace.tables;
  EXPECT_THAT(Names(trace, t.gpu.name),
              ElementsAre("Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)",
                          "Memcpy unknown (Unknown -> Unknown)", "Memset (Device)"));
  EXPECT_EQ(t.gpu.copy_direction[0], CopyDirection::kHostToDevice);
  EXPECT_EQ(t.gpu.host_memory[0], HostMemory::kPageable);
  EXPECT_EQ(t.gpu.host_memory[1], HostMemory::kPinned);
  EXPECT_EQ(t.gpu.bytes[0], 4096);
  EXPECT_EQ(t.gpu.copy_direction[2], CopyDirection::kUnknown);
  EXPECT_EQ(t.gpu.kind[3], GpuKind::kMemset);
  EXPECT_THAT(Names(trace, t.syncs.name),
              ElementsAre("Stream Sync", "Context Sync", "Stream Wait Event"));
  // The GPU of a context is derived from the context's work.
  EXPECT_EQ(t.syncs.stream[0], t.gpu.stream[0]);
  EXPECT_EQ(t.streams.stream[Index(t.syncs.stream[1])], kMissing);
  EXPECT_EQ(t.syncs.wait_event, (Column<int64_t>{kMissing, kMissing, 31}));
  ASSERT_EQ(t.devices.ordinal.size(), 1U);
  EXPECT_EQ(t.devices.ordinal[0], 2);
  EXPECT_EQ(LogOf(trace), "");
}

TEST(CaptureImporter, WorkWithoutTimesIsLoggedAndLeftOut) {
  TestCapture file;
  file.Kernel(1000, 1100, "a", 1);
  file.Kernel(0, 1200, "b", 2);
  file.Kernel(1300, 0, "c", 3);
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(Names(trace, trace.tables.gpu.name), ElementsAre("a"));
  EXPECT_THAT(LogOf(trace), HasSubstr("untimed x2: "));
  EXPECT_EQ(trace.tables.sources.events[0], 3);
}

TEST(CaptureImporter, ReadsPropertiesOfOps) {
  TestCapture file;
  file.Op(1000, 1500, "Optimizer.step#SGD.step", -1, TestCapture::kThread, "", 7);
  file.Op(1600, 1700, "AddmmBackward0", 12, 200, "", 1);
  file.Add(wire::OpRecord{1800, 1900, 200, file.Text("aten::mm"), 0, -1, 3, file.Text("\x09"),
                          file.Text("model.py(3): forward\ntrain.py(9): <module>")});
  file.Add(wire::OpRecord{2000, 2100, 200, file.Text("aten::add"), 0, -1, 0, file.Text("\x63"), 0});
  const Trace trace = ImportBytes(file.Bytes());
  const HostRangesTable& t = trace.tables.host;
  EXPECT_EQ(t.kind[0], HostKind::kAnnotation);
  EXPECT_EQ(t.kind[1], HostKind::kOp);
  EXPECT_EQ(t.sequence, (Column<int64_t>{kMissing, 12, kMissing, kMissing}));
  EXPECT_EQ(t.forward_thread[2], 3);
  EXPECT_EQ(trace.Text(trace.tables.signatures.types[Index(t.signature[2])]), "[\"\"]");
  EXPECT_EQ(trace.Text(trace.tables.host_extras.call_stack[Index(t.extra[2])]),
            "model.py(3): forward;train.py(9): <module>");
  EXPECT_FALSE(IsSet(t.signature[3]));
  EXPECT_THAT(LogOf(trace), HasSubstr("bad_inputs x1: "));
}

TEST(CaptureImporter, ReadsRangesOfAllKinds) {
  TestCapture file;
  file.Range(1000, 9000, "3", RangeKind::kStep);
  file.Range(1100, 8000, "warm up", RangeKind::kAnnotated);
  file.Range(1200, 5000, "ResNet", RangeKind::kModule);
  file.Range(1300, 1400, "conv1", RangeKind::kModule);
  file.Range(1500, 1600, "aten::mm, seq = 5, sizes = [[2, 3]]", RangeKind::kPushed);
  file.Range(1700, 1800, "mine", RangeKind::kPushed);
  file.Range(1900, 2000, "ncclAllReduce", RangeKind::kPushed, "NCCL");
  file.Range(2100, 9900, "overlapping", RangeKind::kStarted, "X");
  file.Add(wire::RangeRecord{2200, 2300, TestCapture::kThread, file.Text("new"), 0, 99});
  file.Add(wire::MarkRecord{2400, TestCapture::kThread, file.Text("here"), file.Text("NCCL")});
  const Trace trace = ImportBytes(file.Bytes());
  const HostRangesTable& t = trace.tables.host;
  EXPECT_THAT(Names(trace, t.name),
              ElementsAre("ProfilerStep#3", "warm up", "ResNet", "conv1", "aten::mm", "mine",
                          "NCCL:ncclAllReduce", "X:overlapping", "new"));
  EXPECT_EQ(t.kind[0], HostKind::kAnnotation);
  EXPECT_EQ(t.kind[1], HostKind::kAnnotation);
  EXPECT_EQ(t.kind[2], HostKind::kModule);
  EXPECT_EQ(t.kind[4], HostKind::kOp);
  EXPECT_EQ(t.sequence[4], 5);
  EXPECT_EQ(t.kind[6], HostKind::kAnnotation);
  EXPECT_EQ(trace.Text(trace.tables.threads.tid[Index(t.thread[7])]), "NVTX start/end");
  EXPECT_THAT(Names(trace, trace.tables.instants.name), ElementsAre("NCCL:here"));
  EXPECT_EQ(LogOf(trace), "unknown_kind x1: a range of unknown kind; treated as an annotation\n");
}

TEST(CaptureImporter, XlaThunksAreOps) {
  TestCapture file;
  // Ranges are written when they end, so the inner one comes first.
  file.Range(1100, 1200, "Thunk:#name=dot_general,hlo_op=gemm.1#", RangeKind::kPushed, "TSL");
  file.Range(1000, 2000, "XlaModule:#prefix=jit(step),hlo_module=jit_step,program_id=3#",
             RangeKind::kPushed, "TSL");
  const Trace trace = ImportBytes(file.Bytes());
  const TraceTables& t = trace.tables;
  EXPECT_THAT(Names(trace, t.host.name), ElementsAre("jit_step", "gemm.1"));
  EXPECT_EQ(t.host.kind[1], HostKind::kOp);
  EXPECT_EQ(trace.Text(t.host_extras.module_hierarchy[Index(t.host.extra[1])]),
            "jit(step)/dot_general");
}

TEST(CaptureImporter, OpenRangesLastToTheEnd) {
  TestCapture file;
  file.Range(1000, 0, "train", RangeKind::kPushed);
  file.Range(1100, 0, "epoch", RangeKind::kPushed);
  file.Flush();
  file.Range(1000, 0, "train", RangeKind::kPushed);  // the same range, written again a second later
  file.Range(1100, 1800, "epoch", RangeKind::kPushed);
  file.Range(1200, 2600, "other", RangeKind::kPushed, "", 101);
  file.Kernel(1500, 2500, "k", 1);
  const Trace trace = ImportBytes(file.Unfinished());
  const HostRangesTable& t = trace.tables.host;
  EXPECT_THAT(Names(trace, t.name), ElementsAre("train", "epoch", "other"));
  EXPECT_EQ(t.duration, (Column<DurationNs>{1600, 700, 1400}));
  EXPECT_EQ(
      LogOf(trace),
      "truncated x1: the recording has no end: the program was killed or is still running. The "
      "last record is 0.000 s after the start; about the last second before it "
      "may be incomplete\n");
}

TEST(CaptureImporter, ReadsFacts) {
  TestCapture file;
  file.Fact("command", "/usr/bin/python3 train.py --epochs 3");
  file.Fact("torch", "2.10.0");
  file.Fact("torch", "2.11.0");  // the last one is used
  file.Fact("rank", "1");
  file.Fact("world_size", "4");
  file.Fact("backend", "nccl");
  file.Kernel(5'000'000'000, 5'000'001'000, "k", 1);
  file.Call(5'000'000'000, 5'000'000'500, "cudaLaunchKernel", 1);
  file.Add(wire::ThreadRecord{1, TestCapture::kThread, file.Text("MainThread")});
  file.Add(wire::ThreadRecord{1, 999, file.Text("idle")});
  file.Add(wire::DeviceRecord{0, file.Text("NVIDIA H200"), 9, 0, 132, int64_t{141} << 30, 2048,
                              65536, 233472, 32});
  for (const int64_t jitter : {0, 10, 1'000'000'000}) {
    file.Add(wire::AnchorRecord{5'000'000'000, 1'700'000'000'000'000'000 + jitter});
  }
  const Trace trace = ImportBytes(file.Bytes());
  const TraceTables& t = trace.tables;
  EXPECT_THAT(Names(trace, t.metadata.key),
              ElementsAre("backend", "command", "rank", "pytorch_version", "world_size"));
  EXPECT_EQ(trace.Text(t.metadata.value[3]), "\"2.11.0\"");
  EXPECT_EQ(t.sources.rank[0], 1);
  EXPECT_EQ(t.sources.world_size[0], 4);
  EXPECT_EQ(trace.Text(t.sources.backend[0]), "nccl");
  EXPECT_EQ(trace.Text(t.processes.name[0]), "python3");
  EXPECT_THAT(Names(trace, t.threads.name), ElementsAre("MainThread"));
  EXPECT_THAT(Names(trace, t.devices.name), ElementsAre("NVIDIA H200"));
  EXPECT_EQ(t.devices.sms[0], 132);
  EXPECT_EQ(t.devices.compute_minor[0], 0);
  EXPECT_EQ(trace.origin_unix_ns, 1'700'000'000'000'000'010);
  EXPECT_EQ(LogOf(trace), "");
}

TEST(CaptureImporter, ReadsMemoryAndOverhead) {
  TestCapture file;
  file.Add(wire::MemoryRecord{1000, TestCapture::kThread, 0, 0x7000, 512, 512, 2048, 0});
  file.Add(wire::MemoryRecord{1100, TestCapture::kThread, 0, 0x7000, -512, 0, 2048, 0});
  file.Add(wire::MemoryRecord{990, TestCapture::kThread, 0, 0x7000, 2048, -1, -1, 1});
  file.Add(wire::OverheadRecord{1200, 1300, TestCapture::kThread, 7 << 16});
  const Trace trace = ImportBytes(file.Bytes());
  const MemoryEventsTable& memory = trace.tables.memory;
  EXPECT_EQ(memory.bytes, (Column<int64_t>{512, -512}));
  EXPECT_EQ(memory.total_reserved, (Column<int64_t>{2048, 2048}));
  EXPECT_EQ(memory.device_type, (Column<int64_t>{1, 1}));
  EXPECT_THAT(Names(trace, trace.tables.host.name), ElementsAre("Activity Buffer Request"));
  EXPECT_EQ(trace.tables.host.kind[0], HostKind::kOverhead);

  TestCapture plain;  // a program without a framework
  plain.Add(wire::MemoryRecord{990, TestCapture::kThread, 0, 0x7000, 2048, -1, -1, 1});
  const Trace other = ImportBytes(plain.Bytes());
  EXPECT_EQ(other.tables.memory.bytes, (Column<int64_t>{2048}));
  EXPECT_EQ(other.tables.memory.total_allocated, (Column<int64_t>{kMissing}));
}

TEST(CaptureImporter, GapsAreLoggedAsSentences) {
  constexpr int64_t kSecond = 1'000'000'000;
  TestCapture file;
  file.Kernel(10 * kSecond, 11 * kSecond, "k", 1);
  file.Add(wire::GapRecord{12 * kSecond, 13 * kSecond + kSecond / 2, 100, 512,
                           file.Text("the thread was faster than the writer")});
  file.Add(wire::GapRecord{14 * kSecond, 15 * kSecond, 0, -1, file.Text("torch.profiler ran")});
  file.Add(wire::GapRecord{INT64_MIN, INT64_MAX, 0, 1, 0});
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(LogOf(trace),
              HasSubstr("gap x1: 512 records of thread 100 not kept from 2.000 s to 3.500 s after "
                        "the recording's start: the thread was faster than the writer\n"
                        "gap x1: an unknown number of records not kept from 4.000 s to 5.000 s "
                        "after the recording's start: torch.profiler ran\n"));
}

TEST(CaptureImporter, UnknownTextsAreLoggedOnce) {
  TestCapture file;
  file.Add(wire::OpRecord{1000, 1100, 1, 4711, 0, -1, 0, 4712, -5});
  file.Add(wire::OpRecord{1200, 1300, 1, 4711, 0, -1, 0, 0, 0});
  file.Op(1400, 1500, "not \xFF UTF-8");
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_THAT(Names(trace, trace.tables.host.name), ElementsAre("", "", "not \xEF\xBF\xBD UTF-8"));
  EXPECT_EQ(LogOf(trace), "unknown_text x3: a record refers to a text that is not in the file\n");
}

TEST(CaptureImporter, CompressedFramesAreTheSame) {
  const auto file = [](bool compressed) {
    TestCapture capture;
    for (int i = 0; i < 100; ++i) {
      capture.Kernel(1000 + 100 * i, 1050 + 100 * i, "kernel" + std::to_string(i % 7), i);
      capture.Op(1000 + 100 * i, 1050 + 100 * i, "aten::mm");
      if (i % 30 == 0) capture.Flush(compressed);
    }
    capture.Flush(compressed);
    return ImportBytes(capture.Bytes());
  };
  const Trace plain = file(false);
  const Trace packed = file(true);
  EXPECT_EQ(LogOf(packed), "");
  EXPECT_EQ(Names(plain, plain.tables.gpu.name), Names(packed, packed.tables.gpu.name));
  EXPECT_EQ(plain.tables.gpu.start, packed.tables.gpu.start);
  EXPECT_EQ(plain.tables.host.start, packed.tables.host.start);
}

constexpr std::array<int64_t, 6> kGridOf8 = {8, 1, 1, 128, 1, 1};
constexpr std::array<int64_t, 6> kGridOf4 = {4, 1, 1, 128, 1, 1};

TEST(CaptureImporter, ReadsCounters) {
  TestCapture file;
  file.Fact("mode", "counters");
  file.Fact("command", "python train.py");
  file.Fact("rank", "3");
  file.Fact("counter_launches", "3");
  AddCounted(file, "_Z3addPf", kGridOf8, 0, 0, 4096, 64);
  AddCounted(file, "_Z3addPf", kGridOf8, 1, kMissing, 8192, 64);
  AddCounted(file, "gemm", kGridOf4, 0, 65536, 0, 64);
  file.Add(wire::GapRecord{800, 0, 0, 3, file.Text("collectives were not measured")});
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_EQ(LogOf(trace), "counters x1: collectives were not measured\n");
  const KernelCountersTable& t = trace.tables.kernel_counters;
  ASSERT_EQ(RowCount(t), 3U);
  EXPECT_EQ(trace.Text(t.name[0]), "add(float*)") << "as on the timeline";
  EXPECT_EQ(trace.Text(t.name[2]), "gemm");
  EXPECT_EQ(t.instance, (Column<int64_t>{0, 1, 0}));
  EXPECT_EQ(t.duration[0], 13408.5);
  EXPECT_EQ(t.passes, (Column<int64_t>{2, 1, 2}));
  EXPECT_EQ(t.tensor_instructions, (Column<int64_t>{0, kMissing, 65536}))
      << "hfma2 is not a matrix product";
  EXPECT_EQ(t.tensor_active_percent[2], 12.5);
  EXPECT_EQ(t.sm_active_percent[0], 75);
  EXPECT_EQ(t.dram_read_bytes, (Column<int64_t>{4096, 8192, 0}));
  EXPECT_EQ(t.dram_write_bytes[0], 64);
  const LaunchConfigsTable& launches = trace.tables.launch_configs;
  EXPECT_EQ(launches.grid_x[Index(t.launch_config[0])], 8);
  EXPECT_EQ(launches.block_x[Index(t.launch_config[2])], 128);
  EXPECT_EQ(launches.registers[Index(t.launch_config[0])], kMissing);
  // Counters do not create a process on the timeline.
  EXPECT_EQ(RowCount(trace.tables.processes), 0U);
  EXPECT_EQ(trace.tables.sources.rank[0], 3);
  EXPECT_EQ(CountSourcesWithTimeline(trace), 0U);
  ASSERT_EQ(RowCount(trace.tables.metadata), 1U);
  EXPECT_EQ(trace.Text(trace.tables.metadata.key[0]), "counter_launches");
}

TEST(CaptureImporter, CountersOfOtherChips) {
  TestCapture file;
  const auto add = [&](const char* kernel, const char* metric, int64_t value) {
    file.Add(wire::CounterRecord{5, file.Text(kernel), 1, 1, 1, 32, 1, 1, 0, file.Text(metric),
                                 value * 1'000'000, 0});
  };
  add("blackwell", "sm__inst_executed_pipe_tensor_subpipe_hmma.sum", 7);
  add("blackwell", "sm__inst_executed_pipe_tc.sum", 5);
  add("blackwell", "dram__bytes_op_read.sum", 100);
  add("old", "sm__inst_executed_pipe_tensor.sum", 3);
  add("bare", "gpu__time_duration.sum", 9);
  add("bare", "sm__cycles_elapsed.avg", 0);
  add("bare", "dram__bytes_write.sum", -1);
  const Trace trace = ImportBytes(file.Bytes());
  const KernelCountersTable& t = trace.tables.kernel_counters;
  EXPECT_EQ(t.passes[0], kMissing) << "older agents did not write it";
  EXPECT_EQ(t.tensor_instructions, (Column<int64_t>{12, 3, kMissing}));
  EXPECT_EQ(t.dram_read_bytes, (Column<int64_t>{100, kMissing, kMissing}));
  EXPECT_EQ(t.dram_write_bytes, (Column<int64_t>{kMissing, kMissing, kMissing}));
  EXPECT_EQ(t.sm_active_percent[2], kMissingReal);
  EXPECT_EQ(LogOf(trace), "absurd_number x1: a number is out of range; it was left out\n");
}

TEST(CaptureImporter, BadFramesAreLoggedAndSkipped) {
  TestCapture file;
  file.Kernel(1000, 1100, "k", 1);
  file.Flush();
  constexpr auto kRecords = wire::FrameType::kRecords;
  const auto kernel = static_cast<uint16_t>(wire::RecordType::kKernel);
  file.Frame(kRecords, kernel, "nonsense", 3);
  file.Frame(kRecords, kernel, "", 0xFFFFFFFF);
  file.Frame(wire::FrameType::kStrings, 0, "nonsense", 3);
  file.Frame(static_cast<wire::FrameType>(static_cast<int>(kRecords) | wire::kCompressed), kernel,
             "not packed", 1);
  std::string bomb(size_t{65} << 20, '\0');
  file.Frame(kRecords, kernel, bomb, 1, true);
  file.Frame(static_cast<wire::FrameType>(9), 0, "later", 1);
  file.Frame(kRecords, 200, "later", 17);
  file.Frame(kRecords, 200, "later", 3);
  file.SkipFrame();
  file.SkipFrame();
  file.Add(wire::CounterRecord{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 5, 1});
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_EQ(RowCount(trace.tables.gpu), 1U);
  const std::string log = LogOf(trace);
  EXPECT_THAT(log, HasSubstr("bad_frame x5: "));
  EXPECT_THAT(log, HasSubstr("unknown_frame x1: a frame of type 9, from a newer version"));
  EXPECT_THAT(log, HasSubstr("unknown_records x1: 20 records of type 200 were skipped"));
  EXPECT_THAT(log, HasSubstr("missing_frames x1: 2 frames "));
  EXPECT_THAT(log, HasSubstr("unknown_counter x1: "));
  EXPECT_THAT(log, Not(HasSubstr("truncated")));
}

// Otherwise a few kilobytes could become gigabytes: texts stay in memory until the end.
TEST(CaptureImporter, FramesThatDecompressTooFarAreRejected) {
  const std::string zeros(size_t{60} << 20, '\0');
  TestCapture file;
  for (int i = 0; i < 4; ++i) file.Frame(wire::FrameType::kStrings, 0, zeros, 1, true);
  EXPECT_TRUE(TryImportBytes(file.Bytes()).ok()) << "256 MB are always allowed";
  file.Frame(wire::FrameType::kStrings, 0, zeros, 1, true);
  const auto trace = TryImportBytes(file.Bytes());
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message,
              HasSubstr("test.wscap: its frames decompress to more than 250 times its size"));
}

TEST(CaptureImporter, FramesWithTooManyRecordsAreLeftOut) {
  constexpr uint32_t kMost = 1 << 20;
  const std::string bytes = "\x01" + std::string(kMost + 1, '\0');  // texts, or records of 1 field
  for (const uint32_t more : {0, 1}) {
    TestCapture file;
    const std::string payload = bytes.substr(0, kMost + 1 + more);
    const auto mark = static_cast<uint16_t>(wire::RecordType::kMark);
    file.Frame(wire::FrameType::kStrings, 0, payload, kMost + more, true);
    file.Frame(wire::FrameType::kRecords, mark, payload, kMost + more, true);
    const std::string log = LogOf(ImportBytes(file.Bytes()));
    if (more == 0) {
      EXPECT_THAT(log, Not(HasSubstr("bad_frame")));
    } else {
      EXPECT_THAT(log, HasSubstr("bad_frame x2: "));
    }
  }
}

TEST(CaptureImporter, OtherVersionsAndFilesAreRejected) {
  TestCapture newer;
  newer.header().version = 9;
  EXPECT_EQ(TryImportBytes(newer.Bytes()).error().message,
            "test.wscap: capture file version 9 is too new, this Warpsight reads versions up to 1; "
            "use a newer Warpsight");
  EXPECT_THAT(TryImportBytes(newer.Bytes().substr(0, 20)).error().message,
              HasSubstr("truncated in its header"));
  EXPECT_THAT(TryImportBytes(std::string(100, 'x')).error().message,
              HasSubstr("not a capture file"));
  EXPECT_TRUE(Define().sniff(newer.Bytes()));
  EXPECT_FALSE(Define().sniff("WSPTCA"));
  EXPECT_FALSE(Define().sniff(std::string(100, 'x')));
}

TEST(CaptureImporter, UnusedPreallocatedSpaceIsNotDamage) {
  TestCapture file;
  file.Kernel(1000, 1100, "k", 1);
  const Trace trace = ImportBytes(file.Unfinished() + std::string(100'000, '\0'));
  EXPECT_EQ(RowCount(trace.tables.gpu), 1U);
  EXPECT_THAT(LogOf(trace), Not(HasSubstr("damaged_frames")));
  EXPECT_THAT(LogOf(trace), HasSubstr("truncated"));
}

// A capture with records of many kinds.
TestCapture Various(int repeats) {
  TestCapture file;
  for (int i = 0; i < repeats; ++i) {
    const int64_t t = 1'000'000 + 10'000 * i;
    file.Range(t, t + 9000, std::to_string(i), RangeKind::kStep);
    file.Range(t + 10, i % 3 == 0 ? 0 : t + 5000, "net", RangeKind::kModule);
    file.Op(t + 100, t + 900, "aten::linear", i, TestCapture::kThread,
            TestInputs().Tensor(6, {8, 4}, {4, 1}).TensorList({3}).bytes());
    file.Call(t + 200, t + 300, "cudaLaunchKernel", 3 * i + 1);
    file.Kernel(t + 400, t + 500, "_Z3addPf", 3 * i + 1, 70 + i % 4);
    file.Add(wire::GraphNodeRecord{t + 150, TestCapture::kThread, 5, 70 + i % 4, i % 2 * (70 + i)});
    file.Add(wire::CopyRecord{t + 600, t + 700, 64, 2, 3, 2, 0, 1, 7, 3 * i + 2, 0, 0});
    file.Add(wire::MemsetRecord{t + 800, t + 900, 128, 3, 0, 1, 7, 3 * i + 3, 0, 0});
    file.Add(wire::SyncRecord{t + 800, t + 900, 3, 1, 7, 3 * i + 3, 1});
    file.Add(wire::MemoryRecord{t, TestCapture::kThread, 0, 0x7000, 512, 512, 2048, 0});
    file.Add(wire::OverheadRecord{t, t + 10, TestCapture::kThread, 1 << 16});
    file.Add(wire::ThreadRecord{t, TestCapture::kThread, file.Text("main")});
    file.Add(wire::DeviceRecord{0, file.Text("GPU"), 9, 0, 132, 1 << 30, 2048, 65536, 233472, 32});
    file.Add(wire::GapRecord{t, t + 10, 0, i, file.Text("because")});
    file.Add(wire::MarkRecord{t, TestCapture::kThread, file.Text("mark"), 0});
    file.Fact("rank", std::to_string(i));
    file.Add(wire::CounterRecord{t, file.Text("_Z3addPf"), 8, 4, 2, 64, 2, 1, i,
                                 file.Text("sm__inst_executed_pipe_tensor_op_gmma.sum"), 5, 2});
    file.Add(wire::AnchorRecord{t, t + 1'700'000'000'000'000'000});
    file.Flush(i % 2 == 1);
  }
  return file;
}

TEST(CaptureImporter, AFileTruncatedAtAnyByteIsReadUpToThere) {
  TestCapture file = Various(2);
  const std::string bytes = file.Bytes();
  const int64_t events = ImportBytes(bytes).tables.sources.events[0];
  int64_t before = 0;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto trace = TryImportBytes(std::string_view(bytes).substr(0, size));
    if (!trace.ok()) {
      EXPECT_LT(size, sizeof(wire::FileHeader));
      continue;
    }
    ASSERT_EQ(CheckIntegrity(*trace), "") << size;
    EXPECT_GE(trace->tables.sources.events[0], before) << size;
    before = trace->tables.sources.events[0];
    EXPECT_EQ(LogOf(*trace).find("truncated") == std::string::npos, size == bytes.size()) << size;
  }
  EXPECT_EQ(before, events);
}

TEST(CaptureImporter, AFileTruncatedBetweenFramesIsNotDamaged) {
  TestCapture file = Various(40);
  const std::string bytes = file.Bytes();
  for (const size_t end : file.frame_ends()) {
    const Trace trace = ImportBytes(std::string_view(bytes).substr(0, end));
    EXPECT_THAT(LogOf(trace), Not(HasSubstr("damaged_frames"))) << end;
    EXPECT_THAT(LogOf(trace), Not(HasSubstr("bad_frame"))) << end;
    EXPECT_THAT(LogOf(trace), Not(HasSubstr("unknown_text"))) << end;
  }
}

TEST(CaptureImporter, ADamagedByteAffectsAtMostOneFrame) {
  TestCapture file = Various(2);
  const std::string bytes = file.Bytes();
  const int64_t events = ImportBytes(bytes).tables.sources.events[0];
  for (size_t at = sizeof(wire::FileHeader); at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    const Trace trace = ImportBytes(damaged);
    EXPECT_GE(trace.tables.sources.events[0], events - 2) << at;
    EXPECT_THAT(LogOf(trace), HasSubstr("damaged_frames")) << at;
  }
}

// Damage that the checksum does not detect: valid frames whose payloads contain arbitrary numbers.
TEST(CaptureImporter, AcceptsAnyNumberInAnyField) {
  const std::vector<int64_t> numbers = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, 2, 7, INT64_MAX};
  for (uint16_t type = 1; type <= 17; ++type) {
    for (size_t shift = 0; shift < numbers.size(); ++shift) {
      TestCapture file;
      file.Kernel(1000, 1100, "k", 1);
      file.Flush();
      std::string payload;
      wire::AppendVarint(18, payload);
      for (size_t field = 0; field < 18; ++field) {
        const int64_t start = numbers[(field + shift) % numbers.size()];
        wire::AppendVarint(wire::ZigZag(start), payload);
        wire::AppendVarint(wire::ZigZag(field < 2 ? 1500 : start), payload);
      }
      file.Frame(wire::FrameType::kRecords, type, payload, 2);
      const Trace trace = ImportBytes(file.Bytes());
      EXPECT_EQ(trace.tables.sources.events[0], 3) << type;
    }
  }
}

// A copy of the file with random changes to payloads, and with correct checksums.
std::string Damaged(const std::string& bytes, std::mt19937_64& random) {
  wire::FrameReader reader(std::string_view(bytes).substr(sizeof(wire::FileHeader)));
  std::string damaged = bytes.substr(0, sizeof(wire::FileHeader));
  while (const auto frame = reader.Next()) {
    std::string payload(frame->payload);
    wire::FrameHeader header = frame->header;
    for (uint64_t i = random() % 3; i > 0 && !payload.empty(); --i) {
      payload[random() % payload.size()] = static_cast<char>(random());
    }
    if (random() % 16 == 0) header.rows += static_cast<uint32_t>(random() % 5) - 2;
    if (random() % 16 == 0) header.record = static_cast<uint16_t>(random() % 20);
    wire::AppendFrame(header, payload, damaged);
  }
  return damaged;
}

TEST(CaptureImporter, SurvivesDamageWithCorrectChecksums) {
  std::mt19937_64 random(11);
  TestCapture file = Various(3);
  const std::string bytes = file.Bytes();
  for (int round = 0; round < 2000; ++round) {
    const Trace trace = ImportBytes(Damaged(bytes, random));
    EXPECT_GT(RowCount(trace.tables.sources), 0U) << round;
  }
}

// Compares with (or rewrites) a file that other tests read from tests/data.
void ExpectBundled(const std::string& name, const std::string& bytes) {
  const std::string path = WARPSIGHT_SOURCE_DIR "/tests/data/" + name;
  if (std::getenv("WARPSIGHT_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bundled((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(bundled == bytes) << path << " is another: run with WARPSIGHT_UPDATE_GOLDEN=1";
}

TEST(CaptureImporter, TheBundledSamplesAreUpToDate) {
  const std::string bytes = SampleCapture().Bytes();
  EXPECT_EQ(LogOf(ImportBytes(bytes)), "");
  ExpectBundled("capture/training.wscap", bytes);
  ExpectBundled("capture/training_counters.wscap", SampleCounters());
  ExpectBundled("stretches/alternating.wscap", AlternatingSample());
  if (std::getenv("WARPSIGHT_UPDATE_GOLDEN") != nullptr) {
    // Compressed frames depend on the version of zstd, so these files are only written.
    const std::string seeds = WARPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/capture/";
    std::ofstream(seeds + "training.wscap", std::ios::binary) << bytes;
    std::ofstream(seeds + "training_counters.wscap", std::ios::binary) << SampleCounters();
    std::ofstream(seeds + "alternating.wscap", std::ios::binary) << AlternatingSample();
    std::ofstream(seeds + "various.wscap", std::ios::binary) << Various(2).Bytes();
  }
}

class CaptureFolder : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.Path(name), std::ios::binary) << content;
  }
  Result<Trace> Import() const {
    Progress progress;
    return ImportTraces({folder_.path()}, {}, progress);
  }

  ::warpsight::testing::TemporaryFolder folder_;
};

TestCapture Process(uint32_t pid, int64_t start, int64_t unix_base, const std::string& host) {
  TestCapture file(pid);
  file.Fact("host", host);
  file.Fact("rank", std::to_string(pid));
  file.Call(start, start + 10, "cudaLaunchKernel", 1);
  file.Kernel(start + 20, start + 30, "k", 1);
  file.Add(wire::AnchorRecord{start, start + unix_base});
  return file;
}

TEST_F(CaptureFolder, ProcessesOfOneRunAreOneTrace) {
  constexpr int64_t kBase = 1'700'000'000'000'000'000;
  constexpr int64_t kMinute = 60'000'000'000;
  Write("0.wscap", TestCapture(9).Bytes());  // a helper that did nothing on a GPU
  Write("1.wscap", Process(1, 1000, kBase, "a").Bytes());
  Write("2.wscap", Process(2, 5000, kBase + 700, "a").Bytes());
  Write("3.wscap", Process(3, 2000 + kMinute, kBase - kMinute, "b").Bytes());
  const auto trace = Import();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(CheckIntegrity(*trace), "");
  EXPECT_EQ(LogOf(*trace), "");
  EXPECT_EQ(RowCount(trace->tables.sources), 4U);
  // Files of one machine share a clock; the clock of another machine is aligned through Unix time.
  EXPECT_EQ(trace->tables.api.start, (Column<TimeNs>{0, 1000, 4000}));
  EXPECT_EQ(trace->origin_unix_ns, kBase + 1000);
  EXPECT_EQ(trace->tables.sources.rank, (Column<int64_t>{kMissing, 1, 2, 3}));
}

TEST_F(CaptureFolder, CountersOfARunBelongToItsTimeline) {
  fs::create_directory(folder_.Path("counters"));
  Write("1.wscap", Process(1, 1000, 1'700'000'000'000'000'000, "a").Bytes());
  TestCapture counters(5);
  counters.Fact("mode", "counters");
  counters.Fact("rank", "1");
  AddCounted(counters, "k", kGridOf8, 0, 1, 2, 3);
  Write("counters/5.wscap", counters.Bytes());
  const auto trace = Import();
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(CheckIntegrity(*trace), "");
  EXPECT_EQ(LogOf(*trace), "");
  EXPECT_EQ(trace->end, 30) << "counters have no place on the timeline";
  EXPECT_EQ(trace->tables.kernel_counters.name[0], trace->tables.gpu.name[0]);
  EXPECT_EQ(trace->tables.kernel_counters.source[0], MakeId<SourceId>(1));
  EXPECT_EQ(CountSourcesWithTimeline(*trace), 1U);
}

TEST_F(CaptureFolder, FilesOfTwoRunsAreRejected) {
  Write("1.wscap", TestCapture(1, 7).Bytes());
  Write("2.wscap", TestCapture(2, 8).Bytes());
  const auto trace = Import();
  ASSERT_FALSE(trace.ok());
  EXPECT_THAT(trace.error().message, HasSubstr("they belong to two recordings"));
}

}  // namespace
}  // namespace warpsight::importers::capture
