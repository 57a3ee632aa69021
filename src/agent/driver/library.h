#pragma once

#include <string>

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

// The libcupti of the program: the copy that it has mapped, otherwise the one of its CUDA
// libraries, otherwise the toolkit's. Never a second build in addition to the program's own.
Library FindCupti();

}  // namespace warpsight::agent
