#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_id.h"
#include "base/result.h"
#include "base/unfinished_folder.h"

namespace warpsight {

// The error code for an output that would destroy another file.
inline constexpr std::string_view kRefusedOutput = "refused-output";

// Which files an output must not replace. By default, files of other programs are protected.
struct OutputRules {
  // Whether the existing file at this path is one of the inputs. Inputs are never replaced.
  std::function<bool(const std::string& path)> is_input;
  // Replaces files of other programs.
  bool force = false;
  // Replaces only empty files, for outputs whose name the user did not choose.
  bool only_new = false;
};

// How earlier outputs of the same kind are distinguished from files of other programs: by content.
struct OutputKind {
  std::string name;  // "a Warpsight profile"
  std::function<bool(const std::string& path)> matches;
};

// The destination of an output, and what currently exists there.
class OutputPlace {
 public:
  // Follows links, also to files that do not exist yet. Only regular files can be replaced: empty
  // ones, those of the kind, and with `force` others. The error contains only the reason; the
  // caller prepends the path. Its code is kRefusedOutput if the rules forbid the output.
  static Result<OutputPlace> Find(const std::string& path, const OutputRules& rules,
                                  const OutputKind& kind);

  // As the user wrote it.
  const std::string& path() const { return path_; }
  // With links followed.
  const std::string& target() const { return target_; }
  // A device or a pipe: it is written to rather than replaced.
  bool is_stream() const { return is_stream_; }

  // Moves the finished file `name` of the folder to the target. Applies the rules again if a
  // different file is there now.
  Status Fill(UnfinishedFolder& folder, const std::string& name) const;

 private:
  // The file at this path; nullopt if there is none.
  using Seen = std::optional<FileState>;

  OutputPlace(std::string path, OutputRules rules, OutputKind kind)
      : path_(std::move(path)), rules_(std::move(rules)), kind_(std::move(kind)) {}
  static Result<Seen> Look(const std::string& path);
  Status Check(const Seen& seen) const;

  std::string path_;
  std::string target_;
  OutputRules rules_;
  OutputKind kind_;
  bool is_stream_ = false;
  Seen seen_;
};

// Whether the file begins with these bytes.
bool BeginsWith(const std::string& path, std::string_view bytes);

// The first bytes of the file, at most `most`; fewer if it is shorter, none if it cannot be read.
std::string ReadHead(const std::string& path, size_t most);

}  // namespace warpsight
