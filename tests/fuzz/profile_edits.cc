// Edits saved profiles at random and uses those that can still be loaded.
//
//   profile_edits [--rounds N] [--seed S] [--seconds T] [--timeout T] [--folder DIR] PROFILE...
//
// Each round copies one of the profiles, changes the copy with random SQL (random_edits.h) and
// passes it to a separate process, which loads it and does everything with it that the program can
// do (use_profile.h). That process must succeed or end with an error message, but not with a
// signal, a sanitizer's report or an exception, and not after the timeout. The first round that
// violates this is printed with its edits, its file is kept, and the exit status is 1. Rounds are
// numbered from the seed: --seed S --rounds 1 repeats one.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/spawn.h"
#include "profiles/open_profile.h"
#include "random_edits.h"
#include "store/database.h"
#include "store/profile_file.h"
#include "use_profile.h"

namespace warpsight::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kLoaded = 0;
constexpr int kRefused = 3;

struct Options {
  uint64_t rounds = 10;
  uint64_t seed = 1;
  std::chrono::seconds seconds{0};  // 0: any
  std::chrono::seconds timeout{120};
  std::string folder;
  std::vector<std::string> profiles;
};

// The process of one round.
int Check(const std::string& path, const std::string& folder) {
  auto sums = LoadProfile(path, LoadOptions::WithoutEvents());
  if (sums.ok()) UseProfile(std::move(*sums), folder);
  Progress progress;
  auto opened = OpenSavedProfile(path, {}, progress, LoadOptions{{}});
  if (opened.ok()) {
    UseProfile(std::move(opened->profile), folder);
    return kLoaded;
  }
  fmt::print("{}\n", opened.error().message);
  // The message must be one line that names the file.
  const std::string& message = opened.error().message;
  const bool sound =
      message.find('\n') == std::string::npos && message.find(path) != std::string::npos;
  return sound ? kRefused : 4;
}

// Runs Check() in a separate process; returns its wait status, or -1 on timeout.
int CheckApart(const std::string& program, const std::string& path, const Options& options) {
  const Descriptor log(
      open((options.folder + "/log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  SpawnOptions streams;
  streams.descriptors = {{STDOUT_FILENO, log.get()}, {STDERR_FILENO, log.get()}};
  const auto started = Spawn(program, {program, "--check", path, options.folder}, streams);
  if (!started.ok()) {
    fmt::print(stderr, "{}\n", started.error().message);
    std::exit(2);
  }
  const pid_t child = *started;
  const auto end = Clock::now() + options.timeout;
  for (int status = 0;;) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    if (Clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Applies the edits that DuckDB accepts; returns their number.
size_t Apply(const std::vector<std::string>& edits, const std::string& path) {
  auto database = store::Database::Open(path, {{"threads", "1"}});
  if (!database.ok()) return 0;
  auto connection = store::Connection::Open(*database);
  if (!connection.ok()) return 0;
  size_t applied = 0;
  for (const std::string& edit : edits) applied += connection->Run(edit).ok() ? 1 : 0;
  return applied;
}

void PrintFailure(const Options& options, uint64_t seed, const std::string& profile, int status,
                  const std::vector<std::string>& edits) {
  std::string how = "took longer than the timeout";
  if (status != -1) {
    how = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                              : fmt::format("exit status {}", WEXITSTATUS(status));
  }
  fmt::print("FAILED: seed {} on {}: {}\n", seed, profile, how);
  for (const std::string& edit : edits) fmt::print("  {};\n", edit);
  fmt::print("The file is {}/edited.warpsight, what was printed {}/log\n", options.folder,
             options.folder);
}

int Fuzz(const std::string& program, const Options& options) {
  const std::string path = options.folder + "/edited.warpsight";
  const auto begin = Clock::now();
  for (const std::string& profile : options.profiles) {
    uint64_t rounds = 0, edits_applied = 0, loaded = 0;
    const auto share = options.seconds / static_cast<int64_t>(options.profiles.size());
    const auto start = Clock::now();
    for (uint64_t round = 0; round < options.rounds; ++round) {
      if (options.seconds.count() > 0 && Clock::now() - start > share) break;
      const uint64_t seed = options.seed + round;
      std::error_code ignored;
      fs::remove(path + ".wal", ignored);
      fs::copy_file(profile, path, fs::copy_options::overwrite_existing);
      fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
      const std::vector<std::string> edits = RandomEdits(seed).Next();
      edits_applied += Apply(edits, path);
      const int status = CheckApart(program, path, options);
      const bool ended = status != -1 && WIFEXITED(status);
      if (!ended || (WEXITSTATUS(status) != kLoaded && WEXITSTATUS(status) != kRefused)) {
        PrintFailure(options, seed, profile, status, edits);
        return 1;
      }
      ++rounds;
      loaded += WEXITSTATUS(status) == kLoaded ? 1 : 0;
    }
    fmt::print("{}: {} rounds, {} edits, {} loaded, {} refused\n",
               fs::path(profile).filename().string(), rounds, edits_applied, loaded,
               rounds - loaded);
    std::fflush(stdout);
  }
  fmt::print("no failure in {:.0f} s\n",
             std::chrono::duration<double>(Clock::now() - begin).count());
  return 0;
}

bool Parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) {
      options.profiles.push_back(name);
      continue;
    }
    if (++i == argc) return false;
    const uint64_t value = std::strtoull(argv[i], nullptr, 10);
    if (name == "--rounds") {
      options.rounds = value;
    } else if (name == "--seed") {
      options.seed = value;
    } else if (name == "--seconds") {
      options.seconds = std::chrono::seconds(value);
    } else if (name == "--timeout") {
      options.timeout = std::chrono::seconds(value);
    } else if (name == "--folder") {
      options.folder = argv[i];
    } else {
      return false;
    }
  }
  return !options.profiles.empty();
}

int Main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--check") == 0) return Check(argv[2], argv[3]);
  Options options;
  if (!Parse(argc, argv, options)) {
    fmt::print(stderr,
               "usage: profile_edits [--rounds N] [--seed S] [--seconds T] [--timeout T] "
               "[--folder DIR] PROFILE...\n");
    return 2;
  }
  const bool own = options.folder.empty();
  if (own) {
    std::string name = (fs::temp_directory_path() / "profile-edits-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return 2;
    options.folder = name;
  }
  fs::create_directories(options.folder);
  const int result = Fuzz(fs::read_symlink("/proc/self/exe").string(), options);
  std::error_code ignored;
  if (own && result == 0) fs::remove_all(options.folder, ignored);
  return result;
}

}  // namespace
}  // namespace warpsight::fuzz

int main(int argc, char** argv) { return warpsight::fuzz::Main(argc, argv); }
