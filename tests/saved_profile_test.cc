// report, info and advise print the same for a saved profile and for its trace, although they read
// stored sums from the profile and sum the events of the trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesBelow(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Traces of every kind in the repository, and those of other projects if present.
std::vector<std::string> Inputs() {
  std::vector<std::string> inputs;
  for (const std::string& name : BundledTraces()) inputs.push_back(BundledTracePath(name));
  for (const char* folder : {"chrome", "nsys", "nvprof", "tensorrt", "xplane"}) {
    for (std::string& file : FilesBelow(SourcePath("tests/fuzz/seeds/") + folder)) {
      inputs.push_back(std::move(file));
    }
  }
  for (std::string& file : FilesBelow(SharedTraces())) {
    if (file.ends_with(".json.gz")) inputs.push_back(std::move(file));
  }
  return inputs;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).filename().string() + "_" + std::to_string(info.index);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class SavedProfile : public ::testing::TestWithParam<std::string> {};

TEST_P(SavedProfile, PrintsTheSameAsItsTrace) {
  const TemporaryFolder folder;
  const std::string saved = folder.Path("saved.warpsight");
  const ProgramRun import = RunWarpsight({"import", GetParam(), "-o", saved});
  if (import.exit_code != 0) {
    // Some fuzzer seeds are not traces, so there is nothing to compare.
    EXPECT_NE(0, RunWarpsight({"report", GetParam()}).exit_code) << import.errors;
    return;
  }
  const std::vector<std::string> commands[] = {{"report"},
                                               {"info"},
                                               {"info", "--format", "json"},
                                               {"advise", "--all"},
                                               {"advise", "--all", "--format", "md"},
                                               {"advise", "--all", "--format", "json"}};
  for (std::vector<std::string> command : commands) {
    command.push_back(saved);
    const ProgramRun of_profile = RunWarpsight(command);
    ASSERT_EQ(0, of_profile.exit_code) << of_profile.errors;
    command.back() = GetParam();
    EXPECT_EQ(RunWarpsight(command).output, of_profile.output) << command.front();
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, SavedProfile, ::testing::ValuesIn(Inputs()), TestName);

}  // namespace
}  // namespace warpsight::testing
