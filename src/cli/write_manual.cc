#include "cli/write_manual.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/help/completions.h"
#include "cli/help/man_page.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

Status Write(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return Error{fmt::format("{}: {}", path.parent_path().string(), error.message())};
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return Error{fmt::format("{}: cannot write", path.string())};
  return {};
}

}  // namespace

Status WriteManual(const ProgramHelp& program, const std::string& folder) {
  const fs::path share(folder);
  const fs::path pages = share / "man" / "man1";
  const std::string& name = program.name;
  Status status = Write(pages / (name + ".1"), ManPage(program));
  for (const CommandHelp* command : program.commands) {
    if (!status.ok()) return status;
    status = Write(pages / fmt::format("{}-{}.1", name, command->name), ManPage(program, *command));
  }
  if (status.ok()) {
    status = Write(share / "bash-completion" / "completions" / name, BashCompletion(program));
  }
  if (status.ok())
    status = Write(share / "zsh" / "site-functions" / ("_" + name), ZshCompletion(program));
  if (status.ok()) {
    status =
        Write(share / "fish" / "vendor_completions.d" / (name + ".fish"), FishCompletion(program));
  }
  return status;
}

}  // namespace warpsight
