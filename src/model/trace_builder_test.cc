#include "model/trace_builder.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/compare.h"
#include "model/limits.h"

namespace warpsight {
namespace {

void AddOp(TracePart& part, TimeNs start, DurationNs duration, std::string_view name,
           std::string_view tid = "1") {
  HostRangesTable& t = part.tables.host;
  t.start.push_back(start);
  t.duration.push_back(duration);
  t.name.push_back(part.Intern(name));
  t.thread.push_back(part.Thread("10", tid));
  t.kind.push_back(HostKind::kOp);
  t.external_id.push_back(kMissing);
  t.sequence.push_back(kMissing);
  t.forward_thread.push_back(kMissing);
  t.signature.push_back(part.Signature(part.Intern("[[2]]"), part.Intern("[\"float\"]"),
                                       StringId::kEmpty, StringId::kEmpty));
  t.extra.push_back(kNone<HostExtraId>);
}

void AddKernel(TracePart& part, TimeNs start, DurationNs duration, int64_t stream) {
  GpuActivitiesTable& t = part.tables.gpu;
  t.start.push_back(start);
  t.duration.push_back(duration);
  t.name.push_back(part.Intern("kernel"));
  t.stream.push_back(part.Stream(0, 1, stream));
  t.kind.push_back(GpuKind::kKernel);
  t.copy_direction.push_back(CopyDirection::kNotACopy);
  t.host_memory.push_back(HostMemory::kNone);
  t.correlation.push_back(7);
  t.external_id.push_back(kMissing);
  t.bytes.push_back(kMissing);
  t.launch_config.push_back(part.Launch({.grid = {1, 2, 3}}));
  t.extra.push_back(kNone<GpuExtraId>);
}

Trace Sealed(TraceBuilder& builder) {
  auto trace = builder.Seal();
  EXPECT_TRUE(trace.ok());
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

TEST(TraceBuilder, MergesPartsIntoOneTimeline) {
  TraceBuilder builder;
  const SourceId source = builder.AddSource("a.json", "chrome", 10);
  TracePart first(source);
  AddOp(first, 1000, 50, "late");
  AddKernel(first, 1100, 20, 7);
  TracePart second(source);
  AddOp(second, 900, 10, "inner");
  AddOp(second, 900, 100, "outer", "2");
  AddKernel(second, 1050, 20, 7);
  AddKernel(second, 1060, 500, 8);
  builder.Add(std::move(first));
  builder.Add(std::move(second));
  const Trace trace = Sealed(builder);

  const HostRangesTable& host = trace.tables.host;
  EXPECT_EQ(host.start, (Column<TimeNs>{0, 0, 100}));
  EXPECT_EQ(trace.Text(host.name[0]), "outer");  // the enclosing one first
  EXPECT_EQ(trace.Text(host.name[1]), "inner");
  EXPECT_EQ(host.thread[1], host.thread[2]) << "one row per thread, whichever part named it";
  EXPECT_EQ(RowCount(trace.tables.threads), 2u);
  EXPECT_EQ(RowCount(trace.tables.streams), 2u);
  EXPECT_EQ(RowCount(trace.tables.signatures), 1u);
  EXPECT_EQ(RowCount(trace.tables.launch_configs), 1u);
  EXPECT_EQ(trace.origin_ns, 900);
  EXPECT_EQ(trace.end, 660);
}

TEST(TraceBuilder, UsesTheLastNameOfAnyPart) {
  TraceBuilder builder;
  const SourceId source = builder.AddSource("a.json", "chrome", 10);
  for (const std::string_view name : {"", "first", "second", ""}) {
    TracePart part(source);
    const size_t row = Index(part.Process("10"));
    part.tables.processes.name[row] = part.Intern(name);
    builder.Add(std::move(part));
  }
  const Trace trace = Sealed(builder);
  ASSERT_EQ(RowCount(trace.tables.processes), 1u);
  EXPECT_EQ(trace.Text(trace.tables.processes.name[0]), "second");
}

TEST(TraceBuilder, KeepsFilesApart) {
  TraceBuilder builder;
  for (const std::string_view path : {"a.json", "b.json"}) {
    TracePart part(builder.AddSource(path, "chrome", 1));
    AddOp(part, 100, 1, "op");
    AddKernel(part, 100, 1, 7);
    builder.Add(std::move(part));
  }
  const Trace trace = Sealed(builder);
  EXPECT_EQ(RowCount(trace.tables.processes), 2u);
  EXPECT_EQ(RowCount(trace.tables.devices), 2u);
  EXPECT_NE(trace.SourceOf(trace.tables.gpu.stream[0]), trace.SourceOf(trace.tables.gpu.stream[1]));
}

TEST(TraceBuilder, AlignsClocksWithDifferentBases) {
  TraceBuilder builder;
  int64_t base = 1'000'000'000'000;
  for (const std::string_view path : {"a.json", "b.json"}) {
    const SourceId source = builder.AddSource(path, "chrome", 1);
    builder.SetUnixBase(source, base);
    base += 500;
    TracePart part(source);
    AddOp(part, 100, 1, "op");
    builder.Add(std::move(part));
  }
  const Trace trace = Sealed(builder);
  EXPECT_EQ(trace.tables.host.start, (Column<TimeNs>{0, 500}));
  EXPECT_EQ(trace.origin_unix_ns, 1'000'000'000'100);
}

TEST(TraceBuilder, CountsProblemsOverAllParts) {
  TraceBuilder builder;
  const SourceId source = builder.AddSource("a.json", "chrome", 1);
  for (int64_t offset = 10; offset < 40; offset += 10) {
    TracePart part(source);
    part.Log("bad_time", offset, "no time");
    part.Log("bad_time", offset + 1, "no time either");
    part.Log("file_passed_over", kMissing, "b.json: empty");
    part.Log("file_passed_over", kMissing, "c.json: empty");
    builder.Add(std::move(part));
  }
  const Trace trace = Sealed(builder);
  const ImportLogTable& log = trace.tables.import_log;
  ASSERT_EQ(RowCount(log), 3u);
  EXPECT_EQ(trace.Text(log.message[0]), "no time");
  EXPECT_EQ(log.offset[0], 10);
  EXPECT_EQ(log.count, (Column<int64_t>{6, 3, 3}));
}

TEST(TraceBuilder, LeavesOutEventsFarFromMostOthers) {
  constexpr int64_t kDay = int64_t{24} * 3600 * 1'000'000'000;
  TraceBuilder builder;
  TracePart part(builder.AddSource("a.json", "chrome", 1));
  AddOp(part, -300 * kDay, 1, "too early");
  AddOp(part, 100, 1, "first");
  AddKernel(part, 150 * kDay, 1, 7);
  AddOp(part, 200, 1, "second");
  AddKernel(part, 250, 1, 7);
  builder.Add(std::move(part));
  const Trace trace = Sealed(builder);
  EXPECT_EQ(trace.tables.host.start, (Column<TimeNs>{0, 100}));
  EXPECT_EQ(trace.tables.gpu.start, (Column<TimeNs>{150}));
  EXPECT_EQ(trace.tables.import_log.count, (Column<int64_t>{2}));
}

TEST(TraceBuilder, DropsAFailedSource) {
  TraceBuilder builder;
  TracePart kept(builder.AddSource("a.json", "chrome", 1));
  AddOp(kept, 100, 1, "op");
  builder.Add(std::move(kept));
  TracePart dropped(builder.AddSource("b.json", "chrome", 1));
  AddOp(dropped, 1, 1, "op");
  builder.Add(std::move(dropped));
  builder.DropLastSource();
  const Trace trace = Sealed(builder);
  EXPECT_EQ(RowCount(trace.tables.sources), 1u);
  EXPECT_EQ(trace.origin_ns, 100);
}

TEST(TraceBuilder, SealsNothing) {
  TraceBuilder builder;
  const Trace trace = Sealed(builder);
  EXPECT_EQ(trace.origin_ns, 0);
  EXPECT_EQ(trace.end, 0);
}

// Each test violates one invariant of CheckIntegrity().
class Integrity : public ::testing::Test {
 protected:
  Integrity() {
    TraceBuilder builder;
    TracePart part(builder.AddSource("a.json", "chrome", 1));
    AddOp(part, 100, 10, "a");
    AddOp(part, 110, 5, "b");
    AddKernel(part, 105, 2, 7);
    builder.Add(std::move(part));
    trace_ = Sealed(builder);
  }
  Trace trace_;
};

TEST_F(Integrity, SeesUnequalColumns) {
  trace_.tables.host.kind.pop_back();
  EXPECT_EQ(CheckIntegrity(trace_), "host_ranges.kind has 1 rows where 2 were expected");
}

TEST_F(Integrity, SeesIdsOutOfRange) {
  trace_.tables.host.thread[1] = MakeId<ThreadId>(5);
  EXPECT_EQ(CheckIntegrity(trace_), "host_ranges.thread_id is out of range in row 1");
}

TEST_F(Integrity, SeesMissingIdsWhereTheyAreRequired) {
  trace_.tables.gpu.stream[0] = kNone<StreamId>;
  EXPECT_EQ(CheckIntegrity(trace_), "gpu_activities.stream_id has no value in row 0");
}

TEST_F(Integrity, AllowsMissingIdsElsewhere) {
  trace_.tables.gpu.launch_config[0] = kNone<LaunchConfigId>;
  EXPECT_EQ(CheckIntegrity(trace_), "");
  trace_.tables.gpu.launch_config[0] = MakeId<LaunchConfigId>(1);
  EXPECT_EQ(CheckIntegrity(trace_), "gpu_activities.launch_config_id is out of range in row 0");
}

TEST_F(Integrity, SeesUnknownKinds) {
  trace_.tables.gpu.kind[0] = static_cast<GpuKind>(3);
  EXPECT_EQ(CheckIntegrity(trace_), "gpu_activities.kind is out of range in row 0");
  trace_.tables.gpu.kind[0] = static_cast<GpuKind>(255);
  EXPECT_EQ(CheckIntegrity(trace_), "gpu_activities.kind has no value in row 0");
}

TEST_F(Integrity, SeesDisorder) {
  trace_.end = 1000;
  std::swap(trace_.tables.host.start[0], trace_.tables.host.start[1]);
  EXPECT_EQ(CheckIntegrity(trace_), "host_ranges is not in timeline order at row 1");
}

TEST_F(Integrity, SeesTimesOutsideTheTrace) {
  trace_.tables.gpu.duration[0] = 1000;
  EXPECT_EQ(CheckIntegrity(trace_), "gpu_activities ends after the trace in row 0");
  trace_.tables.gpu.duration[0] = -1;
  EXPECT_EQ(CheckIntegrity(trace_), "gpu_activities.duration_ns is out of range in row 0");
}

TEST_F(Integrity, FirstDifferenceFindsAChange) {
  TraceBuilder builder;
  TracePart part(builder.AddSource("a.json", "chrome", 1));
  AddOp(part, 100, 10, "a");
  AddOp(part, 110, 5, "c");
  AddKernel(part, 105, 2, 7);
  builder.Add(std::move(part));
  EXPECT_EQ(FirstDifference(trace_, Sealed(builder)), "host_ranges.name row 1: 'b' and 'c'");
  EXPECT_EQ(FirstDifference(trace_, trace_), "");
}

// Seal() checks numbers that importers did not check.
TEST(TraceBuilder, LeavesOutImpossibleNumbers) {
  TraceBuilder builder;
  TracePart part(builder.AddSource("a.json", "chrome", 10));
  AddKernel(part, 1000, 50, 7);
  part.tables.gpu.bytes.back() = INT64_MAX;
  part.tables.launch_configs.grid_x.back() = INT64_MAX;
  part.tables.launch_configs.occupancy_percent.back() = std::numeric_limits<double>::quiet_NaN();
  part.tables.devices.ordinal.back() = -INT64_MAX;
  builder.Add(std::move(part));
  const Trace trace = Sealed(builder);
  EXPECT_EQ(trace.tables.gpu.bytes[0], kMissing);
  EXPECT_EQ(trace.tables.launch_configs.grid_x[0], kMissing);
  EXPECT_EQ(trace.tables.launch_configs.occupancy_percent[0], kMissingReal);
  EXPECT_EQ(trace.tables.devices.ordinal[0], -1) << "its number is printed";
  ASSERT_EQ(RowCount(trace.tables.import_log), 1u);
  EXPECT_EQ(trace.Text(trace.tables.import_log.code[0]), kAbsurdNumber);
  EXPECT_EQ(trace.tables.import_log.count[0], 4);
}

// Each duration is allowed, but their sum would overflow in reports.
TEST(TraceBuilder, RejectsDurationsWhoseSumIsTooLarge) {
  TraceBuilder builder;
  TracePart part(builder.AddSource("a.json", "chrome", 10));
  for (int i = 0; i < 5000; ++i) AddKernel(part, 1000 + i, kLongestSlice, i);
  builder.Add(std::move(part));
  const auto trace = builder.Seal();
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(
      trace.error().message,
      "a.json: damaged: the sum of gpu_activities.duration_ns is larger than any run can have");
}

}  // namespace
}  // namespace warpsight
