#include "model/import_log_effects.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace warpsight {
namespace {

namespace fs = std::filesystem;

TEST(ImportLogEffects, UnknownCodesCountAsUnreadParts) {
  EXPECT_EQ(EffectOf("a code of tomorrow"), LogEffect::kUnreadPart);
  EXPECT_EQ(EffectOf("negative_duration"), LogEffect::kChangedRecord);
}

// import_log_effects.cc must list every code that importers log.
TEST(ImportLogEffects, EveryCodeOfAnImporterIsKnown) {
  const std::regex log(R"re(Log\(\s*"([a-z_]+)")re");
  size_t found = 0;
  for (const char* folder : {"importers", "model"}) {
    const fs::path root = fs::path(WARPSIGHT_SOURCE_DIR) / "src" / folder;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string name = entry.path().string();
      if (!(name.ends_with(".cc") || name.ends_with(".h")) || name.ends_with("_test.cc")) continue;
      std::ifstream file(name);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      for (std::sregex_iterator it(text.begin(), text.end(), log), end; it != end; ++it) {
        ++found;
        EXPECT_TRUE(IsKnownLogCode((*it)[1].str())) << (*it)[1] << " in " << name;
      }
    }
  }
  EXPECT_GT(found, 40u);
}

}  // namespace
}  // namespace warpsight
