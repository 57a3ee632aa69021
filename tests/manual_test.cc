// The man pages, which are made from the same descriptions as the help.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool IsInstalled(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

class ManualTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramRun run = RunWarpsight({"--write-manual", share_.path()});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    for (const auto& page : fs::directory_iterator(share_.Path("man/man1"))) {
      pages_.push_back(page.path().string());
    }
  }

  // A page as it is read on a terminal, and what troff says about it.
  ProgramRun Rendered(const std::string& page, int width) {
    const std::string out = share_.Path("out"), errors = share_.Path("errors");
    const std::string command = fmt::format("groff -man -ww -Tascii -P-cbou -rLL={}n '{}' >{} 2>{}",
                                            width, page, out, errors);
    ProgramRun run;
    run.exit_code = std::system(command.c_str());
    run.output = ReadFile(out);
    run.errors = ReadFile(errors);
    return run;
  }

  const TemporaryFolder share_;
  std::vector<std::string> pages_;
};

// All runs of white space as one blank.
std::string Words(const std::string& text) {
  std::istringstream stream(text);
  std::string words;
  for (std::string word; stream >> word;) words += word + ' ';
  return words;
}

// The texts of a help that begin in the column of descriptions, one by one.
std::vector<std::string> Descriptions(const std::string& help) {
  std::vector<std::string> texts;
  std::istringstream lines(help.substr(help.find("Options:")));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const size_t gap = line.find("  ", 2);
    const size_t text = gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
    if (text != line.npos) texts.push_back(line.substr(text));
  }
  return texts;
}

TEST_F(ManualTest, HasAPageForEveryCommand) {
  EXPECT_EQ(pages_.size(), 13U);
  for (const std::string& page : pages_) {
    const std::string text = ReadFile(page);
    std::vector<std::string> titles = {"NAME",    "SYNOPSIS",    "DESCRIPTION",
                                       "OPTIONS", "EXIT STATUS", "ENVIRONMENT",
                                       "FILES",   "EXAMPLES",    "SEE ALSO"};
    size_t at = 0;
    for (const std::string& title : titles) {
      const size_t found = text.find(".SH " + title + "\n", at);
      EXPECT_NE(found, text.npos) << page << " " << title;
      at = std::min(found, text.size());
    }
  }
}

TEST_F(ManualTest, TroffHasNoWarnings) {
  if (!IsInstalled("groff")) GTEST_SKIP() << "needs groff";
  for (const std::string& page : pages_) {
    for (const int width : {60, 78, 120}) {
      const ProgramRun run = Rendered(page, width);
      EXPECT_EQ(run.exit_code, 0) << page;
      EXPECT_THAT(run.errors, IsEmpty()) << page << " at " << width;
    }
  }
}

TEST_F(ManualTest, SaysWhatTheHelpSays) {
  if (!IsInstalled("groff")) GTEST_SKIP() << "needs groff";
  for (const std::string& page : pages_) {
    const std::string name = fs::path(page).stem().string();
    const size_t dash = name.find('-');
    const std::vector<std::string> help =
        dash == name.npos ? std::vector<std::string>{"help"}
                          : std::vector<std::string>{"help", name.substr(dash + 1)};
    setenv("COLUMNS", "240", 1);
    const std::string help_text = RunWarpsight(help).output;
    unsetenv("COLUMNS");
    const std::string manual = Words(Rendered(page, 500).output);
    const std::vector<std::string> texts = Descriptions(help_text);
    EXPECT_GE(texts.size(), 1U);
    for (std::string text : texts) {
      std::erase(text, '`');
      EXPECT_THAT(manual, HasSubstr(Words(text))) << name;
    }
  }
}

TEST_F(ManualTest, ReportsAndRulesAreDescribed) {
  const std::string reports = ReadFile(share_.Path("man/man1/warpsight-report.1"));
  EXPECT_THAT(reports, HasSubstr(".TP\n\\fBkernel\\fR\nevery kernel with the op"));
  const std::string rules = ReadFile(share_.Path("man/man1/warpsight-advise.1"));
  EXPECT_THAT(rules, HasSubstr(".TP\n\\fBhost\\-sync\\fR\n"));
  const std::string view = ReadFile(share_.Path("man/man1/warpsight-view.1"));
  EXPECT_THAT(view, HasSubstr("\\fBWARPSIGHT_TOKEN\\fR"));
  EXPECT_THAT(view, HasSubstr(".SH EXIT STATUS\n.TP\n\\fB0\\fR\nThe viewer was ended by"));
}

TEST_F(ManualTest, AFolderThatCannotBeWrittenIsAnError) {
  const ProgramRun run = RunWarpsight({"--write-manual", "/proc/none"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace warpsight::testing
