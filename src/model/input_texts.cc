#include "model/input_texts.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

namespace warpsight {
namespace {

void AppendNumbers(std::span<const int64_t> numbers, std::string& text) {
  text += '[';
  for (size_t i = 0; i < numbers.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{}", i > 0 ? ", " : "", numbers[i]);
  }
  text += ']';
}

void AppendQuoted(std::string_view raw, std::string& text) {
  text += '"';
  text += raw;
  text += '"';
}

std::string ValueText(const InputValue& value) {
  std::string text(value.Text());
  if (const auto integer = value.Integer()) {
    text = fmt::format("{}", *integer);
  } else if (const auto real = value.Number()) {
    AppendReal(*real, text);
  } else if (const auto boolean = value.Boolean()) {
    text = *boolean ? "True" : "False";
  } else if (const auto integers = value.Integers()) {
    AppendNumbers(*integers, text);
  } else if (const auto booleans = value.Booleans()) {
    for (const bool item : *booleans) {
      text += text.empty() ? "[" : ", ";
      text += item ? "True" : "False";
    }
    text += ']';
  }
  return text;
}

}  // namespace

void InputWriter::Separate() {
  for (std::string* list : {&texts_.dims, &texts_.types, &texts_.strides, &texts_.values}) {
    *list += list->empty() ? "[" : ", ";
  }
}

void InputWriter::AddTensor(std::string_view type, std::span<const int64_t> dims,
                            std::span<const int64_t> strides, std::string_view value) {
  Separate();
  AppendNumbers(dims, texts_.dims);
  AppendNumbers(strides, texts_.strides);
  AppendQuoted(type, texts_.types);
  AppendQuoted(value, texts_.values);
}

void InputWriter::AddOther(std::string_view type, std::string_view value) {
  AddTensor(type, {}, {}, value);
}

void InputWriter::BeginTensorList() {
  Separate();
  texts_.dims += '[';
  texts_.strides += '[';
}

void InputWriter::AddListed(std::span<const int64_t> dims, std::span<const int64_t> strides) {
  for (std::string* list : {&texts_.dims, &texts_.strides}) {
    if (list->back() == ']') *list += ", ";
  }
  AppendNumbers(dims, texts_.dims);
  AppendNumbers(strides, texts_.strides);
}

void InputWriter::EndTensorList(std::string_view type, std::string_view value) {
  texts_.dims += ']';
  texts_.strides += ']';
  AppendQuoted(type, texts_.types);
  AppendQuoted(value, texts_.values);
}

InputTexts InputWriter::Finish() {
  for (std::string* list : {&texts_.dims, &texts_.types, &texts_.strides, &texts_.values}) {
    if (list->empty()) *list += '[';
    *list += ']';
  }
  return std::exchange(texts_, {});
}

void AppendReal(double value, std::string& text) {
  constexpr double kShownAsInteger = 1e10;
  const auto to = std::back_inserter(text);
  if (std::abs(value) < kShownAsInteger && value == std::trunc(value) &&
      std::fpclassify(value) != FP_SUBNORMAL) {
    if (value == 0 && std::signbit(value)) text += '-';
    fmt::format_to(to, "{}.", static_cast<int64_t>(value));
  } else {
    fmt::format_to(to, "{:.17g}", value);
  }
}

InputTexts FormatInputs(const Signature& signature) {
  InputWriter writer;
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    const Argument& argument = signature.arguments[i];
    const std::string_view type = RecordedName(argument.type);
    const std::string value = ValueText(signature.ValueAt(i));
    if (const Tensor* tensor = argument.tensor()) {
      writer.AddTensor(type, tensor->dims(), tensor->strides(), value);
    } else if (argument.list().empty()) {
      writer.AddOther(type, value);
    } else {
      writer.BeginTensorList();
      for (const Tensor& tensor : argument.list()) {
        writer.AddListed(tensor.dims(), tensor.strides());
      }
      writer.EndTensorList(type, value);
    }
  }
  return writer.Finish();
}

}  // namespace warpsight
