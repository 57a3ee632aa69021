#pragma once

#include <simdjson.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "running_program.h"

namespace warpsight::testing {

// A message of the server, or a part of it, with the document that it lies in.
struct McpMessage {
  std::shared_ptr<simdjson::dom::parser> parser;
  simdjson::dom::element json;
  std::string text;  // the whole message
};

// A scripted client of `warpsight mcp`, which it starts as assistants do. Fails the test for any
// line of standard output that is not a message.
class McpClient {
 public:
  McpClient();

  // Agrees on a revision of the protocol; returns the server's answer.
  McpMessage Initialize(std::string_view revision = "2025-06-18");

  // Sends a line as it is.
  void Send(const std::string& line) const { program_.Write(line + "\n"); }
  // The next message, or nothing where none comes in time or the server has ended.
  std::optional<McpMessage> Next(std::chrono::milliseconds longest = std::chrono::seconds(60));

  // Sends a request and waits for its answer; what comes before it is dropped. `params` is JSON.
  McpMessage Request(const std::string& method, const std::string& params = "{}");
  // Calls a tool and returns the result. `arguments` is JSON.
  McpMessage Call(const std::string& tool, const std::string& arguments = "{}");
  // The same for calls that are to succeed: the structured content.
  simdjson::dom::element Ask(const std::string& tool, const std::string& arguments = "{}");

  RunningProgram& program() { return program_; }

 private:
  RunningProgram program_;
  size_t read_ = 0;   // bytes of the output
  size_t lines_ = 0;  // of the output
  int last_id_ = 0;
  McpMessage kept_;  // whose content Ask() returned
};

// The text that a result has for people.
std::string TextOfResult(simdjson::dom::element result);

}  // namespace warpsight::testing
