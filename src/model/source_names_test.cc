#include "model/source_names.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpsight {
namespace {

std::vector<std::string> Names(const std::vector<std::string>& paths) {
  Trace trace;
  for (const std::string& path : paths) {
    trace.tables.sources.path.push_back(trace.strings.Intern(path));
  }
  DropSourceFolders(trace);
  std::vector<std::string> names;
  for (const StringId name : trace.tables.sources.path) names.emplace_back(trace.Text(name));
  return names;
}

using Texts = std::vector<std::string>;

TEST(DropSourceFolders, KeepsNames) {
  EXPECT_EQ(Names({}), Texts());
  EXPECT_EQ(Names({"trace.json"}), Texts({"trace.json"}));
  EXPECT_EQ(Names({"/home/jo/secret/trace.json"}), Texts({"trace.json"}));
  EXPECT_EQ(Names({"/home/jo/a.json", "/data/b.json"}), Texts({"a.json", "b.json"}));
}

TEST(DropSourceFolders, KeepsThePartThatDistinguishesFiles) {
  EXPECT_EQ(Names({"/home/jo/run/rank0/t.json", "/home/jo/run/rank1/t.json"}),
            Texts({"rank0/t.json", "rank1/t.json"}));
  EXPECT_EQ(Names({"/home/jo/t.json", "/home/al/t.json", "/home/al/u.json"}),
            Texts({"jo/t.json", "al/t.json", "al/u.json"}));
  EXPECT_EQ(Names({"t.json", "runs/t.json"}), Texts({"t.json", "runs/t.json"}));
  EXPECT_EQ(Names({"/x/t.json", "/x/t.json"}), Texts({"t.json", "t.json"}));
}

TEST(DropSourceFolders, AlsoFromTheImportLog) {
  Trace trace;
  trace.tables.sources.path.push_back(trace.strings.Intern("/home/jo/run/sub/t.json"));
  trace.tables.import_log.message.push_back(
      trace.strings.Intern("/home/jo/run/a.txt: the same profile as /home/jo/run/sub/t.json"));
  trace.tables.import_log.message.push_back(trace.strings.Intern("a record without a name"));
  DropSourceFolders(trace);
  EXPECT_EQ(trace.Text(trace.tables.import_log.message[0]), "a.txt: the same profile as t.json");
  EXPECT_EQ(trace.Text(trace.tables.import_log.message[1]), "a record without a name");
}

}  // namespace
}  // namespace warpsight
