#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace warpsight::mcp {

// A parameter of a tool: its JSON schema is made from it, and arguments are checked against it.
struct Parameter {
  enum class Type : uint8_t { kText, kInteger, kYesNo };

  std::string_view name;
  Type type = Type::kText;
  std::string_view doc;
  bool required = false;
  // Of an integer, both included.
  int64_t low = 0;
  int64_t high = 0;
};

// The JSON schema of an object with these parameters, and with no others.
std::string InputSchema(const std::vector<Parameter>& parameters);

// The arguments of a call, all of which are of the types that the tool's parameters have.
class Arguments {
 public:
  // Null stands for an argument that is not given: models write it so. The error is a sentence that
  // names the argument and what is allowed.
  static Result<Arguments> Read(const std::vector<Parameter>& parameters,
                                const std::optional<simdjson::dom::object>& given);

  // Empty where it is not given.
  std::string_view Text(std::string_view name) const;
  int64_t Integer(std::string_view name, int64_t otherwise) const;
  // False where it is not given.
  bool YesNo(std::string_view name) const;

 private:
  using Value = std::variant<std::string, int64_t, bool>;

  static Result<Value> ReadValue(const Parameter& parameter, simdjson::dom::element given);

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace warpsight::mcp
