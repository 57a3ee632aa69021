// What recordings say about the inputs of ops is understood to the last number: formatted again, it
// is what was recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "importers/api/importer.h"
#include "model/input_texts.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAreArray;

struct Checked {
  size_t rows = 0, tensors = 0, lists = 0, values = 0;
};

// JSON without its optional spaces and line breaks.
std::string Compact(std::string_view json) {
  std::string text;
  bool quoted = false;
  for (const char c : json) {
    if (c == '"') quoted = !quoted;
    if (quoted || (c != ' ' && c != '\n')) text += c;
  }
  return text;
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  EXPECT_THAT(a.dims(), ElementsAreArray(b.dims()));
  EXPECT_THAT(a.strides(), ElementsAreArray(b.strides()));
  EXPECT_EQ(a.type, b.type);
}

void ExpectSame(const InputValue& a, const InputValue& b) {
  EXPECT_EQ(a.Number(), b.Number());
  EXPECT_EQ(a.Integer(), b.Integer());
  EXPECT_EQ(a.Boolean(), b.Boolean());
  EXPECT_EQ(a.Integers(), b.Integers());
  EXPECT_EQ(a.Booleans(), b.Booleans());
  EXPECT_EQ(a.Text(), b.Text());
}

void ExpectSame(const Signature& a, const Signature& b) {
  ASSERT_EQ(a.arguments.size(), b.arguments.size());
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    const Argument& x = a.arguments[i];
    const Argument& y = b.arguments[i];
    ASSERT_EQ(x.kind, y.kind);
    ASSERT_EQ(x.count, y.count);
    // The names of types that are not known are not written.
    EXPECT_EQ(x.type == InputType::kOther ? InputType::kNone : x.type, y.type);
    for (uint32_t t = 0; t < x.count; ++t) ExpectSame(x.tensors[t], y.tensors[t]);
    ExpectSame(a.ValueAt(i), b.ValueAt(i));
  }
  EXPECT_THAT(a.element_types, ElementsAreArray(b.element_types));
}

void Count(const Signature& signature, Checked& checked) {
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    checked.tensors += signature.arguments[i].tensor() != nullptr ? 1 : 0;
    checked.lists += signature.arguments[i].list().empty() ? 0 : 1;
    checked.values += signature.ValueAt(i).Text().empty() ? 0 : 1;
  }
}

void CheckInputs(const Trace& trace, Checked& checked) {
  const SignaturesTable& table = trace.tables.signatures;
  for (size_t row = 0; row < RowCount(table); ++row) {
    const std::string_view dims = trace.Text(table.dims[row]);
    SCOPED_TRACE(dims);
    const Signature* signature = trace.inputs.Of(MakeId<SignatureId>(row));
    ASSERT_EQ(signature == nullptr, dims.empty());
    if (signature == nullptr) continue;
    ++checked.rows;
    Count(*signature, checked);
    const InputTexts texts = FormatInputs(*signature);
    EXPECT_EQ(Compact(texts.dims), Compact(dims));
    if (const std::string strides = Compact(trace.Text(table.strides[row])); !strides.empty()) {
      EXPECT_EQ(Compact(texts.strides), strides);
    }
    const OpInputs again(std::array{texts.view()});
    ASSERT_NE(again.Of(SignatureId{0}), nullptr);
    ExpectSame(*signature, *again.Of(SignatureId{0}));
  }
}

// All traces in a folder and below.
Checked CheckFolder(const std::string& folder) {
  Checked checked;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    SCOPED_TRACE(entry.path());
    Progress progress;
    const auto trace = ImportTraces({entry.path()}, {"name"}, progress);
    if (trace.ok()) CheckInputs(*trace, checked);
  }
  return checked;
}

TEST(RecordedInputs, OfOurRecordings) {
  const Checked checked = CheckFolder(SourcePath("tests/data"));
  EXPECT_GT(checked.rows, 1000U);
  EXPECT_GT(checked.tensors, 1000U);
  EXPECT_GT(checked.lists, 10U);
  EXPECT_GT(checked.values, 0U);
}

TEST(RecordedInputs, OfOtherRecordings) {
  const std::string folder = fs::path(SharedTraces()).parent_path();
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no recordings in " << folder;
  EXPECT_GT(CheckFolder(folder).rows, 1000U);
}

}  // namespace
}  // namespace warpsight::testing
