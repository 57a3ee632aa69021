#include "base/output_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/descriptor.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

// The same limit as in Linux.
constexpr int kMaxLinks = 40;
// How often Fill() retries if another program creates a file at the target in the meantime.
constexpr int kMaxAttempts = 10;

// The end of a chain of links; it need not exist.
fs::path FollowLinks(fs::path path) {
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

// Whether both paths lead to the same file. The link of a pipe that a shell names /dev/fd/63
// ("pipe:[123]") leads nowhere.
bool LeadToTheSame(const std::string& a, const std::string& b) {
  const auto first = FindFile(a);
  const auto second = FindFile(b);
  return first.has_value() == second.has_value() && (!first || *first == *second);
}

}  // namespace

Result<OutputPlace::Seen> OutputPlace::Look(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return Seen{};
    return Error{std::strerror(errno)};
  }
  if (S_ISDIR(status.st_mode)) return Error{"it is a directory"};
  if (!S_ISREG(status.st_mode)) return Error{"it is not a regular file"};
  return Seen(StateOf(status));
}

Status OutputPlace::Check(const Seen& seen) const {
  if (!seen) return {};
  if (rules_.is_input && rules_.is_input(target_)) {
    return Error{"it is one of the inputs; choose another output", kRefusedOutput};
  }
  if (seen->size == 0) return {};
  if (rules_.only_new) return Error{"it exists", kRefusedOutput};
  if (rules_.force || kind_.matches(target_)) return {};
  return Error{fmt::format("it exists and is not {}; replace it with --force", kind_.name),
               kRefusedOutput};
}

Result<OutputPlace> OutputPlace::Find(const std::string& path, const OutputRules& rules,
                                      const OutputKind& kind) {
  OutputPlace place(path, rules, kind);
  place.target_ = FollowLinks(path).string();
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISDIR(status.st_mode) &&
      (!S_ISREG(status.st_mode) || !LeadToTheSame(path, place.target_))) {
    place.target_ = path;
    place.is_stream_ = true;
    return place;
  }
  const auto seen = Look(place.target_);
  if (!seen.ok()) return seen.error();
  place.seen_ = *seen;
  if (Status status = place.Check(place.seen_); !status.ok()) return status.error();
  return place;
}

Status OutputPlace::Fill(UnfinishedFolder& folder, const std::string& name) const {
  using Existing = UnfinishedFolder::Existing;
  Seen known = seen_;
  int failure = 0;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const auto seen = Look(target_);
    if (!seen.ok()) return seen.error();
    if (*seen != known) {
      if (Status status = Check(*seen); !status.ok()) return status;
      known = *seen;
    }
    failure = folder.Move(name, target_, known ? Existing::kReplace : Existing::kKeep);
    if (failure == 0) return {};
    if (failure != EEXIST) break;
  }
  return Error{std::strerror(failure)};
}

std::string ReadHead(const std::string& path, size_t most) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string head(file.ok() ? most : 0, '\0');
  size_t size = 0;
  while (size < head.size()) {
    const ssize_t got = read(file.get(), head.data() + size, head.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  head.resize(size);
  return head;
}

bool BeginsWith(const std::string& path, std::string_view bytes) {
  return ReadHead(path, bytes.size()) == bytes;
}

}  // namespace warpsight
