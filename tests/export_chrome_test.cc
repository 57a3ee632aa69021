// Written as Chrome JSON and read again, a trace is the same.
#include <gtest/gtest.h>

#include <filesystem>

#include "exported_files.h"
#include "importers/api/importer.h"
#include "model/compare.h"
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

// What is about the file rather than its content may differ: its path, format, size and number of
// records, and the log of problems, which an exported file does not have.
void ForgetTheFile(Trace& trace) {
  trace.tables.import_log = {};
  SourcesTable& sources = trace.tables.sources;
  for (size_t i = 0; i < sources.path.size(); ++i) {
    sources.path[i] = sources.format[i] = StringId::kEmpty;
    sources.bytes[i] = sources.events[i] = 0;
  }
}

std::string RoundTripDifference(const std::string& path, const std::string& ending) {
  const TemporaryFolder folder;
  Profile profile;
  profile.trace = Import(path);
  const std::string output = folder.Path("out" + ending);
  EXPECT_GT(ExportForTest("chrome", profile, output).bytes, 0);
  Trace again = Import(output);
  EXPECT_EQ(again.origin_ns, profile.trace.origin_ns);
  EXPECT_EQ(again.origin_unix_ns, profile.trace.origin_unix_ns);
  ForgetTheFile(profile.trace);
  ForgetTheFile(again);
  return FirstDifference(profile.trace, again);
}

TEST(ExportChrome, RecordedTracesComeBackEqual) {
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("tests/data/h200"))) {
    // To be done: what XPlane says about lanes does not come back from Chrome JSON yet.
    if (entry.path().extension() == ".pb") continue;
    EXPECT_EQ(RoundTripDifference(entry.path().string(), ".json"), "") << entry.path();
  }
}

TEST(ExportChrome, CompressedTracesComeBackEqual) {
  EXPECT_EQ(RoundTripDifference(BundledTracePath("gpt2_bf16_stacks_memory"), ".json.gz"), "");
}

TEST(ExportChrome, OtherPeoplesTracesComeBackEqual) {
  if (!std::filesystem::exists(SharedTraces())) GTEST_SKIP() << "no " << SharedTraces();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SharedTraces())) {
    const std::string path = entry.path().string();
    if (path.find(".json") == std::string::npos) continue;
    EXPECT_EQ(RoundTripDifference(path, ".json"), "") << path;
  }
}

TEST(ExportChrome, SeveralRanksBecomeAFolder) {
  const std::string ranks = SharedTraces() + "/param_v100_dlrm_8ranks";
  if (!std::filesystem::exists(ranks)) GTEST_SKIP() << "no " << ranks;
  EXPECT_EQ(RoundTripDifference(ranks, ""), "");
}

}  // namespace
}  // namespace warpsight::testing
