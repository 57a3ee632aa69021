#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "importers/api/call_name.h"
#include "importers/api/importer.h"
#include "importers/nsys/nvtx_table.h"
#include "importers/nsys/report_file.h"
#include "importers/nsys/test_export.h"

namespace warpsight::importers::nsys {

Importer Define();

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Folder : public ::warpsight::testing::TemporaryFolder {
 public:
  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }
};

Result<Trace> Import(const std::string& path) {
  Progress progress;
  return ImportTraces({path}, {}, progress);
}

Trace ImportBytes(const std::string& bytes) {
  const Folder folder;
  auto trace = Import(folder.Write("export.sqlite", bytes));
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

// Why a file is not an export. Other importers may be able to read it.
std::string Refusal(const std::string& bytes) {
  MemorySource source(bytes);
  WholeFile whole("file", source);
  const Status status = Define().recognize(whole);
  return status.ok() ? "recognized" : status.error().message;
}

std::string LogOf(const Trace& trace) {
  std::string log;
  const ImportLogTable& t = trace.tables.import_log;
  for (size_t i = 0; i < t.code.size(); ++i) {
    log += fmt::format("{} x{}: {}\n", trace.Text(t.code[i]), t.count[i], trace.Text(t.message[i]));
  }
  return log;
}

TEST(NsysImporter, ReadsKernelsCallsAndRanges) {
  TestExport file;
  file.Range(1000, 2000, "step 0");
  file.Call(1100, 1200, "cudaLaunchKernel_v7000", 5);
  file.Kernel(1500, 1700, "void gemm<float>(int)", 5);
  file.Copy(1800, 1850, 6);
  file.ThreadName(100, "main");
  const Trace trace = ImportBytes(file.Bytes());
  const TraceTables& t = trace.tables;
  ASSERT_EQ(t.gpu.start.size(), 2U);
  EXPECT_EQ(trace.Text(t.gpu.name[0]), "void gemm<float>(int)");
  EXPECT_EQ(t.gpu.start[0], 500);
  EXPECT_EQ(t.gpu.duration[0], 200);
  EXPECT_EQ(t.launch_configs.block_x[0], 128);
  EXPECT_EQ(trace.Text(t.gpu.name[1]), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(t.gpu.host_memory[1], HostMemory::kPageable);
  EXPECT_EQ(t.gpu.bytes[1], 4096);
  ASSERT_EQ(t.api.start.size(), 1U);
  EXPECT_EQ(trace.Text(t.api.name[0]), "cudaLaunchKernel");
  EXPECT_EQ(t.host.kind[0], HostKind::kAnnotation);
  EXPECT_EQ(trace.Text(t.threads.name[Index(t.host.thread[0])]), "main");
  EXPECT_EQ(trace.Text(t.processes.pid[0]), "10");
  EXPECT_EQ(LogOf(trace), "");
}

TEST(NsysImporter, NamesHaveTheDomainsOfTheirProcess) {
  constexpr int64_t kMark = 34, kPushPop = 59, kStartEnd = 60, kDomainCreate = 75;
  TestExport file;
  file.Range(100, 200, "MPI_Send", 1, 10, kPushPop, 1);  // before the definition of its domain
  file.Range(0, 0, "MPI", 1, 10, kDomainCreate, 1);
  file.Range(0, 0, "NCCL", 1, 20, kDomainCreate, 1);
  file.Range(110, 210, "ncclAllReduce", 1, 20, kStartEnd, 1);
  file.Range(120, 0, "here", 1, 20, kMark, 1);
  file.Range(130, 230, "step 3", 1, 20);
  file.Range(140, 220, "nobody's", 1, 20, kPushPop, 7);
  const Trace trace = ImportBytes(file.Bytes());
  std::vector<std::string_view> names;
  for (const StringId name : trace.tables.host.name) names.push_back(trace.Text(name));
  EXPECT_THAT(names,
              ::testing::ElementsAre("MPI:MPI_Send", "NCCL:ncclAllReduce", "step 3", "nobody's"));
  ASSERT_EQ(RowCount(trace.tables.instants), 1U);
  EXPECT_EQ(trace.Text(trace.tables.instants.name[0]), "NCCL:here");
}

TEST(NsysImporter, NvtxRangesAreKeptAsRecorded) {
  constexpr int64_t kStartEnd = 60, kDomainCreate = 75;
  TestExport file;
  file.Range(0, 0, "MPI", 1, 10, kDomainCreate, 1);
  file.Range(100, 200, "aten::add, seq = 5, op_id = 12");
  file.Range(110, 180, "MPI_Send", 100, 10, 59, 1);
  file.Range(120, 150, "{'traceMarker': ['a.py:1'], 'funcStack': '/main/add'}");
  file.Range(130, 300, "batch", 100, 10, kStartEnd);
  file.Sql(
      "INSERT INTO NVTX_EVENTS(start, eventType, text, globalTid, domainId) "
      "SELECT 140, 59, 'open', globalTid, 0 FROM NVTX_EVENTS WHERE text = 'batch'");
  const Trace trace = ImportBytes(file.Bytes());
  const NvtxRangesTable& nvtx = trace.tables.nvtx;
  std::vector<std::string> rows;
  for (size_t i = 0; i < nvtx.start.size(); ++i) {
    rows.push_back(fmt::format("{}:{} {} {}", trace.Text(nvtx.domain[i]), trace.Text(nvtx.text[i]),
                               nvtx.duration[i], static_cast<int>(nvtx.style[i])));
  }
  EXPECT_THAT(rows,
              ::testing::ElementsAre(":aten::add, seq = 5, op_id = 12 100 0", "MPI:MPI_Send 70 0",
                                     ":{'traceMarker': ['a.py:1'], 'funcStack': '/main/add'} 30 0",
                                     ":batch 170 1", ":open 160 0"));
  // In host_ranges, ranges are interpreted; PyProf's marker belongs to the call inside it.
  std::vector<std::string_view> names;
  for (const StringId name : trace.tables.host.name) names.push_back(trace.Text(name));
  EXPECT_THAT(names, ::testing::ElementsAre("aten::add", "MPI:MPI_Send", "batch", "open"));
  EXPECT_THAT(LogOf(trace), ::testing::Not(HasSubstr("no_end")));
}

TEST(NsysImporter, VersionsOfFunctionsAreArguments) {
  TestExport file;
  file.Call(100, 110, "cudaMalloc_v3020", 1);
  file.Call(120, 130, "cuLaunchKernel", 2);
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_EQ(trace.Text(trace.tables.api.name[0]), "cudaMalloc");
  EXPECT_EQ(trace.Text(trace.tables.api.args[0]), R"({"version": 3020})");
  EXPECT_EQ(trace.Text(trace.tables.api.args[1]), "");
}

TEST(NsysImporter, ProcessesHaveSeparateStreams) {
  TestExport file;
  for (const int64_t pid : {10, 20}) {
    file.Call(1000 + pid, 1005 + pid, "cudaLaunchKernel_v7000", 5, 1, pid);
    file.Kernel(1500 + pid, 1505 + pid, "k", 5, pid);
  }
  const Trace trace = ImportBytes(file.Bytes());
  ASSERT_EQ(RowCount(trace.tables.streams), 2U);
  EXPECT_NE(trace.tables.gpu.stream[0], trace.tables.gpu.stream[1]);
  EXPECT_EQ(RowCount(trace.tables.devices), 1U);
}

TEST(NsysImporter, NumbersGpusAsTheMachineDoes) {
  TestExport file;
  file.Kernel(100, 200, "k", 1, 10, 0);
  file.Kernel(100, 200, "k", 1, 20, 0);
  file.Sql(
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId, cudaId, pid, uuid, numMultiprocessors);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 10, '', 132), (5, 0, 20, '', 132);"
      "CREATE TABLE TARGET_INFO_GPU(id, name, smCount, computeMajor, computeMinor);"
      "INSERT INTO TARGET_INFO_GPU VALUES (3, 'NVIDIA H100', 132, 9, 0)");
  const Trace trace = ImportBytes(file.Bytes());
  const DevicesTable& devices = trace.tables.devices;
  ASSERT_EQ(RowCount(devices), 2U);
  EXPECT_EQ(devices.ordinal, (Column<int64_t>{3, 5}));
  EXPECT_EQ(trace.tables.streams.recorded_device, (Column<int64_t>{0, 0}));
  EXPECT_EQ(trace.Text(devices.name[0]), "NVIDIA H100");
  EXPECT_EQ(devices.sms, (Column<int64_t>{132, 132}));
}

TEST(NsysImporter, FileReadsAreSystemCalls) {
  TestExport file;
  file.Kernel(100, 200, "k", 1);
  file.Sql("CREATE TABLE OSRT_API(start, end, globalTid, nameId)");
  file.Sql(fmt::format("INSERT INTO OSRT_API VALUES (10, 20, {}, {})", TestExport::Global(10, 1),
                       file.String("pread64")));
  const Trace trace = ImportBytes(file.Bytes());
  ASSERT_EQ(trace.tables.host.kind.size(), 1U);
  EXPECT_EQ(trace.tables.host.kind[0], HostKind::kSystemCall);
  EXPECT_EQ(trace.Text(trace.tables.host.name[0]), "pread64");
}

TEST(NsysImporter, BadRowsAreLoggedAndLeftOut) {
  TestExport file;
  file.Kernel(100, 200, "k", 1);
  file.Kernel(300, 250, "k", 2);
  file.Sql(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end) VALUES (NULL, 5), (1, NULL), "
      "(0, 9223372036854775807)");
  const Trace trace = ImportBytes(file.Bytes());
  EXPECT_EQ(trace.tables.gpu.start.size(), 2U);
  const std::string log = LogOf(trace);
  EXPECT_THAT(log, HasSubstr("negative_duration x1: CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_THAT(log, HasSubstr("no_end x1"));
  EXPECT_THAT(log, HasSubstr("bad_time x2"));
}

TEST(NsysImporter, SaysThatNoGpuWorkWasRecorded) {
  TestExport file;
  EXPECT_THAT(LogOf(ImportBytes(file.Bytes())),
              HasSubstr("no GPU work was recorded: the export has no table of kernels"));
  file.Kernel(1, 2, "k", 1);
  file.Sql("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL");
  EXPECT_THAT(LogOf(ImportBytes(file.Bytes())), HasSubstr("but these are empty"));
}

TEST(NsysImporter, SaysThatAVersionIsUnknown) {
  TestExport file;
  file.Kernel(1, 2, "k", 1);
  file.Sql("UPDATE META_DATA_EXPORT SET value = '4' WHERE name LIKE '%MAJOR'");
  EXPECT_THAT(LogOf(ImportBytes(file.Bytes())), HasSubstr("schema version is 4"));
}

TEST(NsysImporter, RefusesOtherDatabases) {
  TestExport file;
  file.Sql("CREATE TABLE StringTable(_id_, value)");
  EXPECT_THAT(Refusal(file.Bytes()), HasSubstr("neither from Nsight Systems nor from nvprof"));
  TestExport other;
  other.Sql("DROP TABLE META_DATA_EXPORT; DROP TABLE StringIds; CREATE TABLE songs(a)");
  EXPECT_THAT(Refusal(other.Bytes()),
              HasSubstr("an SQLite database, but neither from Nsight Systems nor from nvprof: it "
                        "has the tables songs"));
}

TEST(NsysImporter, ATruncatedFileIsReadUpToTheCut) {
  TestExport file;
  for (int i = 0; i < 2000; ++i) file.Kernel(10 * i, 10 * i + 5, "k", i);
  const std::string bytes = file.Bytes();
  for (size_t size = 100; size < bytes.size(); size += bytes.size() / 40) {
    const Folder folder;
    const auto trace = Import(folder.Write("cut", bytes.substr(0, size)));
    if (!trace.ok()) continue;
    EXPECT_EQ(CheckIntegrity(*trace), "");
    EXPECT_THAT(LogOf(*trace), HasSubstr("truncated"));
  }
}

TEST(NsysImporter, LogsUnreadChangesBesideTheFile) {
  TestExport file;
  file.Kernel(1, 2, "k", 1);
  const Folder folder;
  const std::string path = folder.Write("a.sqlite", file.Bytes());
  folder.Write("a.sqlite-wal", "changes");
  const auto trace = Import(path);
  ASSERT_TRUE(trace.ok());
  EXPECT_THAT(LogOf(*trace), HasSubstr("unread_changes x1: a.sqlite-wal contains changes"));
}

constexpr std::string_view kReportHead = "U3w[END]NVIDIA Nsight Systems Report 2025.3.1.0!";

// Sets PATH to a single folder.
class OnlyPath {
 public:
  explicit OnlyPath(const std::string& folder) : before_(getenv("PATH")) {
    setenv("PATH", folder.c_str(), 1);
  }
  ~OnlyPath() { setenv("PATH", before_.c_str(), 1); }
  OnlyPath(const OnlyPath&) = delete;
  OnlyPath& operator=(const OnlyPath&) = delete;

 private:
  std::string before_;
};

TEST(NsysImporter, ErrorSaysHowToExportAReport) {
  const Folder folder;
  const OnlyPath path(folder.path());
  const std::string report = folder.Write("run.nsys-rep", std::string(kReportHead));
  EXPECT_THAT(Import(report).error().message,
              HasSubstr("nsys export --type sqlite -o " + folder.path() + "/run.sqlite " + report));
}

TEST(NsysImporter, ExportsAReportIfNsysIsInstalled) {
  TestExport file;
  file.Kernel(100, 200, "k", 1);
  const Folder folder;
  folder.Write("made.sqlite", file.Bytes());
  const std::string nsys = folder.Write(
      "nsys", "#!/bin/sh\n[ \"$1 $2 $3 $4\" = 'export --type sqlite -o' ] || exit 1\n/bin/cp " +
                  folder.path() + "/made.sqlite \"$5\"\n");
  fs::permissions(nsys, fs::perms::owner_all);
  const OnlyPath path(folder.path());
  const std::string report = folder.Write("run.nsys-rep", std::string(kReportHead));
  const auto trace = Import(report);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->tables.gpu.start.size(), 1U);
  EXPECT_EQ(trace->Text(trace->tables.sources.path[0]), report);

  folder.Write("nsys", "#!/bin/sh\nexit 3\n");
  EXPECT_THAT(Import(report).error().message, HasSubstr("could not export"));
}

TEST(NsysImporter, FunctionNamesLoseTheirVersion) {
  EXPECT_EQ(WithoutVersion("cudaMalloc_v3020"), "cudaMalloc");
  EXPECT_EQ(WithoutVersion("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo_v2");
  EXPECT_EQ(WithoutVersion("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync_v2");
}

TEST(NsysImporter, ThunksOfJaxAreOps) {
  TestExport file;
  const auto range = [&](int64_t start, int64_t end, const std::string& text) {
    file.Range(start, end, text, 1, 10, 59, 1);
  };
  file.Range(0, 0, "TSL", 1, 10, 75, 1);
  range(90, 1000, "train#step_num=3#");
  range(100, 900, "XlaModule:#prefix=jit(step),hlo_module=jit_step,program_id=3#");
  range(110, 200, "Thunk:#name=jvp()/dot_general,hlo_op=gemm_fusion.3#");
  range(300, 400, "Thunk:#hlo_op=fusion.7#");
  range(1100, 1200, "Thunk:#hlo_op=copy.1,hlo_module=jit_f#");
  range(1300, 1400, "Rendezvous");
  const Trace trace = ImportBytes(file.Bytes());
  const HostRangesTable& host = trace.tables.host;
  std::vector<std::tuple<std::string_view, HostKind, std::string_view>> found;
  for (size_t i = 0; i < host.name.size(); ++i) {
    found.emplace_back(trace.Text(host.name[i]), host.kind[i], trace.RecordedPath(i));
  }
  using Row = std::tuple<std::string_view, HostKind, std::string_view>;
  EXPECT_THAT(
      found,
      ::testing::ElementsAre(
          Row("train#3", HostKind::kAnnotation, ""), Row("jit_step", HostKind::kAnnotation, ""),
          Row("gemm_fusion.3", HostKind::kOp, "jit(step)/jvp()/dot_general"),
          Row("fusion.7", HostKind::kOp, "jit(step)"), Row("copy.1", HostKind::kOp, "jit_f"),
          Row("TSL:Rendezvous", HostKind::kAnnotation, "")));
}

}  // namespace
}  // namespace warpsight::importers::nsys
