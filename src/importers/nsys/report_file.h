#pragma once

#include <string>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"

namespace warpsight::importers::nsys {

// Whether a file is a report of Nsight Systems itself (.nsys-rep, .qdrep) or what it records before
// (.qdstrm), from its first bytes. Only Nsight Systems reads them.
bool IsReport(std::string_view head);

// An export of a report, in a folder that is deleted with the object.
class ExportedReport {
 public:
  // Calls nsys, where it is on the PATH; else an Error with the command to give.
  static Result<ExportedReport> Make(const std::string& report, Progress& progress);
  ~ExportedReport();
  ExportedReport(ExportedReport&& other) noexcept;
  ExportedReport& operator=(ExportedReport&&) = delete;

  std::string path() const { return folder_ + "/export.sqlite"; }

 private:
  explicit ExportedReport(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

}  // namespace warpsight::importers::nsys
