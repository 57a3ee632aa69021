#include "cli/help/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A program with one command.
class ManPageTest : public ::testing::Test {
 protected:
  ManPageTest() {
    show_.name = "show";
    show_.text = "Show files";
    show_.footer = ".gz is unpacked; `-` is standard input.\nIt's \"a\\b\" ~ ^ … done.\n  typed -x";
    OptionHelp file;
    file.names = "FILE";
    file.text = "Files";
    file.required = true;
    file.many = true;
    OptionHelp format;
    format.names = "-f,--format";
    format.type = "FORMAT";
    format.text = "Format";
    format.default_value = "text";
    format.choices = {{"text", "for people"}, {"json", "for programs"}};
    show_.options = {file, format};
    show_.examples = {{"prog show -f json x", "For a program"}};
    show_.variables = {{"PAGER", "What shows it."}};
    program_.name = "prog";
    program_.version = "Prog 1.2";
    program_.text = "Prog shows files.\nIt has a command.";
    program_.default_command = "show";
    program_.commands = {&show_};
    program_.examples = {{"prog x", "Show a file"}};
    program_.exit_codes = {{"0", "Success."}};
    program_.variables = {{"COLUMNS", "The width."}};
  }

  CommandHelp show_;
  ProgramHelp program_;
};

TEST_F(ManPageTest, OfACommand) {
  EXPECT_EQ(ManPage(program_, show_),
            ".\\\" Written by prog from the descriptions of its commands.\n"
            ".TH \"PROG\\-SHOW\" 1 \"\" \"Prog 1.2\" \"User Commands\"\n"
            ".nh\n.ad l\n"
            ".SH NAME\nprog\\-show \\- show files\n"
            ".SH SYNOPSIS\n\\fBprog show\\fR [OPTIONS] FILE...\n"
            ".SH DESCRIPTION\n.PP\nShow files.\n"
            ".PP\n\\&.gz is unpacked; \\fB\\-\\fR is standard input.\n"
            ".PP\nIt\\(aqs \\(dqa\\eb\\(dq \\(ti \\(ha \\[u2026] done.\n"
            ".PP\n.in +4n\n.EX\ntyped \\-x\n.EE\n.in\n"
            ".SH ARGUMENTS\n.TP\n\\fIFILE\\fR\nFiles\n"
            ".SH OPTIONS\n"
            ".TP\n\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fIFORMAT\\fR\nFormat (default: text)\n"
            ".RS\n.TP\n\\fBtext\\fR\nfor people\n.TP\n\\fBjson\\fR\nfor programs\n.RE\n"
            ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint this help\n"
            ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nSuccess.\n"
            ".SH ENVIRONMENT\n.TP\n\\fBPAGER\\fR\nWhat shows it.\n"
            ".TP\n\\fBCOLUMNS\\fR\nThe width.\n"
            ".SH EXAMPLES\n.PP\nFor a program:\n.PP\n.in +4n\n.EX\n"
            "prog show \\-f json x\n.EE\n.in\n"
            ".SH SEE ALSO\n\\%\\fBprog\\fR(1)\n");
}

TEST_F(ManPageTest, OfTheProgram) {
  const std::string page = ManPage(program_);
  EXPECT_THAT(page, HasSubstr(".SH NAME\nprog \\- shows files\n"));
  EXPECT_THAT(page,
              HasSubstr(".SH SYNOPSIS\n\\fBprog\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n"));
  EXPECT_THAT(page, HasSubstr(".SH COMMANDS\n.TP\n\\%\\fBprog\\-show\\fR(1)\nShow files.\n"));
  // Those of all commands.
  EXPECT_THAT(page, HasSubstr("\\fBPAGER\\fR\n"));
  EXPECT_THAT(page, Not(HasSubstr(".SH FILES")));
}

TEST_F(ManPageTest, ACommandHasExitCodesOfItsOwn) {
  show_.exit_codes = {{"7", "Seven."}};
  EXPECT_THAT(ManPage(program_, show_), HasSubstr(".SH EXIT STATUS\n.TP\n\\fB7\\fR\nSeven.\n.SH "));
}

}  // namespace
}  // namespace warpsight
