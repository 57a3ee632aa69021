#include "agent/driver/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

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

// How CUDA 13, 12 and 11 name it.
constexpr std::string_view kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                                       "libcupti.so.11.7", "libcupti.so.11.6"};

// "12" where the program has the runtime of CUDA 12 mapped; empty where it has none, or its own
// copy inside.
std::string RuntimeVersion(const std::vector<std::string>& mapped) {
  constexpr std::string_view kRuntime = "libcudart.so.";
  for (const std::string& path : mapped) {
    const std::string_view file = FileName(path);
    if (!file.starts_with(kRuntime)) continue;
    const std::string_view version = file.substr(kRuntime.size());
    return std::string(version.substr(0, version.find('.')));
  }
  return {};
}

// A list without repetitions, in the order in which things were added.
class Folders {
 public:
  void Add(const std::string& folder) {
    if (std::ranges::find(all_, folder) == all_.end()) all_.push_back(folder);
  }
  void AddPackages(const std::string& site_packages) {
    Add(site_packages + "/nvidia/cu13/lib");
    Add(site_packages + "/nvidia/cuda_cupti/lib");
  }
  void AddToolkit(const std::string& root) {
    for (const char* folder : {"/extras/CUPTI/lib64", "/lib64", "/lib", "/targets/x86_64-linux/lib",
                               "/targets/sbsa-linux/lib"}) {
      Add(root + folder);
    }
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

// Of several versions the newest first.
std::vector<std::string> Matching(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  std::ranges::reverse(paths);
  return paths;
}

// Python packages of NVIDIA's libraries lie in the site-packages from which anything is mapped.
void AddMappedPackages(const std::vector<std::string>& mapped, Folders& folders) {
  for (const std::string& path : mapped) {
    for (const std::string_view mark : {"/site-packages/", "/dist-packages/"}) {
      const size_t at = path.find(mark);
      if (at != std::string::npos) folders.AddPackages(path.substr(0, at + mark.size() - 1));
    }
  }
}

void AddMappedToolkits(const std::vector<std::string>& mapped, Folders& folders) {
  for (const std::string& path : mapped) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || !FileName(path).starts_with("libcudart.so")) continue;
    const std::string folder = path.substr(0, slash);
    folders.Add(folder);
    folders.Add(folder + "/../extras/CUPTI/lib64");
    folders.Add(folder + "/../../../extras/CUPTI/lib64");  // from targets/x86_64-linux/lib
  }
}

void AddInstalled(Folders& folders) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = secure_getenv(variable)) folders.AddToolkit(root);
  }
  folders.AddToolkit("/usr/local/cuda");
  for (const std::string& root : Matching("/usr/local/cuda-*")) folders.AddToolkit(root);
  folders.AddToolkit("/opt/cuda");
  std::vector<std::string> patterns;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* root = secure_getenv(variable)) {
      patterns.push_back(std::string(root) + "/lib/python3*/site-packages");
    }
  }
  if (const char* home = secure_getenv("HOME")) {
    patterns.push_back(std::string(home) + "/.local/lib/python3*/site-packages");
  }
  patterns.emplace_back("/usr/local/lib/python3*/*-packages");
  patterns.emplace_back("/usr/lib/python3*/*-packages");
  for (const std::string& pattern : patterns) {
    for (const std::string& packages : Matching(pattern)) folders.AddPackages(packages);
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

std::vector<std::string> CuptiPlaces(const std::vector<std::string>& mapped) {
  Folders folders;
  AddMappedPackages(mapped, folders);
  AddMappedToolkits(mapped, folders);
  AddInstalled(folders);
  const std::string own = "libcupti.so." + RuntimeVersion(mapped);
  std::vector<std::string> places;
  if (const char* named = secure_getenv("WARPSIGHT_CUPTI")) places.emplace_back(named);
  for (const bool wanted : {true, false}) {
    const auto add = [&](const std::string& folder) {
      for (const std::string_view name : kNames) {
        if (name.starts_with(own) == wanted) places.push_back(folder + std::string(name));
      }
    };
    for (const std::string& folder : folders.all()) add(folder + "/");
    add("");
  }
  return places;
}

std::string CuptiNotFound(const std::vector<std::string>& mapped,
                          const std::vector<std::string>& refused) {
  std::string text = "libcupti was not found";
  for (const std::string& library : refused) text += "; " + library;
  const std::string version = RuntimeVersion(mapped);
  // Since CUDA 13 the package is named without a version.
  const std::string package =
      "nvidia-cuda-cupti" + (version == "11" || version == "12" ? "-cu" + version : "");
  text += "; looked for";
  for (const std::string_view name : kNames) text += " " + std::string(name);
  text +=
      " in the program, in NVIDIA's Python packages, in the CUDA toolkit (CUDA_HOME, CUDA_PATH, "
      "/usr/local/cuda*, /opt/cuda) and on the loader's path. To get it: pip install " +
      package;
  if (version.empty()) text += " (CUDA 13) or nvidia-cuda-cupti-cu12 (CUDA 12)";
  text += ", or set WARPSIGHT_CUPTI";
  if (const char* named = secure_getenv("WARPSIGHT_CUPTI"))
    text += " (now " + std::string(named) + ")";
  return text + " to the path of the library";
}

Library FindCupti(std::string& not_found) {
  const std::vector<std::string> mapped = MappedLibraries();
  for (const std::string& path : mapped) {
    if (!FileName(path).starts_with("libcupti.so")) continue;
    if (Library library = Library::Open(path, true)) return library;
  }
  std::vector<std::string> refused;
  for (const std::string& place : CuptiPlaces(mapped)) {
    const bool is_path = place.find('/') != std::string::npos;
    if (is_path && access(place.c_str(), R_OK) != 0) continue;
    if (Library library = Library::Open(place)) return library;
    const char* reason = dlerror();
    if (is_path) refused.push_back(reason == nullptr ? place + " cannot be opened" : reason);
  }
  not_found = CuptiNotFound(mapped, refused);
  return {};
}

}  // namespace warpsight::agent
