#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>

#include "store/profile_file.h"
#include "store/stored_tables.h"
#include "store/test_profile.h"

// Saves and loads a profile as large as that of a 1 GB trace of a training run: about 3 million
// events with times, names and links distributed as in such a trace.
namespace warpsight {
namespace {

using Random = std::mt19937_64;

template <typename T>
void Fill(Random& random, std::vector<T>& column, size_t rows, uint64_t below) {
  column.resize(rows);
  for (T& value : column) value = static_cast<T>(random() % below);
}

template <typename T>
void FillSome(Random& random, std::vector<T>& column, size_t rows, uint64_t below, unsigned one_in,
              T missing) {
  column.resize(rows);
  for (T& value : column) {
    value = random() % one_in == 0 ? static_cast<T>(random() % below) : missing;
  }
}

template <typename T>
void FillRising(Random& random, std::vector<T>& column, size_t rows, uint64_t step) {
  column.resize(rows);
  uint64_t now = 0;
  for (T& value : column) value = static_cast<T>(now += 1 + random() % step);
}

constexpr size_t kHost = 1'190'000, kApi = 450'000, kGpu = 440'000, kFlows = 960'000;
constexpr size_t kIterations = 300, kLanes = 10, kShared = 3000, kNames = 4000;

void FillHost(Random& random, Profile& profile) {
  HostRangesTable& t = profile.trace.tables.host;
  FillRising(random, t.start, kHost, 30'000);
  Fill(random, t.duration, kHost, 60'000);
  Fill(random, t.name, kHost, 300);
  t.thread.resize(kHost);
  for (size_t i = 0; i < kHost; ++i) t.thread[i] = MakeId<ThreadId>(i % 2);
  FillSome(random, t.kind, kHost, 4, 20, HostKind::kOp);
  FillRising(random, t.external_id, kHost, 3);
  FillSome(random, t.sequence, kHost, 200'000, 3, kMissing);
  FillSome(random, t.forward_thread, kHost, 2, 3, kMissing);
  FillSome(random, t.signature, kHost, kShared, 2, kNone<SignatureId>);
  FillSome(random, t.extra, kHost, kShared, 30, kNone<HostExtraId>);
  HostFactsTable& facts = profile.facts.host;
  Column<HostId>& parent = facts.parent.Edit();
  Column<HostId>& op = facts.op.Edit();
  Column<HostId>& forward = facts.forward.Edit();
  Column<IterationId>& iteration = facts.iteration.Edit();
  // Rows of one thread are two apart; every sixteen share an op.
  parent.assign(kHost, kNone<HostId>);
  op.resize(kHost);
  forward.assign(kHost, kNone<HostId>);
  for (size_t i = 0; i < kHost; ++i) {
    const size_t above = 2 * (1 + random() % 25);
    if (above <= i) parent[i] = MakeId<HostId>(i - above);
    op[i] = MakeId<HostId>(i / 16 * 16 + i % 2);
    if (i > 0 && random() % 4 == 0) forward[i] = MakeId<HostId>(random() % i);
  }
  FillSome(random, facts.direction.Edit(), kHost, 4, 9, Direction::kForward);
  iteration.resize(kHost);
  for (size_t i = 0; i < kHost; ++i) iteration[i] = MakeId<IterationId>(i * kIterations / kHost);
}

void FillApi(Random& random, Profile& profile) {
  ApiCallsTable& t = profile.trace.tables.api;
  FillRising(random, t.start, kApi, 80'000);
  Fill(random, t.duration, kApi, 20'000);
  Fill(random, t.name, kApi, 20);
  t.thread.assign(kApi, ThreadId{});
  FillSome(random, t.kind, kApi, 2, 10, ApiKind::kRuntime);
  FillRising(random, t.correlation, kApi, 4);
  FillRising(random, t.external_id, kApi, 6);
  t.args.assign(kApi, StringId::kEmpty);
  for (size_t i = 0; i < kApi; ++i) {
    profile.facts.api.op.push_back(MakeId<HostId>(i * kHost / kApi / 2 * 2));
    profile.facts.api.iteration.push_back(MakeId<IterationId>(i * kIterations / kApi));
  }
}

void FillGpu(Random& random, Profile& profile) {
  GpuActivitiesTable& t = profile.trace.tables.gpu;
  FillRising(random, t.start, kGpu, 80'000);
  Fill(random, t.duration, kGpu, 100'000);
  Fill(random, t.name, kGpu, 200);
  FillSome(random, t.stream, kGpu, 3, 10, StreamId{});
  FillSome(random, t.kind, kGpu, 3, 15, GpuKind::kKernel);
  FillSome(random, t.copy_direction, kGpu, 4, 15, CopyDirection::kNotACopy);
  FillSome(random, t.host_memory, kGpu, 3, 15, HostMemory::kNone);
  FillRising(random, t.correlation, kGpu, 4);
  FillRising(random, t.external_id, kGpu, 6);
  FillSome(random, t.bytes, kGpu, 1 << 20, 15, kMissing);
  Fill(random, t.launch_config, kGpu, 500);
  t.extra.assign(kGpu, kNone<GpuExtraId>);
  GpuFactsTable& f = profile.facts.gpu;
  for (size_t i = 0; i < kGpu; ++i) {
    f.api.push_back(MakeId<ApiId>(i));
    f.op.push_back(profile.facts.api.op[i]);
    f.iteration.push_back(profile.facts.api.iteration[i]);
  }
}

// Fills the tables to which the large ones refer with small random numbers.
void FillSmall(Random& random, Profile& profile) {
  for (store::StoredTable& table : store::ListTables(profile)) {
    if (table.rows != 0 || table.name == "flows") continue;
    for (const store::StoredColumn& column : table.columns) {
      auto* bytes = static_cast<char*>(column.Resize(kShared));
      std::memset(bytes, 0, kShared * store::WidthOf(column.type));
      if (column.type != store::StoredType::kText) continue;
      for (size_t i = 0; i < kShared; ++i)
        reinterpret_cast<uint32_t*>(bytes)[i] = random() % kNames;
    }
  }
}

// Fills the tables that must satisfy CheckFacts().
void FillOrdered(FactTables& facts) {
  IterationsTable& iterations = facts.iterations;
  Column<HostId>& path_op = facts.module_paths.op.Edit();
  for (size_t i = 0; i < kShared; ++i) {
    const auto start = static_cast<TimeNs>(i) * 1'000'000;
    iterations.number[i] = static_cast<int64_t>(i);
    iterations.start[i] = start;
    iterations.end[i] = iterations.gpu_end[i] = start + 900'000;
    iterations.window_start[i] = start;
    iterations.window_end[i] = start + 1'000'000;
    path_op[i] = MakeId<HostId>(i);
    facts.kernel_names.name[i] = MakeId<StringId>(i);
  }
  AggregationsTable::Columns(
      [&](ColumnInfo, auto column) { (facts.aggregations.*column).resize(1); });
  facts.gpu_windows = {};
  facts.ledger = {};
  facts.ledger_totals = {};
  AdviceTable::Columns([&](ColumnInfo, auto column) { (facts.advice.*column).resize(1); });
}

Profile MakeLargeProfile() {
  Random random(1);
  Profile profile;
  for (size_t i = 1; i < kNames; ++i) {
    profile.trace.strings.Intern("void at::native::some_kernel_of_a_usual_length<float, 4>(" +
                                 std::to_string(i) + ")");
  }
  FillHost(random, profile);
  FillApi(random, profile);
  FillGpu(random, profile);
  FlowsTable& flows = profile.trace.tables.flows;
  FillRising(random, flows.time, kFlows, 40'000);
  FillRising(random, flows.flow, kFlows, 2);
  Fill(random, flows.category, kFlows, 3);
  Fill(random, flows.phase, kFlows, 3);
  Fill(random, flows.thread, kFlows, kLanes);
  FillSmall(random, profile);
  FillOrdered(profile.facts);
  profile.trace.end = int64_t{1} << 40;
  profile.facts.gaps = store::IdleTimes(profile.trace, profile.facts);
  return profile;
}

const Profile& LargeProfile() {
  static const Profile* const profile = new Profile(MakeLargeProfile());
  return *profile;
}

std::string BenchFile() {
  return (std::filesystem::temp_directory_path() / "profile_file_bench.warpsight").string();
}

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void Save(benchmark::State& state) {
  const Profile& profile = LargeProfile();
  const double cpu = CpuSeconds();
  for (auto _ : state) {
    Progress progress;
    const Status status = SaveProfile(profile, BenchFile(), progress);
    if (!status.ok()) state.SkipWithError(status.error().message.c_str());
  }
  state.counters["cpu_s"] = (CpuSeconds() - cpu) / static_cast<double>(state.iterations());
  state.counters["bytes_per_event"] = static_cast<double>(std::filesystem::file_size(BenchFile())) /
                                      static_cast<double>(kHost + kApi + kGpu + kFlows);
  state.counters["peak_mb"] = PeakMegabytes();
}
BENCHMARK(Save)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(3);

void Load(benchmark::State& state, const LoadOptions& options) {
  const double cpu = CpuSeconds();
  for (auto _ : state) {
    auto profile = LoadProfile(BenchFile(), options);
    if (!profile.ok()) {
      state.SkipWithError(profile.error().message.c_str());
    } else if (RowCount(profile->trace.tables.host) != kHost) {
      state.SkipWithError("rows are missing");
    }
  }
  state.counters["cpu_s"] = (CpuSeconds() - cpu) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(Load, WithoutFlows, LoadOptions{})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(2);
BENCHMARK_CAPTURE(Load, All, LoadOptions{{}})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace warpsight
