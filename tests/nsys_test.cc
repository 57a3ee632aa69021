// Nsight Systems exports, from the file to the reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "exported_reports.h"
#include "importers/nsys/test_export.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using importers::nsys::TestExport;
using ::testing::HasSubstr;
using ::testing::Not;

// One training step of a model of two layers. Forward on thread 100, backward on thread 101.
void WriteTwoLayers(TestExport& file) {
  file.ThreadName(101, "pt_autograd_0");

  file.Function(1000, 1900, "/<module>/main/Net::forward/Linear::forward(2)", "linear");
  file.Range(1100, 1800, "aten::linear, seq = 1, op_id = 1");
  file.Range(1200, 1700, "aten::addmm, seq = 2, op_id = 2");
  file.Call(1300, 1400, "cudaLaunchKernel_v7000", 1);
  file.Kernel(5000, 5400, "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_tn", 1);
  file.Call(1500, 1550, "cudaLaunchKernel_v7000", 2);
  file.Kernel(5500, 5600, "void at::native::(anonymous namespace)::bias_kernel<float>(float*)", 2);

  file.Function(2000, 2900, "/<module>/main/Net::forward/relu", "relu");
  file.Function(2100, 2800, "/<module>/main/Net::forward/relu/relu", "relu");
  file.Range(2200, 2700, "aten::relu, seq = 3, op_id = 3");
  file.Call(2300, 2400, "cudaLaunchKernel_v7000", 3);
  file.Kernel(5700, 5800, "relu_kernel", 3);

  file.Range(3000, 3400, "ReluBackward0, seq = 3, op_id = 4", 101);
  file.Call(3100, 3150, "cudaLaunchKernel_v7000", 4, 101);
  file.Kernel(6000, 6100, "relu_backward_kernel", 4);

  file.Range(3500, 4400, "AddmmBackward0, seq = 2, op_id = 5", 101);
  file.Range(3600, 4300, "aten::mm, op_id = 6", 101);
  file.Call(3700, 3800, "cudaLaunchKernel_v7000", 5, 101);
  file.Kernel(6200, 6500, "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nt", 5);
  file.Call(4000, 4050, "cudaLaunchKernel_v7000", 6, 101);
  file.Kernel(6600, 6900, "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", 6);

  file.Call(7000, 7500, "cudaDeviceSynchronize_v3020", 8);
  file.Call(7600, 7700, "cudaMemcpyAsync_v3020", 7);
  file.Copy(7800, 7900, 7);
}

// Total, average, smallest and largest of one call.
std::string Four(int64_t value) { return fmt::format("{0},{0}.0,{0},{0}", value); }

std::string Times(int64_t cpu, int64_t gpu, int64_t overhead, int64_t idle) {
  return fmt::format("{},{},{},{}", Four(cpu), Four(gpu), Four(overhead), Four(idle));
}

TEST(NsysPyprof, DetailHasDlprofsNumbers) {
  TestExport file;
  WriteTwoLayers(file);
  const TemporaryFolder folder;
  const std::string csv = ReportOf(WriteExport(folder, file), "detail");
  const std::string forward = "/module/main/Net::forward";
  EXPECT_THAT(LineOf(csv, "LINEAR_1,"),
              HasSubstr(forward + "/Linear::forward[2]/linear,fprop,linear,1,yes,yes," +
                        Times(800, 500, 650, 100) + ",float16"));
  EXPECT_THAT(LineOf(csv, "RELU_1,"), HasSubstr("RELU_1," + forward + "/relu,fprop,relu,1,no,no," +
                                                Times(800, 100, 700, 0)));
  EXPECT_THAT(LineOf(csv, "RELU_2,"), HasSubstr("RELU_2," + forward + "/relu,bprop,relu,1,no,no," +
                                                Times(400, 100, 350, 0)));
  EXPECT_THAT(csv, Not(HasSubstr("RELU_3,")));
  EXPECT_THAT(LineOf(csv, "LINEAR_2,"),
              HasSubstr(forward + "/Linear::forward[2]/linear,bprop,linear,1,yes,yes," +
                        Times(900, 600, 750, 100) + ",float16"));
  EXPECT_THAT(
      LineOf(csv, "CUDADEVICESYNCHRONIZE_V3020_1,"),
      HasSubstr("unassociated_cudaDeviceSynchronize_v3020,,cudaDeviceSynchronize_v3020,1,no,no," +
                Times(500, 0, 0, 0)));
  EXPECT_THAT(LineOf(csv, "CUDAMEMCPYASYNC_V3020_1,"),
              HasSubstr("unassociated_cudaMemcpyAsync_v3020,,cudaMemcpyAsync_v3020,1,no,no," +
                        Times(100, 100, 0, 0)));
  EXPECT_THAT(csv, HasSubstr(",float16,\"train.py:9\nnet.py:4\","));
}

// PyProf ends a place with its function, and numbers the calls of a function from the same place.
TEST(NsysPyprof, EveryCallOfARepeatedFunctionIsAnOp) {
  TestExport file;
  file.Function(1000, 1900, "/main/Net::forward/MaxPool2d::forward/max_pool2d", "max_pool2d");
  file.Function(1100, 1800, "/main/Net::forward/MaxPool2d::forward/fn/_max_pool2d/max_pool2d",
                "max_pool2d");
  file.Call(1300, 1400, "cudaLaunchKernel_v7000", 1);
  file.Kernel(5000, 5400, "void at::native::(anonymous namespace)::max_pool<float>(int)", 1);
  file.Function(2000, 2900, "/main/Net::forward/relu", "relu");
  file.Call(2300, 2400, "cudaLaunchKernel_v7000", 2);
  file.Kernel(5500, 5600, "void at::native::relu_kernel<float, 4>(int)", 2);
  file.Function(3000, 3900, "/main/Net::forward/relu(2)", "relu");
  file.Call(3300, 3400, "cudaLaunchKernel_v7000", 3);
  file.Kernel(5700, 5900, "void at::native::relu_kernel<float, 2>(int)", 3);
  file.Call(3500, 3600, "cudaLaunchKernel_v7000", 4);
  file.Kernel(6000, 6100, "void at::native::relu_kernel<float, 4>(int)", 4);
  const TemporaryFolder folder;
  const std::string path = WriteExport(folder, file);
  const std::string detail = ReportOf(path, "detail");
  EXPECT_THAT(LineOf(detail, "MAX_POOL2D_1,"),
              HasSubstr("MAX_POOL2D_1,/main/Net::forward/MaxPool2d::forward/max_pool2d,fprop,"
                        "max_pool2d,1,no,no," +
                        Times(800, 400, 700, 0)));
  EXPECT_THAT(LineOf(detail, "RELU_1,"), HasSubstr("RELU_1,/main/Net::forward/relu,fprop,relu,1,"));
  EXPECT_THAT(LineOf(detail, "RELU_2,"),
              HasSubstr("RELU_2,/main/Net::forward/relu[2],fprop,relu,1,no,no," +
                        Times(800, 300, 600, 100)));
  EXPECT_THAT(detail, Not(HasSubstr("MAX_POOL2D_2")));
  // Groups are the places of functions; their averages are per iteration.
  const std::string groups = ReportOf(path, "group_op");
  EXPECT_THAT(LineOf(groups, "/main/Net::forward/,"),
              HasSubstr("/main/Net::forward/,3,0,0," + Times(2400, 800, 2000, 100)));
  EXPECT_THAT(groups, Not(HasSubstr("relu")));
  // One row for each short name of a kernel.
  EXPECT_THAT(LineOf(ReportOf(path, "kernel"), "relu_kernel,RELU_2,"),
              HasSubstr("relu_kernel,RELU_2,/main/Net::forward/relu[2],fprop,no,300,150.0,100,200,"
                        "200,100.0,100,100,2,"));
}

TEST(NsysPyprof, OnlyMarkedFunctionsAreOps) {
  TestExport file;
  WriteTwoLayers(file);
  file.Range(8000, 8900, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
             101);
  file.Range(8100, 8800, "aten::add_, op_id = 9", 101);
  file.Call(8200, 8300, "cudaLaunchKernel_v7000", 9, 101);
  file.Kernel(8400, 8500, "add_kernel", 9);
  const TemporaryFolder folder;
  const std::string csv = ReportOf(WriteExport(folder, file), "detail");
  EXPECT_THAT(csv, Not(HasSubstr("aten::add_")));
  EXPECT_THAT(csv, Not(HasSubstr("ADD_")));
  EXPECT_THAT(LineOf(csv, "CUDALAUNCHKERNEL_V7000_1,"),
              HasSubstr("unassociated_cudaLaunchKernel_v7000,,cudaLaunchKernel_v7000,1,no,no," +
                        Times(100, 100, 0, 0)));
}

TEST(NsysPyprof, TheWholeRecordingIsOneIteration) {
  TestExport file;
  constexpr int kSteps = 5;
  for (int i = 0; i < kSteps; ++i) {
    // The first step is ten times as long as the others, and would be warm-up elsewhere.
    const int64_t at = i == 0 ? 1000 : 82000 + i * 10000;
    const int64_t length = i == 0 ? 90000 : 9000;
    file.Function(at, at + length, "/<module>/main", "linear");
    file.Call(at + 300, at + 400, "cudaLaunchKernel_v7000", i + 1);
    file.Kernel(at + 500, at + 600, "gemm", i + 1);
    file.Range(at + length, at + length + 100, "Optimizer.step#SGD.step, op_id = 1");
  }
  const TemporaryFolder folder;
  const std::string path = WriteExport(folder, file);
  // Each call of an iteration is a separate op.
  const std::string whole = ReportOf(path, "detail");
  for (int op = 1; op <= kSteps; ++op) {
    EXPECT_THAT(LineOf(whole, fmt::format("LINEAR_{},", op)), HasSubstr(",fprop,linear,1,"));
  }
  const std::string steps = ReportOf(path, "detail", {"--key-op", "Optimizer.step#SGD.step"});
  EXPECT_THAT(LineOf(steps, "LINEAR_1,"), HasSubstr(",fprop,linear,4,"));
  EXPECT_THAT(steps, Not(HasSubstr("LINEAR_2,")));
}

TEST(NsysPyprof, KernelsHaveTheirFunction) {
  TestExport file;
  WriteTwoLayers(file);
  const TemporaryFolder folder;
  const std::string csv = ReportOf(WriteExport(folder, file), "kernel");
  EXPECT_THAT(LineOf(csv, "bias_kernel,"),
              HasSubstr("LINEAR_1,/module/main/Net::forward/Linear::forward[2]/linear,fprop,no," +
                        Four(100) + "," + Four(50)));
  EXPECT_THAT(LineOf(csv, "relu_backward_kernel,"), HasSubstr("RELU_2,"));
}

TEST(NsysProcesses, EqualCorrelationIdsAreDistinguished) {
  TestExport file;
  for (const int64_t pid : {10, 20}) {
    file.Range(1000, 1100, fmt::format("aten::op_of_{}, op_id = 1", pid), 1, pid);
    file.Call(1010, 1020, "cudaLaunchKernel_v7000", 5, 1, pid);
    file.Kernel(1500 + pid, 1505 + pid, fmt::format("kernel_of_{}", pid), 5, pid);
  }
  const TemporaryFolder folder;
  const Profile profile = ImportForTest({WriteExport(folder, file)});
  const TraceTables& t = profile.trace.tables;
  ASSERT_EQ(t.gpu.start.size(), 2U);
  for (size_t g = 0; g < 2; ++g) {
    ASSERT_TRUE(IsSet(profile.facts.gpu.op[g]));
    const std::string_view op = profile.trace.Text(t.host.name[Index(profile.facts.gpu.op[g])]);
    const std::string_view kernel = profile.trace.Text(t.gpu.name[g]);
    EXPECT_EQ(op.substr(op.size() - 2), kernel.substr(kernel.size() - 2));
  }
}

TEST(NsysInputOutput, FileReadsHaveAShare) {
  TestExport file;
  file.Range(1000, 3000, "step 0", 1);
  file.Call(1100, 1200, "cudaLaunchKernel_v7000", 1, 1);
  file.Kernel(1300, 1400, "k", 1);
  file.Sql("CREATE TABLE OSRT_API(start, end, globalTid, nameId)");
  file.Sql(fmt::format("INSERT INTO OSRT_API VALUES (1500, 2500, {0}, {1}), (2500, 2600, {0}, {2})",
                       TestExport::Global(10, 1), file.String("read"), file.String("poll")));
  const TemporaryFolder folder;
  const Profile profile = ImportForTest({WriteExport(folder, file)});
  const RangeSummary range = SummarizeRange(profile);
  EXPECT_EQ(range.Of(LedgerEntry::kHostIo), 1000);
}

class NsysPublic : public ::testing::Test {
 protected:
  // The trace, or empty if the folder of third-party traces is absent.
  static Profile Read(const std::string& name) {
    return ImportForTest({SharedTraces() + "/" + name + ".sqlite.gz"});
  }
  static int64_t Kernels(const Profile& profile) {
    const auto& kinds = profile.trace.tables.gpu.kind;
    return std::count(kinds.begin(), kinds.end(), GpuKind::kKernel);
  }
  void SetUp() override {
    if (!std::filesystem::exists(SharedTraces() + "/nsys_2022_saxpy_mpi.sqlite.gz")) {
      GTEST_SKIP() << "no traces in " << SharedTraces();
    }
  }
};

TEST_F(NsysPublic, TwoGpusWithNccl) {
  const Profile profile = Read("nsys_2026_2gpu_nccl");
  const TraceTables& t = profile.trace.tables;
  EXPECT_EQ(Kernels(profile), 4010);
  int64_t nccl = 0;
  int64_t launched = 0;
  for (size_t g = 0; g < t.gpu.start.size(); ++g) {
    if (t.gpu.kind[g] != GpuKind::kKernel) continue;
    nccl += profile.trace.Text(t.gpu.name[g]).find("nccl") != std::string_view::npos ? 1 : 0;
    const ApiId api = profile.facts.gpu.api[g];
    if (!IsSet(api)) continue;
    ++launched;
    EXPECT_EQ(t.threads.process[Index(t.api.thread[Index(api)])],
              t.streams.process[Index(t.gpu.stream[g])]);
  }
  EXPECT_EQ(nccl, 66);
  EXPECT_EQ(launched, 3986);  // the file is cut out of a longer recording
  EXPECT_EQ(RowCount(t.devices), 2U);
  EXPECT_EQ(RowCount(t.syncs), 366U);
}

// The results of Nsight Systems' own queries for these files.
TEST_F(NsysPublic, NvtxReportsCountEveryRange) {
  const auto sums = [](const std::string& csv, size_t count_column, size_t total_column) {
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    int64_t rows = 0, count = 0, total = 0;
    while (std::getline(lines, line)) {
      std::vector<std::string> cells;
      bool quoted = false;
      cells.emplace_back();
      for (const char c : line) {
        if (c == '"') {
          quoted = !quoted;
        } else if (c == ',' && !quoted) {
          cells.emplace_back();
        } else {
          cells.back() += c;
        }
      }
      ++rows;
      count += std::stoll(cells.at(count_column));
      total += std::stoll(cells.at(total_column));
    }
    return fmt::format("{} rows, {} counted, {} ns", rows, count, total);
  };
  const std::string path = SharedTraces() + "/nsys_2026_2gpu_nccl.sqlite.gz";
  const std::string ranges = ReportOf(path, "nvtx_sum");
  EXPECT_EQ(sums(ranges, 2, 1), "18499 rows, 19118 counted, 1403779266 ns");
  EXPECT_THAT(ranges, HasSubstr("PushPop,\":aten::to, op_id = 999599\"\n"));
  EXPECT_EQ(sums(ReportOf(path, "nvtx_kern_sum"), 5, 6), "8487 rows, 9608 counted, 1127572041 ns");
  EXPECT_EQ(sums(ReportOf(path, "nvtx_gpu_proj_sum"), 4, 2),
            "9494 rows, 9621 counted, 1130895551 ns");
  const std::string mpi = ReportOf(SharedTraces() + "/nsys_2022_saxpy_mpi.sqlite.gz", "nvtx_sum");
  EXPECT_THAT(mpi, HasSubstr(",136342959,10,13634295.9,11113604.0,11091788,33529430,"));
  EXPECT_THAT(mpi, HasSubstr(",PushPop,MPI:MPI_Send\n"));
  EXPECT_THAT(mpi, HasSubstr(",PushPop,:saxpy\n"));
}

// The version stays in a function's name if it has at least five digits, as in Nsight Systems.
TEST_F(NsysPublic, ApiNamesEqualNsights) {
  const std::string csv =
      ReportOf(SharedTraces() + "/nsys_2026_2gpu_nccl.sqlite.gz", "cuda_api_sum");
  EXPECT_THAT(csv, HasSubstr(",cudaStreamIsCapturing_v10000\n"));
  EXPECT_THAT(csv, HasSubstr(",cudaLaunchKernel\n"));
}

TEST_F(NsysPublic, ShortNamesEqualNsights) {
  const Profile profile = Read("nsys_2026_2gpu_nccl");
  std::set<std::string_view> names;
  for (const StringId name : profile.facts.kernel_names.short_name) {
    names.insert(profile.trace.Text(name));
  }
  EXPECT_THAT(names, ::testing::ElementsAre(
                         "CatArrayBatchedCopy_vectorized", "elementwise_kernel", "flash_fwd_kernel",
                         "ncclDevKernel_SendRecv", "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN",
                         "nvjet_tst_192x208_64x4_1x1_h_bz_coopB_bias_TNT",
                         "nvjet_tst_96x64_64x10_1x2_h_bz_bias_TNN", "reduce_kernel",
                         "unrolled_elementwise_kernel", "vectorized_elementwise_kernel",
                         "vectorized_layer_norm_kernel"));
}

TEST_F(NsysPublic, OlderExport) {
  const Profile profile = Read("nsys_2022_saxpy_mpi");
  EXPECT_EQ(Kernels(profile), 5);
  EXPECT_EQ(profile.trace.tables.gpu.start.size(), 20U);
  for (const ApiId api : profile.facts.gpu.api) EXPECT_TRUE(IsSet(api));
  EXPECT_EQ(profile.trace.Text(profile.trace.tables.devices.name[0]), "NVIDIA A100-SXM4-40GB");
}

TEST_F(NsysPublic, WithoutCuptiTables) {
  const Profile profile = Read("nsys_no_cupti_tables");
  EXPECT_EQ(Kernels(profile), 0);
  const ImportLogTable& log = profile.trace.tables.import_log;
  ASSERT_EQ(log.code.size(), 1U);
  EXPECT_THAT(std::string(profile.trace.Text(log.message[0])),
              HasSubstr("no GPU work was recorded"));
}

}  // namespace
}  // namespace warpsight::testing
