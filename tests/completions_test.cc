// What shells offer on a command line of the program, asked of the shells themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "cli/help/completions.h"
#include "cli/input_files.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

using Offers = std::set<std::string>;

// Standard output of a command; its standard error is part of it.
std::string OutputOf(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "cannot run " + command;
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << output;
  return output;
}

bool IsInstalled(const std::string& shell) {
  return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
}

// Each shell completes in a folder with some files, with the scripts that the program writes.
class CompletionsTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!IsInstalled(GetParam())) GTEST_SKIP() << "needs " << GetParam();
    ASSERT_EQ(RunWarpsight({"--write-manual", share_.path()}).exit_code, 0);
    for (const char* name : {"trace.json.gz", "run.warpsight", "two words.json", "notes.txt"}) {
      std::ofstream(folder_.Path(name)) << "x";
    }
    fs::create_directory(folder_.Path("sub"));
  }

  void Write(const ProgramHelp& program) {
    const auto write = [&](const std::string& path, const std::string& text) {
      std::ofstream(share_.Path(path)) << text;
    };
    write("bash-completion/completions/warpsight", BashCompletion(program));
    write("zsh/site-functions/_warpsight", ZshCompletion(program));
    write("fish/vendor_completions.d/warpsight.fish", FishCompletion(program));
  }

  // The words, without what is only the way in which a shell writes them.
  Offers Complete(const std::string& line) {
    static const std::map<std::string, std::string> commands = {
        {"bash", "bash --norc"}, {"zsh", "zsh -f"}, {"fish", "fish --no-config"}};
    static const std::map<std::string, std::string> scripts = {
        {"bash", "bash-completion/completions/warpsight"},
        {"zsh", "zsh/site-functions"},
        {"fish", "fish/vendor_completions.d/warpsight.fish"}};
    const std::string& shell = GetParam();
    const std::string output =
        OutputOf("cd " + folder_.path() + " && HOME=" + home_.path() +
                 " XDG_CONFIG_HOME= XDG_DATA_HOME= timeout 60 " + commands.at(shell) + " " +
                 SourcePath("tests/completions/complete." + shell) + " " +
                 share_.Path(scripts.at(shell)) + " " + QuotedForShell(line));
    Offers offers;
    std::istringstream lines(output);
    for (std::string word; std::getline(lines, word);) {
      std::erase(word, '\\');
      // fish repeats "--name=", zsh leaves out what is before the last comma.
      if (word.starts_with('-')) word.erase(0, word.find('=') + 1);
      word.erase(0, word.rfind(',') + 1);
      if (word.ends_with('/')) word.pop_back();
      if (!word.empty()) offers.insert(word);
    }
    return offers;
  }

  const TemporaryFolder share_;
  const TemporaryFolder folder_;
  const TemporaryFolder home_;
};

const std::vector<std::string>& Commands() {
  static const auto* commands =
      new std::vector<std::string>{"profile", "import", "report", "advise", "whatif",  "info",
                                   "kernel",  "query",  "view",   "export", "version", "help"};
  return *commands;
}

TEST_P(CompletionsTest, Commands) {
  EXPECT_THAT(Complete("warpsight "), IsSupersetOf(Commands()));
  EXPECT_THAT(Complete("warpsight re"), UnorderedElementsAre("report"));
  EXPECT_THAT(Complete("warpsight help vi"), UnorderedElementsAre("view"));
  EXPECT_THAT(Complete("warpsight -"), UnorderedElementsAre("-h", "--help", "-V", "--version"));
}

TEST_P(CompletionsTest, Options) {
  EXPECT_THAT(Complete("warpsight report --f"), UnorderedElementsAre("--format", "--force"));
  EXPECT_THAT(Complete("warpsight profile --no-"), UnorderedElementsAre("--no-shapes"));
  EXPECT_THAT(Complete("warpsight whatif run.warpsight --sc"), UnorderedElementsAre("--scale"));
  // A file alone is for `report`.
  EXPECT_THAT(Complete("warpsight trace.json.gz --rep"), UnorderedElementsAre("--report"));
}

TEST_P(CompletionsTest, ValuesOfOptions) {
  const auto formats = UnorderedElementsAre("text", "csv", "json", "md");
  EXPECT_THAT(Complete("warpsight report --format "), formats);
  EXPECT_THAT(Complete("warpsight report --format="), formats);
  EXPECT_THAT(Complete("warpsight report --format=j"), UnorderedElementsAre("json"));
  EXPECT_THAT(Complete("warpsight advise --color a"), UnorderedElementsAre("auto", "always"));
  EXPECT_THAT(Complete("warpsight export --to pa"), UnorderedElementsAre("parquet"));
  EXPECT_THAT(Complete("warpsight advise --rule host-s"), UnorderedElementsAre("host-sync"));
  EXPECT_THAT(Complete("warpsight report --report tr"), UnorderedElementsAre("trust"));
  EXPECT_THAT(Complete("warpsight report --report kernel,op_ty"), UnorderedElementsAre("op_type"));
  EXPECT_THAT(Complete("warpsight report --rows "), IsEmpty());
}

TEST_P(CompletionsTest, FilesThatCommandsRead) {
  EXPECT_THAT(Complete("warpsight info "),
              UnorderedElementsAre("trace.json.gz", "run.warpsight", "two words.json", "sub"));
  EXPECT_THAT(Complete("warpsight info run"), UnorderedElementsAre("run.warpsight"));
  EXPECT_THAT(Complete("warpsight import t"),
              UnorderedElementsAre("trace.json.gz", "two words.json"));
  EXPECT_THAT(Complete("warpsight tra"), UnorderedElementsAre("trace.json.gz"));
  EXPECT_THAT(Complete("warpsight report -o "), UnorderedElementsAre("sub"));
  // Where no file has a fitting ending, all are offered.
  EXPECT_THAT(Complete("warpsight info no"), UnorderedElementsAre("notes.txt"));
}

TEST_P(CompletionsTest, TheRecordedProgram) {
  EXPECT_THAT(Complete("warpsight profile -- mkfif"), UnorderedElementsAre("mkfifo"));
  EXPECT_THAT(Complete("warpsight profile --steps 1:2 -- cat note"),
              UnorderedElementsAre("notes.txt"));
}

// Descriptions are texts, whatever they hold.
TEST_P(CompletionsTest, DescriptionsAreQuoted) {
  const std::string hostile = "it's [a] `touch made` $(touch made): \"b\" (c) \\d %s {x} ~ !";
  CommandHelp show;
  show.name = "report";
  show.text = hostile;
  OptionHelp option;
  option.names = "-k,--kind";
  option.type = "KIND";
  option.text = hostile;
  option.choices = {{"plain", hostile}, {"fancy", hostile}};
  show.options.push_back(option);
  option.names = "--kinds";
  option.comma_separated = true;
  show.options.push_back(option);
  OptionHelp file;
  file.names = "A:B";
  file.path = PathKind::kFile;
  file.endings = {".txt"};
  show.options.push_back(file);
  ProgramHelp program;
  program.name = "warpsight";
  program.default_command = "report";
  program.commands = {&show};
  Write(program);
  EXPECT_THAT(Complete("warpsight re"), UnorderedElementsAre("report"));
  EXPECT_THAT(Complete("warpsight report --kin"), UnorderedElementsAre("--kind", "--kinds"));
  EXPECT_THAT(Complete("warpsight report --kind p"), UnorderedElementsAre("plain"));
  EXPECT_THAT(Complete("warpsight report --kinds plain,f"), UnorderedElementsAre("fancy"));
  EXPECT_THAT(Complete("warpsight report "), UnorderedElementsAre("notes.txt", "sub"));
  EXPECT_FALSE(fs::exists(folder_.Path("made")));
}

INSTANTIATE_TEST_SUITE_P(Shells, CompletionsTest, ::testing::Values("bash", "zsh", "fish"),
                         [](const auto& shell) { return shell.param; });

TEST(InputEndings, HaveThoseOfTheBundledRecordings) {
  const std::vector<std::string> endings = InputEndings();
  for (const auto& file : fs::recursive_directory_iterator(SourcePath("tests/data/h200"))) {
    const std::string name = file.path().filename().string();
    if (!file.is_regular_file() || name.ends_with(".md")) continue;
    EXPECT_TRUE(std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return name.ends_with(ending);
    })) << name;
  }
}

}  // namespace
}  // namespace warpsight::testing
