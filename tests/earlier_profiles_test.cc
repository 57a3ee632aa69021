// Profiles from earlier versions of the program, at least one of each schema: the program must
// print the same for them as for their traces. They are in tests/data/profiles, as
// <trace>.schema<N>.warpsight.gz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip.h"
#include "base/temporary_folder.h"
#include "store/stored_tables.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct EarlierProfile {
  std::string path;
  std::string trace;  // name in tests/data/h200
  int schema = 0;
};

void PrintTo(const EarlierProfile& profile, std::ostream* out) { *out << profile.path; }

std::vector<EarlierProfile> Profiles() {
  std::vector<EarlierProfile> profiles;
  for (const auto& entry : fs::directory_iterator(SourcePath("tests/data/profiles"))) {
    const std::string name = entry.path().filename().string();
    const size_t at = name.find(".schema");
    if (at == name.npos) continue;
    profiles.push_back({entry.path().string(), name.substr(0, at),
                        std::stoi(name.substr(at + std::string_view(".schema").size()))});
  }
  std::sort(profiles.begin(), profiles.end(),
            [](const EarlierProfile& a, const EarlierProfile& b) { return a.path < b.path; });
  return profiles;
}

TEST(EarlierProfiles, ExistForEverySchema) {
  std::set<int> schemas;
  for (const EarlierProfile& profile : Profiles()) schemas.insert(profile.schema);
  for (int schema = 1; schema < store::kSchemaVersion; ++schema) {
    EXPECT_TRUE(schemas.contains(schema)) << schema << ": tests/README.md says how to make one";
  }
}

class EarlierProfileTest : public ::testing::TestWithParam<EarlierProfile> {
 protected:
  void SetUp() override {
    const std::string bytes = Gunzip(ReadFile(GetParam().path));
    ASSERT_FALSE(bytes.empty());
    std::ofstream(saved_, std::ios::binary) << bytes;
  }

  // Compares the output for the trace with that for the profile; each is the last argument.
  void ExpectTheSame(std::vector<std::string> command) {
    command.push_back(SourcePath("tests/data/h200/" + GetParam().trace));
    const ProgramRun of_trace = RunWarpsight(command);
    command.back() = saved_;
    const ProgramRun of_profile = RunWarpsight(command);
    ASSERT_EQ(0, of_profile.exit_code) << of_profile.errors;
    EXPECT_EQ(of_trace.output, of_profile.output) << command.front();
    EXPECT_THAT(of_profile.errors, HasSubstr("written by an older version (schema " +
                                             std::to_string(GetParam().schema) + ")"));
  }

  TemporaryFolder folder_;
  std::string saved_ = folder_.Path("saved.warpsight");
};

TEST_P(EarlierProfileTest, PrintsTheSameAsItsTrace) {
  ExpectTheSame({"report"});
  ExpectTheSame({"report", "--report", "kernel,op_type,steps", "--format", "csv"});
  ExpectTheSame({"info", "--format", "json"});
  ExpectTheSame({"advise", "--all", "--format", "json"});
}

TEST_P(EarlierProfileTest, CanBeQueriedAndImportedAgain) {
  const std::string count = "SELECT count(*) FROM gpu_activities";
  const ProgramRun query = RunWarpsight({"query", "--format", "csv", saved_, count});
  EXPECT_EQ(0, query.exit_code) << query.errors;
  EXPECT_THAT(query.errors, HasSubstr("the query uses the tables of that version"));
  const std::string current = folder_.Path("current.warpsight");
  const ProgramRun import = RunWarpsight({"import", saved_, "-o", current});
  ASSERT_EQ(0, import.exit_code) << import.errors;
  const ProgramRun again = RunWarpsight({"query", "--format", "csv", current, count});
  EXPECT_EQ(query.output, again.output);
  EXPECT_EQ("", again.errors);
}

INSTANTIATE_TEST_SUITE_P(Profiles, EarlierProfileTest, ::testing::ValuesIn(Profiles()),
                         [](const auto& info) {
                           std::string name = fs::path(info.param.path).filename().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace warpsight::testing
