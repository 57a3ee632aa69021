#include "agent/driver/library.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace warpsight::agent {
namespace {

std::vector<std::string> MappedLibraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t /*size*/, void* out) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0') {
          static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &paths);
  return paths;
}

std::string_view FileName(std::string_view path) {
  return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}

// CUDA 13, 12 and 11 name it so.
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                                  "libcupti.so.11.7", "libcupti.so.11.6"};

void AddPlaces(const std::string& folder, std::vector<std::string>& places) {
  for (const char* name : kNames) places.push_back(folder + "/" + name);
}

// Where Python packages of NVIDIA's libraries lie: below the site-packages from which anything is
// mapped.
void AddPackagePlaces(const std::vector<std::string>& mapped, std::vector<std::string>& places) {
  std::vector<std::string> seen;
  for (const std::string& path : mapped) {
    for (const char* mark : {"/site-packages/", "/dist-packages/"}) {
      const size_t at = path.find(mark);
      if (at == std::string::npos) continue;
      const std::string root = path.substr(0, at + std::strlen(mark));
      bool known = false;
      for (const std::string& other : seen) known = known || other == root;
      if (known) continue;
      seen.push_back(root);
      AddPlaces(root + "nvidia/cu13/lib", places);
      AddPlaces(root + "nvidia/cuda_cupti/lib", places);
    }
  }
}

void AddToolkitPlaces(const std::vector<std::string>& mapped, std::vector<std::string>& places) {
  for (const std::string& path : mapped) {
    if (FileName(path).starts_with("libcudart.so") && path.find('/') != std::string::npos) {
      const std::string folder = path.substr(0, path.rfind('/'));
      AddPlaces(folder, places);
      AddPlaces(folder + "/../extras/CUPTI/lib64", places);
    }
  }
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = secure_getenv(variable)) roots.emplace_back(root);
  }
  roots.emplace_back("/usr/local/cuda");
  for (const std::string& root : roots) {
    for (const char* folder : {"/lib64", "/lib", "/extras/CUPTI/lib64", "/targets/x86_64-linux/lib",
                               "/targets/sbsa-linux/lib"}) {
      AddPlaces(root + folder, places);
    }
  }
}

}  // namespace

Library Library::Open(const std::string& path, bool mapped_only) {
  Library library;
  library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | (mapped_only ? RTLD_NOLOAD : 0));
  if (library.handle_ != nullptr) library.path_ = path;
  return library;
}

void* Library::Symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

Library FindCupti() {
  const std::vector<std::string> mapped = MappedLibraries();
  for (const std::string& path : mapped) {
    if (!FileName(path).starts_with("libcupti.so")) continue;
    if (Library library = Library::Open(path, true)) return library;
  }
  std::vector<std::string> places;
  if (const char* named = secure_getenv("WARPSIGHT_CUPTI")) places.emplace_back(named);
  AddPackagePlaces(mapped, places);
  AddToolkitPlaces(mapped, places);
  for (const std::string& place : places) {
    if (access(place.c_str(), R_OK) != 0) continue;
    if (Library library = Library::Open(place)) return library;
  }
  for (const char* name : kNames) {
    if (Library library = Library::Open(name)) return library;
  }
  return {};
}

}  // namespace warpsight::agent
