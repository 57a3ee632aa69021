// Recording must not affect a program's files: whatever the program does to its descriptors, its
// files have the same contents and numbers as without a recording. tests/torture/recording.py has
// all cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "cli/capture/program_name.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kAgent = WARPSIGHT_BUILD_DIR "/lib/libwarpsight_agent.so";

using Files = std::map<std::string, std::string>;

Files FilesIn(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = ReadFile(entry.path().string());
  }
  return files;
}

class RecordingFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kAgent)) {
      GTEST_SKIP() << "the agent is not built with sanitizers";
    }
    fs::permissions(folder_.path(), fs::perms(0755));
    for (const char* name : {"plain", "recorded"}) {
      fs::create_directory(folder_.Path(name));
      fs::permissions(folder_.Path(name), fs::perms::all);
    }
  }

  std::string Output() const { return folder_.Path("run.warpsight"); }

  // Runs files_program.py with and without a recording and compares the files that it wrote.
  ProgramRun Compare(const std::string& mode, const std::string& before = "") const {
    const std::string script = SourcePath("tests/files_program.py");
    const auto command = [&](const std::string& where) {
      return "cd " + ShellQuoted(folder_.Path(where)) + " && " + before + " exec python3 " +
             ShellQuoted(script) + " " + mode;
    };
    const std::string plain =
        "PYTHONPATH=" + ShellQuoted(WARPSIGHT_BUILD_DIR "/lib/python") + " sh -c ";
    EXPECT_EQ(std::system((plain + ShellQuoted(command("plain"))).c_str()), 0);
    ProgramRun run =
        RunWarpsight({"profile", "-o", Output(), "--", "sh", "-c", command("recorded")});
    const Files expected = FilesIn(folder_.Path("plain"));
    EXPECT_THAT(expected, Not(IsEmpty()));
    EXPECT_EQ(FilesIn(folder_.Path("recorded")), expected) << run.errors;
    EXPECT_EQ(run.output, "");
    return run;
  }
  // The number of times that a range was recorded.
  std::string Ranges(const std::string& name) const {
    const std::string sql =
        "SELECT count(*) n FROM host_ranges JOIN strings ON strings.id = name_id WHERE text = '" +
        name + "'";
    return RunWarpsight({"query", Output(), sql, "--format", "csv"}).output;
  }

  TemporaryFolder folder_;
};

TEST_F(RecordingFilesTest, AreUnchangedIfAllDescriptorsAreClosed) {
  EXPECT_EQ(Compare("everything").exit_code, 0);
  EXPECT_EQ(Ranges("after everything"), "n\n1\n") << "the recording continues";
}

TEST_F(RecordingFilesTest, AreUnchangedIfTheSystemCallClosesThem) {
  EXPECT_EQ(Compare("close_range").exit_code, 0);
  EXPECT_EQ(Ranges("after close_range"), "n\n1\n");
}

TEST_F(RecordingFilesTest, AreUnchangedIfEveryNumberIsReplaced) {
  EXPECT_EQ(Compare("dup2").exit_code, 0);
  EXPECT_EQ(Ranges("after dup2"), "n\n1\n");
}

TEST_F(RecordingFilesTest, AreUnchangedIfTheProgramDropsPrivileges) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(Compare("setuid_after").exit_code, 0);
  EXPECT_EQ(Ranges("after setuid"), "n\n1\n");
}

TEST_F(RecordingFilesTest, PrivilegesDroppedBeforeTheRecordingAreReported) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const ProgramRun run = Compare("setuid_before");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.errors,
              HasSubstr("no profile was written, because nothing was recorded: the program "
                        "dropped privileges (it ended as user id 65534) before the "
                        "recording began"));
  EXPECT_FALSE(fs::exists(Output()));
}

TEST_F(RecordingFilesTest, ARemovedRecordingIsReported) {
  EXPECT_THAT(Compare("remove").errors,
              HasSubstr("because nothing was recorded: the folder of the recording, " +
                        folder_.Path("run.capture") + ", was removed while the program ran"));
}

// The limit applies to the recording, too, and then to the profile.
TEST_F(RecordingFilesTest, ALimitOnTheSizeOfFilesIsAnErrorOfTheRecordingOnly) {
  const ProgramRun run = Compare("much", "ulimit -f 1000;");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.errors,
              HasSubstr("warpsight: the rest of the recording could not be written: "
                        "File too large; the profile contains everything recorded until then\n"));
}

TEST_F(RecordingFilesTest, AProcessThatStillRunsIsReported) {
  const ProgramRun run =
      RunWarpsight({"profile", "-o", Output(), "--", "sh", "-c", "sleep 3 >/dev/null 2>&1 &"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(
      run.errors,
      HasSubstr(" of the program still runs: what it does after this point is not recorded\n"));
}

// /proc as the current folder: not even root can create files in it.
TEST_F(RecordingFilesTest, IfTheCurrentFolderIsNotWritableTheProfileIsATemporaryFile) {
  fs::create_directory(folder_.Path("tmp"));
  const auto run = [&](const std::string& program) {
    const std::string command = "cd /proc && TMPDIR=" + ShellQuoted(folder_.Path("tmp")) + " " +
                                ShellQuoted(WARPSIGHT_PROGRAM) + " profile -- " + program + " 2>" +
                                ShellQuoted(folder_.Path("said"));
    EXPECT_EQ(std::system(command.c_str()), 0);
    return ReadFile(folder_.Path("said"));
  };
  EXPECT_THAT(run("true"), HasSubstr("no profile was written"));
  EXPECT_THAT(FilesIn(folder_.Path("tmp")), IsEmpty()) << "nothing is left behind";
  const std::string said = run("python3 -c 'import warpsight; warpsight.step()'");
  EXPECT_THAT(said, HasSubstr("the current folder is not writable; choose another path with -o"));
  ASSERT_EQ(FilesIn(folder_.Path("tmp")).size(), 1U);
  const std::string place = fs::directory_iterator(folder_.Path("tmp"))->path();
  EXPECT_THAT(said, HasSubstr("recording to " + place + "/python3.warpsight\n"));
  EXPECT_TRUE(fs::exists(place + "/python3.warpsight"));
  EXPECT_EQ(fs::status(place).permissions(), fs::perms(0700));
}

TEST_F(RecordingFilesTest, OnlyTheUserCanReadTheRecording) {
  const ProgramRun run =
      RunWarpsight({"profile", "-o", Output(), "--keep-capture", "--", "sh", "-c",
                    "umask 0; python3 -c 'import warpsight\nwarpsight.step()'"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  struct stat status {};
  ASSERT_EQ(stat(folder_.Path("run.capture").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  for (const auto& entry : fs::directory_iterator(folder_.Path("run.capture"))) {
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << entry.path();
  }
}

#ifdef WARPSIGHT_NVTX_PROGRAM
constexpr const char* kNobody = "65534";
// The user who starts a setuid program may set its environment, but must not get files written with
// its privileges.
TEST_F(RecordingFilesTest, ASetuidProgramIsNotRecorded) {
  struct statvfs system {};
  if (geteuid() != 0 || statvfs(folder_.path().c_str(), &system) != 0 ||
      (system.f_flag & ST_NOSUID) != 0) {
    GTEST_SKIP() << "needs root and a file system with setuid programs";
  }
  for (const char* file : {WARPSIGHT_NVTX_PROGRAM, kAgent}) {
    fs::copy_file(file, folder_.Path(fs::path(file).filename()));
  }
  const std::string program = folder_.Path(fs::path(WARPSIGHT_NVTX_PROGRAM).filename());
  const std::string agent = folder_.Path(fs::path(kAgent).filename());
  const std::string run = "WARPSIGHT_CAPTURE=" + ShellQuoted(folder_.Path("recorded")) +
                          " NVTX_INJECTION64_PATH=" + ShellQuoted(agent) +
                          " setpriv --reuid=" + kNobody + " --regid=" + kNobody +
                          " --clear-groups " + ShellQuoted(program) + " exit >/dev/null";
  chmod(agent.c_str(), 0755);
  ASSERT_EQ(chown(folder_.Path("recorded").c_str(), 65534, 65534), 0);
  chmod(program.c_str(), 0755);
  ASSERT_EQ(std::system(run.c_str()), 0);
  EXPECT_EQ(FilesIn(folder_.Path("recorded")).size(), 1U)
      << "without root's privileges it is recorded";
  for (const auto& entry : fs::directory_iterator(folder_.Path("recorded"))) fs::remove(entry);
  ASSERT_EQ(chown(folder_.Path("recorded").c_str(), 0, 0), 0);
  chmod(program.c_str(), 04755);
  ASSERT_EQ(std::system(run.c_str()), 0);
  EXPECT_THAT(FilesIn(folder_.Path("recorded")), IsEmpty());
}
#endif

}  // namespace
}  // namespace warpsight::testing
