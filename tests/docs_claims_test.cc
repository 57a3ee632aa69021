// Claims of README.md and docs/ about the program that other tests do not cover.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;

const std::string& Trace() {
  static const auto* path = new std::string(BundledTracePath("resnet18_cuda_graph_inference"));
  return *path;
}

std::vector<std::string> Pages() {
  std::vector<std::string> pages = {SourcePath("README.md")};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SourcePath("docs"))) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path().string());
  }
  return pages;
}

// The first group of each match in a text.
std::set<std::string> Find(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1].str());
  }
  return found;
}

// The names that `--list` prints, one per line.
std::set<std::string> Listed(const std::string& command) {
  std::set<std::string> names;
  std::istringstream lines(RunWarpsight({command, "--list"}).output);
  for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.find(' ')));
  return names;
}

std::set<std::string> Commands() {
  const std::string help = RunWarpsight({"--help"}).output;
  return Find(help.substr(help.find("Commands:")), std::regex("\n  ([a-z]+) "));
}

TEST(DocsClaims, EveryCommandIsInTheReadme) {
  const std::string readme = ReadFile(SourcePath("README.md"));
  const std::set<std::string> commands = Commands();
  EXPECT_EQ(Find(readme, std::regex("\n\\| `warpsight ([a-z]+)[ `]")), commands);
  EXPECT_GE(commands.size(), 10U);
}

TEST(DocsClaims, EveryReportIsInTheReadmeAndCounted) {
  const std::string readme = ReadFile(SourcePath("README.md"));
  const std::set<std::string> reports = Listed("report");
  for (const std::string& report : reports) EXPECT_THAT(readme, HasSubstr('`' + report + '`'));
  EXPECT_THAT(readme, HasSubstr(fmt::format("any of {} reports", reports.size())));
}

TEST(DocsClaims, EveryRuleHasItsPage) {
  std::set<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(SourcePath("docs/rules"))) {
    pages.insert(entry.path().stem().string());
  }
  for (const std::string& rule : Listed("advise")) EXPECT_TRUE(pages.contains(rule)) << rule;
}

// Options in the documented commands.
TEST(DocsClaims, EveryOptionExists) {
  std::set<std::string> known;
  const std::regex option("(--[a-z][a-z-]*[a-z])");
  std::set<std::string> helps = Commands();
  helps.insert("");
  for (const std::string& command : helps) {
    const auto words = command.empty() ? std::vector<std::string>{"--help"}
                                       : std::vector<std::string>{command, "--help"};
    known.merge(Find(RunWarpsight(words).output, option));
  }
  const std::regex shown("(?:^|\n|`|\\$ )(?:build/)?(warpsight [^\n`]*)");
  for (const std::string& page : Pages()) {
    for (std::string line : Find(ReadFile(page), shown)) {
      line = line.substr(0, line.find(" -- "));  // the options of another program follow
      for (const std::string& name : Find(line, option)) {
        EXPECT_TRUE(known.contains(name)) << page << ": " << line;
      }
    }
  }
}

TEST(DocsClaims, FilesThatAreNamedExist) {
  const std::regex file(
      "`((?:docs|src|tests|bench|cmake|python|samples|viewer)/[A-Za-z0-9_./-]{2,})`");
  for (const std::string& page : Pages()) {
    for (const std::string& name : Find(ReadFile(page), file)) {
      const std::string path = SourcePath(name);
      const bool found = std::filesystem::exists(path) || std::filesystem::exists(path + ".h") ||
                         std::filesystem::exists(path + ".cc");
      EXPECT_TRUE(found) << page << ": " << name;
    }
  }
}

TEST(DocsClaims, ExitCodes) {
  EXPECT_EQ(RunWarpsight({"info", Trace()}).exit_code, 0);
  EXPECT_EQ(RunWarpsight({"info", "no-such-file"}).exit_code, 1);
  for (const std::string& command : Commands()) {
    EXPECT_EQ(RunWarpsight({command, "--no-such-option"}).exit_code, 2) << command;
    EXPECT_EQ(RunWarpsight({command, "--help"}).exit_code, 0) << command;
  }
  // 130 and 143: ExportInterrupt.ExitCodesAreThoseOfShells; `view`:
  // HttpProcessTest.EndsWithoutLeftovers; `profile`:
  // ProfileTest.ExitCodesAreTheProgramsAndAProfileIsMade.
}

TEST(DocsClaims, CommandsHaveTheDocumentedIterationOptions) {
  const std::set<std::string> with = {"report", "advise", "whatif", "import", "info", "profile"};
  for (const std::string& command : Commands()) {
    const std::string help = RunWarpsight({command, "--help"}).output;
    for (const char* option : {"--iter-start", "--iter-stop", "--key-op", "--batch-size"}) {
      EXPECT_EQ(help.find(option) != std::string::npos, with.contains(command))
          << command << ' ' << option;
    }
  }
}

TEST(DocsClaims, FormatsOfOneFileCanGoToStandardOutput) {
  for (const char* format : {"html", "chrome", "perfetto"}) {
    EXPECT_EQ(RunWarpsight({"export", Trace(), "--to", format, "-o", "-"}).exit_code, 0) << format;
  }
  for (const char* format : {"nsys-sqlite", "csv", "json", "parquet", "tensorboard"}) {
    const ProgramRun run = RunWarpsight({"export", Trace(), "--to", format, "-o", "-"});
    EXPECT_NE(run.exit_code, 0) << format;
    EXPECT_EQ(run.output, "") << format;
  }
}

TEST(DocsClaims, DefaultOutputsAreNamedAfterTheProfile) {
  const TemporaryFolder folder;
  const std::string command = "cd '" + folder.path() + "' && '" WARPSIGHT_PROGRAM "' export '" +
                              Trace() + "' --to chrome >out 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << ReadFile(folder.Path("out"));
  EXPECT_TRUE(std::filesystem::exists(folder.Path("resnet18_cuda_graph_inference.json.gz")));
}

// The version on the page docs/schema.md is that of the files.
TEST(DocsClaims, SchemaVersion) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  const ProgramRun run =
      RunWarpsight({"query", profile, "SELECT value FROM warpsight WHERE key = 'schema_version'",
                    "--format", "csv"});
  const std::string version = run.output.substr(run.output.find('\n') + 1);
  EXPECT_THAT(ReadFile(SourcePath("docs/schema.md")),
              HasSubstr("this is version " + version.substr(0, version.find('\n')) + " |"));
}

}  // namespace
}  // namespace warpsight::testing
