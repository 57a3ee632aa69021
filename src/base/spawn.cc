#include "base/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

extern char** environ;  // NOLINT(readability-redundant-declaration): required by POSIX

namespace warpsight {
namespace {

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() {
    posix_spawn_file_actions_destroy(&actions_);
    for (const int copy : copies_) close(copy);
  }

  // Returns 0 or an errno. Every source is first copied above all target numbers, since it may
  // itself be one of the target numbers.
  int Add(const SpawnOptions& options) {
    int lowest_copy = STDERR_FILENO + 1;
    for (const auto& descriptor : options.descriptors) {
      lowest_copy = std::max(lowest_copy, descriptor.number + 1);
    }
    for (const auto& descriptor : options.descriptors) {
      if (const int failed = Add(descriptor, lowest_copy); failed != 0) return failed;
    }
    if (options.close_from == 0) return 0;
    return posix_spawn_file_actions_addclosefrom_np(&actions_, options.close_from);
  }

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  int Add(const SpawnOptions::Descriptor& descriptor, int lowest_copy) {
    if (descriptor.source < 0) {
      return posix_spawn_file_actions_addopen(&actions_, descriptor.number, "/dev/null", O_RDWR, 0);
    }
    const int copy = fcntl(descriptor.source, F_DUPFD_CLOEXEC, lowest_copy);
    if (copy < 0) return errno;
    copies_.push_back(copy);
    return posix_spawn_file_actions_adddup2(&actions_, copy, descriptor.number);
  }

  posix_spawn_file_actions_t actions_{};
  std::vector<int> copies_;
};

class Attributes {
 public:
  explicit Attributes(const SpawnOptions& options) {
    posix_spawnattr_init(&attributes_);
    const sigset_t mask = SignalMaskForPrograms();
    posix_spawnattr_setsigmask(&attributes_, &mask);
    const int session = options.new_session ? POSIX_SPAWN_SETSID : 0;
    posix_spawnattr_setflags(&attributes_, static_cast<int16_t>(POSIX_SPAWN_SETSIGMASK | session));
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

sigset_t SignalMaskForPrograms() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigdelset(&mask, signal);
  return mask;
}

Result<pid_t> Spawn(const std::string& program, std::vector<std::string> arguments,
                    const SpawnOptions& options) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  FileActions actions;
  int failed = actions.Add(options);
  pid_t process = -1;
  if (failed == 0) {
    const Attributes attributes(options);
    const auto spawn = options.search_path ? posix_spawnp : posix_spawn;
    failed =
        spawn(&process, program.c_str(), actions.get(), attributes.get(), argv.data(), environ);
  }
  if (failed == 0) return process;
  return Error{fmt::format("cannot start {}: {}", program, std::strerror(failed))};
}

}  // namespace warpsight
