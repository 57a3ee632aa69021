#include "importers/xplane/hlo_cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "importers/xplane/proto_fields.h"

namespace warpsight::importers::xplane {
namespace {

// Limits against damage: computations are nested a few levels deep, and a fusion has some hundred
// instructions.
constexpr int kDeepest = 8;
constexpr int kMaxInstructions = 1'000'000;

// The number of bits of an element and the names of number formats: xla_data.proto, PrimitiveType.
struct Type {
  int bits = 0;
  std::string_view name;
};
constexpr std::array<Type, 30> kTypes = {{
    {},           {8, ""},    {8, "int8"}, {16, ""}, {32, ""},     {64, ""},
    {8, ""},      {16, ""},   {32, ""},    {64, ""}, {16, "fp16"}, {32, "fp32"},
    {64, "fp64"}, {},         {},          {64, ""}, {16, "bf16"}, {},
    {128, ""},    {8, "fp8"}, {8, "fp8"},  {4, ""},  {4, ""},      {8, "fp8"},
    {8, "fp8"},   {8, "fp8"}, {2, ""},     {2, ""},  {8, "fp8"},   {8, "fp8"},
}};

Type TypeOf(uint64_t number) { return number < kTypes.size() ? kTypes[number] : Type(); }

struct Shape {
  uint64_t type = 0;
  std::vector<int64_t> dims;
  std::vector<Shape> parts;  // of a tuple: its members

  double Elements() const {
    double elements = 1;
    for (const int64_t dim : dims) elements *= static_cast<double>(std::max<int64_t>(0, dim));
    return elements;
  }
  // kMissingReal if the size of the type is unknown.
  double Bytes() const {
    if (!parts.empty()) {
      double sum = 0;
      for (const Shape& part : parts) {
        const double bytes = part.Bytes();
        if (bytes < 0) return kMissingReal;
        sum += bytes;
      }
      return sum;
    }
    const int bits = TypeOf(type).bits;
    return bits == 0 ? kMissingReal : std::ceil(Elements() * bits / 8);
  }
  double Dim(int64_t i) const {
    return i >= 0 && static_cast<size_t>(i) < dims.size() ? static_cast<double>(dims[i]) : 1;
  }
  // The result of calls that also return their workspace.
  const Shape& Result() const { return parts.empty() ? *this : parts.front(); }
};

// Reads a repeated number, packed or not.
void TakeNumbers(const ProtoFields& field, std::vector<int64_t>& numbers) {
  if (field.bytes().empty()) {
    numbers.push_back(field.signed_integer());
    return;
  }
  std::string_view packed = field.bytes();
  while (!packed.empty()) {
    uint64_t value = 0;
    unsigned shift = 0;
    bool more = true;
    while (more && !packed.empty() && shift < 64) {
      const auto byte = static_cast<unsigned char>(packed.front());
      packed.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 127U) << shift;
      shift += 7;
      more = byte >= 128;
    }
    if (more) return;
    numbers.push_back(static_cast<int64_t>(value));
  }
}

Shape ReadShape(std::string_view message, int depth = 0) {
  Shape shape;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 2) shape.type = fields.integer();
    if (fields.number() == 3) TakeNumbers(fields, shape.dims);
    if (fields.number() == 4 && depth < kDeepest) {
      shape.parts.push_back(ReadShape(fields.bytes(), depth + 1));
    }
  }
  return shape;
}

struct Instruction {
  int64_t id = 0;
  std::string_view opcode;
  std::string_view call_target, backend_config;
  std::string_view window, convolution;
  Shape shape;
  std::vector<int64_t> operands, called, contracting;
};

// hlo.proto, HloInstructionProto.
Instruction ReadInstruction(std::string_view message) {
  Instruction instruction;
  ProtoFields fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case 2:
        instruction.opcode = fields.bytes();
        break;
      case 3:
        instruction.shape = ReadShape(fields.bytes());
        break;
      case 15:
        instruction.window = fields.bytes();
        break;
      case 16:
        instruction.convolution = fields.bytes();
        break;
      case 28:
        instruction.call_target = fields.bytes();
        break;
      case 30: {  // dot_dimension_numbers: lhs_contracting_dimensions 1
        ProtoFields numbers(fields.bytes());
        while (numbers.Next()) {
          if (numbers.number() == 1) TakeNumbers(numbers, instruction.contracting);
        }
        break;
      }
      case 35:
        instruction.id = fields.signed_integer();
        break;
      case 36:
        TakeNumbers(fields, instruction.operands);
        break;
      case 38:
        TakeNumbers(fields, instruction.called);
        break;
      case 43:
        instruction.backend_config = fields.bytes();
        break;
      default:
        break;
    }
  }
  return instruction;
}

// The numbers of a list in the JSON configuration of a call: "lhs_contracting_dimensions":["1"].
std::vector<int64_t> NumbersIn(std::string_view json, std::string_view key) {
  std::vector<int64_t> numbers;
  const size_t at = json.find(key);
  if (at == json.npos) return numbers;
  const size_t open = json.find('[', at);
  const size_t close = json.find(']', at);
  if (open == json.npos || close == json.npos || open > close) return numbers;
  for (size_t i = open + 1; i < close; ++i) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(json.data() + i, json.data() + close, number);
    if (error != std::errc()) continue;
    numbers.push_back(number);
    i = static_cast<size_t>(end - json.data());
  }
  return numbers;
}

// xla_data.proto, WindowDimension.
struct WindowDimension {
  double size = 1;
  int64_t base_dilation = 1;
};

std::vector<WindowDimension> ReadWindow(std::string_view message) {
  std::vector<WindowDimension> window;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() != 1) continue;
    WindowDimension& dimension = window.emplace_back();
    ProtoFields parts(fields.bytes());
    while (parts.Next()) {
      if (parts.number() == 1) dimension.size = static_cast<double>(parts.signed_integer());
      if (parts.number() == 6) dimension.base_dilation = parts.signed_integer();
    }
  }
  return window;
}

// xla_data.proto, ConvolutionDimensionNumbers.
struct ConvolutionDimensions {
  int64_t kernel_out = 0, out_feature = 0;
  std::vector<int64_t> input_spatial, output_spatial;
};

ConvolutionDimensions ReadConvolution(std::string_view message) {
  ConvolutionDimensions dimensions;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 4) dimensions.kernel_out = fields.signed_integer();
    if (fields.number() == 10) dimensions.out_feature = fields.signed_integer();
    if (fields.number() == 11) TakeNumbers(fields, dimensions.input_spatial);
    if (fields.number() == 12) TakeNumbers(fields, dimensions.output_spatial);
  }
  return dimensions;
}

bool IsOneOf(std::string_view name, std::string_view names) {
  for (size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) {
      return true;
    }
  }
  return false;
}

constexpr std::string_view kOnePerElement =
    "abs add and atan2 cbrt ceil clamp compare complex cosine divide erf exponential "
    "exponential-minus-one floor imag is-finite log log-plus-one logistic map maximum minimum "
    "multiply negate not or popcnt power real remainder round-nearest-afz round-nearest-even rsqrt "
    "select shift-left shift-right-arithmetic shift-right-logical sign sine sqrt "
    "stochastic-convert subtract tan tanh xor";
constexpr std::string_view kOnlyMoves =
    "bitcast bitcast-convert broadcast concatenate constant convert copy dynamic-slice "
    "dynamic-update-slice gather get-tuple-element iota pad parameter reduce-precision reshape "
    "reverse slice transpose tuple";
constexpr std::string_view kPicks = "slice dynamic-slice gather";
constexpr std::string_view kSameData = "bitcast reshape";

class Counter {
 public:
  explicit Counter(const HloProgram& program) : program_(program) {}

  HloCost Count(const Instruction& instruction) {
    cost_.flops = Flops(instruction, 0);
    cost_.bytes = Bytes(instruction);
    if (cost_.flops < 0) {
      cost_.matrix_flops = 0;
      // The shapes alone do not determine how much an unknown call or a collective moves.
      if (instruction.opcode != "fusion" && instruction.opcode != "sort")
        cost_.bytes = kMissingReal;
    }
    return cost_;
  }

 private:
  Instruction Operand(const Instruction& of, size_t i) const {
    if (i >= of.operands.size()) return {};
    return ReadInstruction(program_.InstructionOf(of.operands[i]));
  }

  double Matrix(double flops, const Shape& operand) {
    if (!std::isfinite(flops) || flops < 0) return kMissingReal;
    cost_.matrix_flops += flops;
    if (cost_.matrix_type.empty()) cost_.matrix_type = TypeOf(operand.type).name;
    return flops;
  }

  double Product(const Instruction& instruction, const std::vector<int64_t>& contracting) {
    const Shape left = Operand(instruction, 0).shape;
    if (contracting.empty() && left.dims.empty()) return kMissingReal;
    double summed = 1;
    for (const int64_t dim : contracting) {
      if (dim < 0 || static_cast<size_t>(dim) >= left.dims.size()) return kMissingReal;
      summed *= left.Dim(dim);
    }
    return Matrix(2 * instruction.shape.Result().Elements() * summed, left);
  }

  // Each element of the kernel is used once for each position of the output; if the input is
  // dilated (a gradient, or a transposed convolution), once for each position of the input.
  double Convolution(const Instruction& instruction) {
    const Shape input = Operand(instruction, 0).shape;
    const Shape kernel = Operand(instruction, 1).shape;
    if (input.dims.empty() || kernel.dims.empty()) return kMissingReal;
    const ConvolutionDimensions dims = ReadConvolution(instruction.convolution);
    const std::vector<WindowDimension> window = ReadWindow(instruction.window);
    const Shape& out = instruction.shape.Result();
    double positions = out.Elements();
    for (size_t i = 0; i < window.size(); ++i) {
      if (window[i].base_dilation <= 1 || i >= dims.input_spatial.size() ||
          i >= dims.output_spatial.size()) {
        continue;
      }
      positions *=
          input.Dim(dims.input_spatial[i]) / std::max(1.0, out.Dim(dims.output_spatial[i]));
    }
    return Matrix(2 * positions * kernel.Elements() / std::max(1.0, kernel.Dim(dims.kernel_out)),
                  input);
  }

  // Calls of cuDNN: forward (input, filter), backward (gradient, filter) and (input, gradient).
  // Each takes two FLOPs for each element of the filter and each position of the output or its
  // gradient.
  double CudnnConvolution(const Instruction& instruction) {
    const bool to_filter = Contains(instruction.call_target, "BackwardFilter");
    const bool to_input = Contains(instruction.call_target, "BackwardInput");
    const Shape first = Operand(instruction, 0).shape;
    const Shape second = Operand(instruction, 1).shape;
    const Shape& result = instruction.shape.Result();
    const Shape& filter = to_filter ? result : second;
    const Shape& out = to_filter ? second : to_input ? first : result;
    if (first.dims.empty() || second.dims.empty()) return kMissingReal;
    const double features = out.Dim(ReadConvolution(instruction.convolution).out_feature);
    return Matrix(2 * filter.Elements() * out.Elements() / std::max(1.0, features), first);
  }

  double Flops(const Instruction& instruction, int depth) {
    if (++visited_ > kMaxInstructions || depth > kDeepest) return kMissingReal;
    const std::string_view op = instruction.opcode;
    const double elements = instruction.shape.Elements();
    if (IsOneOf(op, kOnlyMoves)) return 0;
    if (IsOneOf(op, kOnePerElement)) return elements;
    if (op == "fusion" || op == "call") return CalledFlops(instruction, depth);
    if (op == "dot") return Product(instruction, instruction.contracting);
    if (op == "convolution") return Convolution(instruction);
    if (op == "reduce") return Operand(instruction, 0).shape.Elements();
    if (op == "scatter") return Operand(instruction, 2).shape.Elements();
    if (op == "reduce-window") {
      double window = 1;
      for (const WindowDimension& dim : ReadWindow(instruction.window)) window *= dim.size;
      return instruction.shape.Result().Elements() * window;
    }
    if (op == "custom-call") {
      if (instruction.call_target.starts_with("__cublas$")) {
        return Product(instruction,
                       NumbersIn(instruction.backend_config, "\"lhs_contracting_dimensions\""));
      }
      if (instruction.call_target.starts_with("__cudnn$conv")) return CudnnConvolution(instruction);
    }
    return kMissingReal;
  }

  double CalledFlops(const Instruction& instruction, int depth) {
    if (instruction.called.empty()) return kMissingReal;
    double sum = 0;
    for (const int64_t id : instruction.called) {
      const HloProgram::Computation* called = program_.ComputationOf(id);
      if (called == nullptr) return kMissingReal;
      for (const std::string_view message : called->instructions) {
        const double flops = Flops(ReadInstruction(message), depth + 1);
        if (flops < 0) return kMissingReal;
        sum += flops;
      }
    }
    return sum;
  }

  double OperandBytes(const Instruction& instruction) const {
    double sum = 0;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const double bytes = Operand(instruction, i).shape.Bytes();
      if (bytes < 0) return kMissingReal;
      sum += bytes;
    }
    return sum;
  }

  double Bytes(const Instruction& instruction) const {
    const std::string_view op = instruction.opcode;
    if (op == "fusion") return FusionBytes(instruction);
    const double out = instruction.shape.Result().Bytes();
    if (out < 0) return kMissingReal;
    if (IsOneOf(op, kPicks)) return 2 * out;
    if (op == "dynamic-update-slice") return 2 * Operand(instruction, 1).shape.Bytes();
    if (op == "scatter") return 3 * Operand(instruction, 2).shape.Bytes();
    const double in = OperandBytes(instruction);
    return in < 0 ? kMissingReal : in + out;
  }

  // For inputs from which a fusion only selects elements, counts the selected ones; for an output
  // that is updated in place, the update.
  double FusionBytes(const Instruction& fusion) const {
    const HloProgram::Computation* body =
        fusion.called.size() == 1 ? program_.ComputationOf(fusion.called[0]) : nullptr;
    if (body == nullptr || body->instructions.size() > kMaxInstructions) return kMissingReal;
    HashMap<int64_t, Instruction> inside;
    HashMap<int64_t, std::vector<int64_t>> users;
    for (const std::string_view message : body->instructions) {
      Instruction read = ReadInstruction(message);
      for (const int64_t operand : read.operands) users[operand].push_back(read.id);
      inside[read.id] = std::move(read);
    }
    double sum = 0;
    for (const auto& [id, instruction] : inside) {
      if (instruction.opcode != "parameter") continue;
      const double bytes = ReadBytes(id, instruction, inside, users, 0);
      if (bytes < 0) return kMissingReal;
      sum += bytes;
    }
    const double written = WrittenBytes(body->root, inside, 0);
    return written < 0 ? kMissingReal : sum + written;
  }

  using Inside = HashMap<int64_t, Instruction>;
  using Users = HashMap<int64_t, std::vector<int64_t>>;

  static double ReadBytes(int64_t id, const Instruction& from, const Inside& inside,
                          const Users& users, int depth) {
    const double whole = from.shape.Bytes();
    const auto at = users.find(id);
    if (at == users.end()) return 0;
    double sum = 0;
    for (const int64_t user_id : at->second) {
      const Instruction& user = inside.at(user_id);
      const bool first = !user.operands.empty() && user.operands[0] == id;
      double part = whole;
      if (IsOneOf(user.opcode, kPicks) && first) {
        part = user.shape.Bytes();
      } else if (user.opcode == "dynamic-update-slice" && first) {
        part = 0;
      } else if (IsOneOf(user.opcode, kSameData) && depth < kDeepest) {
        part = ReadBytes(user_id, user, inside, users, depth + 1);
      }
      if (part < 0) return kMissingReal;
      sum += part;
    }
    return std::min(sum, whole);
  }

  static double WrittenBytes(int64_t id, const Inside& inside, int depth) {
    const auto at = inside.find(id);
    if (at == inside.end() || depth > kDeepest) return kMissingReal;
    const Instruction& root = at->second;
    if (root.opcode == "dynamic-update-slice" && root.operands.size() > 1) {
      const auto update = inside.find(root.operands[1]);
      return update == inside.end() ? kMissingReal : update->second.shape.Bytes();
    }
    if (IsOneOf(root.opcode, kSameData) && !root.operands.empty()) {
      return WrittenBytes(root.operands[0], inside, depth + 1);
    }
    if (root.opcode != "tuple") return root.shape.Bytes();
    double sum = 0;
    for (const int64_t operand : root.operands) {
      const double bytes = WrittenBytes(operand, inside, depth + 1);
      if (bytes < 0) return kMissingReal;
      sum += bytes;
    }
    return sum;
  }

  const HloProgram& program_;
  HloCost cost_;
  int visited_ = 0;
};

}  // namespace

void HloProgram::AddComputation(std::string_view message) {
  Computation computation;
  int64_t id = 0;
  ProtoFields fields(message);
  while (fields.Next()) {
    if (fields.number() == 2) {
      computation.instructions.push_back(fields.bytes());
      ProtoFields parts(fields.bytes());
      while (parts.Next()) {
        if (parts.number() == 35) instructions_[parts.signed_integer()] = fields.bytes();
      }
    }
    if (fields.number() == 5) id = fields.signed_integer();
    if (fields.number() == 6) computation.root = fields.signed_integer();
  }
  computations_[id] = std::move(computation);
}

const HloProgram::Computation* HloProgram::ComputationOf(int64_t id) const {
  const auto at = computations_.find(id);
  return at == computations_.end() ? nullptr : &at->second;
}

std::string_view HloProgram::InstructionOf(int64_t id) const {
  const auto at = instructions_.find(id);
  return at == instructions_.end() ? std::string_view() : at->second;
}

HloCost HloProgram::CostOf(std::string_view instruction) const {
  HloCost cost = Counter(*this).Count(ReadInstruction(instruction));
  if (!std::isfinite(cost.flops)) cost.flops = kMissingReal;
  if (!std::isfinite(cost.bytes)) cost.bytes = kMissingReal;
  return cost;
}

}  // namespace warpsight::importers::xplane
