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

// The compiled programs that a profile carries, by program id. A program is read when it is first
// asked for: they may be larger than all events. Any thread may ask.
class HloModules {
 public:
  // Takes the programs of the plane that holds them.
  void Add(const Plane& plane);

  // The instruction behind a kernel: the one called `hlo_op`, or where that names a whole group of
  // instructions (a command buffer, which is a CUDA graph), the one that the kernel is named after.
  // Null when the program is not known or has none. Valid as long as the file's bytes.
  const HloInstruction* Find(int64_t program, std::string_view hlo_op, std::string_view kernel);

  // What one run of an instruction that Find gave costs; read from the program, so ask once.
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
