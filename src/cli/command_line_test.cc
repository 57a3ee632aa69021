#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A program with one command that has an option of each kind.
class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() : line_(Program(), 60) {
    Command command = line_.AddCommand("show", "Show files on the screen, one after the other");
    command.AddOption("FILE", files_, "Files").Files({".txt"}).Required();
    command.AddNumber("-n,--rows", rows_, 1, 100, "Rows").Type("N").ShowDefault();
    command.AddNumber("--scale", scale_, 0.0, 2.5, "Scale of everything that is shown").Type("X");
    command.AddNumber("--first", first_, int64_t{0}, int64_t{1000}, "First row").Type("N");
    command.AddChoice("--format", format_, {"text", "json"}, "text or json").Type("FORMAT");
    command.AddOption("--name", names_, "Names").Type("NAME,...").CommaSeparated();
    command.AddFlag("--all", all_, "All of them");
    command.AddCheck([this]() -> Status {
      return all_ && first_ ? Status(Error{"--all excludes --first"}) : Status();
    });
    command.SetRun([] { return 7; });
    line_.AddCommand("list", "List files").SetRun([] { return 8; });
    line_.AddCommand("version", "Print the version").SetRun([] { return 9; });
  }

  static ProgramHelp Program() {
    ProgramHelp program;
    program.name = "prog";
    program.text = "What it is.\nMore about it.";
    program.default_command = "show";
    program.overview_end = "An example:  prog show x\n";
    program.examples = {{"prog show x", "Show a file"}};
    return program;
  }

  std::string ErrorOf(const std::vector<std::string>& arguments) {
    const CommandLine::Parsed parsed = line_.Parse(arguments);
    EXPECT_FALSE(parsed.run);
    EXPECT_EQ(parsed.output, "");
    return parsed.error;
  }

  CommandLine line_;
  std::vector<std::string> files_, names_;
  int rows_ = 40;
  double scale_ = 1;
  std::optional<int64_t> first_;
  std::string format_ = "text";
  bool all_ = false;
};

TEST_F(CommandLineTest, ReadsValues) {
  const auto parsed = line_.Parse({"show", "a", "-n", "5", "--scale=0.5", "--first", "0",
                                   "--format", "json", "--name", "x,y", "b"});
  ASSERT_TRUE(parsed.run) << parsed.error;
  EXPECT_EQ(parsed.run(), 7);
  EXPECT_THAT(files_, ElementsAre("a", "b"));
  EXPECT_THAT(names_, ElementsAre("x", "y"));
  EXPECT_EQ(rows_, 5);
  EXPECT_EQ(scale_, 0.5);
  EXPECT_EQ(first_, 0);
  EXPECT_EQ(format_, "json");
}

TEST_F(CommandLineTest, AFileAloneIsForTheDefaultCommand) {
  const auto parsed = line_.Parse({"no/such.file", "--all"});
  ASSERT_TRUE(parsed.run) << parsed.error;
  EXPECT_EQ(parsed.run(), 7);
  EXPECT_THAT(files_, ElementsAre("no/such.file"));
  EXPECT_TRUE(all_);
}

TEST_F(CommandLineTest, ErrorsSayWhatIsAllowed) {
  EXPECT_EQ(ErrorOf({"show", "x", "-n", "0"}), "--rows: '0' is not a whole number from 1 to 100");
  EXPECT_EQ(ErrorOf({"show", "x", "--rows", "1e400"}),
            "--rows: '1e400' is not a whole number from 1 to 100");
  EXPECT_EQ(ErrorOf({"show", "x", "--scale", "nan"}),
            "--scale: 'nan' is not a number from 0 to 2.5");
  EXPECT_EQ(ErrorOf({"show", "x", "--first", "99999999999999999999"}),
            "--first: '99999999999999999999' is not a whole number from 0 to 1000");
  EXPECT_EQ(ErrorOf({"show", "x", "--format", "jsn"}), "--format: 'jsn' is not one of text, json");
  EXPECT_EQ(ErrorOf({"show", "x", "--format"}), "show: --format needs a value: --format FORMAT");
  EXPECT_EQ(ErrorOf({"show", "x", "-n", "1", "-n", "2"}),
            "show: --rows was specified more than once");
  EXPECT_EQ(ErrorOf({"show"}), "show: specify FILE; see warpsight show --help");
  EXPECT_EQ(ErrorOf({"show", "x", "--rws", "1"}),
            "show: unknown option '--rws'; did you mean '--rows'?");
  EXPECT_EQ(ErrorOf({"list", "x"}), "list: unknown argument 'x'; see warpsight list --help");
  EXPECT_EQ(ErrorOf({"show", "x", "--all", "--first", "1"}), "--all excludes --first");
  EXPECT_EQ(ErrorOf({"shwo"}), "there is no command and no file 'shwo'; did you mean 'show'?");
  EXPECT_EQ(ErrorOf({"help", "lits"}), "help: there is no command 'lits'; did you mean 'list'?");
}

TEST_F(CommandLineTest, HelpInItsWidth) {
  EXPECT_EQ(line_.Parse({"show", "--help"}).output,
            "Show files on the screen, one after the other\n"
            "Usage: prog show [OPTIONS] FILE...\n"
            "\n"
            "Arguments:\n"
            "  FILE                  Files\n"
            "\n"
            "Options:\n"
            "  -n,--rows N           Rows (default: 40)\n"
            "  --scale X             Scale of everything that is shown\n"
            "  --first N             First row\n"
            "  --format FORMAT       text or json\n"
            "  --name NAME,...       Names\n"
            "  --all                 All of them\n"
            "  -h,--help             Print this help\n");
  EXPECT_EQ(line_.Parse({"help", "show"}).output, line_.Parse({"show", "-h"}).output);
  EXPECT_EQ(line_.Parse({}).output,
            "What it is.\n"
            "\n"
            "Commands:\n"
            "  show      Show files on the screen, one after the other\n"
            "  list      List files\n"
            "  version   Print the version\n"
            "\n"
            "An example:  prog show x\n");
  EXPECT_THAT(line_.Parse({"help"}).output, HasSubstr("More about it.\n\nUsage: prog COMMAND"));
  EXPECT_THAT(line_.Parse({"help"}).output,
              HasSubstr("\nExamples:\n  Show a file:\n    prog show x\n"));
}

TEST_F(CommandLineTest, TheVersionIsACommandAndAnOption) {
  for (const char* const name : {"version", "-V", "--version"}) {
    const auto parsed = line_.Parse({name});
    ASSERT_TRUE(parsed.run) << parsed.error;
    EXPECT_EQ(parsed.run(), 9) << name;
  }
}

}  // namespace
}  // namespace warpsight
