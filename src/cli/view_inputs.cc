#include "cli/view_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "importers/api/byte_source.h"
#include "importers/api/looks_like_trace.h"
#include "store/profile_file.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

// The rank in the head of a PyTorch trace of a job with several: "distributedInfo": {"rank": 3}.
// Empty where there is none.
std::string RankOf(const std::string& trace) {
  constexpr size_t kHead = size_t{64} << 10;
  const auto bytes = OpenBytes(trace);
  if (!bytes.ok()) return {};
  std::string head(kHead, '\0');
  const auto size = (*bytes)->Read(head.data(), head.size());
  head.resize(size.ok() ? *size : 0);
  const size_t job = head.find("\"distributedInfo\"");
  if (job == head.npos) return {};
  constexpr std::string_view kRank = "\"rank\":";
  const size_t rank = head.find(kRank, job);
  if (rank == head.npos) return {};
  const size_t begin = head.find_first_not_of(' ', rank + kRank.size());
  if (begin == head.npos) return {};
  return head.substr(begin, head.find_first_not_of("0123456789", begin) - begin);
}

// Several traces, each of another rank.
bool AreRanksOfOneJob(const std::vector<std::string>& traces) {
  std::set<std::string> ranks;
  for (const std::string& trace : traces) {
    const std::string rank = RankOf(trace);
    if (rank.empty() || !ranks.insert(rank).second) return false;
  }
  return ranks.size() > 1;
}

// What `profile --keep-capture` leaves: a file of each process.
bool IsRecording(const std::string& folder, const std::vector<std::string>& traces) {
  const fs::path path(folder);
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return !traces.empty() && name.extension() == ".capture";
}

Status AddFolder(const std::string& folder, std::vector<std::string>& inputs) {
  std::error_code error;
  std::vector<std::string> profiles, traces;
  bool has_folders = false;
  fs::directory_iterator it(folder, error);
  if (error) return Error{fmt::format("{}: cannot read the folder: {}", folder, error.message())};
  for (const fs::directory_iterator end; it != end && !error; it.increment(error)) {
    const std::string path = it->path().string();
    std::error_code ignored;
    has_folders |= it->is_directory(ignored);
    if (!it->is_regular_file(ignored)) continue;
    if (LooksLikeProfile(path)) {
      profiles.push_back(path);
    } else if (LooksLikeTrace(path)) {
      traces.push_back(path);
    }
  }
  if (IsRecording(folder, traces) || AreRanksOfOneJob(traces)) traces = {folder};
  if (profiles.empty() && traces.empty()) {
    if (!has_folders) {
      return Error{fmt::format("{}: the folder contains no profile and no trace", folder)};
    }
    traces = {folder};
  }
  std::sort(profiles.begin(), profiles.end());
  std::sort(traces.begin(), traces.end());
  inputs.insert(inputs.end(), profiles.begin(), profiles.end());
  inputs.insert(inputs.end(), traces.begin(), traces.end());
  return {};
}

}  // namespace

Result<std::vector<std::string>> FindViewInputs(const std::vector<std::string>& paths) {
  std::vector<std::string> inputs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      return Error{fmt::format("{}: {}", path, error ? error.message() : "no such file")};
    }
    if (!fs::is_directory(path, error)) {
      inputs.push_back(path);
    } else if (const Status status = AddFolder(path, inputs); !status.ok()) {
      return status.error();
    }
  }
  return inputs;
}

}  // namespace warpsight
