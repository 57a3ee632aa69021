#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "store/stored_tables.h"
#include "store/test_profile.h"
#include "store/views.h"

// docs/schema.md lists every table, view and column; this test compares and updates the list.
namespace warpsight::store {
namespace {

constexpr std::string_view kBegin = "<!-- begin: written by schema_doc_test -->\n";
constexpr std::string_view kEnd = "<!-- end: written by schema_doc_test -->\n";

std::string RenderSchema() {
  Profile profile;
  std::string text = "## Views\n";
  for (const View& view : Views()) {
    text += fmt::format("\n### {}\n\n{}\n\n| column | meaning |\n|---|---|\n", view.name, view.doc);
    for (const ViewColumn& column : view.columns) {
      text += fmt::format("| `{}` | {} |\n", column.name, column.doc);
    }
  }
  text += "\n## Tables\n";
  const std::vector<StoredTable> tables = ListTables(profile);
  for (const StoredTable& table : tables) {
    text += fmt::format("\n### {}\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n",
                        table.name, table.doc);
    for (const StoredColumn& column : table.columns) {
      text += fmt::format("| `{}` | {} | {} |\n", column.name, SqlNameOf(column.type),
                          DocOf(tables, column));
    }
  }
  return text;
}

TEST(SchemaDoc, ListsWhatIsStored) {
  const std::string path = std::string(WARPSIGHT_SOURCE_DIR) + "/docs/schema.md";
  const std::string file = ReadFile(path);
  const size_t begin = file.find(kBegin);
  const size_t end = file.find(kEnd);
  ASSERT_NE(std::string::npos, begin);
  ASSERT_NE(std::string::npos, end);
  const std::string before = file.substr(0, begin + kBegin.size());
  const std::string updated = before + "\n" + RenderSchema() + "\n" + file.substr(end);
  if (std::getenv("WARPSIGHT_UPDATE_GOLDEN") != nullptr) WriteFile(path, updated);
  EXPECT_EQ(updated, ReadFile(path)) << "run again with WARPSIGHT_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace warpsight::store
