#include "agent/cupti/translate.h"

#include <gtest/gtest.h>

#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/cupti/raw_records.h"
#include "base/temporary_folder.h"
#include "wire/frame.h"
#include "wire/rows.h"

namespace warpsight::agent {
namespace {

namespace fs = std::filesystem;

template <typename Record>
Record Zeroed(CUpti_ActivityKind kind) {
  Record record;
  std::memset(&record, 0, sizeof(record));
  record.kind = kind;
  return record;
}

CUpti_ActivityKernel7 Kernel(uint64_t start, uint64_t end, const char* name) {
  auto kernel = Zeroed<CUpti_ActivityKernel7>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  kernel.start = start;
  kernel.end = end;
  kernel.name = name;
  kernel.gridX = 3;
  kernel.blockX = 64;
  kernel.registersPerThread = 32;
  kernel.correlationId = 11;
  return kernel;
}

std::string Decompressed(std::string_view bytes) {
  std::string content(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  ZSTD_decompress(content.data(), content.size(), bytes.data(), bytes.size());
  return content;
}

const CUpti_Activity& Activity(const auto& record) {
  return reinterpret_cast<const CUpti_Activity&>(record);
}

// Translates records, writes them and reads the file.
class TranslateTest : public ::testing::Test {
 protected:
  void Translate(const std::vector<const CUpti_Activity*>& records, const Windows& windows) {
    std::atomic<uint32_t> next_text = 2;
    CaptureFile file(folder_.path(), 1, uint64_t{1} << 30U);
    Writer writer(next_text, file, [] {});
    for (const CUpti_Activity* record : records) {
      agent::Translate(*record, windows, writer, counts_);
    }
    writer.Flush();
    ReadBack();
  }
  void Translate(const std::vector<const CUpti_Activity*>& records) {
    Translate(records, Windows(Options{}, 0));
  }

  template <typename Record>
  std::vector<Record> Rows() const {
    const auto it = frames_.find(static_cast<uint16_t>(Record::kType));
    if (it == frames_.end()) return {};
    return *wire::DecodeRows<Record>(it->second.first, it->second.second);
  }
  std::string Text(int64_t number) const {
    return number == 0 ? "" : texts_.at(static_cast<uint64_t>(number));
  }

  TranslateCounts counts_;

 private:
  void ReadBack() {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      wire::FrameReader reader(std::string_view(bytes).substr(sizeof(wire::FileHeader)));
      while (const auto frame = reader.Next()) Keep(*frame);
    }
  }
  void Keep(const wire::Frame& frame) {
    std::string payload(frame.payload);
    if ((frame.header.type & wire::kCompressed) != 0) payload = Decompressed(frame.payload);
    if ((frame.header.type & ~wire::kCompressed) == static_cast<int>(wire::FrameType::kRecords)) {
      frames_[frame.header.record] = {payload, frame.header.rows};
      return;
    }
    const auto strings = wire::DecodeStrings(payload, frame.header.rows);
    for (size_t i = 0; i < strings->texts.size(); ++i) {
      texts_[strings->first + i] = strings->texts[i];
    }
  }

  testing::TemporaryFolder folder_;
  std::map<uint16_t, std::pair<std::string, uint32_t>> frames_;  // one of each type
  std::map<uint64_t, std::string> texts_;
};

TEST_F(TranslateTest, KernelsKeepWhatTheyAre) {
  auto kernel = Kernel(1000, 3000, "_Z4gemmv");
  kernel.graphId = 4;
  kernel.graphNodeId = 0x300000005;
  kernel.dynamicSharedMemory = 1024;
  Translate({&Activity(kernel)});
  const auto rows = Rows<wire::KernelRecord>();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].start, 1000);
  EXPECT_EQ(rows[0].end, 3000);
  EXPECT_EQ(Text(rows[0].name), "_Z4gemmv");
  EXPECT_EQ(rows[0].grid_x, 3);
  EXPECT_EQ(rows[0].block_x, 64);
  EXPECT_EQ(rows[0].registers, 32);
  EXPECT_EQ(rows[0].dynamic_shared, 1024);
  EXPECT_EQ(rows[0].correlation, 11);
  EXPECT_EQ(rows[0].graph_node, 0x300000005);
  EXPECT_EQ(counts_.kernels, 1U);
  EXPECT_EQ(counts_.graph_kernels, 1U);
}

TEST_F(TranslateTest, KernelsWithoutTimesAreCounted) {
  const auto never = Kernel(0, 0, "never ran");
  const auto early = Kernel(50, 60, "before the window");
  const auto wanted = Kernel(250, 260, "in it");
  Options options;
  options.delay = 100;
  Windows windows(options, 100);
  windows.Tick(200);
  Translate({&Activity(never), &Activity(early), &Activity(wanted)}, windows);
  const auto rows = Rows<wire::KernelRecord>();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(Text(rows[0].name), "in it");
  EXPECT_EQ(counts_.kernels, 3U);
  EXPECT_EQ(counts_.untimed, 1U);
}

TEST_F(TranslateTest, OtherKindsAreToldApart) {
  auto copy = Zeroed<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.bytes = 4096;
  auto peer = Zeroed<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.correlationId = 8;
  auto set = Zeroed<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.bytes = 64;
  auto device = Zeroed<CUpti_ActivityDevice4>(CUPTI_ACTIVITY_KIND_DEVICE);
  device.name = "NVIDIA Test";
  device.numMultiprocessors = 132;
  device.maxWarpsPerMultiprocessor = 64;
  device.numThreadsPerWarp = 32;
  auto freed = Zeroed<CUpti_ActivityMemory3>(CUPTI_ACTIVITY_KIND_MEMORY2);
  freed.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  freed.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  freed.bytes = 512;
  const auto other = Zeroed<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_NAME);
  Translate({&Activity(copy), &Activity(peer), &Activity(set), &Activity(device), &Activity(freed),
             &Activity(other)});
  const auto copies = Rows<wire::CopyRecord>();
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].bytes, 4096);
  EXPECT_EQ(copies[0].kind, 1);
  EXPECT_EQ(copies[1].kind, 10);
  EXPECT_EQ(copies[1].correlation, 8);
  EXPECT_EQ(Rows<wire::MemsetRecord>().at(0).bytes, 64);
  const auto devices = Rows<wire::DeviceRecord>();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(Text(devices[0].name), "NVIDIA Test");
  EXPECT_EQ(devices[0].threads_per_multiprocessor, 2048);
  EXPECT_EQ(Rows<wire::MemoryRecord>().at(0).bytes, -512);
}

// What CUPTI of a version of CUDA delivers, in bytes.
struct RecordSizes {
  const char* cuda;
  size_t kernel, copy, sync, overhead, device, memory;
};
constexpr RecordSizes kRecordSizes[] = {
    {"11.6", 176, 88, 40, 40, 176, 120}, {"11.8", 200, 88, 40, 40, 176, 120},
    {"12.0", 208, 88, 40, 40, 176, 120}, {"12.2", 208, 88, 40, 48, 176, 120},
    {"12.4", 208, 88, 40, 56, 176, 120}, {"12.6", 208, 88, 40, 56, 176, 128},
    {"12.8", 208, 96, 56, 56, 184, 128}, {"13.0", 216, 96, 56, 56, 184, 128},
};

// A record in memory of exactly the size that a version gives it. What later versions append, and
// padding that they use, is not zero.
template <typename Record>
std::vector<uint64_t> OfSize(Record record, size_t size) {
  if constexpr (requires { record.pad2; }) std::memset(&record.pad2, 0xEE, sizeof(record.pad2));
  if constexpr (requires { record.padding; }) record.padding = 0xEE;
  std::vector<uint64_t> memory(size / sizeof(uint64_t), 0xEEEEEEEEEEEEEEEE);
  std::memcpy(memory.data(), &record, sizeof(record));
  return memory;
}

class RecordSizesTest : public TranslateTest, public ::testing::WithParamInterface<RecordSizes> {};

TEST_P(RecordSizesTest, AreReadAlike) {
  const RecordSizes& sizes = GetParam();
  auto kernel = Kernel(1000, 3000, "_Z4gemmv");
  kernel.graphId = 4;
  kernel.graphNodeId = 5;
  auto copy = Zeroed<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.bytes = 4096;
  copy.graphId = 6;
  copy.graphNodeId = 7;
  auto sync = Zeroed<CUpti_ActivitySynchronization>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  sync.end = 20;
  sync.cudaEventId = 8;
  auto overhead = Zeroed<CUpti_ActivityOverhead>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId[1] = 77;
  overhead.end = 30;
  auto device = Zeroed<CUpti_ActivityDevice4>(CUPTI_ACTIVITY_KIND_DEVICE);
  device.name = "NVIDIA Test";
  device.id = 3;
  auto memory = Zeroed<CUpti_ActivityMemory3>(CUPTI_ACTIVITY_KIND_MEMORY2);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.bytes = 512;
  memory.deviceId = 3;
  const std::vector<uint64_t> delivered[] = {
      OfSize(kernel, sizes.kernel),     OfSize(copy, sizes.copy),     OfSize(sync, sizes.sync),
      OfSize(overhead, sizes.overhead), OfSize(device, sizes.device), OfSize(memory, sizes.memory)};
  std::vector<const CUpti_Activity*> records;
  RawRecords raw;
  for (const auto& record : delivered) {
    records.push_back(reinterpret_cast<const CUpti_Activity*>(record.data()));
    raw.Add(*records.back(), record.data() + record.size());
  }
  EXPECT_EQ(RawRecords::Read(raw.bytes()).size(), std::size(delivered)) << "none is cut off";
  Translate(records);
  EXPECT_EQ(Text(Rows<wire::KernelRecord>().at(0).name), "_Z4gemmv");
  EXPECT_EQ(Rows<wire::KernelRecord>().at(0).graph, 4);
  EXPECT_EQ(Rows<wire::KernelRecord>().at(0).graph_node, 5);
  EXPECT_EQ(Rows<wire::CopyRecord>().at(0).bytes, 4096);
  EXPECT_EQ(Rows<wire::CopyRecord>().at(0).graph, 6);
  EXPECT_EQ(Rows<wire::CopyRecord>().at(0).graph_node, 7);
  EXPECT_EQ(Rows<wire::SyncRecord>().at(0).end, 20);
  EXPECT_EQ(Rows<wire::SyncRecord>().at(0).event, 8);
  EXPECT_EQ(Rows<wire::OverheadRecord>().at(0).end, 30);
  EXPECT_EQ(Rows<wire::OverheadRecord>().at(0).thread, 77);
  EXPECT_EQ(Text(Rows<wire::DeviceRecord>().at(0).name), "NVIDIA Test");
  EXPECT_EQ(Rows<wire::DeviceRecord>().at(0).device, 3);
  EXPECT_EQ(Rows<wire::MemoryRecord>().at(0).bytes, 512);
  EXPECT_EQ(Rows<wire::MemoryRecord>().at(0).device, 3);
}

INSTANTIATE_TEST_SUITE_P(Cuda, RecordSizesTest, ::testing::ValuesIn(kRecordSizes),
                         [](const auto& test) {
                           std::string name = test.param.cuda;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// Two steps of training a small net and two replays of its graph on an H200: CUPTI 13.0.1's own
// records, written with the agent's option `raw`. The numbers are those of the profile that was
// made of the same run.
TEST_F(TranslateTest, RecordsOfAGpuBecomeWhatTheyWereThere) {
  std::ifstream file(WARPSIGHT_SOURCE_DIR "/tests/data/capture/cupti_records.raw.zst",
                     std::ios::binary);
  const RawRecords records =
      RawRecords::Read(Decompressed(std::string((std::istreambuf_iterator<char>(file)), {})));
  ASSERT_GT(records.size(), 85U);
  std::vector<const CUpti_Activity*> all;
  for (size_t i = 0; i < records.size(); ++i) all.push_back(&records[i]);
  Translate(all);
  EXPECT_EQ(counts_.kernels, 67U);
  EXPECT_EQ(counts_.graph_kernels, 14U);
  EXPECT_EQ(counts_.untimed, 0U);
  const auto time_of = [](const auto& rows) {
    int64_t sum = 0;
    for (const auto& row : rows) sum += row.end - row.start;
    return sum;
  };
  const auto kernels = Rows<wire::KernelRecord>();
  EXPECT_EQ(kernels.size(), 67U);
  EXPECT_EQ(time_of(kernels), 160'225);
  EXPECT_EQ(
      std::ranges::count_if(kernels, [](const auto& kernel) { return kernel.graph_node != 0; }),
      14);
  std::set<std::string> names;
  for (const auto& kernel : kernels) names.insert(Text(kernel.name));
  EXPECT_EQ(names.size(), 18U);
  const auto copies = Rows<wire::CopyRecord>();
  EXPECT_EQ(copies.size(), 8U);
  EXPECT_EQ(time_of(copies), 9056);
  const auto memsets = Rows<wire::MemsetRecord>();
  EXPECT_EQ(memsets.size(), 10U);
  EXPECT_EQ(time_of(memsets), 8449);
  ASSERT_EQ(Rows<wire::DeviceRecord>().size(), 1U);
  EXPECT_EQ(Text(Rows<wire::DeviceRecord>()[0].name), "NVIDIA H200");
}

TEST(RawRecords, ComeBackWithTheirNames) {
  const auto kernel = Kernel(5, 9, "_Z4gemmv");
  auto copy = Zeroed<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.bytes = 4096;
  RawRecords written;
  written.Add(Activity(kernel), &kernel + 1);
  written.Add(Activity(copy), &copy + 1);
  written.Add(Activity(kernel), &kernel);  // would reach beyond its buffer
  const RawRecords read = RawRecords::Read(written.bytes());
  ASSERT_EQ(read.size(), 2U);
  const auto& first = reinterpret_cast<const CUpti_ActivityKernel7&>(read[0]);
  EXPECT_STREQ(first.name, "_Z4gemmv");
  EXPECT_EQ(first.end, 9U);
  EXPECT_EQ(reinterpret_cast<const CUpti_ActivityMemcpy5&>(read[1]).bytes, 4096U);
  EXPECT_EQ(RawRecords::Read("no such file").size(), 0U);
}

}  // namespace
}  // namespace warpsight::agent
