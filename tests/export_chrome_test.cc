// A trace that is exported as Chrome JSON and imported again is equal.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "exported_files.h"
#include "importers/api/importer.h"
#include "model/compare.h"
#include "model/trace_builder.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

Trace Import(const std::string& path) {
  Progress progress;
  auto trace = ImportTraces({path}, {}, progress);
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

// Clears properties of the file rather than its content: its path, format, size and number of
// records, and the log of problems, which exported files do not have.
void ForgetTheFile(Trace& trace) {
  trace.tables.import_log = {};
  SourcesTable& sources = trace.tables.sources;
  for (size_t i = 0; i < sources.path.size(); ++i) {
    sources.path[i] = sources.format[i] = StringId::kEmpty;
    sources.bytes[i] = sources.events[i] = 0;
  }
}

std::string RoundTripDifference(Trace trace, const std::string& ending) {
  const TemporaryFolder folder;
  Profile profile;
  profile.trace = std::move(trace);
  const std::string output = folder.Path("out" + ending);
  EXPECT_GT(ExportForTest("chrome", profile, output).bytes, 0);
  Trace again = Import(output);
  EXPECT_EQ(again.origin_ns, profile.trace.origin_ns);
  EXPECT_EQ(again.origin_unix_ns, profile.trace.origin_unix_ns);
  ForgetTheFile(profile.trace);
  ForgetTheFile(again);
  return FirstDifference(profile.trace, again);
}

// Every trace of a folder, in any format. Other files have other extensions.
void ExpectFolderComesBackEqual(const std::string& folder) {
  int traces = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.ends_with(".csv") || path.ends_with("measured.json")) {
      continue;
    }
    ++traces;
    EXPECT_EQ(RoundTripDifference(Import(path), ".json"), "") << path;
  }
  EXPECT_GT(traces, 10) << folder;
}

TEST(ExportChrome, RecordedTracesRoundTrip) {
  ExpectFolderComesBackEqual(SourcePath("tests/data/h200"));
}

TEST(ExportChrome, PairsRoundTrip) {
  ExpectFolderComesBackEqual(SourcePath("tests/data/pairs"));
  ExpectFolderComesBackEqual(SourcePath("tests/data/pairs_extra"));
}

TEST(ExportChrome, CompressedTracesRoundTrip) {
  EXPECT_EQ(RoundTripDifference(Import(BundledTracePath("gpt2_bf16_stacks_memory")), ".json.gz"),
            "");
}

TEST(ExportChrome, TracesOfOtherProjectsRoundTrip) {
  if (!std::filesystem::exists(SharedTraces())) GTEST_SKIP() << "no " << SharedTraces();
  ExpectFolderComesBackEqual(SharedTraces());
}

TEST(ExportChrome, SeveralRanksBecomeAFolder) {
  const std::string ranks = SharedTraces() + "/param_v100_dlrm_8ranks";
  if (!std::filesystem::exists(ranks)) GTEST_SKIP() << "no " << ranks;
  EXPECT_EQ(RoundTripDifference(Import(ranks), ""), "");
}

// Data that importers of other formats may create and Kineto's records do not contain.
TracePart UnusualPart(SourceId source) {
  TracePart part(source);
  const StringId text = part.Intern("\"\\/\n\x01 \xc3\xa4 \xf0\x9f\x92\xa1");
  part.tables.processes.labels[Index(part.Process("007"))] = text;
  part.Process("0");    // like a GPU's number
  part.Process("a b");  // like the name of a lane
  part.tables.threads.name[Index(part.Thread("a b", "-1"))] = text;
  part.tables.devices.name[Index(part.Device(3))] = part.Intern("no work");
  part.tables.devices.memory_bytes[Index(part.Device(1))] = 1 << 30;

  HostRangesTable& host = part.tables.host;
  const auto range = [&](HostKind kind, std::string_view name) {
    host.start.push_back(static_cast<TimeNs>(100 - host.start.size()));
    host.duration.push_back(7);
    host.name.push_back(part.Intern(name));
    host.thread.push_back(part.Thread("007", "main"));
    host.kind.push_back(kind);
  };
  for (const char* name : {"ProfilerStep#1", "Optimizer.step", "nn.Module: A", "plain", ""}) {
    for (uint8_t kind = 0; kind <= static_cast<uint8_t>(HostKind::kSystemCall); ++kind) {
      range(static_cast<HostKind>(kind), name);
    }
  }

  // Equal streams of two processes, a lane that is not a thread, a context without work.
  part.Stream(1, 9, 9);
  GpuActivitiesTable& gpu = part.tables.gpu;
  for (const StreamId stream :
       {part.Stream(1, 4, 7, part.Process("a b")), part.Stream(1, 4, 7, part.Process("007")),
        part.Stream(1, kMissing, kMissing), part.Stream(0, 4, 7)}) {
    gpu.start.push_back(50);
    gpu.duration.push_back(5);
    gpu.name.push_back(text);
    gpu.stream.push_back(stream);
    gpu.kind.push_back(GpuKind::kCopy);
    gpu.copy_direction.push_back(CopyDirection::kPeerToPeer);
    gpu.host_memory.push_back(HostMemory::kPinned);
  }
  return part;
}

TEST(ExportChrome, DataUnknownToKinetoRoundTrips) {
  TraceBuilder builder;
  const SourceId source = builder.AddSource("made", "made", 0);
  builder.SetUnixBase(source, 1'700'000'000'000'000'000);
  builder.SetRank(source, 2, 4, "nccl");
  builder.Add(UnusualPart(source));
  auto trace = builder.Seal();
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(CheckIntegrity(*trace), "");
  EXPECT_EQ(RoundTripDifference(std::move(*trace), ".json"), "");
}

}  // namespace
}  // namespace warpsight::testing
