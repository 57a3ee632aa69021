// Names in traces, files and arguments are untrusted: whatever they contain, the program's output
// must be harmless for the reader's terminal, spreadsheet and browser.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "base/utf8.h"
#include "running_program.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Clears the screen, sets the title, makes the terminal type, C1, bidi, a line that looks like
// ours.
constexpr std::string_view kAttack =
    "\x1b[2J\x1b[41;5m\x1b]0;owned\x07\x1b[6n\xC2\x9B"
    "41m\xE2\x80\xAE"
    "cod\xE2\x81\xA6\xE2\x80\xA8"
    "\nwarpsight: all is well\r\x7F";
constexpr std::string_view kFormula = "=cmd|' /C calc'!A0";
constexpr std::string_view kMarkup =
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "|`<b>";

// As a JSON string, keeping bytes that are not UTF-8.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

// Some steps of ops and kernels with hostile names.
std::string HostileTrace() {
  const std::string bad =
      "bytes \xFF\x9B"
      "41m \xC0\xAF";
  const std::vector<std::string> names = {
      std::string(kAttack), std::string(kFormula), "@SUM(1+1)", "-1+1", std::string(kMarkup), bad};
  std::string events;
  int64_t time = 1000;
  int64_t id = 1;
  const auto add = [&](std::string_view text) {
    events += events.empty() ? "\n" : ",\n";
    events += text;
  };
  for (int step = 0; step < 4; ++step) {
    const int64_t begin = time;
    for (const std::string& name : names) {
      add(fmt::format(R"({{"ph":"X","cat":"cpu_op","name":{},"pid":1,"tid":1,"ts":{},"dur":80,)"
                      R"("args":{{"External id":{}}}}})",
                      Quoted(name), time, id));
      add(fmt::format(
          R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,)"
          R"("ts":{},"dur":20,"args":{{"correlation":{},"External id":{}}}}})",
          time + 10, id, id));
      add(fmt::format(R"({{"ph":"X","cat":"kernel","name":{},"pid":0,"tid":7,"ts":{},"dur":60,)"
                      R"("args":{{"correlation":{},"External id":{},"device":0,"stream":7,)"
                      R"("grid":[1,1,1],"block":[32,1,1]}}}})",
                      Quoted(name), time + 40, id, id));
      time += 100;
      ++id;
    }
    add(fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":1,)"
        R"("ts":{},"dur":{}}})",
        step, begin, time - begin));
    add(fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":{},"pid":1,"tid":1,"ts":{},"dur":{}}})",
        Quoted(kAttack), begin + 1, time - begin - 2));
  }
  return fmt::format(
      R"({{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":{0},"totalGlobalMem":1000,)"
      R"("computeMajor":9,"computeMinor":0,"numSms":132}}],"host":{0},"traceEvents":[{1}]}})",
      Quoted(kAttack), events);
}

// Runs the program with standard output and standard error on a terminal.
std::string RunOnTerminal(const std::vector<std::string>& arguments) {
  RunningProgram run(arguments, {.terminal = true, .environment = {"TERM=xterm", "NO_COLOR="}});
  run.Wait();
  return run.printed();
}

// Removes our own escape sequences: the progress bar, colors, and the terminal's line ends.
std::string WithoutOurOwn(const std::string& text) {
  static const std::regex ours("\r\x1b\\[K|\x1b\\[(?:0|1|2|3[0-9])m|\r(?=\n)");
  return std::regex_replace(text, ours, "");
}

void ExpectHarmless(const std::string& printed, const std::string& what) {
  const std::string text = WithoutOurOwn(printed);
  EXPECT_TRUE(IsUtf8(text)) << what;
  EXPECT_EQ(text, PrintableLines(text)) << what;
}

// No line of the output comes from a name, except in CSV, whose cells may have several lines.
void ExpectNoLineOfTheirOwn(const std::string& printed, const std::string& what) {
  EXPECT_THAT("\n" + WithoutOurOwn(printed), Not(HasSubstr("\nwarpsight: all is well"))) << what;
}

class HostileNames : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(trace_, std::ios::binary) << HostileTrace();
    const ProgramRun run = RunWarpsight({"import", trace_, "-o", profile_});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    ExpectHarmless(run.output + run.errors, "import");
    ExpectNoLineOfTheirOwn(run.output + run.errors, "import");
  }

  const TemporaryFolder folder_;
  const std::string trace_ = folder_.Path("a" + std::string(kAttack) + "\xFF.json");
  const std::string profile_ = folder_.Path("b" + std::string(kAttack) + "\xFF.warpsight");
};

TEST_F(HostileNames, DoNotReachATerminalThroughAnyCommand) {
  const std::vector<std::vector<std::string>> commands = {
      {"report", profile_},
      {"report", profile_, "--key-op", std::string(kAttack)},
      {"report", profile_, "--report", "all"},
      {"report", profile_, "--report", "all", "--format", "md"},
      {"report", profile_, "--report", "all", "--format", "csv"},
      {"report", profile_, "--report", "all", "--format", "json"},
      {"advise", profile_, "--all"},
      {"advise", profile_, "--all", "--format", "md"},
      {"advise", profile_, "--all", "--format", "json"},
      {"whatif", profile_, "--scale", "kernel~.=0.5"},
      {"whatif", profile_, "--scale", "kernel~.=0.5", "--format", "json"},
      {"info", profile_},
      {"info", profile_, "--format", "json"},
      {"kernel", std::string(kAttack), "bytes \xFF"},
      {"kernel", std::string(kAttack), "bytes \xFF", "--format", "csv"},
      {"kernel", std::string(kAttack), "bytes \xFF", "--format", "json"},
      {"query", profile_,
       "SELECT DISTINCT name, 1 AS \"" + std::string(kAttack) + "\" FROM kernels"},
      {"query", profile_, "SELECT DISTINCT name FROM kernels", "--format", "csv"},
      {"query", profile_, "SELECT DISTINCT name FROM kernels", "--format", "json"},
      {"import", trace_, "-o", profile_},
      {"import", trace_, "-o", profile_, "--force"},
      {"export", profile_, "--to", "chrome", "-o", folder_.Path(std::string(kAttack) + ".json")},
      {"export", profile_, "--to", "chrome", "-o", "-"},
      {"export", profile_, "--to", "perfetto", "-o", "-"},
      {"export", profile_, "--html", "-"},
  };
  for (const auto& command : commands) {
    const std::string what = command.front() + " " + command.back();
    const std::string text = RunOnTerminal(command);
    EXPECT_NE(text, "") << what;
    ExpectHarmless(text, "on a terminal: " + what);
    if (command.back() != "csv") ExpectNoLineOfTheirOwn(text, "on a terminal: " + what);
  }
}

TEST_F(HostileNames, DoNotReachAPagerAsText) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"report", profile_},
           {"report", profile_, "--report", "all"},
           {"report", profile_, "--report", "all", "--format", "md"},
           {"report", profile_, "--report", "all", "--format", "json"},
           {"advise", profile_, "--all"},
           {"whatif", profile_, "--remove", "kernel~cmd"},
           {"info", profile_},
           {"kernel", std::string(kAttack), "bytes \xFF"},
           {"query", profile_, "SELECT DISTINCT name FROM kernels"},
       }) {
    const ProgramRun run = RunWarpsight(command);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_THAT(run.output, Not(HasSubstr("\x1b"))) << command.front();
    ExpectHarmless(run.output, command.front() + " " + command.back());
    ExpectNoLineOfTheirOwn(run.output, command.front() + " " + command.back());
  }
  EXPECT_THAT(RunWarpsight({"report", profile_, "--report", "kernel"}).output,
              HasSubstr("\\x1b[2J\\x1b[41;5m"));
}

TEST_F(HostileNames, StayInDataForPrograms) {
  const ProgramRun json = RunWarpsight(
      {"query", profile_, "SELECT DISTINCT name FROM kernels ORDER BY name", "--format", "json"});
  simdjson::dom::parser parser;
  std::vector<std::string> names;
  for (const simdjson::dom::element row : parser.parse(json.output).get_array()) {
    names.emplace_back(row["name"].get_string().value());
  }
  EXPECT_THAT(names, ::testing::Contains(std::string(kFormula)));
  EXPECT_THAT(names, ::testing::Contains(std::string(kMarkup)));
  EXPECT_THAT(names, ::testing::Contains(HasSubstr("\x1b[2J")));
  EXPECT_THAT(names, ::testing::Contains(HasSubstr("\xE2\x80\xAE")));
}

// No CSV writer lets a cell be a formula.
TEST_F(HostileNames, AreTextsInSpreadsheets) {
  const ProgramRun query = RunWarpsight(
      {"query", profile_, "SELECT DISTINCT name, -1.5 AS n FROM kernels", "--format", "csv"});
  EXPECT_THAT(query.output, HasSubstr("\n'=cmd|' /C calc'!A0,-1.5\n"));
  const ProgramRun kernel = RunWarpsight({"kernel", "=1+1", "--format", "csv"});
  EXPECT_THAT(kernel.output, HasSubstr(",'=1+1\n"));
  const ProgramRun report =
      RunWarpsight({"report", profile_, "--report", "all", "--format", "csv"});
  const ProgramRun written =
      RunWarpsight({"export", profile_, "--to", "csv", "-o", folder_.Path("csv")});
  ASSERT_EQ(written.exit_code, 0) << written.errors;
  std::string all = report.output + query.output;
  for (const auto& file : std::filesystem::directory_iterator(folder_.Path("csv"))) {
    all += ReadFile(file.path().string());
  }
  static const std::regex formula("(^|[,\n])\"?(=cmd|@SUM|-1\\+1)");
  EXPECT_FALSE(std::regex_search(all, formula));
  EXPECT_THAT(all, HasSubstr("'@SUM(1+1)"));
  EXPECT_THAT(all, HasSubstr("'-1+1"));
}

TEST_F(HostileNames, AreTextsInMarkdown) {
  const ProgramRun run = RunWarpsight({"report", profile_, "--report", "all", "--format", "md"});
  EXPECT_THAT(run.output, Not(HasSubstr("<script")));
  EXPECT_THAT(run.output, Not(HasSubstr("<img")));
  EXPECT_THAT(run.output, HasSubstr("&lt;img src=x"));
  EXPECT_THAT(run.output, HasSubstr("\\|\\`&lt;b&gt;"));
}

TEST(HostileArguments, AreHarmlessInErrors) {
  const std::string attack(kAttack);
  const std::string bytes = "no\xFF\x9B such";
  const TemporaryFolder folder;
  const std::string not_a_trace = folder.Path("c" + attack + "\xFE.json");
  std::ofstream(not_a_trace) << "hello";
  const std::string trace = BundledTracePath("resnet18_cuda_graph_inference");
  const std::string profile = folder.Path("p.warpsight");
  ASSERT_EQ(RunWarpsight({"import", trace, "-o", profile}).exit_code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"info", folder.Path("no/such/") + attack + bytes},
      {"info", not_a_trace},
      {"report", not_a_trace, trace},
      {attack + bytes},
      {"report", "--" + attack + bytes},
      {"report", trace, "--report", attack + bytes},
      {"report", trace, "--format", attack + bytes},
      {"report", trace, "--rows", attack + bytes},
      {"advise", trace, "--rule", attack + bytes},
      {"info", trace, "--key-op", attack + bytes},
      {"whatif", trace, "--scale", attack + bytes},
      {"whatif", trace, "--scale", "kernel~[" + attack + bytes + "=0.5"},
      {"query", profile, "SELECT " + attack + bytes},
      {"query", profile, "SELECT error('" + attack + "')"},
      {"query", not_a_trace, "SELECT 1"},
      {"export", trace, "--to", attack + bytes},
      {"export", trace, "--to", "chrome", "-o", folder.Path("no/such/") + attack + bytes},
      {"import", trace, "-o", folder.Path("no/such/") + attack + bytes},
      {"profile", "-o", folder.Path("q.warpsight"), "--", folder.Path("no/such/") + attack + bytes},
      {"profile", "--steps", attack + bytes, "--", "true"},
      {"view", trace, "-b", attack + bytes},
  };
  for (const auto& command : commands) {
    const ProgramRun run = RunWarpsight(command);
    const std::string what = command.front() + ": " + Printable(run.errors);
    EXPECT_NE(run.exit_code, 0) << what;
    EXPECT_NE(run.errors, "") << what;
    EXPECT_THAT(run.errors, Not(HasSubstr("\x1b"))) << what;
    ExpectHarmless(run.output + run.errors, what);
    ExpectNoLineOfTheirOwn(run.output + run.errors, what);
  }
  EXPECT_THAT(RunWarpsight({"info", "no-such-file\xFF"}).errors, HasSubstr("no-such-file\\xff"));
}

}  // namespace
}  // namespace warpsight::testing
