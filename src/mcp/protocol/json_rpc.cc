#include "mcp/protocol/json_rpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json_builder.h"
#include "base/json_text.h"

namespace warpsight::mcp {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

bool Has(const object& fields, std::string_view name) {
  return fields.at_key(name).error() == simdjson::SUCCESS;
}

}  // namespace

std::optional<std::string> ReadId(element id) {
  if (std::string_view text; id.get(text) == simdjson::SUCCESS) return JsonString(text);
  if (int64_t number = 0; id.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  if (uint64_t number = 0; id.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  return {};
}

Message ReadMessage(element given) {
  Message message;
  object fields;
  if (given.get(fields) != simdjson::SUCCESS) {
    message.error = "a message must be an object";
    return message;
  }
  const bool has_id = Has(fields, "id");
  if (has_id) {
    auto id = ReadId(fields["id"].value());
    if (!id) {
      message.error = "id must be a string or a whole number";
      return message;
    }
    message.id = std::move(*id);
  }
  std::string_view version;
  if (fields["jsonrpc"].get(version) != simdjson::SUCCESS || version != "2.0") {
    message.error = "jsonrpc must be \"2.0\"";
    return message;
  }
  if (!Has(fields, "method") && (Has(fields, "result") || Has(fields, "error"))) {
    message.kind = Message::Kind::kResponse;
    return message;
  }
  std::string_view method;
  if (fields["method"].get(method) != simdjson::SUCCESS) {
    message.error = "method must be a string";
    return message;
  }
  message.method = method;
  if (Has(fields, "params")) {
    object params;
    if (fields["params"].get(params) != simdjson::SUCCESS) {
      message.code = ErrorCode::kInvalidParams;
      message.error = "params must be an object";
      return message;
    }
    message.params = params;
  }
  message.kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
  return message;
}

std::string ResultMessage(std::string_view id, std::string_view result) {
  return JsonObject().Text("jsonrpc", "2.0").Json("id", id).Json("result", result).Take();
}

std::string ErrorMessage(std::string_view id, ErrorCode code, std::string_view text) {
  return JsonObject()
      .Text("jsonrpc", "2.0")
      .Json("id", id)
      .Json("error",
            JsonObject().Integer("code", static_cast<int64_t>(code)).Text("message", text).Take())
      .Take();
}

std::string OneLine(std::string json) {
  std::replace(json.begin(), json.end(), '\n', ' ');
  return json;
}

}  // namespace warpsight::mcp
