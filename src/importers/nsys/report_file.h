#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "base/unfinished_folder.h"

namespace warpsight::importers::nsys {

// Whether a file is a report of Nsight Systems itself (.nsys-rep, .qdrep) or what it records before
// (.qdstrm), from its first bytes. Only Nsight Systems reads them.
bool IsReport(std::string_view head);

// An export of a report, in a folder that is deleted with the object.
class ExportedReport {
 public:
  // Calls nsys, where it is on the PATH; else an Error with the command to give.
  static Result<ExportedReport> Make(const std::string& report, Progress& progress);

  std::string path() const { return folder_.Path("export.sqlite"); }

 private:
  explicit ExportedReport(UnfinishedFolder folder) : folder_(std::move(folder)) {}

  UnfinishedFolder folder_;
};

}  // namespace warpsight::importers::nsys
