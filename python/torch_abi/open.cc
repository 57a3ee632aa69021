// Prepares the declarations in record_function.h for the PyTorch of this process.
#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <optional>
#include <string>

#include "torch_abi/layout.h"
#include "torch_abi/record_function.h"

namespace warpsight::torch_abi {

Layout fields;
at::Functions at::functions;
const void* c10::undefined_tensor = nullptr;

namespace {

// Loaded libraries of a name; more than one where a program has two PyTorch.
struct Search {
  const char* name;
  std::string path;
  int found = 0;
};

int LookAt(dl_phdr_info* library, size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  const char* slash = std::strrchr(library->dlpi_name, '/');
  const char* file = slash == nullptr ? library->dlpi_name : slash + 1;
  if (std::strncmp(file, search.name, std::strlen(search.name)) == 0) {
    search.path = library->dlpi_name;
    ++search.found;
  }
  return 0;
}

// Finds functions in a library and in those that it needs.
class Library {
 public:
  explicit Library(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) {}
  template <typename Function>
  void Find(const char* name, Function& function) {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  // The first that was not found.
  const std::string& missing() const { return missing_; }

 private:
  void* handle_;  // never closed: the functions are used until the end
  std::string missing_;
};

std::string FindFunctions(const std::string& path) {
  Library torch(path);
  at::Functions& found = at::functions;
  torch.Find("_ZNK2at14RecordFunction4nameEv", found.name);
  torch.Find("_ZNK2at14RecordFunction10num_inputsEv", found.num_inputs);
  torch.Find("_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", found.add_global_callback);
  torch.Find("_ZN2at22addThreadLocalCallbackENS_22RecordFunctionCallbackE",
             found.add_thread_local_callback);
  torch.Find("_ZN2at14removeCallbackEm", found.remove_callback);
  torch.Find("_ZN2at20enableRecordFunctionEb", found.enable_record_function);
  torch.Find("_ZN2at15sequence_number4peekEv", found.peek_sequence_number);
  torch.Find("_ZN3c1019UndefinedTensorImpl10_singletonE", c10::undefined_tensor);
  return torch.missing();
}

}  // namespace
}  // namespace warpsight::torch_abi

// To be called first. Null, or why this PyTorch cannot be used; good until the next call.
extern "C" __attribute__((visibility("default"))) const char* warpsight_torch_open(
    const char* version, int cxx11_strings) {
  namespace abi = warpsight::torch_abi;
  static std::string problem;
  const std::optional<abi::Layout> layout = abi::FindLayout(version, cxx11_strings != 0);
  if (!layout) {
    problem = "it does not know PyTorch " + std::string(version);
    return problem.c_str();
  }
  abi::Search search{"libtorch_cpu.so", "", 0};
  dl_iterate_phdr(&abi::LookAt, &search);
  if (search.found != 1) {
    problem = std::to_string(search.found) + " libraries named libtorch_cpu.so are loaded";
    return problem.c_str();
  }
  if (const std::string missing = abi::FindFunctions(search.path); !missing.empty()) {
    problem = search.path + " has no " + missing;
    return problem.c_str();
  }
  abi::fields = *layout;
  return nullptr;
}
