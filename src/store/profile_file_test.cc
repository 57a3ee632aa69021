#include "store/profile_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <type_traits>

#include "model/integrity.h"
#include "store/database.h"
#include "store/profile_place.h"
#include "store/test_profile.h"

namespace warpsight::store {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const LoadOptions kEverything{{}};

std::string LoadError(const std::string& path) {
  auto profile = LoadProfile(path, kEverything);
  if (profile.ok()) return "";
  const std::string& message = profile.error().message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_THAT(message, HasSubstr(path));
  return message;
}

std::string SaveError(const Profile& profile, const std::string& path) {
  Progress progress;
  const Status status = SaveProfile(profile, path, progress);
  if (status.ok()) return "";
  EXPECT_EQ(status.error().message.find('\n'), std::string::npos) << status.error().message;
  EXPECT_THAT(status.error().message, HasSubstr(path));
  return status.error().message;
}

// Changes a file with SQL, as another client could.
void Edit(const std::string& path, const std::string& sql) {
  auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok()) << database.error().message;
  auto connection = Connection::Open(*database);
  ASSERT_TRUE(connection.ok());
  const Status status = connection->Run(sql);
  ASSERT_TRUE(status.ok()) << status.error().message;
}

// The profile of an empty trace: one iteration without events.
Profile MakeNothing() {
  Profile profile = MakeTestProfile(2, "");
  std::vector<StoredTable> tables = ListTables(profile);
  for (const StoredTable& table : tables) {
    const bool keep = table.name == "sources" || table.name == "iterations";
    for (const StoredColumn& column : table.columns) {
      if (table.name != "aggregations") column.Resize(keep ? 1 : 0);
    }
  }
  return profile;
}

TEST(ProfileFile, KeepsEveryValueOfEveryTable) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile();
  ASSERT_EQ("", CheckIntegrity(profile.trace));
  ASSERT_EQ("", CheckFacts(profile.trace, profile.facts));
  SaveOrFail(profile, folder.Path("run.warpsight"));
  EXPECT_EQ(1U, folder.FileCount());
  auto loaded = LoadProfile(folder.Path("run.warpsight"), kEverything);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ("", Difference(profile, *loaded));
}

TEST(ProfileFile, KeepsTheRowOrderOfLargeTables) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile(300'001);
  SaveOrFail(profile, folder.Path("run.warpsight"));
  auto loaded = LoadProfile(folder.Path("run.warpsight"), kEverything);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ("", Difference(profile, *loaded));
}

TEST(ProfileFile, KeepsAnEmptyProfile) {
  const TestFolder folder;
  Profile profile = MakeNothing();
  IndexKernelNames(profile.facts, profile.trace.strings);
  SaveOrFail(profile, folder.Path("run.warpsight"));
  auto loaded = LoadProfile(folder.Path("run.warpsight"), kEverything);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ("", Difference(profile, *loaded));
}

TEST(ProfileFile, TablesMayHaveNoValuesAtAll) {
  const TestFolder folder;
  Profile profile = MakeNothing();
  profile.trace.tables.host_extras.call_stack.assign(3, StringId::kEmpty);
  HostExtrasTable::Columns([&](ColumnInfo, auto member) {
    auto& column = profile.trace.tables.host_extras.*member;
    using T = typename std::remove_cvref_t<decltype(column)>::value_type;
    if constexpr (std::is_same_v<T, int64_t>) column.assign(3, kMissing);
    if constexpr (std::is_same_v<T, CollectiveId>) column.assign(3, kNone<CollectiveId>);
    if constexpr (std::is_same_v<T, StringId>) column.assign(3, StringId::kEmpty);
  });
  IndexKernelNames(profile.facts, profile.trace.strings);
  SaveOrFail(profile, folder.Path("run.warpsight"));
  auto loaded = LoadProfile(folder.Path("run.warpsight"), kEverything);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ("", Difference(profile, *loaded));
}

TEST(ProfileFile, LeavesSkippedTablesEmpty) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile();
  SaveOrFail(profile, folder.Path("run.warpsight"));
  auto loaded = LoadProfile(folder.Path("run.warpsight"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(0U, RowCount(loaded->trace.tables.flows));
  EXPECT_EQ(7U, RowCount(loaded->trace.tables.host));
}

TEST(ProfileFile, SumsAreReadWithoutEvents) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile();
  SaveOrFail(profile, folder.Path("run.warpsight"));
  const LoadOptions options = LoadOptions::WithoutEvents();
  auto loaded = LoadProfile(folder.Path("run.warpsight"), options);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;

  const auto is_skipped = [&](std::string_view table) {
    return std::find(options.skip.begin(), options.skip.end(), table) != options.skip.end();
  };
  const std::vector<StoredTable> all = ListTables(profile);
  const std::vector<StoredTable> read = ListTables(*loaded);
  size_t skipped = 0;
  for (size_t t = 0; t < all.size(); ++t) {
    skipped += is_skipped(all[t].name) ? 1 : 0;
    for (size_t c = 0; c < all[t].columns.size(); ++c) {
      const StoredColumn& column = all[t].columns[c];
      const std::string name = fmt::format("{}.{}", all[t].name, column.name);
      const size_t rows = is_skipped(all[t].name) ? 0 : all[t].rows;
      ASSERT_EQ(rows, read[t].columns[c].size()) << name;
      const bool names_event =
          column.type == StoredType::kRow && is_skipped(all[column.limit_table].name);
      const auto* ids = static_cast<const uint32_t*>(read[t].columns[c].data());
      if (names_event) {
        EXPECT_TRUE(std::all_of(ids, ids + rows, [](uint32_t id) { return id == UINT32_MAX; }))
            << name;
      } else if (rows > 0) {
        EXPECT_EQ(
            0, std::memcmp(column.data(), read[t].columns[c].data(), rows * WidthOf(column.type)))
            << name;
      }
    }
  }
  EXPECT_EQ(options.skip.size(), skipped) << "a name that no table has";
}

TEST(ProfileFile, SumsAreCheckedWithoutEvents) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  Edit(path, "UPDATE kernel_uses SET name_id = 12 WHERE rowid = 0");
  auto loaded = LoadProfile(path, LoadOptions::WithoutEvents());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(path + " is damaged: kernel_names lacks the kernel of kernel_uses row 0",
            loaded.error().message);
}

TEST(ProfileFile, ReplacesProfilesAndEmptyFilesOnly) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  WriteFile(path, "");
  SaveOrFail(MakeTestProfile(), path);
  SaveOrFail(MakeTestProfile(), path);
  Edit(path, "UPDATE warpsight SET value = '1' WHERE key = 'schema_version'");
  EXPECT_THAT(LoadError(path), HasSubstr("older"));
  SaveOrFail(MakeTestProfile(), path);
  EXPECT_EQ(1U, folder.FileCount());
  EXPECT_EQ("", LoadError(path));

  WriteFile(folder.Path("thesis.tex"), "years of work");
  Edit(folder.Path("foreign"), "CREATE TABLE t (x INT)");
  Edit(folder.Path("view"), "CREATE VIEW warpsight AS SELECT 'schema_version' AS key, 7 AS value");
  Edit(folder.Path("view"), "CREATE TABLE t (x INT)");
  for (const char* name : {"thesis.tex", "foreign", "view"}) {
    const std::string before = ReadFile(folder.Path(name));
    EXPECT_EQ("cannot save " + folder.Path(name) +
                  ": it exists and is not a Warpsight profile; replace it with --force",
              SaveError(MakeTestProfile(), folder.Path(name)));
    EXPECT_EQ(before, ReadFile(folder.Path(name)));
  }
  Progress progress;
  OutputRules rules;
  rules.force = true;
  const auto place = FindProfilePlace(folder.Path("foreign"), rules);
  ASSERT_TRUE(place.ok()) << place.error().message;
  ASSERT_TRUE(SaveProfile(MakeTestProfile(), *place, progress).ok());
  EXPECT_EQ("", LoadError(folder.Path("foreign")));
}

TEST(ProfileFile, NeverRemovesOrAppliesALog) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  WriteFile(path + ".wal", "another program's");
  const std::string reason = "cannot save " + path + ": " + path +
                             ".wal exists and DuckDB would apply it; move that file away";
  EXPECT_EQ(reason, SaveError(MakeTestProfile(), path));
  OutputRules rules;
  rules.force = true;
  EXPECT_FALSE(FindProfilePlace(path, rules).ok());
  EXPECT_EQ("another program's", ReadFile(path + ".wal"));
  EXPECT_FALSE(std::filesystem::exists(path));

  // The log appears while the profile is being written.
  std::filesystem::remove(path + ".wal");
  const auto place = FindProfilePlace(path);
  ASSERT_TRUE(place.ok());
  WriteFile(path + ".wal", "another program's");
  Progress progress;
  EXPECT_EQ(reason, SaveProfile(MakeTestProfile(), *place, progress).error().message);
  EXPECT_EQ(1U, folder.FileCount());

  // The log belongs to an earlier profile.
  std::filesystem::remove(path + ".wal");
  ASSERT_EQ("", SaveError(MakeTestProfile(), path));
  WriteFile(path + ".wal", "another program's");
  EXPECT_EQ(reason, SaveError(MakeTestProfile(), path));
}

TEST(ProfileFile, AFileThatAppearsMeanwhileIsNotReplaced) {
  const TestFolder folder;
  const auto place = FindProfilePlace(folder.Path("run.warpsight"));
  ASSERT_TRUE(place.ok());
  WriteFile(folder.Path("run.warpsight"), "years of work");
  Progress progress;
  EXPECT_FALSE(SaveProfile(MakeTestProfile(), *place, progress).ok());
  EXPECT_EQ("years of work", ReadFile(folder.Path("run.warpsight")));
  // A profile that another process saved in the meantime may be replaced.
  std::filesystem::remove(folder.Path("run.warpsight"));
  SaveOrFail(MakeTestProfile(), folder.Path("run.warpsight"));
  EXPECT_TRUE(SaveProfile(MakeTestProfile(), *place, progress).ok());
  EXPECT_EQ(1U, folder.FileCount());
}

TEST(ProfileFile, KeepsTheModeOfTheUmask) {
  const TestFolder folder;
  const mode_t before = umask(027);
  SaveOrFail(MakeTestProfile(), folder.Path("run.warpsight"));
  umask(before);
  struct stat status {};
  ASSERT_EQ(0, stat(folder.Path("run.warpsight").c_str(), &status));
  EXPECT_EQ(0640U, status.st_mode & 0777U);
}

TEST(ProfileFile, FollowsALink) {
  const TestFolder folder;
  WriteFile(folder.Path("real"), "");
  std::filesystem::create_symlink("real", folder.Path("link"));
  SaveOrFail(MakeTestProfile(), folder.Path("link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.Path("link")));
  EXPECT_EQ("", LoadError(folder.Path("real")));
  // Also if the link's target does not exist yet.
  std::filesystem::create_symlink("new", folder.Path("dangling"));
  SaveOrFail(MakeTestProfile(), folder.Path("dangling"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.Path("dangling")));
  EXPECT_EQ("", LoadError(folder.Path("new")));
}

TEST(ProfileFile, ReportsProgressAndCanBeCancelled) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile();
  Progress progress;
  ASSERT_TRUE(SaveProfile(profile, folder.Path("a"), progress).ok());
  EXPECT_STREQ("saving", progress.phase.load());
  EXPECT_EQ(progress.total.load(), progress.done.load());

  SaveOrFail(profile, folder.Path("b"));
  const std::string before = ReadFile(folder.Path("b"));
  progress.cancel = true;
  const Status status = SaveProfile(profile, folder.Path("b"), progress);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ("saving " + folder.Path("b") + " was canceled", status.error().message);
  EXPECT_EQ(before, ReadFile(folder.Path("b")));
  EXPECT_EQ(2U, folder.FileCount());
}

TEST(ProfileFile, SmallProfilesAreSmallFiles) {
  const TestFolder folder;
  SaveOrFail(MakeTestProfile(2), folder.Path("run"));
  EXPECT_LT(std::filesystem::file_size(folder.Path("run")), 2'100'000U);
}

TEST(ProfileFile, RecognizesProfiles) {
  const TestFolder folder;
  SaveOrFail(MakeTestProfile(), folder.Path("run"));
  WriteFile(folder.Path("text"), "{\"traceEvents\": []}");
  WriteFile(folder.Path("empty"), "");
  EXPECT_TRUE(LooksLikeProfile(folder.Path("run")));
  EXPECT_FALSE(LooksLikeProfile(folder.Path("text")));
  EXPECT_FALSE(LooksLikeProfile(folder.Path("empty")));
  EXPECT_FALSE(LooksLikeProfile(folder.Path("missing")));
  EXPECT_FALSE(LooksLikeProfile(folder.path()));
}

TEST(ProfileFileErrors, NotAFile) {
  const TestFolder folder;
  EXPECT_THAT(LoadError(folder.Path("missing")), HasSubstr("No such file or directory"));
  EXPECT_THAT(LoadError(folder.path()), HasSubstr("it is a directory"));
}

TEST(ProfileFileErrors, NotAProfile) {
  const TestFolder folder;
  WriteFile(folder.Path("text"), "{\"traceEvents\": []}");
  EXPECT_EQ(folder.Path("text") + " is not a Warpsight profile: it is not a DuckDB database",
            LoadError(folder.Path("text")));
  WriteFile(folder.Path("empty"), "");
  EXPECT_THAT(LoadError(folder.Path("empty")), HasSubstr("is not a Warpsight profile"));

  Edit(folder.Path("foreign"), "CREATE TABLE t (x INT)");
  const std::string foreign =
      folder.Path("foreign") + " is a DuckDB database, but not a Warpsight profile";
  EXPECT_EQ(foreign, LoadError(folder.Path("foreign")));
  Edit(folder.Path("foreign"), "CREATE TABLE warpsight (x INT)");
  EXPECT_EQ(foreign, LoadError(folder.Path("foreign")));
  Edit(folder.Path("foreign"), "CREATE OR REPLACE TABLE warpsight (key INT, value INT)");
  EXPECT_EQ(foreign, LoadError(folder.Path("foreign")));
}

TEST(ProfileFileErrors, OtherVersions) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  Edit(path, "UPDATE warpsight SET value = '9' WHERE key = 'schema_version'");
  EXPECT_EQ(path + " was made by a newer Warpsight (schema 9; this program reads up to 8): update",
            LoadError(path));
  Edit(path, "UPDATE warpsight SET value = '0' WHERE key = 'schema_version'");
  EXPECT_EQ(path + " has an unknown schema version ('0'; this program reads 1 to 8)",
            LoadError(path));
  Edit(path, "UPDATE warpsight SET value = NULL WHERE key = 'schema_version'");
  EXPECT_EQ(path + " has an unknown schema version (''; this program reads 1 to 8)",
            LoadError(path));
}

TEST(ProfileFileErrors, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TestFolder folder;
  SaveOrFail(MakeTestProfile(), folder.Path("run"));
  chmod(folder.Path("run").c_str(), 0);
  EXPECT_THAT(LoadError(folder.Path("run")), HasSubstr("Permission denied"));
  chmod(folder.path().c_str(), 0500);
  EXPECT_THAT(SaveError(MakeTestProfile(), folder.Path("other")), HasSubstr("Permission denied"));
  chmod(folder.path().c_str(), 0700);
}

// Changes by other clients that would make reports fail.
TEST(ProfileFileErrors, EditedTables) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  const std::string saved = ReadFile(path);
  for (const char* sql : {
           "UPDATE host_ranges SET name_id = 4000000000 WHERE rowid = 3",
           "UPDATE host_ranges SET thread_id = NULL WHERE rowid = 3",
           "UPDATE host_ranges SET parent_id = 7 WHERE rowid = 6",
           "UPDATE host_ranges SET kind = 8 WHERE rowid = 6",
           "UPDATE gpu_activities SET start_ns = -1 WHERE rowid = 0",
           "UPDATE gpu_activities SET start_ns = NULL WHERE rowid = 0",
           "UPDATE gpu_activities SET duration_ns = 9223372036854775807 WHERE rowid = 0",
           "UPDATE warpsight SET value = 'x' WHERE key = 'end_ns'",
           "UPDATE strings SET text = 'aten::mm' WHERE id = 2",
           "UPDATE strings SET id = 77 WHERE id = 2",
           "DELETE FROM strings WHERE id = 2",
           "DELETE FROM streams",
           "DROP TABLE gaps",
           "DROP VIEW ops; ALTER TABLE host_ranges DROP COLUMN direction",
           "ALTER TABLE memory_events ALTER thread_id TYPE BIGINT",
       }) {
    WriteFile(path, saved);
    Edit(path, sql);
    EXPECT_THAT(LoadError(path), HasSubstr(" is damaged: ")) << sql;
  }
}

// SQL that makes a file hostile, and the expected error.
struct Attack {
  const char* sql;
  const char* problem;
};
constexpr Attack kAttacks[] = {
    {"UPDATE gaps SET cause = NULL", "gaps.cause has no value in row 0"},
    {"UPDATE gaps SET cause = 255 WHERE rowid = 3", "gaps.cause has no value in row 3"},
    {"UPDATE gaps SET cause = 8 WHERE rowid = 3", "gaps.cause is out of range in row 3"},
    {"UPDATE gaps SET end_ns = start_ns", "gaps has impossible times in row 0"},
    {"DELETE FROM gaps WHERE rowid = 2", "gaps are not the idle times before row 2"},
    {"DELETE FROM gaps WHERE rowid = 3", "gaps are not the idle times of the GPU in row 2"},
    {"UPDATE gaps SET end_ns = end_ns - 1 WHERE rowid = 3",
     "gaps are not the idle times of the GPU in row 2"},
    {"UPDATE host_ranges SET direction = NULL", "host_ranges.direction has no value in row 0"},
    {"UPDATE findings SET confidence = NULL", "findings.confidence has no value in row 0"},
    {"DELETE FROM host_ranges", "api_calls.op_id is out of range in row 0"},
    {"DELETE FROM api_calls WHERE rowid = 3", "gpu_activities.api_id is out of range in row 6"},
    {"DELETE FROM kernel_names", "kernel_names lacks the kernel of gpu_activities row 0"},
    {"DELETE FROM iterations", "iteration_id is out of range"},
    {"DELETE FROM findings", "finding_evidence.finding_id is out of range in row 0"},
    {"DELETE FROM aggregations", "aggregations has 0 rows where 1 was expected"},
    {"INSERT INTO aggregations SELECT * FROM aggregations", "aggregations has 2 rows"},
    {"UPDATE aggregations SET last = 99", "aggregations has iterations 0 to 99 of 1"},
    {"UPDATE aggregations SET batch_size = 1152921504606846976",
     "aggregations.batch_size is out of range in row 0"},
    {"UPDATE aggregations SET first = NULL", "aggregations.first has no value in row 0"},
    {"UPDATE host_ranges SET parent_id = rowid WHERE rowid = 3",
     "host_ranges.parent_id does not come before its child in row 3"},
    {"UPDATE host_ranges SET parent_id = 3 WHERE rowid = 2",
     "host_ranges.parent_id does not come before its child in row 2"},
    {"UPDATE host_ranges SET parent_id = 0 WHERE rowid = 3",
     "host_ranges.parent_id is on another thread in row 3"},
    {"UPDATE host_ranges SET op_id = 5 WHERE rowid = 4", "host_ranges.op_id is not an op"},
    {"UPDATE gpu_activities SET iteration_id = 2 WHERE rowid = 0",
     "gpu_activities.iteration_id is not that of its launch in row 0"},
    {"UPDATE ledger SET ns = ns + 1 WHERE rowid = 4",
     "ledger has more time than the window in row 4"},
    {"UPDATE ledger SET ns = ns - 1 WHERE rowid = 4", "ledger does not sum to the window at row 4"},
    {"DELETE FROM ledger WHERE rowid = 4", "ledger_totals is not the sum of ledger in row 4"},
    {"UPDATE ledger SET entry = 14 WHERE rowid = 2",
     "ledger has an entry of another device in row 2"},
    {"UPDATE ledger SET device_id = 1 WHERE rowid = 2",
     "ledger has an entry of another device in row 2"},
    {"UPDATE ledger SET iteration_id = NULL WHERE rowid = 2",
     "ledger.iteration_id has no value in row 2"},
    {"UPDATE ledger_totals SET ns = 8 WHERE rowid = 3",
     "ledger_totals is not the sum of ledger in row 3"},
    {"DELETE FROM ledger_totals WHERE rowid = 6", "ledger_totals lacks sums of ledger"},
    {"UPDATE iterations SET window_end_ns = start_ns - 1 WHERE rowid = 2",
     "iterations has an impossible window in row 2"},
    {"UPDATE iterations SET number = 5 WHERE rowid = 2",
     "iterations.number does not count from 0 at row 2"},
    {"DELETE FROM gpu_windows", "gpu_windows lacks the GPU of gpu_activities row 1"},
    {"UPDATE kernel_names SET name_id = 1", "kernel_names.name is a duplicate in row 1"},
    {"UPDATE kernel_uses SET name_id = 12 WHERE rowid = 0",
     "kernel_names lacks the kernel of kernel_uses row 0"},
    {"UPDATE kernel_uses SET gpu_ns = 2305843009213693952",
     "the sum of kernel_uses.gpu_ns is larger than any run can have"},
    {"UPDATE op_kinds SET associated = 2 WHERE rowid = 1",
     "op_kinds.associated is out of range in row 1"},
    {"UPDATE devices SET last_ns = first_ns - 1 WHERE rowid = 1",
     "devices has impossible times in row 1"},
    {"UPDATE devices SET last_ns = NULL WHERE rowid = 1", "devices has impossible times in row 1"},
    {"UPDATE finding_evidence SET start_ns = start_ns + 1 WHERE rowid = 1",
     "finding_evidence does not match its instance in row 1"},
    {"UPDATE finding_evidence SET gpu_id = NULL, host_id = NULL, duration_ns = NULL WHERE rowid "
     "= 1",
     "finding_evidence does not match its instance in row 1"},
    {"UPDATE gpu_activities SET start_ns = 70 - start_ns",
     "gpu_activities is not in timeline order at row 1"},
    {"UPDATE gpu_activities SET duration_ns = 4611686018427387904",
     "gpu_activities.duration_ns is out of range in row 0"},
    {"UPDATE gpu_activities SET bytes = -1", "gpu_activities.bytes is out of range in row 0"},
    {"UPDATE launch_configs SET occupancy_percent = 'nan'",
     "launch_configs.occupancy_percent is out of range in row 0"},
    {"UPDATE launch_configs SET warps_per_sm = 'inf' WHERE rowid = 2",
     "launch_configs.warps_per_sm is out of range in row 2"},
    {"UPDATE warpsight SET value = '9223372036854775807' WHERE key = 'end_ns'",
     "end_ns is out of range"},
    {"UPDATE warpsight SET value = '-9223372036854775807' WHERE key = 'origin_ns'",
     "origin_ns is out of range"},
    {"DROP TABLE gaps; CREATE VIEW gaps AS WITH RECURSIVE t(device_id) AS (SELECT 0::UINTEGER "
     "UNION ALL SELECT device_id FROM t) SELECT * FROM t",
     "gaps is a view and not a table"},
    {"DROP TABLE strings; CREATE VIEW strings AS SELECT range::UINTEGER AS id, '' AS text, "
     "''::BLOB AS raw FROM range(1000000000000)",
     "strings is a view and not a table"},
    {"DROP TABLE trust; CREATE TABLE trust (code_id UINTEGER, count BIGINT, meaning_id UINTEGER, "
     "\"of\" BIGINT GENERATED ALWAYS AS (list_sum(range(1000000000 + count))))",
     "trust.of is computed"},
    {"CREATE TYPE number AS ENUM ('a'); ALTER TABLE gaps ALTER cause TYPE number USING 'a'",
     "gaps.cause is of type ENUM('a') and not UTINYINT"},
    {"INSERT INTO import_log SELECT 0, 0, 0, 0, 1 FROM range(15000000)",
     "import_log claims to have 15000007 rows, more than a file of "},
};

TEST(HostileProfiles, AreRejected) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  const std::string saved = ReadFile(path);
  for (const Attack& attack : kAttacks) {
    WriteFile(path, saved);
    Edit(path, attack.sql);
    const std::string error = LoadError(path);
    EXPECT_THAT(error, StartsWith(path + " is damaged: ")) << attack.sql;
    EXPECT_THAT(error, HasSubstr(attack.problem)) << attack.sql;
  }
}

// No SQL of the file may be executed to find out that it is not a profile.
TEST(HostileProfiles, AnEndlessViewIsNotExecuted) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  Edit(path,
       "DROP TABLE warpsight; CREATE VIEW warpsight AS SELECT 'schema_version' AS key, "
       "range::VARCHAR AS value FROM range(1000000000000)");
  EXPECT_THAT(LoadError(path), HasSubstr("but not a Warpsight profile"));
}

// DuckDB searches the file for functions before its own.
TEST(HostileProfiles, MacrosDoNotReplaceFunctions) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  const Profile profile = MakeTestProfile();
  SaveOrFail(profile, path);
  Edit(path,
       "CREATE MACRO count_star() AS 99; CREATE MACRO duckdb_tables() AS TABLE SELECT 1 AS x; "
       "CREATE MACRO duckdb_columns() AS TABLE SELECT 1 AS x; "
       "CREATE MACRO pragma_storage_info(a) AS TABLE SELECT * FROM range(1000000000000)");
  auto loaded = LoadProfile(path, kEverything);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ("", Difference(profile, *loaded));
}

// DuckDB would apply the log, with anything in it.
TEST(HostileProfiles, ALogIsNotApplied) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  WriteFile(path + ".wal", "anything");
  EXPECT_EQ(
      "cannot open " + path + ": " + path +
          ".wal beside it contains uncommitted changes; open it once with DuckDB to apply them, "
          "or delete the log",
      LoadError(path));
}

// DuckDB names the catalog of an open file after the file; that name may equal a schema's, or need
// quotes.
TEST(ProfileFile, MayHaveAnyName) {
  const TestFolder folder;
  for (const char* name : {"main.warpsight", "system.warpsight", "temp", "profile", "it's \"it\".x",
                           "memory.warpsight", ":memory:"}) {
    SaveOrFail(MakeTestProfile(), folder.Path(name));
    EXPECT_EQ("", LoadError(folder.Path(name))) << name;
  }
}

TEST(ProfileFileErrors, TruncatedAnywhere) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  SaveOrFail(MakeTestProfile(), path);
  const std::string saved = ReadFile(path);
  for (size_t size :
       {size_t{12}, size_t{100}, size_t{4096}, size_t{8192}, size_t{12287}, size_t{12288},
        size_t{12289}, saved.size() / 3, saved.size() / 2, saved.size() - 4096, saved.size() - 1}) {
    WriteFile(path, saved.substr(0, size));
    EXPECT_EQ(path + " is damaged: it is truncated", LoadError(path))
        << size << " of " << saved.size();
  }
}

TEST(ProfileFileErrors, Garbage) {
  const TestFolder folder;
  const std::string path = folder.Path("garbage");
  std::mt19937 random(1);
  for (size_t size : {12U, 4096U, 12288U, 300'000U, 1'000'000U}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    bytes.replace(8, 4, "DUCK");
    WriteFile(path, bytes);
    EXPECT_THAT(LoadError(path), HasSubstr(" is damaged: ")) << size;
  }
}

// Blocks have checksums, so a changed bit is detected or is in an unused part.
TEST(ProfileFileErrors, FlippedBits) {
  const TestFolder folder;
  const std::string path = folder.Path("run.warpsight");
  const Profile profile = MakeTestProfile();
  SaveOrFail(profile, path);
  const std::string saved = ReadFile(path);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const size_t offset = i < 30 ? random() % 13'000 : random() % saved.size();
    std::string bytes = saved;
    bytes[offset] = static_cast<char>(bytes[offset] ^ 1 << random() % 8);
    WriteFile(path, bytes);
    auto loaded = LoadProfile(path, kEverything);
    if (loaded.ok()) {
      EXPECT_EQ("", Difference(profile, *loaded)) << "at " << offset;
    } else {
      EXPECT_THAT(loaded.error().message, HasSubstr(path));
      EXPECT_EQ(loaded.error().message.find('\n'), std::string::npos) << loaded.error().message;
    }
  }
}

TEST(SaveErrors, ImpossiblePaths) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile();
  EXPECT_THAT(SaveError(profile, folder.path()), HasSubstr("it is a directory"));
  EXPECT_THAT(SaveError(profile, folder.Path("no/such/folder")),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(SaveError(profile, "/dev/null"), HasSubstr("it is not a regular file"));
  EXPECT_THAT(SaveError(profile, "/proc/run.warpsight"), HasSubstr("/proc/run.warpsight"));
  EXPECT_EQ(0U, folder.FileCount());
}

// A limit on the size of files makes writes fail like a full disk.
TEST(SaveErrors, FullDisk) {
  const TestFolder folder;
  const Profile profile = MakeTestProfile(200'000);
  SaveOrFail(MakeTestProfile(), folder.Path("run"));
  const std::string before = ReadFile(folder.Path("run"));
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  for (const rlim_t bytes :
       {rlim_t{0}, rlim_t{4096}, rlim_t{20'000}, rlim_t{300'000}, rlim_t{2'000'000}}) {
    rlimit small = limit;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string message = SaveError(profile, folder.Path("run"));
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_THAT(message, HasSubstr("File too large")) << bytes;
    EXPECT_TRUE(before == ReadFile(folder.Path("run"))) << bytes;
    EXPECT_EQ(1U, folder.FileCount()) << bytes;
  }
  std::signal(SIGXFSZ, previous);
}

}  // namespace
}  // namespace warpsight::store
