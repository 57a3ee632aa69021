#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel_kind.h"
#include "model/trace.h"

namespace warpsight {

// Element types of tensors, as far as costs differ.
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

// Bytes of one element; kMissingReal where the type is not known.
double ElementBytes(ElementType type);
// The number format of arithmetic on such elements; int8 for small integers, else kUnknown.
Precision PrecisionOf(ElementType type);
// From PyTorch's names: "float", "c10::BFloat16", "long int". kUnknown for scalars and lists.
ElementType ElementTypeOf(std::string_view name);
// The distinct types in a list of them (JSON), as PyTorch and NumPy name them: "bfloat16, float32".
std::string ReadableTypes(std::string_view types_json);
// From the number of a torch.dtype, as recorded in arguments: 15 is bf16.
ElementType ElementTypeOfNumber(int64_t scalar_type);

struct Tensor {
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // empty where not recorded
  ElementType type = ElementType::kUnknown;

  // As doubles: a product of recorded numbers may exceed any integer.
  double Elements() const;
  // Bytes of memory behind it: elements that are repeated with stride 0 lie there once.
  double Bytes() const;
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  // dims[i], counted from the end where negative; 1 outside the range.
  int64_t Dim(int64_t i) const;
};

// One input of an op: a tensor, a list of tensors, a scalar, or nothing.
struct Argument {
  bool is_tensor = false;
  bool is_list = false;  // of tensors; empty where the profiler left the shapes out
  Tensor tensor;
  std::vector<Tensor> list;
  std::string_view value;  // text of a scalar or a list of scalars; empty where not recorded

  std::optional<double> Number() const;
  std::optional<int64_t> Integer() const;
  std::optional<bool> Bool() const;
  // "[2, 2]", or one number.
  std::optional<std::vector<int64_t>> Integers() const;
};

// The inputs of an op call. Views in it lead into the texts it was read from.
struct Signature {
  std::vector<Argument> arguments;

  // Null where there is no such argument or it is not of that kind.
  const Tensor* TensorAt(size_t i) const;
  const std::vector<Tensor>* ListAt(size_t i) const;
  // An argument without value where there is none.
  const Argument& At(size_t i) const;
};

// Reads the JSON texts of a signatures row, as PyTorch's profiler writes them. None where the
// shapes cannot be read; what else is missing or damaged is left out.
std::optional<Signature> ParseSignature(std::string_view dims, std::string_view types,
                                        std::string_view strides, std::string_view values);
std::optional<Signature> ParseSignature(const Trace& trace, SignatureId id);

}  // namespace warpsight
