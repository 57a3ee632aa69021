#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "importers/nsys/global_ids.h"
#include "model/hash_map.h"

namespace warpsight::importers::nsys {

// The names of NVTX domains, which each process numbers separately. The default domain has none.
class NvtxDomains {
 public:
  void Add(int64_t global_tid, int64_t domain, std::string_view name) {
    names_.try_emplace({PidOf(global_tid), domain}, name);
  }
  void Add(const NvtxDomains& others) { names_.insert(others.names_.begin(), others.names_.end()); }

  std::string_view NameOf(int64_t global_tid, int64_t domain) const {
    const auto at = names_.find(std::pair{PidOf(global_tid), domain});
    return at == names_.end() ? std::string_view() : std::string_view(at->second);
  }

 private:
  HashMap<std::pair<int64_t, int64_t>, std::string> names_;
};

}  // namespace warpsight::importers::nsys
