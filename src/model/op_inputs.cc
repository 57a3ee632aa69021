#include "model/op_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "model/list_text.h"
#include "tbb/parallel_for.h"

namespace warpsight {
namespace {

using Items = ListText::Items;
using Node = ListText::Node;

template <typename Number>
std::optional<Number> ToNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> ToBoolean(std::string_view text) {
  if (text == "True" || text == "true") return true;
  if (text == "False" || text == "false") return false;
  return std::nullopt;
}

// Appends the items of a list, each as `convert` reads it; false, and nothing is appended, where
// one of them is something else.
template <typename Convert>
bool AppendNumbers(const Node& list, Convert convert, std::vector<int64_t>& numbers) {
  const size_t before = numbers.size();
  Items items = list.items();
  while (const Node* item = items.Next()) {
    const auto number = item->is_list ? std::nullopt : convert(item->text);
    if (!number) {
      numbers.resize(before);
      return false;
    }
    numbers.push_back(*number);
  }
  return true;
}

std::optional<int64_t> ToDimension(std::string_view text) {
  const auto dimension = ToNumber<int64_t>(text);
  return dimension && *dimension >= 0 ? dimension : std::nullopt;
}

bool HoldsLists(const Node& list) {
  Items items = list.items();
  while (const Node* item = items.Next()) {
    if (item->is_list) return true;
  }
  return false;
}

bool IsTensorList(InputType type) {
  return type == InputType::kTensorList || type == InputType::kGenericList ||
         type == InputType::kOptionalTensorList;
}

}  // namespace

// Fills a block, row by row. Rows, arguments and tensors lie in the order of what they hold, so
// that their views are set at the end, when nothing moves any more.
class InputReader {
 public:
  explicit InputReader(OpInputs::Block& block) : block_(block) {}

  void Add(const RecordedInputs& texts) {
    Counts& counts = counts_.emplace_back();
    types_.Read(texts.types);
    const size_t types = block_.types.size();
    AddElementTypes(types_.items(), types);
    counts.types = block_.types.size() - types;
    if (!dims_.Read(texts.dims)) return;
    strides_.Read(texts.strides);
    const size_t arguments = block_.arguments.size();
    const size_t tensors = block_.tensors.size();
    const size_t numbers = block_.numbers.size();
    if (!AddArguments()) {
      block_.arguments.resize(arguments);
      block_.tensors.resize(tensors);
      block_.numbers.resize(numbers);
      return;
    }
    counts.has_shapes = true;
    counts.arguments = block_.arguments.size() - arguments;
    if (values_.Read(texts.values)) counts.values = AddValues(counts.arguments);
  }

  void Finish() {
    block_.arguments.shrink_to_fit();
    block_.tensors.shrink_to_fit();
    block_.values.shrink_to_fit();
    block_.types.shrink_to_fit();
    block_.numbers.shrink_to_fit();
    block_.signatures.reserve(counts_.size());
    Argument* argument = block_.arguments.data();
    InputValue* value = block_.values.data();
    const InputType* type = block_.types.data();
    for (const Counts& counts : counts_) {
      block_.signatures.push_back({{argument, counts.arguments},
                                   {value, counts.values},
                                   {type, counts.types},
                                   counts.has_shapes});
      for (size_t i = 0; i < counts.arguments; ++i) SetTensors(*argument++);
      for (size_t i = 0; i < counts.values; ++i) SetNumbers(*value++);
      type += counts.types;
    }
  }

 private:
  // What the block has of a row.
  struct Counts {
    size_t arguments = 0, values = 0, types = 0;
    bool has_shapes = false;
  };

  // Those in a list, and in lists in it, that the row does not have yet.
  void AddElementTypes(Items items, size_t row_begin) {
    while (const Node* item = items.Next()) {
      AddElementTypes(item->items(), row_begin);
      const InputType type = InputTypeOf(item->text);
      if (ReadableName(type).empty()) continue;
      const auto begin = block_.types.begin() + static_cast<ptrdiff_t>(row_begin);
      if (std::find(begin, block_.types.end(), type) == block_.types.end()) {
        block_.types.push_back(type);
      }
    }
  }

  bool AddArguments() {
    Items dims = dims_.items();
    Items types = types_.items();
    Items strides = strides_.items();
    while (const Node* shape = dims.Next()) {
      const Node* type = types.Next();
      const Node* stride = strides.Next();
      if (!shape->is_list) return false;
      const std::string_view name = type != nullptr && !type->is_list ? type->text : "";
      if (!AddArgument(*shape, name, stride)) return false;
    }
    return true;
  }

  bool AddArgument(const Node& shape, std::string_view type, const Node* strides) {
    Argument argument;
    argument.type = InputTypeOf(type);
    if (HoldsLists(shape)) {
      argument.kind = Argument::Kind::kList;
      Items each_strides = strides != nullptr ? strides->items() : Items();
      Items shapes = shape.items();
      while (const Node* item = shapes.Next()) {
        ++argument.count;
        if (!item->is_list) return false;
        if (!AddTensor(*item, ElementType::kUnknown, each_strides.Next())) return false;
      }
    } else if (const ElementType element = ElementTypeOf(type);
               shape.nodes > 1 || element != ElementType::kUnknown) {
      argument.kind = Argument::Kind::kTensor;
      argument.count = 1;
      if (!AddTensor(shape, element, strides)) return false;
    } else if (IsTensorList(argument.type)) {
      // A tensor without dimensions can be told from a scalar or an empty input only by its type.
      argument.kind = Argument::Kind::kList;
    }
    block_.arguments.push_back(argument);
    return true;
  }

  // Strides that do not fit the shape are left out.
  bool AddTensor(const Node& shape, ElementType type, const Node* strides) {
    const size_t begin = block_.numbers.size();
    if (!AppendNumbers(shape, ToDimension, block_.numbers)) return false;
    Tensor tensor;
    tensor.type = type;
    tensor.dimensions = static_cast<uint32_t>(block_.numbers.size() - begin);
    if (tensor.dimensions > 0 && strides != nullptr && strides->is_list &&
        AppendNumbers(*strides, ToNumber<int64_t>, block_.numbers)) {
      tensor.has_strides = block_.numbers.size() - begin == 2 * size_t{tensor.dimensions};
      if (!tensor.has_strides) block_.numbers.resize(begin + tensor.dimensions);
    }
    block_.tensors.push_back(tensor);
    return true;
  }

  // One for each of `count` arguments, or none where all are empty.
  size_t AddValues(size_t count) {
    Items values = values_.items();
    const size_t before = block_.values.size();
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
      const Node* value = values.Next();
      const bool has_text = value != nullptr && !value->is_list && !value->text.empty();
      any |= has_text;
      block_.values.push_back(has_text ? ReadValue(value->text) : kNoValue);
    }
    if (!any) block_.values.resize(before);
    return any ? count : 0;
  }

  InputValue ReadValue(std::string_view text) {
    using enum InputValue::Kind;
    InputValue value;
    if (const auto integer = ToNumber<int64_t>(text)) {
      value.kind_ = kInteger;
      value.content_.integer = *integer;
    } else if (const auto boolean = ToBoolean(text)) {
      value.kind_ = kBoolean;
      value.content_.integer = *boolean ? 1 : 0;
    } else if (const auto real = ToNumber<double>(text); real && std::isfinite(*real)) {
      value.kind_ = kReal;
      value.content_.real = *real;
    } else if (!ReadValueList(text, value)) {
      value.kind_ = kText;
      value.content_.text = text.data();
      value.size_ = static_cast<uint32_t>(text.size());
    }
    return value;
  }

  bool ReadValueList(std::string_view text, InputValue& value) {
    if (text.front() != '[' || !value_.Read(text)) return false;
    const Node& list = value_.list();
    const size_t before = block_.numbers.size();
    if (AppendNumbers(list, ToNumber<int64_t>, block_.numbers)) {
      value.kind_ = InputValue::Kind::kIntegers;
    } else if (AppendNumbers(list, ToBoolean, block_.numbers)) {
      value.kind_ = InputValue::Kind::kBooleans;
    } else {
      return false;
    }
    value.size_ = static_cast<uint32_t>(block_.numbers.size() - before);
    return true;
  }

  void SetTensors(Argument& argument) {
    argument.tensors = block_.tensors.data() + tensor_;
    for (uint32_t i = 0; i < argument.count; ++i) {
      Tensor& tensor = block_.tensors[tensor_++];
      tensor.numbers = block_.numbers.data() + number_;
      number_ += size_t{tensor.dimensions} * (tensor.has_strides ? 2 : 1);
    }
  }

  void SetNumbers(InputValue& value) {
    if (!value.is_list()) return;
    value.content_.numbers = block_.numbers.data() + number_;
    number_ += value.size_;
  }

  OpInputs::Block& block_;
  std::vector<Counts> counts_;
  ListText dims_, types_, strides_, values_, value_;
  size_t tensor_ = 0, number_ = 0;  // the next ones that have no view yet
};

double Tensor::Elements() const {
  double product = 1;
  for (const int64_t dim : dims()) product *= static_cast<double>(dim);
  return product;
}

double Tensor::Bytes() const {
  const double size = ElementBytes(type);
  if (size < 0) return kMissingReal;
  double product = size;
  for (uint32_t i = 0; i < dimensions; ++i) {
    const bool repeated = has_strides && strides()[i] == 0 && numbers[i] > 0;
    if (!repeated) product *= static_cast<double>(numbers[i]);
  }
  return product;
}

int64_t Tensor::Dim(int64_t i) const {
  if (i < 0) i += rank();
  return i >= 0 && i < rank() ? numbers[i] : 1;
}

std::optional<double> InputValue::Number() const {
  if (kind_ == Kind::kReal) return content_.real;
  if (kind_ == Kind::kInteger) return static_cast<double>(content_.integer);
  return std::nullopt;
}

std::optional<int64_t> InputValue::Integer() const {
  return kind_ == Kind::kInteger ? std::optional(content_.integer) : std::nullopt;
}

std::optional<bool> InputValue::Boolean() const {
  const bool is_number = kind_ == Kind::kBoolean || kind_ == Kind::kInteger;
  if (!is_number || content_.integer < 0 || content_.integer > 1) return std::nullopt;
  return content_.integer == 1;
}

std::optional<std::vector<int64_t>> InputValue::Integers() const {
  if (kind_ == Kind::kInteger) return std::vector{content_.integer};
  if (kind_ != Kind::kIntegers) return std::nullopt;
  return std::vector(content_.numbers, content_.numbers + size_);
}

std::optional<std::vector<bool>> InputValue::Booleans() const {
  if (!is_list() || (kind_ == Kind::kIntegers && size_ > 0)) return std::nullopt;
  return std::vector<bool>(content_.numbers, content_.numbers + size_);
}

std::string_view InputValue::Text() const {
  return kind_ == Kind::kText ? std::string_view(content_.text, size_) : std::string_view();
}

template <typename TextsAt>
void OpInputs::Read(size_t rows, const TextsAt& texts_at) {
  blocks_.resize((rows + kBlockRows - 1) / kBlockRows);
  tbb::parallel_for(size_t{0}, blocks_.size(), [&](size_t block) {
    InputReader reader(blocks_[block]);
    const size_t end = std::min(rows, (block + 1) * kBlockRows);
    for (size_t row = block * kBlockRows; row < end; ++row) reader.Add(texts_at(row));
    reader.Finish();
  });
}

OpInputs::OpInputs(const SignaturesTable& table, const StringPool& strings) {
  Read(RowCount(table), [&](size_t row) {
    return RecordedInputs{strings.View(table.dims[row]), strings.View(table.types[row]),
                          strings.View(table.strides[row]), strings.View(table.values[row])};
  });
}

OpInputs::OpInputs(std::span<const RecordedInputs> rows) {
  Read(rows.size(), [&](size_t row) { return rows[row]; });
}

const Signature* OpInputs::Of(SignatureId id) const {
  if (!IsSet(id)) return nullptr;
  const Signature& signature = Row(id);
  return signature.has_shapes ? &signature : nullptr;
}

std::string OpInputs::ReadableTypes(SignatureId id) const {
  if (!IsSet(id)) return {};
  const std::span<const InputType> types = Row(id).element_types;
  std::vector<std::string_view> names;
  names.reserve(types.size());
  for (const InputType type : types) names.push_back(ReadableName(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace warpsight
