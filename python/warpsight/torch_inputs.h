#pragma once

#include <ATen/record_function.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "wire/op_inputs.h"
#include "wire/varint.h"

// The inputs of an op, in the form of wire/op_inputs.h. Also compiled on users' machines, as C++17.
#pragma GCC visibility push(hidden)
namespace warpsight::torch {

using wire::AppendVarint;
using wire::InputKind;
using wire::ZigZag;

// Bytes in a fixed place, which is several times faster than a string. What does not fit is left
// out.
class Bytes {
 public:
  void push_back(char byte) {
    if (size_ < sizeof(bytes_)) bytes_[size_++] = byte;
  }
  void append(const char* bytes, size_t count) {
    if (count > sizeof(bytes_) - size_) return;
    std::memcpy(bytes_ + size_, bytes, count);
    size_ += count;
  }
  void clear() { size_ = 0; }
  const char* data() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
  char bytes_[32 * 1024];
};

inline void AppendKind(InputKind kind, Bytes& out) { out.push_back(static_cast<char>(kind)); }

inline void AppendReal(double value, Bytes& out) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out.append(bytes, sizeof(bytes));
}

// Whether sizes and strides can be asked for: not while a program is traced, and not of nested
// tensors. Those of classes that compute their sizes cannot be asked for without PyTorch's headers.
inline bool HasShape(const at::Tensor& tensor) {
  const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
#ifdef WARPSIGHT_TORCH_ABI
  return impl->sizes_strides_policy() != c10::SizesStridesPolicy::CustomSizes;
#else
  return !impl->has_symbolic_sizes_strides() &&
         !impl->key_set().has(c10::DispatchKey::NestedTensor);
#endif
}

inline void AppendShape(const at::Tensor& tensor, Bytes& out) {
  out.push_back(static_cast<char>(tensor.scalar_type()));
  const auto sizes = tensor.sizes();
  AppendVarint(sizes.size(), out);
  for (const int64_t size : sizes) AppendVarint(static_cast<uint64_t>(size), out);
  if (tensor.layout() == c10::kStrided) {
    for (const int64_t stride : tensor.strides()) AppendVarint(static_cast<uint64_t>(stride), out);
  } else {
    for (size_t i = 0; i < sizes.size(); ++i) out.push_back(0);
  }
}

inline void AppendTensor(const at::Tensor& tensor, Bytes& out) {
  if (!tensor.defined()) {
    AppendKind(InputKind::kUndefined, out);
  } else if (!HasShape(tensor)) {
    AppendKind(InputKind::kOther, out);
  } else {
    AppendKind(InputKind::kTensor, out);
    AppendShape(tensor, out);
  }
}

inline void AppendList(at::ArrayRef<c10::IValue> items, Bytes& out) {
  constexpr char kNoTensor = static_cast<char>(255);
  const bool tensors = [&] {
    for (const c10::IValue& item : items) {
      if (item.isTensor()) return true;
      if (!item.isNone()) return false;
    }
    return false;
  }();
  if (tensors) {
    AppendKind(InputKind::kTensorList, out);
    AppendVarint(items.size(), out);
    for (const c10::IValue& item : items) {
      if (item.isTensor() && item.toTensor().defined() && HasShape(item.toTensor())) {
        AppendShape(item.toTensor(), out);
      } else {
        out.push_back(kNoTensor);
      }
    }
    return;
  }
  const auto all = [&](bool (c10::IValue::*is)() const) {
    for (const c10::IValue& item : items) {
      if (!(item.*is)()) return false;
    }
    return true;
  };
  if (all(&c10::IValue::isInt)) {  // an empty list too
    AppendKind(InputKind::kIntegerList, out);
    AppendVarint(items.size(), out);
    for (const c10::IValue& item : items) AppendVarint(ZigZag(item.toInt()), out);
  } else if (all(&c10::IValue::isDouble)) {
    AppendKind(InputKind::kRealList, out);
    AppendVarint(items.size(), out);
    for (const c10::IValue& item : items) AppendReal(item.toDouble(), out);
  } else if (all(&c10::IValue::isBool)) {
    AppendKind(InputKind::kBooleanList, out);
    AppendVarint(items.size(), out);
    for (const c10::IValue& item : items) out.push_back(item.toBool() ? 1 : 0);
  } else {
    AppendKind(InputKind::kOther, out);
  }
}

inline void AppendInput(const c10::IValue& value, Bytes& out) {
  if (value.isTensor()) {
    AppendTensor(value.toTensor(), out);
  } else if (value.isInt()) {
    AppendKind(InputKind::kInteger, out);
    AppendVarint(ZigZag(value.toInt()), out);
  } else if (value.isDouble()) {
    AppendKind(InputKind::kReal, out);
    AppendReal(value.toDouble(), out);
  } else if (value.isBool()) {
    AppendKind(InputKind::kBoolean, out);
    out.push_back(value.toBool() ? 1 : 0);
  } else if (value.isList()) {
    AppendList(value.toListRef(), out);
  } else {
    AppendKind(InputKind::kOther, out);
  }
}

inline void ReadInputs(const at::RecordFunction& op, Bytes& out) {
  try {
    for (const c10::IValue& input : op.inputs()) AppendInput(input, out);
  } catch (...) {
    out.clear();
  }
}

}  // namespace warpsight::torch
#pragma GCC visibility pop
