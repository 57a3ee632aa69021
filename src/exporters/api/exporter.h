#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_place.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// The input of an exporter.
struct ExportJob {
  const Profile& profile;
  std::string
      output;  // a file or a folder; "-" is standard output where the exporter writes a file
  Progress& progress;
  OutputRules rules = {};
};

struct ExportResult {
  size_t files = 0;
  int64_t bytes = 0;
};

// One format to write. Each folder beside this one defines one in exporters::<folder>::Define(),
// and the build lists them (AllExporters).
struct Exporter {
  std::string_view name;    // as the user writes it
  std::string_view title;   // for people
  std::string_view ending;  // the file extension of the default name
  // Whether this profile is exported as a folder rather than one file.
  bool (*makes_folder)(const Profile& profile);
  // Must write the output atomically.
  Result<ExportResult> (*run)(const ExportJob& job);
  // How earlier outputs of this exporter are recognized; for a folder, the files in it.
  OutputKind (*kind)();
};

std::vector<Exporter> AllExporters();

// The default output: the profile's name with the exporter's file extension, in the current folder.
std::string DefaultOutput(const Exporter& exporter, const Profile& profile);

// The kind of the outputs of the exporter with this name.
OutputKind ExportedKind(std::string_view exporter, bool (*matches)(const std::string& path));

// The profile's name in a form that is valid in file names.
std::string FileNameOf(const Trace& trace);

}  // namespace warpsight
