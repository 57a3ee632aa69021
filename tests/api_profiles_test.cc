// The files that a server opens: valid and damaged profiles, and traces that are being imported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <set>
#include <string>
#include <thread>

#include "api_client.h"
#include "store/database.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using simdjson::dom::element;
using ::testing::HasSubstr;

const std::string& Trace() {
  static const auto* path = new std::string(BundledTracePath("resnet18_cuda_graph_inference"));
  return *path;
}

void Edit(const std::string& path, const std::string& sql) {
  auto database = store::Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.error().message;
  auto connection = store::Connection::Open(*database);
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE(connection->Run(sql).ok());
}

class ProfilesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", Good()}).exit_code, 0);
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string Good() { return folder_->Path("good.warpsight"); }
  static std::string Copy(const std::string& name) {
    std::filesystem::copy_file(Good(), folder_->Path(name),
                               std::filesystem::copy_options::overwrite_existing);
    return folder_->Path(name);
  }

  // The result of opening a path: its state, or its error code.
  static std::string Outcome(const std::string& path) {
    ApiClient api({path, Good()});
    api.viewer().profiles().Wait();
    const ApiAnswer list = api.Get("/api/profiles");
    const element state = list.json["profiles"].at(0).value();
    EXPECT_EQ(TextOf(state, "path"), path);
    EXPECT_EQ(TextOf(list.json["profiles"].at(1).value(), "state"), "ready") << "others open";
    if (TextOf(state, "state") != "failed") return TextOf(state, "state");
    const std::string code = TextOf(state, "code");
    EXPECT_THAT(TextOf(state, "error"), HasSubstr(path));
    const std::string base = "/api/profiles/" + TextOf(state, "id");
    for (const char* place : {"", "/aggregations", "/aggregations/default/dashboard", "/key-ops"}) {
      const ApiAnswer answer = api.Get(base + place);
      EXPECT_EQ(answer.status, 422) << place;
      EXPECT_EQ(answer.code(), code);
    }
    EXPECT_EQ(api.Ask("POST", base + "/sql", {}, "SELECT 1").status, 422);
    return code;
  }

  static TemporaryFolder* folder_;
};

TemporaryFolder* ProfilesTest::folder_ = nullptr;

TEST_F(ProfilesTest, Missing) {
  EXPECT_EQ(Outcome(folder_->Path("nobody.warpsight")), "missing");
  EXPECT_EQ(Outcome(folder_->Path("nobody.json")), "missing");
  EXPECT_EQ(Outcome(folder_->Path("no/such/folder/x.warpsight")), "missing");
}

TEST_F(ProfilesTest, NotAProfile) {
  std::ofstream(folder_->Path("text.warpsight")) << "hello";
  EXPECT_EQ(Outcome(folder_->Path("text.warpsight")), "not-a-profile");
  std::ofstream(folder_->Path("empty.warpsight"));
  EXPECT_EQ(Outcome(folder_->Path("empty.warpsight")), "not-a-profile");
  Edit(folder_->Path("foreign.warpsight"), "CREATE TABLE t (x INT)");
  EXPECT_EQ(Outcome(folder_->Path("foreign.warpsight")), "not-a-profile");
  std::filesystem::create_directory(folder_->Path("folder.warpsight"));
  EXPECT_EQ(Outcome(folder_->Path("folder.warpsight")), "not-a-profile");
}

TEST_F(ProfilesTest, Damaged) {
  const std::string cut = Copy("cut.warpsight");
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  EXPECT_EQ(Outcome(cut), "damaged");
  const std::string rows = Copy("rows.warpsight");
  Edit(rows, "UPDATE gpu_activities SET start_ns = -1 WHERE rowid = 0");
  EXPECT_EQ(Outcome(rows), "damaged");
}

// Each of these once crashed the server with all its profiles.
TEST_F(ProfilesTest, HostileProfilesAreRejectedAndOthersServed) {
  for (const char* sql : {"UPDATE gaps SET cause = NULL", "DELETE FROM aggregations",
                          "DELETE FROM kernel_names", "UPDATE host_ranges SET parent_id = rowid",
                          "DROP TABLE gaps; CREATE VIEW gaps AS SELECT * FROM range(1000000000000)",
                          "UPDATE gpu_activities SET duration_ns = 9223372036854775807"}) {
    const std::string path = Copy("hostile.warpsight");
    Edit(path, sql);
    EXPECT_EQ(Outcome(path), "damaged") << sql;
  }
}

TEST_F(ProfilesTest, OtherSchemas) {
  const std::string newer = Copy("newer.warpsight");
  Edit(newer, "UPDATE warpsight SET value = '99' WHERE key = 'schema_version'");
  EXPECT_EQ(Outcome(newer), "newer-schema");
  const std::string older = Copy("older.warpsight");
  Edit(older, "UPDATE warpsight SET value = '1' WHERE key = 'schema_version'");
  EXPECT_EQ(Outcome(older), "ready");
}

TEST_F(ProfilesTest, FilesThatAreNotTraces) {
  std::ofstream(folder_->Path("bad.json")) << "{\"no\": \"trace\"";
  EXPECT_EQ(Outcome(folder_->Path("bad.json")), "import-failed");
  EXPECT_EQ(Outcome(Trace()), "ready");
}

TEST_F(ProfilesTest, IdsAreUnique) {
  const TemporaryFolder other;
  std::filesystem::copy_file(Good(), other.Path("good.warpsight"));
  std::filesystem::copy_file(Good(), other.Path("a b&ü.warpsight"));
  ApiClient api({Good(), other.Path("good.warpsight"), other.Path("a b&ü.warpsight"), Good()});
  api.viewer().profiles().Wait();
  std::set<std::string> ids;
  const ApiAnswer list = api.Get("/api/profiles");
  for (const element state : list.json["profiles"].get_array()) {
    const std::string id = TextOf(state, "id");
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_."), std::string::npos);
    EXPECT_EQ(api.Get("/api/profiles/" + id).status, 200);
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST_F(ProfilesTest, ImportsReportProgress) {
  std::atomic<bool> go = false;
  std::atomic<bool> started = false;
  ApiClient api({Trace()}, [&](const std::string& path, Progress& progress) -> Result<Profile> {
    progress.Begin("reading", 1000);
    progress.Add(250);
    started = true;
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ImportForTest({path});
  });
  while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const ApiAnswer list = api.Get("/api/profiles");
  const element state = list.json["profiles"].at(0).value();
  EXPECT_EQ(TextOf(state, "state"), "loading");
  EXPECT_EQ(TextOf(state, "phase"), "reading");
  EXPECT_EQ(IntegerOf(state, "done"), 250);
  EXPECT_EQ(IntegerOf(state, "total"), 1000);
  const std::string base = "/api/profiles/" + TextOf(state, "id");
  for (const char* place : {"", "/aggregations", "/aggregations/default/dashboard", "/key-ops"}) {
    EXPECT_EQ(api.Get(base + place).status, 409) << place;
    EXPECT_EQ(api.Get(base + place).code(), "loading") << place;
  }
  EXPECT_EQ(api.Ask("POST", base + "/sql", {}, "SELECT 1").status, 409);
  go = true;
  api.viewer().profiles().Wait();
  EXPECT_EQ(api.Get(base).status, 200);
  EXPECT_EQ(api.Ask("POST", base + "/sql", {}, "SELECT 1").status, 200)
      << "an imported trace has a file for SQL, too";
}

TEST_F(ProfilesTest, ImportsStopWhenTheServerEnds) {
  std::atomic<bool> started = false;
  std::atomic<bool> cancelled = false;
  {
    ApiClient api({Trace(), Trace()},
                  [&](const std::string&, Progress& progress) -> Result<Profile> {
                    started = true;
                    while (!progress.cancelled()) {
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    }
                    cancelled = true;
                    return Error{"cancelled"};
                  });
    while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(cancelled);
}

TEST_F(ProfilesTest, ImportsThatThrowFail) {
  ApiClient api({Trace()},
                [](const std::string&, Progress&) -> Result<Profile> { throw std::bad_alloc(); });
  api.viewer().profiles().Wait();
  const ApiAnswer list = api.Get("/api/profiles");
  EXPECT_EQ(TextOf(list.json["profiles"].at(0).value(), "code"), "import-failed");
}

// The file for SQL has no name in the file system, so nothing is left of it, however the viewer
// ends.
TEST_F(ProfilesTest, TemporaryFilesAreRemoved) {
  const TemporaryFolder place;
  setenv("TMPDIR", place.Path("").c_str(), 1);
  {
    ApiClient api({Trace()});
    api.viewer().profiles().Wait();
    EXPECT_TRUE(std::filesystem::is_empty(place.Path("")));
    const std::string id = "resnet18_cuda_graph_inference";
    EXPECT_EQ(api.Ask("POST", "/api/profiles/" + id + "/sql", {}, "SELECT 1").status, 200);
  }
  EXPECT_TRUE(std::filesystem::is_empty(place.Path("")));
  unsetenv("TMPDIR");
}

TEST_F(ProfilesTest, WithoutATemporaryFolderThereIsNoSql) {
  setenv("TMPDIR", "/nonexistent", 1);
  ApiClient api({Trace()});
  api.viewer().profiles().Wait();
  unsetenv("TMPDIR");
  const std::string base = "/api/profiles/resnet18_cuda_graph_inference";
  EXPECT_FALSE(api.Get(base).json["sql"].get_bool().value());
  EXPECT_EQ(api.Ask("POST", base + "/sql", {}, "SELECT 1").code(), "no-file");
  EXPECT_EQ(api.Get(base + "/aggregations/default/dashboard").status, 200);
}

}  // namespace
}  // namespace warpsight::testing
