#include "importers/xplane/hlo_modules.h"

#include <utility>

#include "importers/xplane/proto_fields.h"

namespace warpsight::importers::xplane {
namespace {

// XLA names a kernel after its instruction, with '_' for characters that PTX names do not allow.
std::string KernelName(std::string_view instruction) {
  std::string name(instruction);
  for (char& c : name) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!keeps) c = '_';
  }
  return name;
}

// HloInstructionProto: name 1, metadata 7 with the op's name 2.
HloInstruction ReadInstruction(std::string_view message) {
  HloInstruction instruction;
  instruction.message = message;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 1) instruction.name = fields.bytes();
    if (fields.number() != 7) continue;
    ProtoFields metadata(fields.bytes());
    while (metadata.Next()) {
      if (metadata.number() == 2) instruction.scope = metadata.bytes();
    }
  }
  return instruction;
}

}  // namespace

void HloModules::Add(const Plane& plane) {
  for (const auto& [id, event] : plane.events.entries()) {
    int64_t program = id;
    std::string_view proto;
    for (const RawStat& raw : event.stats) {
      const Stat stat = plane.ReadStat(raw.message);
      if (stat.kind == StatKind::kProgram) program = stat.IntegerOr(program);
      if (stat.type == Stat::Type::kBytes) proto = stat.text;
    }
    if (proto.empty()) continue;
    auto module = std::make_unique<Module>();
    module->proto = proto;
    modules_[program] = std::move(module);
  }
}

// HloProto: module 1 > computations 3 > instructions 2.
void HloModules::Read(Module& module) {
  ProtoFields proto(module.proto);
  while (proto.Next()) {
    if (proto.number() != 1) continue;
    ProtoFields computations(proto.bytes());
    while (computations.Next()) {
      if (computations.number() != 3) continue;
      module.program.AddComputation(computations.bytes());
      ProtoFields instructions(computations.bytes());
      while (instructions.Next()) {
        if (instructions.number() != 2) continue;
        const HloInstruction instruction = ReadInstruction(instructions.bytes());
        module.instructions.try_emplace(KernelName(instruction.name), instruction);
      }
    }
  }
}

const HloInstruction* HloModules::Find(int64_t program, std::string_view hlo_op,
                                       std::string_view kernel) {
  const auto at = modules_.find(program);
  if (at == modules_.end()) return nullptr;
  Module& module = *at->second;
  std::call_once(module.once, [&] { Read(module); });
  if (kernel.ends_with(".kd")) kernel.remove_suffix(3);  // AMD's kernel descriptors
  for (const std::string_view name : {hlo_op, kernel}) {
    const auto found = module.instructions.find(KernelName(name));
    if (found != module.instructions.end()) return &found->second;
  }
  return nullptr;
}

HloCost HloModules::CostOf(int64_t program, const HloInstruction& instruction) const {
  const auto at = modules_.find(program);
  return at == modules_.end() ? HloCost() : at->second->program.CostOf(instruction.message);
}

}  // namespace warpsight::importers::xplane
