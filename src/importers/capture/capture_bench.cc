#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "importers/api/importer.h"
#include "importers/capture/test_capture.h"
#include "tbb/global_control.h"

// Reads a capture as large as one of some minutes of training: a million kernels and launches, and
// two million ops.
namespace warpsight::importers::capture {

Importer Define();

namespace {

constexpr int kKernels = 1'000'000;

const std::string& LargeCapture() {
  static const std::string* bytes = [] {
    std::mt19937_64 random(3);
    std::vector<std::string> inputs;
    for (uint64_t i = 0; i < 1000; ++i) {
      inputs.push_back(TestInputs().Tensor(6, {64, i}, {i, 1}).Integer(1).bytes());
    }
    TestCapture file;
    for (int64_t i = 0; i < kKernels; ++i) {
      const int64_t t = 1'000'000'000 + 10'000 * i + static_cast<int64_t>(random() % 2000);
      const std::string name = std::to_string(random() % 200);
      file.Op(t, t + 7000, "aten::op" + name, i, TestCapture::kThread, inputs[random() % 1000]);
      file.Op(t + 500, t + 6000, "aten::inner" + name, -1, TestCapture::kThread,
              inputs[random() % 1000]);
      file.Call(t + 1000, t + 4000, "cudaLaunchKernel", i + 1);
      file.Kernel(t + 9000, t + 14'000, "_Z6kernelILi" + name + "EEvPfi", i + 1);
      if (i % 10'000 == 0) file.Flush(true);
    }
    file.Flush(true);
    return new std::string(file.Bytes());
  }();
  return *bytes;
}

void BM_ReadCapture(benchmark::State& state) {
  const std::string& bytes = LargeCapture();
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    MemorySource source(bytes);
    TraceBuilder builder;
    Progress progress;
    const SourceId id = builder.AddSource("bench.wscap", "capture", source.file_size());
    WholeFile whole("bench.wscap", source);
    ImportContext context{"bench.wscap", source, whole, builder, id, progress};
    const auto start = std::chrono::steady_clock::now();
    if (!Define().import(context).ok()) state.SkipWithError("not read");
    const std::chrono::duration<double> read = std::chrono::steady_clock::now() - start;
    const auto trace = builder.Seal();
    if (!trace.ok() || trace->tables.gpu.start.size() != kKernels ||
        trace->tables.host.start.size() != 2 * kKernels || RowCount(trace->tables.import_log) > 0) {
      state.SkipWithError("read wrongly");
    }
    state.counters["read_s"] = read.count();
  }
  state.counters["MB"] = static_cast<double>(bytes.size()) / 1e6;
}
BENCHMARK(BM_ReadCapture)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace warpsight::importers::capture
