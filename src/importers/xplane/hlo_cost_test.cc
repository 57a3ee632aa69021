#include "importers/xplane/hlo_cost.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsight::importers::xplane {
namespace {

constexpr int64_t kBf16 = 16, kFp32 = 11, kInt8 = 2, kTuple = 13;

std::string Varint(uint64_t value) {
  std::string text;
  for (; value >= 128; value >>= 7U) text += static_cast<char>(value | 128U);
  return text + static_cast<char>(value);
}
std::string Number(int field, int64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3U) + Varint(static_cast<uint64_t>(value));
}
std::string Text(int field, std::string_view text) {
  return Varint(static_cast<uint64_t>(field) << 3U | 2U) + Varint(text.size()) + std::string(text);
}
std::string Packed(int field, std::initializer_list<int64_t> values) {
  std::string list;
  for (const int64_t value : values) list += Varint(static_cast<uint64_t>(value));
  return Text(field, list);
}
std::string Shape(int64_t type, std::initializer_list<int64_t> dims) {
  return Number(2, type) + Packed(3, dims);
}
std::string Instruction(int64_t id, std::string_view opcode, const std::string& shape,
                        std::initializer_list<int64_t> operands = {},
                        const std::string& more = "") {
  return Text(1, "i" + std::to_string(id)) + Text(2, opcode) + Text(3, shape) + Number(35, id) +
         Packed(36, operands) + more;
}

class HloCostTest : public ::testing::Test {
 protected:
  // Adds a computation. The last instruction is the root.
  void Computation(int64_t id, int64_t root, std::initializer_list<std::string> instructions) {
    std::string message = Number(5, id) + Number(6, root);
    for (const std::string& instruction : instructions) message += Text(2, instruction);
    texts_.push_back(std::make_unique<std::string>(std::move(message)));
    program_.AddComputation(*texts_.back());
  }
  HloCost Cost(int64_t id) const { return program_.CostOf(program_.InstructionOf(id)); }

 private:
  std::vector<std::unique_ptr<std::string>> texts_;  // the program refers to them
  HloProgram program_;
};

const std::string kDot = Text(30, Packed(1, {2}) + Packed(2, {1}) + Packed(3, {0}));

TEST_F(HloCostTest, Dot) {
  Computation(1, 3,
              {Instruction(1, "parameter", Shape(kBf16, {8, 128, 64})),
               Instruction(2, "parameter", Shape(kBf16, {8, 64, 256})),
               Instruction(3, "dot", Shape(kFp32, {8, 128, 256}), {1, 2}, kDot)});
  const HloCost cost = Cost(3);
  EXPECT_EQ(cost.flops, 2.0 * 8 * 128 * 256 * 64);
  EXPECT_EQ(cost.matrix_flops, cost.flops);
  EXPECT_EQ(cost.matrix_type, "bf16");
  EXPECT_EQ(cost.bytes, 2.0 * 8 * 64 * (128 + 256) + 4.0 * 8 * 128 * 256);
}

TEST_F(HloCostTest, CublasCallsDoNotCountTheirWorkspace) {
  const std::string config = Text(
      43, R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],)"
          R"("rhs_contracting_dimensions":["0"]}}})");
  const std::string shape =
      Number(2, kTuple) + Text(4, Shape(kBf16, {128, 32})) + Text(4, Shape(kInt8, {33554432}));
  Computation(
      1, 3,
      {Instruction(1, "parameter", Shape(kBf16, {128, 64})),
       Instruction(2, "parameter", Shape(kBf16, {64, 32})),
       Instruction(3, "custom-call", shape, {1, 2}, Text(28, "__cublas$lt$matmul") + config),
       Instruction(4, "custom-call", shape, {1, 2}, Text(28, "mine"))});
  EXPECT_EQ(Cost(3).flops, 2.0 * 128 * 32 * 64);
  EXPECT_EQ(Cost(3).bytes, 2.0 * (128 * 64 + 64 * 32 + 128 * 32));
  EXPECT_FALSE(Cost(4).known());
}

TEST_F(HloCostTest, FusionsCostTheSumOfTheirInstructions) {
  Computation(2, 14,
              {Instruction(11, "parameter", Shape(kFp32, {1000})),
               Instruction(12, "exponential", Shape(kFp32, {1000}), {11}),
               Instruction(13, "add", Shape(kFp32, {1000}), {12, 11}),
               Instruction(14, "convert", Shape(kBf16, {1000}), {13})});
  Computation(1, 2,
              {Instruction(1, "parameter", Shape(kFp32, {1000})),
               Instruction(2, "fusion", Shape(kBf16, {1000}), {1}, Packed(38, {2}))});
  const HloCost cost = Cost(2);
  EXPECT_EQ(cost.flops, 2000);
  EXPECT_EQ(cost.matrix_flops, 0);
  EXPECT_EQ(cost.bytes, 4000 + 2000);
}

TEST_F(HloCostTest, FusionsCountSelectedAndUpdatedElementsOnly) {
  Computation(2, 16,
              {Instruction(11, "parameter", Shape(kFp32, {100, 64})),
               Instruction(12, "bitcast", Shape(kFp32, {6400}), {11}),
               Instruction(13, "dynamic-slice", Shape(kFp32, {64}), {12}),
               Instruction(14, "parameter", Shape(kFp32, {1000, 64})),
               Instruction(15, "multiply", Shape(kFp32, {64}), {13, 13}),
               Instruction(16, "dynamic-update-slice", Shape(kFp32, {1000, 64}), {14, 15})});
  Computation(1, 3,
              {Instruction(1, "parameter", Shape(kFp32, {100, 64})),
               Instruction(2, "parameter", Shape(kFp32, {1000, 64})),
               Instruction(3, "fusion", Shape(kFp32, {1000, 64}), {1, 2}, Packed(38, {2}))});
  EXPECT_EQ(Cost(3).flops, 64);
  EXPECT_EQ(Cost(3).bytes, 4 * 64 + 4 * 64);
}

TEST_F(HloCostTest, Convolution) {
  // NHWC: 2 images of 8 x 8 with 3 channels, 16 filters of 3 x 3.
  const std::string size3 = Number(1, 3) + Number(6, 1);
  const std::string dims = Number(4, 3) + Number(10, 3) + Packed(11, {1, 2}) + Packed(12, {1, 2});
  const std::string window = Text(1, size3) + Text(1, size3);
  Computation(
      1, 3,
      {Instruction(1, "parameter", Shape(kBf16, {2, 8, 8, 3})),
       Instruction(2, "parameter", Shape(kBf16, {3, 3, 3, 16})),
       Instruction(3, "convolution", Shape(kBf16, {2, 8, 8, 16}), {1, 2},
                   Text(15, window) + Text(16, dims)),
       Instruction(4, "custom-call", Number(2, kTuple) + Text(4, Shape(kBf16, {3, 3, 3, 16})),
                   {1, 5}, Text(16, dims) + Text(28, "__cudnn$convBackwardFilter")),
       Instruction(5, "parameter", Shape(kBf16, {2, 8, 8, 16}))});
  EXPECT_EQ(Cost(3).matrix_flops, 2.0 * 2 * 8 * 8 * 16 * 3 * 3 * 3);
  EXPECT_EQ(Cost(4).matrix_flops, Cost(3).matrix_flops);
}

TEST_F(HloCostTest, CostsOfDamageAndCollectivesAreUnknown) {
  Computation(7, 1,
              {Instruction(1, "fusion", Shape(kFp32, {4}), {}, Packed(38, {7})),  // calls itself
               Instruction(2, "fusion", Shape(kFp32, {4}), {}, Packed(38, {99})),
               Instruction(3, "all-reduce", Shape(kFp32, {4}), {1}),
               Instruction(4, "dot", Shape(kFp32, {4}), {98, 99}, kDot),
               Instruction(5, "fusion", Shape(kFp32, {4}))});
  for (int64_t id = 1; id <= 5; ++id) EXPECT_LT(Cost(id).flops, 0) << id;
  EXPECT_FALSE(Cost(3).known());
  EXPECT_FALSE(Cost(50).known());
}

}  // namespace
}  // namespace warpsight::importers::xplane
