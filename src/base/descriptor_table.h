#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

namespace warpsight {

// Gives the calling thread its own, empty file descriptor table: other threads cannot close,
// replace or inherit descriptors opened here, and these do not appear among the program's
// descriptors. Returns false, without a change, if the kernel or a sandbox allows neither of the
// two ways.
inline bool UseOwnDescriptorTable() {
#ifndef CLOSE_RANGE_UNSHARE
  constexpr unsigned kUnshare = 2;
#else
  constexpr unsigned kUnshare = CLOSE_RANGE_UNSHARE;
#endif
#ifdef SYS_close_range
  // Linux 5.9. The table begins empty, so the program's pipes and sockets are not held open even
  // for a moment. Containers that forbid unshare() allow this.
  if (syscall(SYS_close_range, 0U, ~0U, kUnshare) == 0) return true;
#endif
  if (unshare(CLONE_FILES) != 0) return false;
  // Close the copies, which would keep the program's pipes and sockets open.
  DIR* const folder = opendir("/proc/thread-self/fd");
  constexpr int kUsualNumbers = 65536;
  for (int number = 0; folder == nullptr && number < kUsualNumbers; ++number) close(number);
  if (folder == nullptr) return true;
  while (const dirent* entry = readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && number != dirfd(folder)) close(number);
  }
  closedir(folder);
  return true;
}

}  // namespace warpsight
