// Measures the viewer's timeline on a large profile: the one that `./dev bench` leaves behind, or
// the one that WARPSIGHT_BENCH_PROFILE names.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "store/profile_file.h"

namespace warpsight {
namespace {

struct Loaded {
  Profile profile;
  RangeSummary range;
  std::unique_ptr<const Timeline> timeline;
};

std::string ProfilePath() {
  const char* named = std::getenv("WARPSIGHT_BENCH_PROFILE");
  return named != nullptr ? named : WARPSIGHT_BUILD_DIR "/bench-data/gpt2_bf16_1000mb.warpsight";
}

// Null if there is no such profile, with a reason in `state`.
const Loaded* Load(benchmark::State& state) {
  static const Loaded* const loaded = []() -> const Loaded* {
    auto profile = LoadProfile(ProfilePath());
    if (!profile.ok()) return nullptr;
    auto* made = new Loaded{std::move(*profile), {}, nullptr};
    made->range = SummarizeRange(made->profile);
    made->timeline = Timeline::Build(made->profile);
    return made;
  }();
  if (loaded == nullptr) state.SkipWithError(("no profile " + ProfilePath()).c_str());
  return loaded;
}

void Build(benchmark::State& state) {
  const Loaded* loaded = Load(state);
  if (loaded == nullptr) return;
  for (auto _ : state) benchmark::DoNotOptimize(Timeline::Build(loaded->profile));
  state.counters["MB"] = static_cast<double>(loaded->timeline->MemoryBytes()) * 1e-6;
}
BENCHMARK(Build)->Unit(benchmark::kMillisecond)->UseRealTime();

// Random tiles of one level with all lanes; counters show the slowest of 20 and the bytes per tile.
void TileOfLevel(benchmark::State& state) {
  const Loaded* loaded = Load(state);
  if (loaded == nullptr) return;
  const int64_t level = std::min<int64_t>(state.range(0), loaded->timeline->max_level());
  std::mt19937_64 random(1);
  const int64_t tiles = std::max<int64_t>(
      1, loaded->timeline->end() >> (loaded->timeline->span_log() - static_cast<int>(level)));
  size_t bytes = 0;
  std::vector<double> times;
  for (auto _ : state) {
    const auto index = static_cast<int64_t>(random() % static_cast<uint64_t>(tiles));
    const auto start = std::chrono::steady_clock::now();
    const auto tile = Tile(*loaded->timeline, loaded->profile, loaded->range, level, index, {});
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (!tile.ok()) state.SkipWithError(tile.error().message.c_str());
    bytes += tile->size();
  }
  std::sort(times.begin(), times.end());
  state.counters["p95_ms"] = times[times.size() * 95 / 100] * 1e3;
  state.counters["KB"] = static_cast<double>(bytes) * 1e-3 / static_cast<double>(times.size());
}
BENCHMARK(TileOfLevel)->DenseRange(0, 24, 2)->Unit(benchmark::kMillisecond);

// Intervals that last a given percentage of the run.
void Select(benchmark::State& state) {
  const Loaded* loaded = Load(state);
  if (loaded == nullptr) return;
  const TimeNs end = loaded->timeline->end();
  const DurationNs length = end / 100 * state.range(0);
  std::mt19937_64 random(1);
  for (auto _ : state) {
    const auto start =
        static_cast<TimeNs>(random() % static_cast<uint64_t>(std::max<TimeNs>(1, end - length)));
    const auto json = SelectionJson(*loaded->timeline, loaded->profile, start, start + length);
    if (!json.ok()) state.SkipWithError(json.error().message.c_str());
  }
}
BENCHMARK(Select)->Arg(1)->Arg(10)->Arg(50)->Arg(100)->Unit(benchmark::kMillisecond);

void SearchFor(benchmark::State& state, std::string_view text) {
  const Loaded* loaded = Load(state);
  if (loaded == nullptr) return;
  for (auto _ : state) {
    const auto json = SearchJson(*loaded->timeline, loaded->profile, loaded->range, text, 100,
                                 loaded->timeline->end() / 2);
    if (!json.ok()) state.SkipWithError(json.error().message.c_str());
  }
}
BENCHMARK_CAPTURE(SearchFor, Kernel, "gemm")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SearchFor, Everything, "a")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SearchFor, Nothing, "no such name")->Unit(benchmark::kMillisecond);

// Random rows of a table.
void Details(benchmark::State& state, EventTable table, size_t (*rows)(ProfileView)) {
  const Loaded* loaded = Load(state);
  if (loaded == nullptr) return;
  std::mt19937_64 random(1);
  const size_t count = std::max<size_t>(1, rows(loaded->profile));
  for (auto _ : state) {
    const EventRef event{table, static_cast<uint32_t>(random() % count)};
    const auto json = EventJson(*loaded->timeline, loaded->profile, loaded->range, ToString(event));
    if (!json.ok()) state.SkipWithError(json.error().message.c_str());
  }
}
BENCHMARK_CAPTURE(Details, Host, EventTable::kHost, [](ProfileView p) {
  return RowCount(p.trace.tables.host);
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Details, Gpu, EventTable::kGpu, [](ProfileView p) {
  return RowCount(p.trace.tables.gpu);
})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Details, Gap, EventTable::kGap, [](ProfileView p) {
  return RowCount(p.facts.gaps);
})->Unit(benchmark::kMillisecond);

void LongestGaps(benchmark::State& state) {
  const Loaded* loaded = Load(state);
  if (loaded == nullptr) return;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        LongestGapsJson(*loaded->timeline, loaded->profile, loaded->range, 20));
  }
}
BENCHMARK(LongestGaps)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpsight
