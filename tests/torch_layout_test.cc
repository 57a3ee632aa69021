#include "torch_abi/layout.h"

#include <gtest/gtest.h>

#include <optional>

namespace warpsight::torch_abi {
namespace {

// Offsets of at::RecordFunction that others measured in PyTorch 2.12 to 2.14, with strings of 32
// bytes (github.com/ROCm, torch_trace_collector); sizes of TensorImpl's fields as PyTorch's own
// check of them says (c10/core/TensorImpl.h, C10_TensorImpl_Size_Check_Dummy_Class).
TEST(TorchLayoutTest, OffsetsOfNewerReleases) {
  for (const char* version : {"2.12.0", "2.13.0", "2.14.0+cu130"}) {
    const std::optional<Layout> layout = FindLayout(version, true);
    ASSERT_TRUE(layout) << version;
    EXPECT_EQ(layout->scope, 96U);
    EXPECT_EQ(layout->sequence_nr, 200U);
    EXPECT_EQ(layout->inputs, 208U);
    EXPECT_EQ(layout->fwd_thread_id, 304U);
    EXPECT_EQ(layout->list, 16U);
    EXPECT_EQ(layout->bool_tag, 10U);
    EXPECT_EQ(layout->list_tag, 14U);
  }
  EXPECT_EQ(FindLayout("2.12.0", true)->sizes_and_strides, 64U);
  EXPECT_EQ(FindLayout("2.13.0", true)->sizes_and_strides, 56U);
}

// A string was a pointer in PyTorch's packages before 2.7.
TEST(TorchLayoutTest, OlderStringsAreSmaller) {
  const std::optional<Layout> large = FindLayout("2.5.1", true);
  const std::optional<Layout> small = FindLayout("2.5.1", false);
  ASSERT_TRUE(large && small);
  EXPECT_EQ(large->sequence_nr - small->sequence_nr, 24U);
  EXPECT_EQ(large->fwd_thread_id - small->fwd_thread_id, 24U);
  EXPECT_EQ(large->scope, small->scope);
  EXPECT_EQ(large->sizes_and_strides, small->sizes_and_strides);
}

TEST(TorchLayoutTest, ReleasesOnly) {
  for (const char* version : {"1.13.0a0", "1.13.1", "2.4.0", "2.8.0+cpu", "2.11.0+cu130"}) {
    EXPECT_TRUE(FindLayout(version, true)) << version;
  }
  for (const char* version : {"", "2", "2.6", "2.6.", "2.6.0a0+git1", "2.6.0.dev20240901",
                              "2.6.0rc1", "-2.6.0", "2.-6.0", "2.3.1", "1.12.1", "2.15.0", "3.0.0",
                              "2.99.0+fake", "2.6.0 ", " 2.6.0", "2.99999999999999999999.0"}) {
    EXPECT_FALSE(FindLayout(version, true)) << version;
  }
}

}  // namespace
}  // namespace warpsight::torch_abi
