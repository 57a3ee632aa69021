// The agent's NVTX handler, injected into a real program (nvtx_program/).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "importers/api/importer.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The program with our declarations of NVTX, and with NVTX's own header if it was found.
constexpr const char* kPrograms[] = {
#ifdef WARPSIGHT_NVTX_PROGRAM
    WARPSIGHT_NVTX_PROGRAM,
#endif
#ifdef WARPSIGHT_VENDOR_NVTX_PROGRAM
    WARPSIGHT_VENDOR_NVTX_PROGRAM,
#endif
    ""};

class NvtxHandlerTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    agent_ = WARPSIGHT_BUILD_DIR "/lib/libwarpsight_agent.so";
    if (!fs::exists(GetParam()) || !fs::exists(agent_)) {
      GTEST_SKIP() << "the agent is not built with sanitizers";
    }
  }

  // Records the program; returns its output and how it ended.
  std::string Run(const std::string& end) {
    const std::string command = "WARPSIGHT_CAPTURE=" + folder_.path() +
                                " WARPSIGHT_RUN=2a NVTX_INJECTION64_PATH=" + agent_ + " " +
                                GetParam() + " " + end + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    std::array<char, 256> buffer{};
    while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
    status_ = pclose(pipe);
    return output;
  }

  Trace Import() {
    Progress progress;
    auto trace = ImportTraces({folder_.path()}, {}, progress);
    EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message);
    return *std::move(trace);
  }

  static std::vector<std::string> Ranges(const Trace& trace) {
    std::vector<std::string> names;
    for (const StringId name : trace.tables.host.name) names.emplace_back(trace.Text(name));
    return names;
  }

  std::string agent_;
  testing::TemporaryFolder folder_;
  int status_ = 0;
};

TEST_P(NvtxHandlerTest, EveryKindOfRangeIsRecorded) {
  EXPECT_EQ(Run("exit"), "depth 1\nleft 0\nnone -1\n");
  EXPECT_EQ(status_, 0);
  const Trace trace = Import();
  EXPECT_THAT(Ranges(trace),
              AllOf(Contains("outer"), Contains("inner"), Contains("library:registered"),
                    Contains("across"), Contains("handed over"), Contains("grüße")));
  ASSERT_EQ(trace.tables.instants.name.size(), 1U);
  EXPECT_EQ(trace.Text(trace.tables.instants.name[0]), "library:marked");
  std::vector<std::string> threads;
  for (const StringId name : trace.tables.threads.name) threads.emplace_back(trace.Text(name));
  EXPECT_THAT(threads, Contains("helper"));
  EXPECT_EQ(trace.tables.import_log.code.size(), 0U);
}

TEST_P(NvtxHandlerTest, AKilledProgramLosesOnlyTheLastMoment) {
  Run("kill");
  EXPECT_NE(status_, 0);
  const Trace trace = Import();
  const std::vector<std::string> names = Ranges(trace);
  EXPECT_THAT(names, Contains("never ended"));
  // It works for 1.5 s, 2 ms each: all but one second's worth must be there.
  int work = 0;
  for (const std::string& name : names) work += name.starts_with("work ") ? 1 : 0;
  EXPECT_GT(work, 100);
  std::vector<std::string> codes;
  for (const StringId code : trace.tables.import_log.code) codes.emplace_back(trace.Text(code));
  EXPECT_THAT(codes, Contains(HasSubstr("truncated")));
}

TEST_P(NvtxHandlerTest, AForkedChildIsNotRecorded) {
  EXPECT_THAT(Run("fork"), HasSubstr("child 0"));
  EXPECT_EQ(status_, 0);
  const Trace trace = Import();
  EXPECT_THAT(Ranges(trace), AllOf(Contains("outer"), Not(Contains("in the child"))));
}

// Names that the parent registered are also known in the child's own recording.
TEST_P(NvtxHandlerTest, AForkedChildMayStartARecording) {
  EXPECT_THAT(Run("attach"), HasSubstr("child 0"));
  EXPECT_EQ(status_, 0);
  const Trace trace = Import();
  const std::vector<std::string> names = Ranges(trace);
  const auto count = [&](std::string_view name) { return std::ranges::count(names, name); };
  EXPECT_EQ(count("library:registered"), 2);
  EXPECT_EQ(count("outer"), 1);
  EXPECT_EQ(count("child 49"), 1);
  EXPECT_EQ(count("open in the parent"), 1);
  EXPECT_EQ(count("started in the child"), 1);
  EXPECT_EQ(count(""), 0);
  EXPECT_EQ(trace.tables.import_log.code.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, NvtxHandlerTest,
    ::testing::ValuesIn(kPrograms, kPrograms + std::max<size_t>(1, std::size(kPrograms) - 1)),
    [](const auto& test) { return test.index == 0 ? "OurNvtx" : "VendorNvtx"; });

}  // namespace
}  // namespace warpsight
