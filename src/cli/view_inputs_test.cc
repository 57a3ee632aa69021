#include "cli/view_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using warpsight::testing::TemporaryFolder;

void WriteTrace(const std::string& path, const std::string& rank = "") {
  std::ofstream file(path);
  file << "{\"schemaVersion\": 1,";
  if (!rank.empty()) {
    file << R"("distributedInfo": {"backend": "nccl", "rank": )" << rank
         << R"(, "world_size": 2},)";
  }
  file << R"("traceEvents": [{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})";
}

// Only its beginning, by which it is recognized.
void WriteProfileHead(const std::string& path) {
  std::ofstream(path) << std::string(8, '\0') << "DUCK" << std::string(4096, '\0');
}

std::vector<std::string> Found(const std::vector<std::string>& paths) {
  const auto inputs = FindViewInputs(paths);
  EXPECT_TRUE(inputs.ok()) << inputs.error().message;
  return inputs.ok() ? *inputs : std::vector<std::string>();
}

TEST(ViewInputs, ProfilesAndTracesOfAFolder) {
  const TemporaryFolder folder;
  WriteTrace(folder.Path("b.json"));
  WriteTrace(folder.Path("a.json"));
  WriteProfileHead(folder.Path("z.warpsight"));
  std::ofstream(folder.Path("notes.txt")) << "some notes\n";
  std::filesystem::create_directory(folder.Path("more"));
  WriteTrace(folder.Path("more/c.json"));
  EXPECT_THAT(Found({folder.path()}),
              ElementsAre(folder.path() + "/z.warpsight", folder.path() + "/a.json",
                          folder.path() + "/b.json"));
  EXPECT_THAT(Found({folder.Path("b.json"), folder.Path("a.json")}),
              ElementsAre(folder.Path("b.json"), folder.Path("a.json")));
}

TEST(ViewInputs, RanksOfOneJobAreOneRun) {
  const TemporaryFolder folder;
  WriteTrace(folder.Path("a.json"), "0");
  WriteTrace(folder.Path("b.json"), "1");
  EXPECT_THAT(Found({folder.path()}), ElementsAre(folder.path()));
  WriteTrace(folder.Path("c.json"), "1");
  EXPECT_EQ(Found({folder.path()}).size(), 3U) << "two of one rank are two runs";
}

TEST(ViewInputs, FoldersWithFoldersOnlyAreOneRun) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("plugins"));
  WriteTrace(folder.Path("plugins/a.json"));
  EXPECT_THAT(Found({folder.path()}), ElementsAre(folder.path()));
}

TEST(ViewInputs, NothingToShow) {
  const TemporaryFolder folder;
  const auto empty = FindViewInputs({folder.path()});
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(empty.error().message, HasSubstr("contains no profile and no trace"));
  const auto missing = FindViewInputs({folder.Path("x.warpsight")});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, folder.Path("x.warpsight") + ": no such file");
}

}  // namespace
}  // namespace warpsight
