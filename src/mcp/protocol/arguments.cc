#include "mcp/protocol/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/json_builder.h"
#include "base/printable.h"

namespace warpsight::mcp {
namespace {

std::string_view TypeName(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::kText:
      return "string";
    case Parameter::Type::kInteger:
      return "integer";
    case Parameter::Type::kYesNo:
      break;
  }
  return "boolean";
}

std::string Names(const std::vector<Parameter>& parameters) {
  std::string names;
  for (const Parameter& parameter : parameters) {
    names += names.empty() ? "" : ", ";
    names += parameter.name;
  }
  return names.empty() ? "none" : names;
}

// JSON has one type of numbers: some clients write 5 as 5.0.
std::optional<int64_t> WholeNumber(simdjson::dom::element given) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (int64_t integer = 0; given.get(integer) == simdjson::SUCCESS) return integer;
  double real = 0;
  if (given.get(real) != simdjson::SUCCESS) return {};
  if (std::abs(real) > kExact || real != std::floor(real)) return {};
  return static_cast<int64_t>(real);
}

// What a client wrote, as far as an error repeats it.
std::string Shown(std::string_view name) {
  constexpr size_t kLongest = 60;
  return Printable(name.substr(0, kLongest));
}

}  // namespace

std::string InputSchema(const std::vector<Parameter>& parameters) {
  JsonObject properties;
  JsonArray required;
  bool any_required = false;
  for (const Parameter& parameter : parameters) {
    JsonObject property;
    property.Text("type", TypeName(parameter.type)).Text("description", parameter.doc);
    if (parameter.type == Parameter::Type::kInteger) {
      property.Integer("minimum", parameter.low).Integer("maximum", parameter.high);
    }
    properties.Json(parameter.name, property.Take());
    if (parameter.required) required.Text(parameter.name);
    any_required |= parameter.required;
  }
  JsonObject schema;
  schema.Text("type", "object").Json("properties", properties.Take());
  if (any_required) schema.Json("required", required.Take());
  return schema.YesNo("additionalProperties", false).Take();
}

Result<Arguments::Value> Arguments::ReadValue(const Parameter& parameter,
                                              simdjson::dom::element given) {
  if (parameter.type == Parameter::Type::kText) {
    std::string_view text;
    if (given.get(text) != simdjson::SUCCESS) {
      return Error{fmt::format("{} must be a string", parameter.name)};
    }
    // Paths end there for the system.
    if (text.find('\0') != text.npos) {
      return Error{fmt::format("{} must not contain a NUL character", parameter.name)};
    }
    return Value(std::string(text));
  }
  if (parameter.type == Parameter::Type::kYesNo) {
    bool value = false;
    if (given.get(value) == simdjson::SUCCESS) return Value(value);
    return Error{fmt::format("{} must be true or false", parameter.name)};
  }
  const std::optional<int64_t> number = WholeNumber(given);
  if (!number || *number < parameter.low || *number > parameter.high) {
    return Error{fmt::format("{} must be a whole number from {} to {}", parameter.name,
                             parameter.low, parameter.high)};
  }
  return Value(*number);
}

Result<Arguments> Arguments::Read(const std::vector<Parameter>& parameters,
                                  const std::optional<simdjson::dom::object>& given) {
  Arguments arguments;
  if (given) {
    for (const auto& [name, element] : *given) {
      const auto parameter =
          std::find_if(parameters.begin(), parameters.end(),
                       [&, key = name](const Parameter& p) { return p.name == key; });
      if (parameter == parameters.end()) {
        return Error{fmt::format("there is no argument '{}'; there are: {}", Shown(name),
                                 Names(parameters))};
      }
      if (element.is_null()) continue;
      auto value = ReadValue(*parameter, element);
      if (!value.ok()) return value.error();
      arguments.values_.insert_or_assign(std::string(name), std::move(*value));
    }
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.required && !arguments.values_.contains(parameter.name)) {
      return Error{fmt::format("the argument {} is missing: {}", parameter.name, parameter.doc)};
    }
  }
  return arguments;
}

std::string_view Arguments::Text(std::string_view name) const {
  const auto it = values_.find(name);
  return it == values_.end() ? std::string_view() : std::get<std::string>(it->second);
}

int64_t Arguments::Integer(std::string_view name, int64_t otherwise) const {
  const auto it = values_.find(name);
  return it == values_.end() ? otherwise : std::get<int64_t>(it->second);
}

bool Arguments::YesNo(std::string_view name) const {
  const auto it = values_.find(name);
  return it != values_.end() && std::get<bool>(it->second);
}

}  // namespace warpsight::mcp
