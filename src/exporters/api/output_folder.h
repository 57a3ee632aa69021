#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/output_place.h"
#include "base/result.h"
#include "base/unfinished_folder.h"
#include "exporters/api/output_file.h"

namespace warpsight {

// A folder whose new files are added atomically: they are written into a private folder, from which
// Commit() moves them into place. Other existing files stay.
class OutputFolder {
 public:
  // The rules apply to each file that is replaced.
  static Result<OutputFolder> Create(const std::string& path, const OutputRules& rules,
                                     const OutputKind& kind);
  OutputFolder(OutputFolder&& other) noexcept = default;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

  // Creates a file in the private folder. `name` may contain folders, which are created.
  Result<OutputFile> CreateFile(const std::string& name);
  // The folder in which everything is written until Commit().
  const std::string& unfinished() const { return unfinished_; }

  struct Content {
    size_t files = 0;
    int64_t bytes = 0;
  };
  // Moves no file if the rules forbid any of them.
  Result<Content> Commit();

 private:
  OutputFolder(std::string path, OutputRules rules, OutputKind kind)
      : path_(std::move(path)), rules_(std::move(rules)), kind_(std::move(kind)) {}
  Status MakeParents();
  Status MoveFiles(const std::vector<std::string>& names);

  std::string path_;
  OutputRules rules_;
  OutputKind kind_;
  std::vector<std::string> made_parents_;  // outermost first; removed if nothing is written
  std::optional<UnfinishedFolder> private_;
  std::string unfinished_;
};

}  // namespace warpsight
