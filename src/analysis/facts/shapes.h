#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel_kind.h"
#include "model/trace.h"

namespace warpsight {

// Element types of tensors, as far as their costs differ.
enum class ElementType : uint8_t {
  kUnknown,
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFp8,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kComplex64,
  kComplex128,
};

// Bytes of one element; kMissingReal if the type is unknown.
double ElementBytes(ElementType type);
// The number format of arithmetic on these elements; int8 for small integers, otherwise kUnknown.
Precision PrecisionOf(ElementType type);
// From PyTorch's names: "float", "c10::BFloat16", "long int". kUnknown for scalars and lists.
ElementType ElementTypeOf(std::string_view name);
// The distinct types in a list of them (JSON), as PyTorch and NumPy name them: "bfloat16, float32".
std::string ReadableTypes(std::string_view types_json);
// From the number of a torch.dtype, as recorded in arguments: 15 is bf16.
ElementType ElementTypeOfNumber(int64_t scalar_type);

struct Tensor {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // empty if not recorded
  ElementType type = ElementType::kUnknown;

  // As doubles: a product of recorded numbers may exceed any integer.
  double Elements() const;
  // Bytes of memory behind it: elements repeated with stride 0 are stored once.
  double Bytes() const;
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // dims[i], counted from the end if i is negative; 1 outside the range.
  int64_t Dim(int64_t i) const;
};

// One input of an op: a tensor, a list of tensors, a scalar, or nothing.
struct Argument {
  bool is_tensor = false;
  bool is_list = false;  // a list of tensors; empty if the profiler omitted the shapes
  Tensor tensor;
  std::vector<Tensor> list;
  std::string_view value;  // text of a scalar or a list of scalars; empty if not recorded

  std::optional<double> Number() const;
  std::optional<int64_t> Integer() const;
  std::optional<bool> Bool() const;
  // The value as integers: "[2, 2]", or one number.
  std::optional<std::vector<int64_t>> Integers() const;
};

// The inputs of an op call. Its views refer to the texts from which it was read.
struct Signature {
  std::vector<Argument> arguments;

  // Null if there is no such argument or it has another kind.
  const Tensor* TensorAt(size_t i) const;
  const std::vector<Tensor>* ListAt(size_t i) const;
  // An argument without a value if there is none.
  const Argument& At(size_t i) const;
};

// Reads the JSON texts of a row of signatures, as written by PyTorch's profiler. nullopt if the
// shapes cannot be read; other missing or damaged values are left out.
std::optional<Signature> ParseSignature(std::string_view dims, std::string_view types,
                                        std::string_view strides, std::string_view values);
std::optional<Signature> ParseSignature(const Trace& trace, SignatureId id);

}  // namespace warpsight
