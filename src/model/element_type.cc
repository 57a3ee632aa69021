#include "model/element_type.h"

#include <algorithm>
#include <iterator>

#include "base/units.h"

namespace warpsight {
namespace {

struct TypeName {
  std::string_view recorded;  // as PyTorch's profiler writes it; its usual spelling comes first
  std::string_view readable;  // as PyTorch and NumPy name it in Python
  InputType type;
  ElementType element = ElementType::kUnknown;
};
constexpr TypeName kTypeNames[] = {
    {"", "", InputType::kNone},
    {"float", "float32", InputType::kFloat32, ElementType::kFp32},
    {"c10::BFloat16", "bfloat16", InputType::kBfloat16, ElementType::kBf16},
    {"c10::Half", "float16", InputType::kFloat16, ElementType::kFp16},
    {"Scalar", "", InputType::kScalar},
    {"ScalarList", "", InputType::kScalarList},
    {"TensorList", "", InputType::kTensorList},
    {"GenericList", "", InputType::kGenericList},
    {"OptionalTensorList", "", InputType::kOptionalTensorList},
    {"double", "float64", InputType::kFloat64, ElementType::kFp64},
    {"long int", "int64", InputType::kInt64, ElementType::kInt64},
    {"long", "int64", InputType::kInt64, ElementType::kInt64},
    {"long long", "int64", InputType::kInt64, ElementType::kInt64},
    {"unsigned long", "uint64", InputType::kUint64, ElementType::kInt64},
    {"int", "int32", InputType::kInt32, ElementType::kInt32},
    {"unsigned int", "uint32", InputType::kUint32, ElementType::kInt32},
    {"short int", "int16", InputType::kInt16, ElementType::kInt16},
    {"short", "int16", InputType::kInt16, ElementType::kInt16},
    {"unsigned short", "uint16", InputType::kUint16, ElementType::kInt16},
    {"signed char", "int8", InputType::kInt8, ElementType::kInt8},
    {"unsigned char", "uint8", InputType::kUint8, ElementType::kUint8},
    {"bool", "bool", InputType::kBool, ElementType::kBool},
    {"c10::Float8_e4m3fn", "float8_e4m3fn", InputType::kFloat8E4m3fn, ElementType::kFp8},
    {"c10::Float8_e4m3fnuz", "float8_e4m3fnuz", InputType::kFloat8E4m3fnuz, ElementType::kFp8},
    {"c10::Float8_e5m2", "float8_e5m2", InputType::kFloat8E5m2, ElementType::kFp8},
    {"c10::Float8_e5m2fnuz", "float8_e5m2fnuz", InputType::kFloat8E5m2fnuz, ElementType::kFp8},
    {"c10::Float8_e8m0fnu", "float8_e8m0fnu", InputType::kFloat8E8m0fnu, ElementType::kFp8},
    {"c10::complex<float>", "complex64", InputType::kComplex64, ElementType::kComplex64},
    {"c10::complex<double>", "complex128", InputType::kComplex128, ElementType::kComplex128},
};

// Null for names that are not known.
const TypeName* FindName(std::string_view recorded) {
  const auto it = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                               [&](const TypeName& name) { return name.recorded == recorded; });
  return it == std::end(kTypeNames) ? nullptr : it;
}

// Null for kOther.
const TypeName* FindType(InputType type) {
  const auto it = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                               [&](const TypeName& name) { return name.type == type; });
  return it == std::end(kTypeNames) ? nullptr : it;
}

}  // namespace

double ElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kUnknown:
      return kMissingReal;
    case ElementType::kBool:
    case ElementType::kUint8:
    case ElementType::kInt8:
    case ElementType::kFp8:
      return 1;
    case ElementType::kInt16:
    case ElementType::kFp16:
    case ElementType::kBf16:
      return 2;
    case ElementType::kInt32:
    case ElementType::kFp32:
      return 4;
    case ElementType::kInt64:
    case ElementType::kFp64:
    case ElementType::kComplex64:
      return 8;
    case ElementType::kComplex128:
      return 16;
  }
  return kMissingReal;
}

Precision PrecisionOf(ElementType type) {
  switch (type) {
    case ElementType::kFp8:
      return Precision::kFp8;
    case ElementType::kFp16:
      return Precision::kFp16;
    case ElementType::kBf16:
      return Precision::kBf16;
    case ElementType::kFp32:
    case ElementType::kComplex64:
      return Precision::kFp32;
    case ElementType::kFp64:
    case ElementType::kComplex128:
      return Precision::kFp64;
    case ElementType::kInt8:
    case ElementType::kUint8:
      return Precision::kInt8;
    default:
      return Precision::kUnknown;
  }
}

ElementType ElementTypeOf(std::string_view name) {
  if (const TypeName* found = FindName(name)) return found->element;
  return name.starts_with("c10::Float8_") ? ElementType::kFp8 : ElementType::kUnknown;
}

ElementType ElementTypeOfNumber(int64_t scalar_type) {
  // c10/core/ScalarType.h; the numbers are part of PyTorch's serialized formats and do not change.
  switch (scalar_type) {
    case 0:
      return ElementType::kUint8;
    case 1:
      return ElementType::kInt8;
    case 2:
      return ElementType::kInt16;
    case 3:
      return ElementType::kInt32;
    case 4:
      return ElementType::kInt64;
    case 5:
      return ElementType::kFp16;
    case 6:
      return ElementType::kFp32;
    case 7:
      return ElementType::kFp64;
    case 9:
      return ElementType::kComplex64;
    case 10:
      return ElementType::kComplex128;
    case 11:
      return ElementType::kBool;
    case 15:
      return ElementType::kBf16;
    case 23:
    case 24:
    case 25:
    case 26:
      return ElementType::kFp8;
    default:
      return ElementType::kUnknown;
  }
}

InputType InputTypeOf(std::string_view recorded) {
  const TypeName* found = FindName(recorded);
  return found == nullptr ? InputType::kOther : found->type;
}

std::string_view RecordedName(InputType type) {
  const TypeName* found = FindType(type);
  return found == nullptr ? std::string_view() : found->recorded;
}

std::string_view ReadableName(InputType type) {
  const TypeName* found = FindType(type);
  return found == nullptr ? std::string_view() : found->readable;
}

}  // namespace warpsight
