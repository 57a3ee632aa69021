#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/progress.h"
#include "base/result.h"
#include "base/unfinished_folder.h"

namespace warpsight::importers::nsys {

// Whether a file is an Nsight Systems report (.nsys-rep, .qdrep) or its raw recording (.qdstrm),
// from its first bytes. Only Nsight Systems can read these.
bool IsReport(std::string_view head);

// An export of a report, in a folder that is deleted with the object.
class ExportedReport {
 public:
  // Runs nsys if it is on the PATH; otherwise returns an Error with the command to run.
  static Result<ExportedReport> Make(const std::string& report, Progress& progress);

  std::string path() const { return folder_.Path("export.sqlite"); }

 private:
  explicit ExportedReport(UnfinishedFolder folder) : folder_(std::move(folder)) {}

  UnfinishedFolder folder_;
};

}  // namespace warpsight::importers::nsys
