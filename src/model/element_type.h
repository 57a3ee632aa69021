#pragma once

#include <cstdint>
#include <string_view>

#include "model/kernel_kind.h"

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
// From the number of a torch.dtype, as recorded in arguments: 15 is bf16.
ElementType ElementTypeOfNumber(int64_t scalar_type);

// What the recorded type of an input says: an element type, or what else it is.
enum class InputType : uint8_t {
  kNone,   // ""
  kOther,  // a name that is not known
  kScalar,
  kScalarList,
  kTensorList,
  kGenericList,
  kOptionalTensorList,
  kFloat32,
  kBfloat16,
  kFloat16,
  kFloat64,
  kInt64,
  kUint64,
  kInt32,
  kUint32,
  kInt16,
  kUint16,
  kInt8,
  kUint8,
  kBool,
  kFloat8E4m3fn,
  kFloat8E4m3fnuz,
  kFloat8E5m2,
  kFloat8E5m2fnuz,
  kFloat8E8m0fnu,
  kComplex64,
  kComplex128,
};

InputType InputTypeOf(std::string_view recorded);
// As PyTorch's profiler writes it; "" for kOther.
std::string_view RecordedName(InputType type);
// The name of an element type in Python, "bfloat16"; "" for all other types.
std::string_view ReadableName(InputType type);

}  // namespace warpsight
