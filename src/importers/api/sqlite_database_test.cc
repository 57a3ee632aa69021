#include "importers/api/sqlite_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>

namespace warpsight {
namespace {

using ::testing::HasSubstr;

std::string MakeDatabase(const std::string& sql) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string copy(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return copy;
}

TEST(SqliteDatabaseTest, ReadsRowsAndKnowsWhatIsMissing) {
  std::string bytes =
      MakeDatabase("CREATE TABLE t(a INTEGER, b TEXT); INSERT INTO t VALUES (7, 'x'), (NULL, 'y')");
  bytes[18] = bytes[19] = 2;  // write-ahead logging
  auto database = SqliteDatabase::Open(bytes);
  ASSERT_TRUE(database.ok()) << database.error().message;
  EXPECT_TRUE(database->HasTable("t"));
  EXPECT_FALSE(database->HasTable("u"));
  EXPECT_FALSE(database->HasColumn("t", "c"));
  EXPECT_EQ(database->CountRows("t"), 2);
  EXPECT_EQ(database->CountRows("u"), 0);
  const auto rows = database->Select("t", {"b", "c", "a"}, "ORDER BY b");
  ASSERT_TRUE(rows->Next());
  EXPECT_EQ(rows->Text(0), "x");
  EXPECT_TRUE(rows->IsNull(1));
  EXPECT_EQ(rows->Integer(2), 7);
  ASSERT_TRUE(rows->Next());
  EXPECT_EQ(rows->IntegerOr(2, -5), -5);
  EXPECT_FALSE(rows->Next());
  EXPECT_EQ(rows->error(), "");
}

TEST(SqliteDatabaseTest, SaysWhatIsNoDatabase) {
  std::string text = "SQLite format 2";
  EXPECT_THAT(SqliteDatabase::Open(text).error().message,
              HasSubstr("not an SQLite database, or an encrypted one"));
  std::string bytes = MakeDatabase("CREATE TABLE t(a)");
  std::fill(bytes.begin() + 100, bytes.end(), '\x5a');
  EXPECT_THAT(SqliteDatabase::Open(bytes).error().message, HasSubstr("damaged"));
}

TEST(SqliteDatabaseTest, ADamagedPageEndsTheRowsWithAnError) {
  std::string sql = "PRAGMA page_size=512; CREATE TABLE t(a TEXT);";
  for (int i = 0; i < 200; ++i) sql += "INSERT INTO t VALUES ('some text that takes room');";
  std::string bytes = MakeDatabase(sql);
  std::fill(bytes.begin() + 3 * 512, bytes.end(), '\xff');
  auto database = SqliteDatabase::Open(bytes);
  ASSERT_TRUE(database.ok());
  const auto rows = database->Select("t", {"a"});
  while (rows->Next()) {
  }
  EXPECT_NE(rows->error(), "");
}

}  // namespace
}  // namespace warpsight
