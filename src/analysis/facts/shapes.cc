#include "analysis/facts/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <utility>

namespace warpsight {
namespace {

// A JSON value, as far as shapes need it: numbers, texts and lists.
struct Node {
  bool is_list = false;
  std::string_view text;  // the text of a number or a string
  std::vector<Node> items;
};

// Shapes are at most lists of lists of numbers in the list of inputs.
constexpr int kDeepest = 4;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Reads the whole text as one list; false if it is not one.
  bool ReadList(Node& node) {
    if (!Read(node, 0) || !node.is_list) return false;
    Skip();
    return at_ == text_.size();
  }

 private:
  bool Read(Node& node, int depth) {
    Skip();
    if (at_ == text_.size()) return false;
    if (text_[at_] == '"') return ReadText(node);
    if (text_[at_] != '[') return ReadWord(node);
    if (depth == kDeepest) return false;
    ++at_;
    node.is_list = true;
    Skip();
    if (At(']')) return true;
    while (true) {
      if (!Read(node.items.emplace_back(), depth + 1)) return false;
      Skip();
      if (At(']')) return true;
      if (!At(',')) return false;
    }
  }

  bool ReadText(Node& node) {
    const size_t start = ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return false;
    node.text = text_.substr(start, at_ - start);
    ++at_;
    return true;
  }

  bool ReadWord(Node& node) {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '[' &&
           text_[at_] != '"' && text_[at_] > ' ') {
      ++at_;
    }
    node.text = text_.substr(start, at_ - start);
    return at_ > start;
  }

  bool At(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void Skip() {
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

template <typename Number>
std::optional<Number> ToNumber(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Converts a list of numbers; false if it contains anything else.
bool ToIntegers(const Node& node, std::vector<int64_t>& numbers) {
  for (const Node& item : node.items) {
    const auto number = item.is_list ? std::nullopt : ToNumber<int64_t>(item.text);
    if (!number) return false;
    numbers.push_back(*number);
  }
  return true;
}

bool ToShape(const Node& node, std::vector<int64_t>& dims) {
  return ToIntegers(node, dims) &&
         std::all_of(dims.begin(), dims.end(), [](int64_t dim) { return dim >= 0; });
}

// The i-th item of a list; null if there is none.
const Node* Item(const Node& list, size_t i) {
  return i < list.items.size() ? &list.items[i] : nullptr;
}

bool HoldsLists(const Node& node) {
  return std::any_of(node.items.begin(), node.items.end(), [](const Node& n) { return n.is_list; });
}

// Sets strides, unless they do not match the shape.
void SetStrides(const Node* strides, Tensor& tensor) {
  if (strides == nullptr || !strides->is_list) return;
  std::vector<int64_t> numbers;
  if (ToIntegers(*strides, numbers) && numbers.size() == tensor.dims.size()) {
    tensor.strides = std::move(numbers);
  }
}

bool ReadTensorList(const Node& dims, const Node* strides, Argument& argument) {
  argument.is_list = true;
  for (size_t i = 0; i < dims.items.size(); ++i) {
    Tensor& tensor = argument.list.emplace_back();
    if (!dims.items[i].is_list || !ToShape(dims.items[i], tensor.dims)) return false;
    if (strides != nullptr) SetStrides(Item(*strides, i), tensor);
  }
  return true;
}

bool IsTensorList(std::string_view type) {
  return type == "TensorList" || type == "GenericList" || type == "OptionalTensorList";
}

bool ReadArgument(const Node& dims, const Node* type_node, const Node* strides, const Node* value,
                  Argument& argument) {
  const std::string_view type =
      type_node != nullptr && !type_node->is_list ? type_node->text : std::string_view();
  if (value != nullptr && !value->is_list) argument.value = value->text;
  if (!dims.is_list) return false;
  if (HoldsLists(dims)) return ReadTensorList(dims, strides, argument);
  if (!ToShape(dims, argument.tensor.dims)) return false;
  argument.tensor.type = ElementTypeOf(type);
  // A tensor without dimensions can be distinguished from a scalar or an empty input only by its
  // type.
  argument.is_tensor =
      !argument.tensor.dims.empty() || argument.tensor.type != ElementType::kUnknown;
  argument.is_list = !argument.is_tensor && IsTensorList(type);
  SetStrides(strides, argument.tensor);
  return true;
}

struct TypeName {
  std::string_view recorded;  // as PyTorch's profiler writes it
  std::string_view readable;  // as PyTorch and NumPy write it in Python
  ElementType type;
};
constexpr TypeName kTypeNames[] = {
    {"float", "float32", ElementType::kFp32},
    {"c10::BFloat16", "bfloat16", ElementType::kBf16},
    {"c10::Half", "float16", ElementType::kFp16},
    {"double", "float64", ElementType::kFp64},
    {"long int", "int64", ElementType::kInt64},
    {"long", "int64", ElementType::kInt64},
    {"long long", "int64", ElementType::kInt64},
    {"unsigned long", "uint64", ElementType::kInt64},
    {"int", "int32", ElementType::kInt32},
    {"unsigned int", "uint32", ElementType::kInt32},
    {"short int", "int16", ElementType::kInt16},
    {"short", "int16", ElementType::kInt16},
    {"unsigned short", "uint16", ElementType::kInt16},
    {"signed char", "int8", ElementType::kInt8},
    {"unsigned char", "uint8", ElementType::kUint8},
    {"bool", "bool", ElementType::kBool},
    {"c10::Float8_e4m3fn", "float8_e4m3fn", ElementType::kFp8},
    {"c10::Float8_e4m3fnuz", "float8_e4m3fnuz", ElementType::kFp8},
    {"c10::Float8_e5m2", "float8_e5m2", ElementType::kFp8},
    {"c10::Float8_e5m2fnuz", "float8_e5m2fnuz", ElementType::kFp8},
    {"c10::Float8_e8m0fnu", "float8_e8m0fnu", ElementType::kFp8},
    {"c10::complex<float>", "complex64", ElementType::kComplex64},
    {"c10::complex<double>", "complex128", ElementType::kComplex128},
};

// Null for scalars, lists and unknown types.
const TypeName* FindType(std::string_view recorded) {
  const auto it = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                               [&](const TypeName& type) { return type.recorded == recorded; });
  return it == std::end(kTypeNames) ? nullptr : it;
}

// Adds the readable names in a list, and in nested lists, without duplicates.
void CollectTypes(const Node& node, std::vector<std::string_view>& found) {
  for (const Node& item : node.items) CollectTypes(item, found);
  const TypeName* type = FindType(node.text);
  if (type != nullptr && std::find(found.begin(), found.end(), type->readable) == found.end()) {
    found.push_back(type->readable);
  }
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
  if (const TypeName* type = FindType(name)) return type->type;
  return name.starts_with("c10::Float8_") ? ElementType::kFp8 : ElementType::kUnknown;
}

std::string ReadableTypes(std::string_view types_json) {
  Node types;
  std::vector<std::string_view> found;
  if (Reader(types_json).ReadList(types)) CollectTypes(types, found);
  return fmt::format("{}", fmt::join(found, ", "));
}

ElementType ElementTypeOfNumber(int64_t scalar_type) {
  // The numbers are those of c10/core/ScalarType.h. They are part of PyTorch's serialized formats
  // and do not change.
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

double Tensor::Elements() const {
  double product = 1;
  for (const int64_t dim : dims) product *= static_cast<double>(dim);
  return product;
}

double Tensor::Bytes() const {
  const double size = ElementBytes(type);
  if (size < 0) return kMissingReal;
  double product = size;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool repeated = i < strides.size() && strides[i] == 0 && dims[i] > 0;
    if (!repeated) product *= static_cast<double>(dims[i]);
  }
  return product;
}

int64_t Tensor::Dim(int64_t i) const {
  if (i < 0) i += rank();
  return i >= 0 && i < rank() ? dims[static_cast<size_t>(i)] : 1;
}

std::optional<double> Argument::Number() const {
  const auto number = ToNumber<double>(value);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<int64_t> Argument::Integer() const { return ToNumber<int64_t>(value); }

std::optional<bool> Argument::Bool() const {
  if (value == "True" || value == "true" || value == "1") return true;
  if (value == "False" || value == "false" || value == "0") return false;
  return std::nullopt;
}

std::optional<std::vector<int64_t>> Argument::Integers() const {
  if (const auto number = ToNumber<int64_t>(value)) return std::vector{*number};
  Node node;
  std::vector<int64_t> numbers;
  if (!Reader(value).ReadList(node) || !ToIntegers(node, numbers)) return std::nullopt;
  return numbers;
}

const Argument& Signature::At(size_t i) const {
  static const Argument nothing;
  return i < arguments.size() ? arguments[i] : nothing;
}

const Tensor* Signature::TensorAt(size_t i) const {
  return At(i).is_tensor ? &At(i).tensor : nullptr;
}

const std::vector<Tensor>* Signature::ListAt(size_t i) const {
  return At(i).is_list && !At(i).list.empty() ? &At(i).list : nullptr;
}

std::optional<Signature> ParseSignature(std::string_view dims, std::string_view types,
                                        std::string_view strides, std::string_view values) {
  Node dim_nodes;
  if (!Reader(dims).ReadList(dim_nodes)) return std::nullopt;
  // Other texts that cannot be read are treated as not recorded.
  const auto read = [](std::string_view text) {
    Node node;
    return Reader(text).ReadList(node) ? node : Node();
  };
  const Node type_nodes = read(types);
  const Node stride_nodes = read(strides);
  const Node value_nodes = read(values);
  Signature signature;
  for (size_t i = 0; i < dim_nodes.items.size(); ++i) {
    if (!ReadArgument(dim_nodes.items[i], Item(type_nodes, i), Item(stride_nodes, i),
                      Item(value_nodes, i), signature.arguments.emplace_back())) {
      return std::nullopt;
    }
  }
  return signature;
}

std::optional<Signature> ParseSignature(const Trace& trace, SignatureId id) {
  if (!IsSet(id)) return std::nullopt;
  const SignaturesTable& table = trace.tables.signatures;
  const size_t row = Index(id);
  return ParseSignature(trace.Text(table.dims[row]), trace.Text(table.types[row]),
                        trace.Text(table.strides[row]), trace.Text(table.values[row]));
}

}  // namespace warpsight
