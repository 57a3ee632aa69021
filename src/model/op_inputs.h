#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "model/element_type.h"
#include "model/tables.h"

// The inputs of op calls as numbers: what the texts in the table signatures say. Nothing else reads
// these texts; reports and exporters show them as recorded.
namespace warpsight {

// A tensor among the inputs of a call.
struct Tensor {
  const int64_t* numbers = nullptr;  // the dimensions, then the strides where there are any
  uint32_t dimensions = 0;
  bool has_strides = false;
  ElementType type = ElementType::kUnknown;

  std::span<const int64_t> dims() const { return {numbers, dimensions}; }
  // Empty where not recorded.
  std::span<const int64_t> strides() const {
    return has_strides ? std::span(numbers + dimensions, dimensions) : std::span<const int64_t>();
  }
  // As doubles: a product of recorded numbers may exceed any integer.
  double Elements() const;
  // Bytes of memory behind it: elements that are repeated with stride 0 lie there once.
  double Bytes() const;
  int64_t rank() const { return dimensions; }
  // dims()[i], counted from the end where negative; 1 outside the range.
  int64_t Dim(int64_t i) const;
};

// One input of a call. Whatever is neither a tensor nor a list of tensors may have a value.
struct Argument {
  enum class Kind : uint8_t {
    kOther,
    kTensor,
    kList,  // of tensors; empty where the profiler left the shapes out
  };

  const Tensor* tensors = nullptr;
  uint32_t count = 0;  // of tensors
  Kind kind = Kind::kOther;
  InputType type = InputType::kNone;

  // Null where it is not one.
  const Tensor* tensor() const { return kind == Kind::kTensor ? tensors : nullptr; }
  bool is_list() const { return kind == Kind::kList; }
  std::span<const Tensor> list() const {
    return is_list() ? std::span(tensors, count) : std::span<const Tensor>();
  }
};

// The value of an input; each accessor returns nothing if the value is of another kind.
class InputValue {
 public:
  // Finite.
  std::optional<double> Number() const;
  std::optional<int64_t> Integer() const;
  // True, False, 1 or 0.
  std::optional<bool> Boolean() const;
  // Those of a list, or one number.
  std::optional<std::vector<int64_t>> Integers() const;
  std::optional<std::vector<bool>> Booleans() const;
  // What is neither a number nor a list of one of these kinds: "same".
  std::string_view Text() const;

 private:
  friend class InputReader;
  enum class Kind : uint8_t { kNone, kInteger, kReal, kBoolean, kIntegers, kBooleans, kText };

  bool is_list() const { return kind_ == Kind::kIntegers || kind_ == Kind::kBooleans; }

  union Content {
    int64_t integer = 0;  // also a Boolean
    double real;
    const int64_t* numbers;
    const char* text;
  };
  Content content_;
  uint32_t size_ = 0;  // of a list or a text
  Kind kind_ = Kind::kNone;
};

inline constexpr InputValue kNoValue{};

// The inputs of a call. Its views are valid as long as the OpInputs that it is from, even after
// they are moved.
struct Signature {
  std::span<const Argument> arguments;
  // One for each argument, or none.
  std::span<const InputValue> values;
  // The distinct element types that were recorded, in their order, also where the shapes cannot be
  // read.
  std::span<const InputType> element_types;
  bool has_shapes = false;

  // Null where there is no such argument or it is not a tensor.
  const Tensor* TensorAt(size_t i) const {
    return i < arguments.size() ? arguments[i].tensor() : nullptr;
  }
  // Empty where there is no such argument or it is not a list.
  std::span<const Tensor> ListAt(size_t i) const {
    return i < arguments.size() ? arguments[i].list() : std::span<const Tensor>();
  }
  const InputValue& ValueAt(size_t i) const { return i < values.size() ? values[i] : kNoValue; }
};

// A row of the table signatures: JSON, as PyTorch's profiler writes it.
struct RecordedInputs {
  std::string_view dims, types, strides, values;
};

// All rows of the table signatures. Texts among the values lead into what they were read from,
// which must outlive this.
class OpInputs {
 public:
  OpInputs() = default;
  OpInputs(const SignaturesTable& table, const StringPool& strings);
  explicit OpInputs(std::span<const RecordedInputs> rows);

  // Null where nothing was recorded or the shapes cannot be read. What else cannot be read is left
  // out.
  const Signature* Of(SignatureId id) const;
  // The distinct element types of the inputs: "bfloat16, float32".
  std::string ReadableTypes(SignatureId id) const;

 private:
  friend class InputReader;

  // Some rows, and what their views lead into.
  struct Block {
    std::vector<Signature> signatures;
    std::vector<Argument> arguments;
    std::vector<Tensor> tensors;
    std::vector<InputValue> values;
    std::vector<InputType> types;
    std::vector<int64_t> numbers;
  };
  static constexpr size_t kBlockRows = 1024;

  template <typename TextsAt>
  void Read(size_t rows, const TextsAt& texts_at);
  const Signature& Row(SignatureId id) const {
    return blocks_[Index(id) / kBlockRows].signatures[Index(id) % kBlockRows];
  }

  std::vector<Block> blocks_;
};

}  // namespace warpsight
