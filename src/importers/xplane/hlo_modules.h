#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "importers/xplane/hlo_cost.h"
#include "importers/xplane/plane.h"
#include "model/hash_map.h"

namespace warpsight::importers::xplane {

struct HloInstruction {
  std::string_view name;   // "fusion.44"
  std::string_view scope;  // in the program: "jit(step)/jvp()/dot_general"
  std::string_view message;
};

// The compiled programs in a profile, by program id. A program is parsed when it is first needed,
// since programs may be larger than all events. May be used from any thread.
class HloModules {
 public:
  // Adds the programs of the plane that contains them.
  void Add(const Plane& plane);

  // The instruction behind a kernel: the one with the name `hlo_op` or, if that names a group of
  // instructions (a command buffer, which is a CUDA graph), the one after which the kernel is
  // named. Null if the program or the instruction is unknown. Valid as long as the file's bytes.
  const HloInstruction* Find(int64_t program, std::string_view hlo_op, std::string_view kernel);

  // The cost of one run of an instruction returned by Find(). Computed from the program at each
  // call, so call it once.
  HloCost CostOf(int64_t program, const HloInstruction& instruction) const;

 private:
  struct Module {
    std::string_view proto;
    std::once_flag once;
    HashMap<std::string, HloInstruction> instructions;  // by kernel name
    HloProgram program;
  };
  static void Read(Module& module);

  HashMap<int64_t, std::unique_ptr<Module>> modules_;
};

}  // namespace warpsight::importers::xplane
