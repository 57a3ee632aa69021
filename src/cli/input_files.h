#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "base/unfinished_folder.h"
#include "cli/command_line.h"
#include "model/trace.h"

namespace warpsight {

// The argument that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

// The endings of files that commands read, which shells offer to complete: profiles and traces, and
// traces alone. What a file is, its content says.
std::vector<std::string> InputEndings();
std::vector<std::string> TraceEndings();

// Describes the variables of the environment that reading files uses.
void AddInputVariables(Command& command);

// How messages call what the user named.
std::string NameOfInput(const std::string& path);

// The files that a command reads. Standard input is copied to a private temporary file, since
// formats are recognized by their content and many are not read front to back; the file is removed
// with the object, and when a signal ends the program.
class InputFiles {
 public:
  // Reads standard input to its end where a path is "-".
  static Result<InputFiles> Open(const std::vector<std::string>& paths, Progress& progress);

  const std::vector<std::string>& paths() const { return paths_; }

  // The text with "standard input" in place of the temporary file.
  std::string Named(std::string text) const;
  Error Named(Error error) const;
  // The same for the sources and the import log of a trace.
  void NameIn(Trace& trace) const;

 private:
  Status CopyStandardInput(Progress& progress);

  std::vector<std::string> paths_;
  std::optional<UnfinishedFolder> folder_;
  std::string copy_;  // the path of the temporary file; empty without standard input
};

}  // namespace warpsight
