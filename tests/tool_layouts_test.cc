// The layouts of reports that are named after another tool's: columns, rows, their order and the
// format of values must be those of DLProf 1.8 and Nsight Systems 2025.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exported_reports.h"
#include "importers/nsys/test_export.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using importers::nsys::TestExport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr const char* kTimes =
    "Total CPU Time (ns),Avg. CPU Time (ns),Min CPU Time (ns),Max CPU Time (ns),"
    "Total GPU Time (ns),Avg. GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),"
    "Total CPU Overhead (ns),Avg. CPU Overhead (ns),Min CPU Overhead (ns),Max CPU Overhead (ns),"
    "Total GPU Idle (ns),Avg. GPU Idle (ns),Min GPU Idle (ns),Max GPU Idle (ns)";

// A call of a marked function with its inputs, as DLProf's plugin for PyTorch marks it.
void Call(TestExport& file, int64_t start, int64_t end, const std::string& place,
          const std::string& op, const std::string& arguments) {
  file.Range(start, end,
             fmt::format("{{'traceMarker': ['main.py:9', 'net.py:4'], 'funcStack': '{}'}}", place));
  file.Range(start + 50, end - 50,
             fmt::format("{{'mod': 'torch', 'op': '{}', 'args': [{}]}}", op, arguments));
}

std::string Tensor(const std::string& shape) {
  return fmt::format("{{'name': '', 'type': 'tensor', 'shape': {}, 'dtype': 'float32'}}, ", shape);
}

std::string Value(const std::string& value) {
  return fmt::format("{{'name': '', 'type': 'int', 'value': {}}}, ", value);
}

// Two iterations that end with a call of `step`: a convolution, two copies to the GPU from the same
// line, a linear layer, and a synchronization outside all functions. The times of the second are
// those of the first, except that one copy takes twice as long.
void WriteIterations(TestExport& file) {
  for (const int64_t t : {0, 10000}) {
    const int64_t id = t / 100;
    Call(file, t + 1000, t + 2000, "/<module>/Net::forward/conv2d", "conv2d",
         Tensor("(1, 3, 32, 32)") + Tensor("(6, 3, 3, 3)") + Tensor("(6,)") + Value("(2, 2)") +
             Value("(1, 1)") + Value("(1, 1)") + Value("1"));
    file.Call(t + 1100, t + 1200, "cudaLaunchKernel_v7000", id + 1);
    file.Kernel(t + 1300, t + 1400, "void cudnn::flip_filter<float, (int)1>(int)", id + 1);
    file.Call(t + 1400, t + 1500, "cudaLaunchKernel_v7000", id + 2);
    file.Kernel(t + 1600, t + 1700, "void at::native::<unnamed>::CatArrayBatchedCopy<float>(int)",
                id + 2);
    file.Call(t + 1600, t + 1650, "cudaLaunchKernel_v7000", id + 3);
    file.Kernel(t + 1650, t + 1750, "void cudnn::flip_filter<float, (int)2>(int)", id + 3);
    for (const int64_t copy : {0, 1}) {
      const int64_t at = t + 2000 + copy * 1000;
      Call(file, at, at + 900, "/<module>/Net::cuda/<lambda>/cuda", "cuda", Tensor("(6, 3)"));
      file.Call(at + 100, at + 200, "cudaMemcpyAsync_v3020", id + 10 + copy);
      file.Copy(at + 300, at + (t > 0 && copy == 1 ? 500 : 400), id + 10 + copy);
    }
    Call(file, t + 4000, t + 4900, "/<module>/Net::forward/linear", "linear",
         Tensor("(4, 8)") + Tensor("(2, 8)") + Tensor("(2,)"));
    file.Call(t + 4100, t + 4200, "cudaLaunchKernel_v7000", id + 20);
    file.Kernel(t + 4400, t + 4600, "volta_sgemm_32x32_sliced1x4_tn", id + 20);
    file.Call(t + 5000, t + 5100, "cudaDeviceSynchronize_v3020", id + 30);
    file.Range(t + 5200, t + 5300, "step");
  }
}

class DlprofLayout : public ::testing::Test {
 protected:
  DlprofLayout() {
    TestExport file;
    WriteIterations(file);
    path_ = WriteExport(folder_, file);
  }

  // The lines of a report.
  std::vector<std::string> Lines(const std::string& report) const {
    return CsvLines(ReportOf(path_, report, {"--key-op", "step"}));
  }
  // The same, each up to the n-th comma.
  std::vector<std::string> Starts(const std::string& report, int commas) const {
    std::vector<std::string> lines = Lines(report);
    lines.erase(lines.begin());
    for (std::string& line : lines) {
      size_t end = 0;
      for (int i = 0; i < commas; ++i) end = line.find(',', end + 1);
      line.resize(end);
    }
    return lines;
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(DlprofLayout, Detail) {
  const std::vector<std::string> lines = Lines("detail");
  EXPECT_THAT(lines[0],
              StartsWith(fmt::format("Op ID,Op Name,Direction,Op Type,No. Calls,TC Eligible,Using "
                                     "TC,{},Data Type,Stack Trace",
                                     kTimes)));
  EXPECT_THAT(Starts("detail", 7),
              ElementsAre("CONV2D_1,/module/Net::forward/conv2d,fprop,conv2d,2,yes,no",
                          "CUDADEVICESYNCHRONIZE_V3020_1,unassociated_cudaDeviceSynchronize_v3020,,"
                          "cudaDeviceSynchronize_v3020,2,no,no",
                          "CUDA_1,/module/Net::cuda/lambda/cuda,fprop,cuda,2,no,no",
                          "CUDA_2,/module/Net::cuda/lambda/cuda,fprop,cuda,2,no,no",
                          "LINEAR_1,/module/Net::forward/linear,fprop,linear,2,yes,no"));
  EXPECT_THAT(lines[1], HasSubstr(",1800,900.0,900,900,500,250.0,250,250,1300,650.0,650,650,400,"
                                  "200.0,200,200,float32,\"main.py:9\nnet.py:4\""));
  EXPECT_THAT(lines[2], HasSubstr(",200,100.0,100,100,0,0.0,0,0,0,0.0,0,0,0,0.0,0,0,,"));
  EXPECT_THAT(lines[4], HasSubstr(",1600,800.0,800,800,300,150.0,100,200,"));
}

TEST_F(DlprofLayout, OpType) {
  EXPECT_EQ(Lines("op_type")[0], fmt::format("Op Type,# Ops,# Calls,{}", kTimes));
  EXPECT_THAT(Starts("op_type", 3), ElementsAre("conv2d,1,2", "cuda,2,4",
                                                "cudaDeviceSynchronize_v3020,1,2", "linear,1,2"));
}

// Averages, minima and maxima are per iteration, and "/" includes only named ops.
TEST_F(DlprofLayout, GroupOp) {
  EXPECT_THAT(Lines("group_op")[0],
              StartsWith(fmt::format("Name,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using "
                                     "TC,{}",
                                     kTimes)));
  EXPECT_THAT(Starts("group_op", 12),
              ElementsAre("/,8,2,0,6600,3300.0,3300,3300,1400,700.0,650,750",
                          "/module/,8,2,0,6600,3300.0,3300,3300,1400,700.0,650,750",
                          "/module/Net::cuda/,4,0,0,3200,1600.0,1600,1600,500,250.0,200,300",
                          "/module/Net::cuda/lambda/,4,0,0,3200,1600.0,1600,1600,500,250.0,200,300",
                          "/module/Net::forward/,4,2,0,3400,1700.0,1700,1700,900,450.0,450,450",
                          "_CompleteModel_,10,2,0,6800,3400.0,3400,3400,1400,700.0,650,750"));
}

// One row for each short name and op, with copies, which DLProf does not list, after all kernels.
TEST_F(DlprofLayout, Kernel) {
  EXPECT_THAT(Lines("kernel")[0],
              StartsWith("Kernel Name,Op ID,Op Name,Direction,Uses TC,Total GPU Time (ns),"
                         "Avg GPU Time (ns),Min GPU Time (ns),Max GPU Time (ns),Total API Time "
                         "(ns),Avg API Time (ns),Min API Time (ns),Max API Time (ns)"));
  EXPECT_THAT(
      Starts("kernel", 13),
      ElementsAre(
          "CatArrayBatchedCopy,CONV2D_1,/module/Net::forward/conv2d,fprop,no,200,100.0,100,100,200,"
          "100.0,100,100",
          "flip_filter,CONV2D_1,/module/Net::forward/conv2d,fprop,no,400,100.0,100,100,300,"
          "75.0,50,100",
          "volta_sgemm_32x32_sliced1x4_tn,LINEAR_1,/module/Net::forward/linear,fprop,no,"
          "400,200.0,200,200,200,100.0,100,100",
          StartsWith("Memcpy HtoD (Pageable -> Device),CUDA_1,"),
          StartsWith("Memcpy HtoD (Pageable -> Device),CUDA_2,")));
}

TEST_F(DlprofLayout, TensorCore) {
  EXPECT_THAT(Lines("tensor_core")[0],
              StartsWith("Op ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),TC GPU Time "
                         "(ns),Non-TC GPU Time (ns),TC Utilization (%),Total Kernel Count,TC "
                         "Kernel Count,TC Kernel Names,Non-TC Kernel Count,Non-TC Kernel Names"));
  EXPECT_THAT(Lines("tensor_core")[1],
              StartsWith("CONV2D_1,/module/Net::forward/conv2d,fprop,conv2d,no,600,0,600,0.0,2,0,,"
                         "2,\"CatArrayBatchedCopy, flip_filter\""));
}

// Times are those of the file, as Nsight Systems recorded them.
TEST_F(DlprofLayout, Iteration) {
  const std::vector<std::string> lines = Lines("iteration");
  EXPECT_THAT(
      lines[0],
      StartsWith("Iteration,Op ID,Op Name,Direction,Op Type,Kernel Name,Device ID,GPU Start Time "
                 "(ns),GPU Duration (ns),API Call Start (ns),API Call Time (ns),Uses TC,Grid X,"
                 "Grid Y,Grid Z,Block X,Block Y,Block Z,Data Types,Input Shapes,Parameters,Output "
                 "Shapes,Long Kernel Name"));
  EXPECT_THAT(
      lines[1],
      StartsWith(
          "0,CONV2D_1,/module/Net::forward/conv2d,fprop,conv2d,CatArrayBatchedCopy,0,1600,100,1400,"
          "100,no,8,1,1,128,1,1,float32,\"<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>; "
          "<6>\",,\"<N:1, K:6, P:16, Q:16>\",void "
          "at::native::<unnamed>::CatArrayBatchedCopy<float>(int)"));
  std::vector<std::pair<std::string, std::string>> kernels;
  for (size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::string> fields;
    size_t begin = 0;
    for (int field = 0; field < 8; ++field) {
      const size_t end = lines[i].find(',', begin);
      fields.push_back(lines[i].substr(begin, end - begin));
      begin = end + 1;
    }
    kernels.emplace_back(fields[0] + " " + fields[5].substr(0, 11), fields[7]);
  }
  EXPECT_THAT(kernels, ElementsAre(Pair("0 CatArrayBat", "1600"), Pair("0 flip_filter", "1300"),
                                   Pair("0 flip_filter", "1650"), Pair("0 volta_sgemm", "4400"),
                                   Pair("1 CatArrayBat", "11600"), Pair("1 flip_filter", "11300"),
                                   Pair("1 flip_filter", "11650"), Pair("1 volta_sgemm", "14400"),
                                   Pair("0 Memcpy HtoD", "2300"), Pair("0 Memcpy HtoD", "3300"),
                                   Pair("1 Memcpy HtoD", "12300"), Pair("1 Memcpy HtoD", "13300")));
  EXPECT_THAT(lines[4], HasSubstr("\"<N:4, K:8>; <M:2, K:8>; <2>\",,\"<N:4, M:2>\""));
}

TEST_F(DlprofLayout, SummaryCountsNamesOfKernels) {
  const std::string summary = ReportOf(path_, "summary", {"--key-op", "step"});
  EXPECT_THAT(summary, HasSubstr("All Ops,All ops: # Ops,5,"));
  EXPECT_THAT(summary, HasSubstr("All Kernels,All kernels: # Kernels,4,"));
  EXPECT_THAT(summary, HasSubstr("All Kernels,Memory: # Kernels,1,"));
  EXPECT_THAT(summary, HasSubstr("All Kernels,All other kernels: # Kernels,3,"));
  EXPECT_THAT(summary, HasSubstr("All Kernels,All other kernels: Runs,8,"));
}

constexpr const char* kSpread = "Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns)";

// An outer range with two inner ranges of the same name, one of them without GPU work, and a
// start/end range that overlaps it; with and without a named domain.
class NsightLayout : public ::testing::Test {
 protected:
  NsightLayout() {
    TestExport file;
    constexpr int64_t kStartEnd = 60, kDomainCreate = 75;
    file.Range(0, 0, "libs", 100, 10, kDomainCreate, 3);
    file.Range(1000, 9000, "outer");
    file.Range(2000, 4000, "inner");
    file.Range(5000, 5500, "inner");
    file.Range(1500, 4500, "reduce", 100, 10, 59, 3);
    file.Range(3000, 12000, "batch", 100, 10, kStartEnd);
    file.Call(3100, 3200, "cudaLaunchKernel_v7000", 1);
    file.Kernel(3400, 3700, "kernel_a(int)", 1);
    file.Call(3300, 3400, "cudaLaunchKernel_v7000", 2);
    file.Kernel(3800, 3900, "kernel_b(int)", 2);
    file.Call(9500, 9600, "cuLaunchKernelEx_v11060", 3);
    file.Kernel(9550, 9750, "kernel_a(int)", 3);
    path_ = WriteExport(folder_, file);
  }

  std::vector<std::string> Lines(const std::string& report) const {
    return CsvLines(ReportOf(path_, report));
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(NsightLayout, NvtxSum) {
  EXPECT_THAT(Lines("nvtx_sum"),
              ElementsAre(fmt::format("Time (%),Total Time (ns),Instances,{},Style,Range", kSpread),
                          "40.0,9000,1,9000.0,9000.0,9000,9000,0.0,StartEnd,:batch",
                          "35.6,8000,1,8000.0,8000.0,8000,8000,0.0,PushPop,:outer",
                          "13.3,3000,1,3000.0,3000.0,3000,3000,0.0,PushPop,libs:reduce",
                          "11.1,2500,2,1250.0,1250.0,500,2000,1060.7,PushPop,:inner"));
}

TEST(NsightRounding, HalvesGoUp) {
  TestExport file;
  for (const int64_t length : {2, 2, 2, 3}) file.Range(length * 100, length * 101, "range");
  const TemporaryFolder folder;
  EXPECT_THAT(CsvLines(ReportOf(WriteExport(folder, file), "nvtx_sum"))[1],
              StartsWith("100.0,9,4,2.3,2.0,2,3,0.5,"));
}

TEST_F(NsightLayout, NvtxKernSum) {
  EXPECT_THAT(
      Lines("nvtx_kern_sum"),
      ElementsAre(fmt::format("NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),{},"
                              "Kernel Name",
                              kSpread),
                  ":batch,StartEnd,10,100,1,2,500,250.0,250.0,200,300,70.7,kernel_a(int)",
                  ":batch,StartEnd,10,100,1,1,100,100.0,100.0,100,100,0.0,kernel_b(int)",
                  ":inner,PushPop,10,100,1,1,300,300.0,300.0,300,300,0.0,kernel_a(int)",
                  ":inner,PushPop,10,100,1,1,100,100.0,100.0,100,100,0.0,kernel_b(int)",
                  ":outer,PushPop,10,100,1,1,300,300.0,300.0,300,300,0.0,kernel_a(int)",
                  ":outer,PushPop,10,100,1,1,100,100.0,100.0,100,100,0.0,kernel_b(int)",
                  "libs:reduce,PushPop,10,100,1,1,300,300.0,300.0,300,300,0.0,kernel_a(int)",
                  "libs:reduce,PushPop,10,100,1,1,100,100.0,100.0,100,100,0.0,kernel_b(int)"));
}

// A range is listed under the shortest one around it: `inner` under `reduce`, not under `batch`,
// which only overlaps it.
TEST_F(NsightLayout, NvtxGpuProjSum) {
  EXPECT_THAT(
      Lines("nvtx_gpu_proj_sum"),
      ElementsAre("Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg "
                  "(ns),Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,"
                  "Avg GPU Ops,Avg Range Lvl,Avg Num Child",
                  ":batch,StartEnd,6350,9000,1,6350.0,6350.0,6350,6350,0.0,3,3.0,0.0,0.0",
                  ":inner,PushPop,500,2000,1,500.0,500.0,500,500,0.0,2,2.0,2.0,0.0",
                  ":outer,PushPop,500,8000,1,500.0,500.0,500,500,0.0,2,2.0,0.0,1.0",
                  "libs:reduce,PushPop,500,3000,1,500.0,500.0,500,500,0.0,2,2.0,1.0,1.0"));
}

TEST_F(NsightLayout, CudaSummaries) {
  EXPECT_THAT(Lines("cuda_gpu_kern_sum"),
              ElementsAre(fmt::format("Time (%),Total Time (ns),Instances,{},Name", kSpread),
                          "83.3,500,2,250.0,250.0,200,300,70.7,kernel_a(int)",
                          "16.7,100,1,100.0,100.0,100,100,0.0,kernel_b(int)"));
  // Versions with four digits are not part of the name.
  EXPECT_THAT(Lines("cuda_api_sum"),
              ElementsAre(fmt::format("Time (%),Total Time (ns),Num Calls,{},Name", kSpread),
                          "66.7,200,2,100.0,100.0,100,100,0.0,cudaLaunchKernel",
                          "33.3,100,1,100.0,100.0,100,100,0.0,cuLaunchKernelEx_v11060"));
}

// Sorted by descending average total time; queue times only of kernels that began after the call.
TEST_F(NsightLayout, CudaKernExecSum) {
  std::string columns = "PID,TID,DevId,Count,QCount";
  for (const char time : {'T', 'A', 'Q', 'K'}) {
    for (const char* what : {"Avg", "Med", "Min", "Max", "StdDev"}) {
      columns += fmt::format(",{}{} (ns)", time, what);
    }
  }
  EXPECT_THAT(
      Lines("cuda_kern_exec_sum"),
      ElementsAre(columns + ",API Name,Kernel Name",
                  "10,100,0,1,1,600.0,600.0,600,600,0.0,100.0,100.0,100,100,0.0,200.0,200.0,200,"
                  "200,0.0,300.0,300.0,300,300,0.0,cudaLaunchKernel,kernel_a(int)",
                  "10,100,0,1,1,600.0,600.0,600,600,0.0,100.0,100.0,100,100,0.0,400.0,400.0,400,"
                  "400,0.0,100.0,100.0,100,100,0.0,cudaLaunchKernel,kernel_b(int)",
                  "10,100,0,1,0,250.0,250.0,250,250,0.0,100.0,100.0,100,100,0.0,,,,,,200.0,200.0,"
                  "200,200,0.0,cuLaunchKernelEx_v11060,kernel_a(int)"));
}

}  // namespace
}  // namespace warpsight::testing
