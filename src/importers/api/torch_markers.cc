#include "importers/api/torch_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "importers/api/python_literal.h"

namespace warpsight {
namespace {

constexpr std::string_view kSequence = ", seq = ";
constexpr std::string_view kOpId = ", op_id = ";
constexpr std::string_view kSizes = ", sizes = ";

// The number after `key`; kMissing if there is none.
int64_t NumberAfter(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == text.npos) return kMissing;
  text.remove_prefix(at + key.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : kMissing;
}

// The list of lists of numbers at the start of the text; empty if there is none or it is truncated.
std::string_view ListOfShapes(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') {
      ++depth;
    } else if (c == ']') {
      if (--depth == 0) return text.substr(0, i + 1);
    } else if (depth == 0 || std::string_view("0123456789-, ").find(c) == std::string_view::npos) {
      break;
    }
  }
  return {};
}

bool IsIdentifier(std::string_view name) {
  return !name.empty() && (name[0] < '0' || name[0] > '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z');
         });
}

// "torch::autograd::AccumulateGrad": a node without a forward op has no sequence number. Before
// op_id existed, its marker was only its name.
bool IsNodeWithoutSequence(std::string_view text) {
  constexpr std::string_view kNamespace = "torch::autograd::";
  return text.starts_with(kNamespace) && IsIdentifier(text.substr(kNamespace.size()));
}

// Since PyTorch writes op_id, the names of ops have a namespace, except those of autograd nodes.
// Older versions wrote a sequence number for every op, and for nothing else.
HostKind KindOf(std::string_view name, bool has_op_id) {
  const bool annotation = name.starts_with("ProfilerStep") || name.starts_with("Optimizer.") ||
                          name.starts_with("enumerate(DataLoader)#");
  if (annotation) return HostKind::kAnnotation;
  if (Contains(name, "::")) return HostKind::kOp;
  const bool op = IsIdentifier(name) && (!has_op_id || Contains(name, "Backward"));
  return op ? HostKind::kOp : HostKind::kAnnotation;
}

std::string CleanPath(std::string_view function_stack) {
  std::string path;
  for (size_t i = 0; i < function_stack.size(); ++i) {
    const char c = function_stack[i];
    if (c == '<' || c == '>') continue;
    if (c == '(') {
      const size_t close = function_stack.find_first_not_of("0123456789", i + 1);
      if (close != function_stack.npos && close > i + 1 && function_stack[close] == ')') {
        path += fmt::format("[{}]", function_stack.substr(i + 1, close - i - 1));
        i = close;
        continue;
      }
    }
    path += c;
  }
  return path;
}

std::string CallStack(const PythonValue& frames) {
  std::string stack;
  for (size_t i = frames.items.size(); i-- > 0;) {
    if (!stack.empty()) stack += ';';
    stack += frames.items[i].text;
  }
  return stack;
}

void AppendQuoted(std::string_view text, std::string& json) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      json += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      json += c;
    }
  }
  json += '"';
}

// "[1, 2]" for a list or tuple, the text of any other value.
std::string ValueText(const PythonValue& value) {
  if (!value.IsSequence()) return value.IsNone() ? "" : value.text;
  std::string text = "[";
  for (const PythonValue& item : value.items) {
    if (text.size() > 1) text += ", ";
    text += item.text;
  }
  return text + "]";
}

// Collects the inputs of a call as the three lists of a Kineto trace.
class Inputs {
 public:
  void Add(const PythonValue& argument) {
    Separate();
    const PythonValue* shape = argument.Find("shape");
    const PythonValue* value = argument.Find("value");
    if (shape != nullptr) {
      const PythonValue* type = argument.Find("dtype");
      dims_ += ValueText(*shape);
      AppendQuoted(type == nullptr ? "" : KinetoType(type->text), types_);
      AppendQuoted("", values_);
    } else if (value == nullptr || value->IsNone()) {
      dims_ += "[]";
      AppendQuoted("", types_);
      AppendQuoted("", values_);
    } else {
      dims_ += "[]";
      AppendQuoted(value->IsSequence() ? "ScalarList" : "Scalar", types_);
      AppendQuoted(ValueText(*value), values_);
    }
  }

  void Finish(PyprofMarker& marker) {
    marker.dims = "[" + dims_ + "]";
    marker.types = "[" + types_ + "]";
    marker.values = "[" + values_ + "]";
  }

 private:
  void Separate() {
    if (dims_.empty()) return;
    for (std::string* list : {&dims_, &types_, &values_}) *list += ", ";
  }

  std::string dims_, types_, values_;
};

}  // namespace

std::string_view KinetoType(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"float32", "float"},
      {"float", "float"},
      {"float16", "c10::Half"},
      {"half", "c10::Half"},
      {"bfloat16", "c10::BFloat16"},
      {"float64", "double"},
      {"double", "double"},
      {"int64", "long int"},
      {"long", "long int"},
      {"int32", "int"},
      {"int", "int"},
      {"int16", "short int"},
      {"int8", "signed char"},
      {"uint8", "unsigned char"},
      {"bool", "bool"},
      {"complex64", "c10::complex<float>"},
      {"complex128", "c10::complex<double>"},
      {"float8_e4m3fn", "c10::Float8_e4m3fn"},
      {"float8_e5m2", "c10::Float8_e5m2"}};
  for (const auto& [torch, kineto] : kNames) {
    if (torch == name) return kineto;
  }
  return name;
}

std::optional<EmittedMarker> ParseEmittedMarker(std::string_view text) {
  const size_t end = std::min({text.find(kSequence), text.find(kOpId), text.find(kSizes)});
  if (end == text.npos && IsNodeWithoutSequence(text)) {
    return EmittedMarker{.name = text, .kind = HostKind::kOp};
  }
  if (end == text.npos || end == 0) return std::nullopt;
  const std::string_view rest = text.substr(end);
  EmittedMarker marker;
  marker.name = text.substr(0, end);
  marker.sequence = NumberAfter(rest, kSequence);
  if (const size_t sizes = rest.find(kSizes); sizes != rest.npos) {
    marker.dims = ListOfShapes(rest.substr(sizes + kSizes.size()));
  }
  marker.kind = KindOf(marker.name, Contains(rest, kOpId));
  return marker;
}

std::optional<PyprofMarker> ParsePyprofMarker(std::string_view text) {
  if (!text.starts_with("{'")) return std::nullopt;
  const auto value = ParsePython(text);
  if (!value) return std::nullopt;
  PyprofMarker marker{};
  if (const PythonValue* frames = value->Find("traceMarker")) {
    marker.kind = PyprofMarker::Kind::kPlace;
    marker.call_stack = CallStack(*frames);
    if (const PythonValue* stack = value->Find("funcStack")) marker.path = CleanPath(stack->text);
    return marker;
  }
  if (value->Find("mod") == nullptr) return std::nullopt;
  if (value->Find("strRepr") != nullptr) {
    marker.kind = PyprofMarker::Kind::kModule;
    return marker;
  }
  const PythonValue* op = value->Find("op");
  if (op == nullptr || op->text.empty()) return std::nullopt;
  marker.kind = PyprofMarker::Kind::kCall;
  marker.op = op->text;
  if (const PythonValue* arguments = value->Find("args")) {
    Inputs inputs;
    for (const PythonValue& argument : arguments->items) inputs.Add(argument);
    inputs.Finish(marker);
  }
  return marker;
}

}  // namespace warpsight
