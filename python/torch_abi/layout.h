#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// What is known of the memory layout of PyTorch's C++ classes, for each release. README.md beside
// this file says where every fact comes from; tests/torch_abi compares them with PyTorch's headers.
namespace warpsight::torch_abi {

// Offsets of fields in bytes, and numbers of tags.
struct Layout {
  // at::RecordFunction. handle_ comes after fwd_thread_id_.
  size_t scope = 0;
  size_t sequence_nr = 0;
  size_t inputs = 0;
  size_t fwd_thread_id = 0;
  // c10::TensorImpl. The policy is two bits of a byte.
  size_t sizes_and_strides = 0;
  size_t data_type = 0;
  size_t sizes_strides_policy = 0;
  // c10::detail::ListImpl.
  size_t list = 0;
  // c10::IValue::Tag. None, Tensor, Double and Int are the same in all releases.
  uint32_t bool_tag = 0;
  uint32_t list_tag = 0;
};

// The layout of a release ("2.6.0", "2.6.0+cu124"); none for releases that are not known, and for
// nightly and other unreleased builds. `cxx11_strings`: whether PyTorch was compiled with
// _GLIBCXX_USE_CXX11_ABI=1, whose std::string is larger.
std::optional<Layout> FindLayout(std::string_view version, bool cxx11_strings);

}  // namespace warpsight::torch_abi
