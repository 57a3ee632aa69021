#include "importers/capture/op_signature.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
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

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : reader_(bytes.data(), bytes.data() + bytes.size()) {}

  std::optional<InputTexts> Run() {
    while (!reader_.at_end() && ok_) AddInput(static_cast<InputKind>(Byte()));
    if (!ok_ || !reader_.ok() || writer_.empty()) return std::nullopt;
    return writer_.Finish();
  }

 private:
  void AddInput(InputKind kind) {
    switch (kind) {
      case InputKind::kOther:
      case InputKind::kUndefined:
        return writer_.AddOther("", "");
      case InputKind::kTensor: {
        const std::string_view type = ReadTensor();
        return writer_.AddTensor(type, dims_, strides_);
      }
      case InputKind::kTensorList:
        return AddTensorList();
      case InputKind::kInteger:
      case InputKind::kReal:
      case InputKind::kBoolean:
        value_.clear();
        AppendScalar(kind);
        return writer_.AddOther("Scalar", value_);
      case InputKind::kIntegerList:
        return AddScalarList(InputKind::kInteger);
      case InputKind::kRealList:
        return AddScalarList(InputKind::kReal);
      case InputKind::kBooleanList:
        return AddScalarList(InputKind::kBoolean);
    }
    ok_ = false;
  }

  // Sizes and strides; returns the element type.
  std::string_view ReadTensor() {
    dims_.clear();
    strides_.clear();
    const uint8_t type = Byte();
    if (type == kNoTensor) return "";
    const uint64_t dimensions = Count();
    ReadNumbers(dimensions, dims_);
    ReadNumbers(dimensions, strides_);
    return type < kTypes.size() ? kTypes[type] : "";
  }

  void AddTensorList() {
    const uint64_t count = Count();
    writer_.BeginTensorList();
    for (uint64_t i = 0; i < count && ok_; ++i) {
      ReadTensor();
      if (count <= kLongestShownList) writer_.AddListed(dims_, strides_);
    }
    writer_.EndTensorList("TensorList");
  }

  void AddScalarList(InputKind element) {
    const uint64_t count = Count();
    value_ = "[";
    for (uint64_t i = 0; i < count && ok_; ++i) {
      if (i > 0) value_ += ", ";
      AppendScalar(element);
    }
    value_ += ']';
    if (count > kLongestShownList) return writer_.AddOther("", "");
    writer_.AddOther("ScalarList", value_);
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

  void ReadNumbers(uint64_t count, std::vector<int64_t>& numbers) {
    for (uint64_t i = 0; i < count && ok_; ++i) {
      numbers.push_back(static_cast<int64_t>(reader_.Unsigned()));
      ok_ = reader_.ok();
    }
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
  InputWriter writer_;
  std::vector<int64_t> dims_, strides_;  // of the tensor read last
  std::string value_;
  bool ok_ = true;
};

}  // namespace

std::optional<InputTexts> DecodeInputs(std::string_view bytes) { return Decoder(bytes).Run(); }

}  // namespace warpsight::importers::capture
