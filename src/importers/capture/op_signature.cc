#include "importers/capture/op_signature.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "wire/op_inputs.h"
#include "wire/varint.h"

namespace warpsight::importers::capture {
namespace {

using wire::InputKind;

// By number of c10::ScalarType: the names that PyTorch's profiler prints.
constexpr std::array<std::string_view, 46> kTypes = {"unsigned char",
                                                     "signed char",
                                                     "short int",
                                                     "int",
                                                     "long int",
                                                     "c10::Half",
                                                     "float",
                                                     "double",
                                                     "c10::complex<c10::Half>",
                                                     "c10::complex<float>",
                                                     "c10::complex<double>",
                                                     "bool",
                                                     "c10::qint8",
                                                     "c10::quint8",
                                                     "c10::qint32",
                                                     "c10::BFloat16",
                                                     "c10::quint4x2",
                                                     "c10::quint2x4",
                                                     "c10::bits1x8",
                                                     "c10::bits2x4",
                                                     "c10::bits4x2",
                                                     "c10::bits8",
                                                     "c10::bits16",
                                                     "c10::Float8_e5m2",
                                                     "c10::Float8_e4m3fn",
                                                     "c10::Float8_e5m2fnuz",
                                                     "c10::Float8_e4m3fnuz",
                                                     "short unsigned int",
                                                     "unsigned int",
                                                     "long unsigned int",
                                                     "c10::dummy_uint1_7_t<1>",
                                                     "c10::dummy_uint1_7_t<2>",
                                                     "c10::dummy_uint1_7_t<3>",
                                                     "c10::dummy_uint1_7_t<4>",
                                                     "c10::dummy_uint1_7_t<5>",
                                                     "c10::dummy_uint1_7_t<6>",
                                                     "c10::dummy_uint1_7_t<7>",
                                                     "c10::dummy_int1_7_t<1>",
                                                     "c10::dummy_int1_7_t<2>",
                                                     "c10::dummy_int1_7_t<3>",
                                                     "c10::dummy_int1_7_t<4>",
                                                     "c10::dummy_int1_7_t<5>",
                                                     "c10::dummy_int1_7_t<6>",
                                                     "c10::dummy_int1_7_t<7>",
                                                     "c10::Float8_e8m0fnu",
                                                     "c10::Float4_e2m1fn_x2"};
constexpr uint8_t kNoTensor = 255;

// PyTorch's profiler omits longer lists.
constexpr uint64_t kLongestShownList = 30;

void AppendReal(double value, std::string& out) {
  constexpr double kShownAsInteger = 1e10;
  const auto to = std::back_inserter(out);
  if (std::abs(value) < kShownAsInteger && value == std::trunc(value) &&
      std::fpclassify(value) != FP_SUBNORMAL) {
    if (value == 0 && std::signbit(value)) out += '-';
    fmt::format_to(to, "{}.", static_cast<int64_t>(value));
  } else {
    fmt::format_to(to, "{:.17g}", value);
  }
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : reader_(bytes.data(), bytes.data() + bytes.size()) {}

  std::optional<OpInputs> Run() {
    while (!reader_.at_end() && ok_) AddInput(static_cast<InputKind>(Byte()));
    if (!ok_ || !reader_.ok() || empty_) return std::nullopt;
    for (std::string* list : {&inputs_.dims, &inputs_.types, &inputs_.strides, &inputs_.values}) {
      *list += ']';
    }
    return std::move(inputs_);
  }

 private:
  void AddInput(InputKind kind) {
    for (std::string* list : {&inputs_.dims, &inputs_.types, &inputs_.strides, &inputs_.values}) {
      *list += empty_ ? "[" : ", ";
    }
    empty_ = false;
    switch (kind) {
      case InputKind::kOther:
      case InputKind::kUndefined:
        return Finish("", "");
      case InputKind::kTensor: {
        const std::string_view type = AddTensor();
        return FinishTensor(type);
      }
      case InputKind::kTensorList:
        return AddTensorList();
      case InputKind::kInteger:
      case InputKind::kReal:
      case InputKind::kBoolean:
        value_.clear();
        AppendScalar(kind);
        return Finish("Scalar", value_);
      case InputKind::kIntegerList:
        return AddScalarList(InputKind::kInteger);
      case InputKind::kRealList:
        return AddScalarList(InputKind::kReal);
      case InputKind::kBooleanList:
        return AddScalarList(InputKind::kBoolean);
    }
    ok_ = false;
  }

  // Adds an input that is not a tensor.
  void Finish(std::string_view type, std::string_view value) {
    inputs_.dims += "[]";
    inputs_.strides += "[]";
    FinishTensor(type, value);
  }
  void FinishTensor(std::string_view type, std::string_view value = "") {
    fmt::format_to(std::back_inserter(inputs_.types), "\"{}\"", type);
    fmt::format_to(std::back_inserter(inputs_.values), "\"{}\"", value);
  }

  // Appends sizes and strides; returns the element type.
  std::string_view AddTensor() {
    const uint8_t type = Byte();
    if (type == kNoTensor) {
      inputs_.dims += "[]";
      inputs_.strides += "[]";
      return "";
    }
    const uint64_t dimensions = Count();
    AppendNumbers(dimensions, inputs_.dims);
    AppendNumbers(dimensions, inputs_.strides);
    return type < kTypes.size() ? kTypes[type] : "";
  }

  void AddTensorList() {
    const uint64_t count = Count();
    const size_t dims = inputs_.dims.size();
    const size_t strides = inputs_.strides.size();
    inputs_.dims += '[';
    inputs_.strides += '[';
    for (uint64_t i = 0; i < count && ok_; ++i) {
      if (i > 0) {
        inputs_.dims += ", ";
        inputs_.strides += ", ";
      }
      AddTensor();
    }
    if (count > kLongestShownList) {
      inputs_.dims.resize(dims + 1);
      inputs_.strides.resize(strides + 1);
    }
    inputs_.dims += ']';
    inputs_.strides += ']';
    FinishTensor("TensorList");
  }

  void AddScalarList(InputKind element) {
    const uint64_t count = Count();
    value_ = "[";
    for (uint64_t i = 0; i < count && ok_; ++i) {
      if (i > 0) value_ += ", ";
      AppendScalar(element);
    }
    value_ += ']';
    if (count > kLongestShownList) return Finish("", "");
    Finish("ScalarList", value_);
  }

  void AppendScalar(InputKind kind) {
    if (kind == InputKind::kInteger) {
      fmt::format_to(std::back_inserter(value_), "{}", reader_.Signed());
    } else if (kind == InputKind::kBoolean) {
      value_ += Byte() != 0 ? "True" : "False";
    } else {
      const std::string_view bytes = reader_.Bytes(sizeof(double));
      double real = 0;
      if (bytes.size() == sizeof(real)) std::memcpy(&real, bytes.data(), sizeof(real));
      AppendReal(real, value_);
    }
    ok_ = ok_ && reader_.ok();
  }

  void AppendNumbers(uint64_t count, std::string& out) {
    out += '[';
    for (uint64_t i = 0; i < count && ok_; ++i) {
      if (i > 0) out += ", ";
      fmt::format_to(std::back_inserter(out), "{}", static_cast<int64_t>(reader_.Unsigned()));
    }
    ok_ = ok_ && reader_.ok();
    out += ']';
  }

  uint8_t Byte() {
    const std::string_view byte = reader_.Bytes(1);
    ok_ = ok_ && reader_.ok();
    return byte.empty() ? 0 : static_cast<uint8_t>(byte.front());
  }

  // The number of entries that follow, each of which takes at least one byte.
  uint64_t Count() {
    const uint64_t count = reader_.Unsigned();
    ok_ = ok_ && reader_.ok() && count <= reader_.left();
    return ok_ ? count : 0;
  }

  wire::VarintReader reader_;
  OpInputs inputs_;
  std::string value_;
  bool empty_ = true;
  bool ok_ = true;
};

}  // namespace

std::optional<OpInputs> DecodeInputs(std::string_view bytes) { return Decoder(bytes).Run(); }

}  // namespace warpsight::importers::capture
