#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "importers/capture/test_capture.h"

namespace warpsight::importers::capture {

// One launch with its counters, as the agent writes it on a Hopper chip, for tests. `matrix` is the
// number of matrix instructions; kMissing means that they were not counted, so that one pass was
// enough.
inline void AddCounted(TestCapture& file, const std::string& kernel,
                       const std::array<int64_t, 6>& launch, int64_t instance, int64_t matrix,
                       int64_t read, int64_t written) {
  constexpr int64_t kMillion = 1'000'000;
  const auto add = [&](const std::string& metric, int64_t micros) {
    file.Add(wire::CounterRecord{500 + instance, file.Text(kernel), launch[0], launch[1], launch[2],
                                 launch[3], launch[4], launch[5], instance, file.Text(metric),
                                 micros, matrix == kMissing ? 1 : 2});
  };
  add("gpu__time_duration.sum", 13'408'500'000);
  add("sm__cycles_active.avg", 150 * kMillion);
  add("sm__cycles_elapsed.avg", 200 * kMillion);
  add("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
      matrix == 0 ? 0 : 12'500'000);
  add("dram__bytes_read.sum", read * kMillion);
  add("dram__bytes_write.sum", written * kMillion);
  if (matrix == kMissing) return;
  add("sm__inst_executed_pipe_tensor_op_gmma.sum", matrix * kMillion);
  add("sm__inst_executed_pipe_tensor_op_hmma.sum", 10 * kMillion);
  add("sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", 10 * kMillion);
  add("sm__inst_executed_pipe_tensor_op_imma.sum", 0);
  add("sm__inst_executed_pipe_tensor_op_dmma.sum", 0);
}

// A capture of a program that does not exist, for tests: two training steps of a small network,
// then three steps that replay its forward pass as a CUDA graph. It is stored as
// tests/data/capture/training.wscap.
class SampleCapture {
 public:
  static constexpr const char* kRelu =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEE"
      "viT0_T1_";

  std::string Bytes() {
    AddFacts();
    file_.Flush();
    for (int64_t step = 0; step < 2; ++step) AddStep(step);
    CaptureGraph();
    for (int64_t step = 2; step < 5; ++step) Replay(step);
    return file_.Bytes();
  }

 private:
  static constexpr int64_t kMain = 4000;
  static constexpr int64_t kAutograd = 4007;
  static constexpr int64_t kMicrosecond = 1000;
  static constexpr int64_t kStart = 86'400'000'000'000;

  void AddFacts() {
    file_.Fact("command", "/usr/bin/python3 train.py");
    file_.Fact("python", "3.11.7");
    file_.Fact("torch", "2.11.0");
    file_.Fact("cupti", "130001");
    file_.Fact("driver", "580.65.06");
    file_.Fact("host", "sample");
    file_.Add(wire::DeviceRecord{0, file_.Text("NVIDIA H200"), 9, 0, 132, 150'122'266'624, 2048,
                                 65536, 233472, 32});
    file_.Add(wire::ThreadRecord{kStart, kMain, file_.Text("python3")});
    file_.Add(wire::ThreadRecord{kStart, kAutograd, file_.Text("pt_autograd_0")});
    file_.Add(wire::AnchorRecord{kStart, kStart + 1'700'000'000'000'000'000});
  }

  int64_t Pass(int64_t microseconds) { return now_ += microseconds * kMicrosecond; }

  // A call on `thread`, and the kernel that it launches.
  void Launch(const std::string& kernel, int64_t microseconds, int64_t thread = kMain) {
    const int64_t start = Pass(2);
    file_.Call(start, Pass(4), "cudaLaunchKernel", ++correlation_, thread);
    gpu_free_ = std::max(gpu_free_, now_ + 3 * kMicrosecond);
    file_.Kernel(gpu_free_, gpu_free_ + microseconds * kMicrosecond, kernel, correlation_);
    gpu_free_ += (microseconds + 1) * kMicrosecond;
  }

  void Copy() {
    const int64_t start = Pass(2);
    file_.Call(start, Pass(6), "cudaMemcpyAsync", ++correlation_, kMain);
    gpu_free_ = std::max(gpu_free_, now_ + 3 * kMicrosecond);
    file_.Add(wire::CopyRecord{gpu_free_, gpu_free_ + 5 * kMicrosecond, 131072, 1, 1, 3, 0, 1, 7,
                               correlation_, 0, 0});
    gpu_free_ += 6 * kMicrosecond;
  }

  static std::string LinearInputs() {
    return TestInputs()
        .Tensor(15, {64, 512}, {512, 1})
        .Tensor(15, {512, 512}, {512, 1})
        .Tensor(15, {512}, {1})
        .bytes();
  }

  // A linear layer of the network, as a module. Captured kernels become nodes of a graph.
  void Layer(const std::string& name, bool captured) {
    const int64_t module = Pass(3);
    const int64_t linear = Pass(2);
    const int64_t addmm = Pass(2);
    if (captured) {
      file_.Add(wire::GraphNodeRecord{Pass(2), kMain, 1, ++node_, 0});
    } else {
      Launch("nvjet_sm90_tst_64x64_64x16_4x1_v_bz_TNT", 12);
    }
    file_.Op(addmm, Pass(1), "aten::addmm", -1, kMain, LinearInputs());
    file_.Op(linear, Pass(1), "aten::linear", ++sequence_, kMain, LinearInputs());
    file_.Range(module, Pass(1), name, wire::RangeKind::kModule, "", kMain);
  }

  void Forward(bool captured) {
    const int64_t net = Pass(3);
    Layer("fc1", captured);
    const int64_t relu = Pass(2);
    if (captured) {
      file_.Add(wire::GraphNodeRecord{Pass(2), kMain, 1, ++node_, 0});
    } else {
      Launch(kRelu, 4);
    }
    file_.Op(relu, Pass(1), "aten::relu", ++sequence_, kMain,
             TestInputs().Tensor(15, {64, 512}, {512, 1}).bytes());
    Layer("fc2", captured);
    file_.Range(net, Pass(2), "Net", wire::RangeKind::kModule, "", kMain);
  }

  void Backward(const std::string& node, const std::string& op, const std::string& kernel,
                int64_t sequence) {
    const int64_t evaluate = Pass(2);
    const int64_t backward = Pass(1);
    const int64_t inner = Pass(1);
    Launch(kernel, 10, kAutograd);
    file_.Op(inner, Pass(1), op, -1, kAutograd);
    file_.Add(wire::OpRecord{backward, Pass(1), kAutograd, file_.Text(node), 1, sequence, 1, 0, 0});
    file_.Add(wire::OpRecord{evaluate, Pass(1), kAutograd,
                             file_.Text("autograd::engine::evaluate_function: " + node), 1,
                             sequence, 1, 0, 0});
  }

  void AddStep(int64_t step) {
    const int64_t start = now_;
    const int64_t loader = Pass(1);
    file_.Op(loader, Pass(40), "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", -1,
             kMain, "", 7);
    const int64_t to = Pass(2);
    Copy();
    file_.Op(to, Pass(1), "aten::to", -1, kMain);
    Forward(false);
    Backward("AddmmBackward0", "aten::mm", "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_NNT", sequence_);
    Backward("ReluBackward0", "aten::threshold_backward", kRelu, sequence_ - 1);
    Backward("AddmmBackward0", "aten::mm", "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_NNT",
             sequence_ - 2);
    const int64_t optimizer = Pass(5);
    const int64_t foreach = Pass(2);
    Launch("_ZN2at6native25multi_tensor_apply_kernelEv", 6);
    file_.Op(foreach, Pass(1), "aten::_foreach_add_", -1, kMain,
             TestInputs().TensorList({512, 512}).TensorList({512, 512}).Real(-0.1).bytes());
    file_.Op(optimizer, Pass(3), "Optimizer.step#SGD.step", -1, kMain, "", 7);
    const int64_t sync = Pass(2);
    const int64_t synced = std::max(gpu_free_, now_) + 2 * kMicrosecond;
    file_.Call(sync, synced, "cudaStreamSynchronize", ++correlation_, kMain);
    file_.Add(wire::SyncRecord{sync, synced, 3, 1, 7, correlation_, 0xFFFFFFFF});
    now_ = synced;
    file_.Range(start, Pass(3), std::to_string(step), wire::RangeKind::kStep, "", kMain);
    file_.Flush();
  }

  void CaptureGraph() {
    const int64_t start = Pass(100);
    Forward(true);
    file_.Range(start, Pass(10), "capture", wire::RangeKind::kAnnotated, "", kMain);
    for (int64_t node = 1; node <= node_; ++node) {
      file_.Add(wire::GraphNodeRecord{now_, kMain, 2, 100 + node, node});
    }
    file_.Flush();
  }

  void Replay(int64_t step) {
    const int64_t start = Pass(20);
    file_.Call(start, Pass(9), "cudaGraphLaunch", ++correlation_, kMain);
    gpu_free_ = std::max(gpu_free_, now_ + 3 * kMicrosecond);
    for (int64_t node = 1; node <= node_; ++node) {
      const std::string name = node == 2 ? kRelu : "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_TNT";
      file_.Kernel(gpu_free_, gpu_free_ + 9 * kMicrosecond, name, correlation_, 100 + node);
      gpu_free_ += 10 * kMicrosecond;
    }
    file_.Range(start, Pass(40), std::to_string(step), wire::RangeKind::kStep, "", kMain);
    file_.Flush();
  }

  TestCapture file_{4000, 0x5eed};
  int64_t now_ = kStart;
  int64_t gpu_free_ = kStart;
  int64_t correlation_ = 0;
  int64_t sequence_ = 0;
  int64_t node_ = 0;
};

// Hardware counters from the second run of the same program, for all kernels except the
// optimizer's. Stored as tests/data/capture/training_counters.wscap.
inline std::string SampleCounters() {
  constexpr std::array<int64_t, 6> kLaunch = {8, 4, 2, 64, 2, 1};  // as in TestCapture::Kernel
  TestCapture file{4100, 0x5eed};
  file.Fact("mode", "counters");
  file.Fact("command", "/usr/bin/python3 train.py");
  file.Fact("host", "sample");
  file.Fact("counters", "GH100, 2 passes, then 1 pass");
  for (int64_t instance = 0; instance < 3; ++instance) {
    const auto first = [&](int64_t matrix) { return instance == 0 ? matrix : kMissing; };
    AddCounted(file, "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_TNT", kLaunch, instance, first(4096),
               590'000 + 1000 * instance, 65'536);
    AddCounted(file, "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_NNT", kLaunch, instance, first(4096),
               600'000, 524'288);
    AddCounted(file, SampleCapture::kRelu, kLaunch, instance, first(0), 65'536, 60'000);
  }
  file.Add(wire::GapRecord{900, 0, 0, 3,
                           file.Text("CUDA graphs were launched, of whose kernels no "
                                     "hardware counters were read")});
  return file.Bytes();
}

}  // namespace warpsight::importers::capture
