// Launches kernels, to measure the cost of recording per launch and to check that no launch is
// lost.
//
//   launches plain N [THREADS]   N empty kernels in total, from one or more threads
//   launches graph N             a graph of 20 kernels, launched N times
//   launches nosync N            N kernels of about 20 µs; the program ends without waiting
//   launches forever             until it is killed; prints every 100 ms how many it has launched
#include <cuda_runtime.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

__global__ void Empty() {}

__global__ void Spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

double Seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "launches: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

void Plain(long count, int threads) {
  Empty<<<1, 1>>>();
  Check(cudaDeviceSynchronize());
  const double start = Seconds();
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([=] {
      cudaStream_t stream;
      Check(cudaStreamCreate(&stream));
      for (long i = 0; i < count / threads; ++i) Empty<<<1, 1, 0, stream>>>();
      Check(cudaGetLastError());
      Check(cudaStreamSynchronize(stream));
    });
  }
  for (std::thread& worker : workers) worker.join();
  const double seconds = Seconds() - start;
  std::printf("launched %ld ns_per_launch %.0f\n", count / threads * threads + 1,
              seconds / static_cast<double>(count) * 1e9);
}

void Graph(long count) {
  cudaStream_t stream;
  Check(cudaStreamCreate(&stream));
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 20; ++i) Empty<<<1, 1, 0, stream>>>();
  cudaGraph_t graph;
  Check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t ready;
  Check(cudaGraphInstantiate(&ready, graph, 0));
  for (long i = 0; i < count; ++i) Check(cudaGraphLaunch(ready, stream));
  Check(cudaStreamSynchronize(stream));
  std::printf("launched %ld\n", count * 20);
}

void NoSync(long count) {
  for (long i = 0; i < count; ++i) Spin<<<1, 1>>>(30000);
  std::printf("launched %ld\n", count);
}

void Forever() {
  long launched = 0;
  double next = Seconds();
  while (true) {
    Empty<<<1, 1>>>();
    ++launched;
    if (launched % 64 == 0) usleep(200);
    if (Seconds() < next) continue;
    next += 0.1;
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    std::printf("%lld.%09ld launched %ld\n", static_cast<long long>(time.tv_sec), time.tv_nsec,
                launched);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const long count = argc > 2 ? std::atol(argv[2]) : 1000;
  if (std::strcmp(what, "plain") == 0) {
    Plain(count, argc > 3 ? std::atoi(argv[3]) : 1);
  } else if (std::strcmp(what, "graph") == 0) {
    Graph(count);
  } else if (std::strcmp(what, "nosync") == 0) {
    NoSync(count);
  } else if (std::strcmp(what, "forever") == 0) {
    Forever();
  } else {
    std::fprintf(stderr, "usage: launches plain N [THREADS] | graph N | nosync N | forever\n");
    return 2;
  }
}
