#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/text/wrap_text.h"
#include "base/json_text.h"
#include "cli/app.h"
#include "cli/build_facts.h"
#include "cli/commands.h"
#include "cli/terminal/console.h"

namespace warpsight {
namespace {

std::string DescribeCommit(const BuildCommit& commit) {
  if (commit.id.empty()) return "not known: built from sources without git";
  return commit.id + (commit.modified ? " (modified)" : "");
}

std::string DescribeGlibc(const BuildFacts& facts) {
  if (facts.glibc == facts.built_with_glibc) return facts.glibc;
  return fmt::format("{}, built with {}", facts.glibc, facts.built_with_glibc);
}

void PrintText(const BuildFacts& facts) {
  constexpr size_t kValueColumn = 12;
  const size_t width = ListWidth();
  Print("warpsight {}\n", facts.version);
  const auto line = [&](std::string_view name, std::string_view value) {
    PrintRendered(HangingText(name, kValueColumn, value, width));
  };
  line("commit", DescribeCommit(facts.commit));
  line("build", fmt::format("{}, {}, {}", facts.build_type, facts.compiler, facts.target));
  line("glibc", DescribeGlibc(facts));
  std::string libraries;
  for (const auto& [name, version] : facts.libraries) {
    libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version);
  }
  line("libraries", libraries);
  line("profiles", fmt::format("schema {}", facts.schema));
  line("recording", fmt::format("libcupti of CUDA {} or newer; hardware counters: {} or newer",
                                facts.oldest_cuda, facts.oldest_counters_cuda));
}

void PrintJson(const BuildFacts& facts) {
  const bool known = !facts.commit.id.empty();
  std::string libraries;
  for (const auto& [name, version] : facts.libraries) {
    libraries += fmt::format("{}{}: {}", libraries.empty() ? "" : ", ", JsonString(name),
                             JsonString(version));
  }
  PrintData(fmt::format(
      "{{\n  \"version\": {},\n  \"commit\": {},\n  \"modified\": {},\n  \"build_type\": {},\n"
      "  \"compiler\": {},\n  \"target\": {},\n  \"glibc\": {},\n  \"built_with_glibc\": {},\n"
      "  \"libraries\": {{{}}},\n  \"schema\": {},\n  \"oldest_cuda\": {},\n"
      "  \"oldest_counters_cuda\": {}\n}}\n",
      JsonString(facts.version), known ? JsonString(facts.commit.id) : "null",
      known ? fmt::format("{}", facts.commit.modified) : "null", JsonString(facts.build_type),
      JsonString(facts.compiler), JsonString(facts.target), JsonString(facts.glibc),
      JsonString(facts.built_with_glibc), libraries, facts.schema, JsonString(facts.oldest_cuda),
      JsonString(facts.oldest_counters_cuda)));
}

}  // namespace

void AddVersionCommand(CommandLine& line, const BuildCommit& commit) {
  auto format = std::make_shared<std::string>("text");
  Command command = line.AddCommand("version", "Print the version and how the program was built");
  command.AddChoice("--format", *format, {"text", "json"}, "text or json").Type("FORMAT");
  command.SetFooter(
      "The first line is the name and the version. Put the output into reports of problems.");
  command.AddExample("warpsight version",
                     "The version, the commit, the compiler and the libraries");
  command.AddExample("warpsight version --format json", "The same for a script");
  command.SetRun([format, commit] {
    const BuildFacts facts = CollectBuildFacts(commit);
    *format == "json" ? PrintJson(facts) : PrintText(facts);
    return kExitOk;
  });
}

}  // namespace warpsight
