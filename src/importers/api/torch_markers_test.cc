#include "importers/api/torch_markers.h"

#include <gtest/gtest.h>

#include "importers/api/python_literal.h"

namespace warpsight {
namespace {

TEST(PythonLiteralTest, ReadsPythonLiterals) {
  const auto value = ParsePython(R"({'a': [1, (2.5, None), ()], "b": 'it\'s \u00e9', 3: True})");
  ASSERT_TRUE(value.has_value());
  const PythonValue* list = value->Find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->items[0].text, "1");
  EXPECT_EQ(list->items[1].items[0].text, "2.5");
  EXPECT_TRUE(list->items[1].items[1].IsNone());
  EXPECT_TRUE(list->items[2].items.empty());
  EXPECT_EQ(value->Find("b")->text, "it's \xC3\xA9");
  EXPECT_EQ(value->Find("c"), nullptr);
}

TEST(PythonLiteralTest, TruncatedTextsYieldThePartBefore) {
  const auto value = ParsePython("{'op': 'linear', 'args': [{'name': '', 'type': 'ten");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->Find("op")->text, "linear");
}

TEST(PythonLiteralTest, RejectsOtherTexts) {
  EXPECT_FALSE(ParsePython("").has_value());
  EXPECT_FALSE(ParsePython("{'a': 1} b").has_value());
  EXPECT_FALSE(ParsePython("{'a' 1}").has_value());
  EXPECT_FALSE(ParsePython(std::string(100000, '[')).has_value());
}

TEST(TorchMarkersTest, EmittedOps) {
  const auto marker = ParseEmittedMarker(
      "aten::conv2d, seq = 12, op_id = 34, sizes = [[8, 3, 32, 32], [], []], input_op_ids = "
      "[(1,0)]");
  ASSERT_TRUE(marker.has_value());
  EXPECT_EQ(marker->name, "aten::conv2d");
  EXPECT_EQ(marker->sequence, 12);
  EXPECT_EQ(marker->dims, "[[8, 3, 32, 32], [], []]");
  EXPECT_EQ(marker->kind, HostKind::kOp);

  const auto without = ParseEmittedMarker("aten::empty_strided, op_id = 999730");
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ(without->sequence, kMissing);
  EXPECT_EQ(without->dims, "");
}

TEST(TorchMarkersTest, OldOpsAndAutogradNodes) {
  EXPECT_EQ(ParseEmittedMarker("_unsafe_view, seq = 123")->kind, HostKind::kOp);
  const auto node = ParseEmittedMarker("MmBackward0, seq = 122, op_id = 7");
  EXPECT_EQ(node->name, "MmBackward0");
  EXPECT_EQ(node->sequence, 122);
  EXPECT_EQ(node->kind, HostKind::kOp);
  EXPECT_EQ(ParseEmittedMarker("torch::autograd::GraphRoot, seq = 229")->kind, HostKind::kOp);
}

// PyTorch 1.4: nodes without a forward op.
TEST(TorchMarkersTest, NodesWithoutASequenceNumber) {
  const auto node = ParseEmittedMarker("torch::autograd::AccumulateGrad");
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->name, "torch::autograd::AccumulateGrad");
  EXPECT_EQ(node->sequence, kMissing);
  EXPECT_EQ(node->kind, HostKind::kOp);
  EXPECT_FALSE(ParseEmittedMarker("torch::autograd::my range").has_value());
}

TEST(TorchMarkersTest, UserRangesStayAnnotations) {
  EXPECT_EQ(ParseEmittedMarker("my forward, op_id = 3")->kind, HostKind::kAnnotation);
  EXPECT_EQ(ParseEmittedMarker("forward, op_id = 3")->kind, HostKind::kAnnotation);
  EXPECT_EQ(ParseEmittedMarker("Optimizer.step#Adam.step, op_id = 3")->kind, HostKind::kAnnotation);
  EXPECT_FALSE(ParseEmittedMarker("saxpy").has_value());
  EXPECT_FALSE(ParseEmittedMarker(", seq = 1").has_value());
}

TEST(TorchMarkersTest, DamagedShapesAreLeftOut) {
  EXPECT_EQ(ParseEmittedMarker("aten::mm, sizes = [[1, 2], [3")->dims, "");
  EXPECT_EQ(ParseEmittedMarker("aten::mm, sizes = [\"x\"]")->dims, "");
  EXPECT_EQ(ParseEmittedMarker("aten::mm, seq = x")->sequence, kMissing);
}

TEST(TorchMarkersTest, PlaceOfACall) {
  const auto marker = ParsePyprofMarker(
      "{'traceMarker': ['train.py:9', 'net.py:4'], 'funcStack': "
      "'/<module>/main/Net::forward(2)/f(x)'}");
  ASSERT_TRUE(marker.has_value());
  EXPECT_EQ(marker->kind, PyprofMarker::Kind::kPlace);
  EXPECT_EQ(marker->path, "/module/main/Net::forward[2]/f(x)");
  EXPECT_EQ(marker->call_stack, "net.py:4;train.py:9");
  EXPECT_TRUE(IsFunctionPlace(marker->path));
  EXPECT_EQ(ParsePyprofMarker("{'traceMarker': ['a.py:1']}")->path, "");
}

TEST(TorchMarkersTest, ArgumentsOfACall) {
  const auto marker = ParsePyprofMarker(
      "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor', "
      "'shape': (8, 3, 32, 32), 'dtype': 'float16'}, {'name': '', 'type': 'tensor', 'shape': "
      "(600,), 'dtype': 'int64'}, {'name': '', 'type': 'NoneType', 'value': None}, {'name': '', "
      "'type': 'tuple', 'value': (1, 2)}, {'name': 'groups', 'type': 'int', 'value': 4}]}");
  ASSERT_TRUE(marker.has_value());
  EXPECT_EQ(marker->kind, PyprofMarker::Kind::kCall);
  EXPECT_EQ(marker->op, "conv2d");
  EXPECT_EQ(marker->dims, "[[8, 3, 32, 32], [600], [], [], []]");
  EXPECT_EQ(marker->types, R"(["c10::Half", "long int", "", "ScalarList", "Scalar"])");
  EXPECT_EQ(marker->values, R"(["", "", "", "[1, 2]", "4"])");
}

TEST(TorchMarkersTest, OtherTextsAreNotMarkers) {
  EXPECT_EQ(ParsePyprofMarker("{'mod': 'Linear', 'strRepr': 'in=3'}")->kind,
            PyprofMarker::Kind::kModule);
  EXPECT_FALSE(ParsePyprofMarker("{'model_config': {'num_workers': 0}}").has_value());
  EXPECT_FALSE(ParsePyprofMarker("{\"model_config\": {}}").has_value());
  EXPECT_FALSE(ParsePyprofMarker("step 3").has_value());
}

}  // namespace
}  // namespace warpsight
