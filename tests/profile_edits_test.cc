// A few rounds of the program that edits profiles at random; tests/torture runs many rounds.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "test_traces.h"

namespace warpsight::testing {
namespace {

class ProfileEditsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ProfileEditsTest, EndInAnErrorMessageOrInReports) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  const ProgramRun imported = RunWarpsight({"import", SourcePath(GetParam()), "-o", profile});
  ASSERT_EQ(imported.exit_code, 0) << imported.errors;
  const std::string command = std::string("'" WARPSIGHT_PROFILE_EDITS "' --rounds 6 --folder '") +
                              folder.Path("work") + "' '" + profile + "' >'" + folder.Path("out") +
                              "' 2>&1";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << ReadFile(folder.Path("out")) << ReadFile(folder.Path("work/log"));
}

INSTANTIATE_TEST_SUITE_P(Traces, ProfileEditsTest,
                         ::testing::Values("tests/fuzz/seeds/capture/training.wscap",
                                           "tests/fuzz/seeds/chrome/jax_mlp.json",
                                           "tests/fuzz/seeds/nsys/two_layers.sqlite",
                                           "tests/fuzz/seeds/nvprof/two_layers.nvprof"));

}  // namespace
}  // namespace warpsight::testing
