#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpsight {

// The commit that the program was built from; empty where that is not known, because the sources
// are not a git repository.
struct BuildCommit {
  std::string id;
  bool modified = false;  // the sources differed from it
};

// How the program was built, and what it runs with.
struct BuildFacts {
  std::string version;
  BuildCommit commit;
  std::string build_type;  // "RelWithDebInfo"
  std::string compiler;    // "GCC 12.2.0"
  std::string target;      // "x86_64-linux-gnu"
  std::string glibc;       // of this machine
  std::string built_with_glibc;
  std::vector<std::pair<std::string, std::string>> libraries;  // name, version
  int schema = 0;                                              // of the profiles that it writes
  std::string oldest_cuda;                                     // whose libcupti can record
  std::string oldest_counters_cuda;  // whose libcupti can read hardware counters
};

BuildFacts CollectBuildFacts(const BuildCommit& commit);

}  // namespace warpsight
