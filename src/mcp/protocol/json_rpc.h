#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The messages of JSON-RPC 2.0 (https://www.jsonrpc.org/specification) that MCP uses.
namespace warpsight::mcp {

enum class ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kUnknownMethod = -32601,
  kInvalidParams = -32602,
};

// The id of an answer to a message whose id is not known.
inline constexpr std::string_view kNoId = "null";

// A message of a client. Its parameters live as long as the document that they were read from.
struct Message {
  enum class Kind : uint8_t { kRequest, kNotification, kResponse, kInvalid };

  Kind kind = Kind::kInvalid;
  std::string id{kNoId};  // as JSON
  std::string method;
  std::optional<simdjson::dom::object> params;
  // Of an invalid one.
  ErrorCode code = ErrorCode::kInvalidRequest;
  std::string_view error;
};

Message ReadMessage(simdjson::dom::element element);

// An id as JSON; nothing where the element cannot be an id. MCP allows texts and whole numbers.
std::optional<std::string> ReadId(simdjson::dom::element element);

std::string ResultMessage(std::string_view id, std::string_view result);
std::string ErrorMessage(std::string_view id, ErrorCode code, std::string_view text);

// The same JSON on one line. Line breaks in JSON are blanks between values: in texts they are
// escaped.
std::string OneLine(std::string json);

}  // namespace warpsight::mcp
