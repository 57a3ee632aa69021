#pragma once

#include <string>
#include <vector>

namespace warpsight::agent {

// A shared library, opened at run time and never closed.
class Library {
 public:
  Library() = default;
  // Empty where it cannot be opened. `mapped_only`: only where the program has it already.
  static Library Open(const std::string& path, bool mapped_only = false);

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }

  // Null where there is no such function.
  template <typename Function>
  Function* Find(const char* name) const {
    return reinterpret_cast<Function*>(Symbol(name));
  }

 private:
  void* Symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

// The libcupti of the program: the copy that it has mapped, otherwise the first of CuptiPlaces that
// can be opened. Never a second build in addition to the program's own. Where there is none,
// `not_found` says what was looked for and how to get it.
Library FindCupti(std::string& not_found);

// Where libcupti may be, best first, in a program that has these libraries mapped: paths, and names
// for the loader to find. The version of CUDA that the program uses comes before others.
std::vector<std::string> CuptiPlaces(const std::vector<std::string>& mapped);

// `refused`: libraries that are there but cannot be opened, with the loader's reasons.
std::string CuptiNotFound(const std::vector<std::string>& mapped,
                          const std::vector<std::string>& refused);

}  // namespace warpsight::agent
