#include "importers/api/sqlite_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpsight {
namespace {

using ::testing::AnyOf;
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

TEST(SqliteDatabaseTest, ReadsRowsAndMissingValues) {
  std::string bytes =
      MakeDatabase("CREATE TABLE t(a INTEGER, b TEXT); INSERT INTO t VALUES (7, 'x'), (NULL, 'y')");
  bytes[18] = bytes[19] = 2;  // write-ahead logging
  auto database = SqliteDatabase::Open(bytes);
  ASSERT_TRUE(database.ok()) << database.error().message;
  EXPECT_TRUE(database->HasTable("t"));
  EXPECT_FALSE(database->HasTable("u"));
  EXPECT_FALSE(database->HasColumn("t", "c"));
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

TEST(SqliteDatabaseTest, RejectsOtherFiles) {
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

constexpr size_t kPage = 512;
constexpr size_t kRootOfTheOnlyTable = 2;  // page 1 is the schema

void Put(std::string& bytes, size_t at, uint64_t number, int size) {
  for (int i = size; i-- > 0; number >>= 8) bytes[at + static_cast<size_t>(i)] = char(number & 255);
}

// A page without rows that refers to the page `child` many times.
std::string PageOfPages(size_t child) {
  constexpr size_t kChildren = 50;
  constexpr size_t kHead = 12;
  constexpr size_t kCell = 5;  // the child and the largest number below it
  std::string page(kPage, '\0');
  page[0] = 5;
  Put(page, 3, kChildren, 2);
  Put(page, 5, kPage - kChildren * kCell, 2);
  Put(page, 8, child, 4);
  for (size_t i = 0; i < kChildren; ++i) {
    const size_t at = kPage - (i + 1) * kCell;
    Put(page, kHead + 2 * i, at, 2);
    Put(page, at, child, 4);
    page[at + 4] = static_cast<char>(i + 1);
  }
  return page;
}

// 50^15 rows in a few pages: neither reading them nor searching through them would ever end.
TEST(SqliteDatabaseTest, SearchingEndlessPagesEnds) {
  std::string bytes =
      MakeDatabase("PRAGMA page_size=512; CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (7)");
  const size_t root = (kRootOfTheOnlyTable - 1) * kPage;
  const std::string leaf = bytes.substr(root, kPage);
  size_t pages = bytes.size() / kPage;
  bytes.replace(root, kPage, PageOfPages(pages + 1));
  for (int depth = 1; depth < 15; ++depth) bytes += PageOfPages(++pages + 1);
  bytes += leaf;
  Put(bytes, 28, pages + 1, 4);
  auto database = SqliteDatabase::Open(bytes);
  ASSERT_TRUE(database.ok()) << database.error().message;
  for (const char* which : {"", "WHERE a = 8"}) {
    const auto rows = database->Select("t", {"a"}, which);
    while (rows->Next()) {
    }
    EXPECT_THAT(rows->error(), HasSubstr("more rows or longer texts than the file has room for"));
  }
}

// A long text continues in overflow pages; here, an overflow page refers to itself.
TEST(SqliteDatabaseTest, TextsLongerThanTheFileAreAnError) {
  std::string sql = "PRAGMA page_size=512; CREATE TABLE t(a TEXT);";
  constexpr int kTexts = 4;
  for (int i = 0; i < kTexts; ++i) {
    sql += "INSERT INTO t VALUES ('" + std::string(1000, 'x') + "');";
  }
  std::string bytes = MakeDatabase(sql);
  const std::string size_of_1000 = "\x87\x6b", type_of_1000 = "\x8f\x5d";
  const std::string size_of_8100 = "\xbf\x27", type_of_8100 = "\xfe\x55";
  int changed = 0;
  for (size_t at = kPage; (at = bytes.find(size_of_1000, at)) != bytes.npos; ++at) {
    if (bytes.compare(at + 4, 2, type_of_1000) != 0) continue;
    bytes.replace(at, 2, size_of_8100);
    bytes.replace(at + 4, 2, type_of_8100);
    ++changed;
  }
  ASSERT_EQ(changed, kTexts);
  for (size_t page = kRootOfTheOnlyTable; page < bytes.size() / kPage; ++page) {
    Put(bytes, page * kPage, page + 1, 4);
  }
  auto database = SqliteDatabase::Open(bytes);
  ASSERT_TRUE(database.ok()) << database.error().message;
  const auto rows = database->Select("t", {"a"});
  size_t taken = 0;
  while (rows->Next()) taken += rows->Text(0).size();
  EXPECT_LE(taken, 5 * bytes.size());
  // Which of the two errors occurs first depends on SQLite's version.
  EXPECT_THAT(rows->error(),
              AnyOf(HasSubstr("more rows or longer texts than the file has room for"),
                    HasSubstr("malformed")));
}

// Modules of virtual tables are large programs, and interpret whatever their tables contain.
TEST(SqliteDatabaseTest, ModulesOfVirtualTablesAreNotRun) {
  std::string bytes = MakeDatabase(
      "CREATE VIRTUAL TABLE v USING rtree(id, low, high); INSERT INTO v VALUES (1, 2, 3)");
  auto database = SqliteDatabase::Open(bytes);
  ASSERT_TRUE(database.ok()) << database.error().message;
  const auto rows = database->Select("v", {"id"});
  EXPECT_FALSE(rows->Next());
  EXPECT_THAT(rows->error(), HasSubstr("no such module"));
}

}  // namespace
}  // namespace warpsight
