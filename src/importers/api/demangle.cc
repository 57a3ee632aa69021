#include "importers/api/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpsight {
namespace {

// Names of CUTLASS kernels have up to ten thousand bytes. Longer ones are not demangled, since they
// may have been made to take long.
constexpr size_t kLongestName = size_t{1} << 15;

}  // namespace

std::string Demangled(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestName) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && readable != nullptr ? readable.get() : std::string(name);
}

}  // namespace warpsight
