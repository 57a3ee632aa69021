#include "store/parquet.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/database.h"
#include "store/test_profile.h"

namespace warpsight::store {
namespace {

int64_t Number(Connection& connection, const std::string& sql) {
  auto rows = connection.Query(sql);
  if (!rows.ok()) {
    ADD_FAILURE() << sql << ": " << rows.error().message;
    return -1;
  }
  int64_t value = -1;
  const Status status = rows->ForEachChunk([&](const Chunk& chunk) {
    if (chunk.rows() > 0) value = static_cast<const int64_t*>(chunk.data(0))[0];
    return Status();
  });
  EXPECT_TRUE(status.ok());
  return value;
}

class ParquetTest : public ::testing::Test {
 protected:
  void Write(const Profile& profile) {
    Progress progress;
    const Status status = WriteParquet(profile, folder_.path(), "run", progress);
    ASSERT_TRUE(status.ok()) << status.error().message;
    auto database = Database::Open("", {});
    ASSERT_TRUE(database.ok());
    database_ = std::make_unique<Database>(std::move(*database));
    auto connection = Connection::Open(*database_);
    ASSERT_TRUE(connection.ok());
    connection_ = std::make_unique<Connection>(std::move(*connection));
  }

  std::string From(std::string_view table) const {
    return fmt::format("read_parquet('{}/{}/*/*.parquet', hive_partitioning = true)",
                       folder_.path(), table);
  }

  TestFolder folder_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(ParquetTest, ContainsEveryRowOnce) {
  const Profile profile = MakeTestProfile();
  Write(profile);
  for (const StoredTable& table : ListTables(profile)) {
    if (table.rows == 0) continue;
    EXPECT_EQ(Number(*connection_, "SELECT count(*) FROM " + From(table.name)),
              static_cast<int64_t>(table.rows))
        << table.name;
    EXPECT_EQ(Number(*connection_, "SELECT count(DISTINCT id) FROM " + From(table.name)),
              static_cast<int64_t>(table.rows))
        << table.name;
  }
}

TEST_F(ParquetTest, SumsAndTextsEqualTheProfile) {
  const Profile profile = MakeTestProfile(9);
  Write(profile);
  int64_t sum = 0;
  for (const int64_t duration : profile.trace.tables.gpu.duration) sum += duration;
  EXPECT_EQ(Number(*connection_, "SELECT sum(duration_ns)::BIGINT FROM " + From("gpu_activities")),
            sum);
  int64_t named = 0;
  for (const StringId name : profile.trace.tables.host.name) {
    named += profile.trace.Text(name) == "aten::mm" ? 1 : 0;
  }
  EXPECT_EQ(Number(*connection_,
                   "SELECT count(*) FROM " + From("host_ranges") + " WHERE name = 'aten::mm'"),
            named);
  EXPECT_EQ(Number(*connection_, "SELECT count(DISTINCT run) FROM " + From("gpu_activities")), 1);
}

TEST_F(ParquetTest, LeavesNoDatabaseBehind) {
  Write(MakeTestProfile());
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
}

}  // namespace
}  // namespace warpsight::store
