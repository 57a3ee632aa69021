#include "mcp_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace warpsight::testing {

McpClient::McpClient()
    : program_({"mcp"}, {.output = RunningProgram::Stream::kPiped, .input = true}) {}

McpMessage McpClient::Initialize(std::string_view revision) {
  McpMessage answer = Request(
      "initialize", fmt::format(R"({{"protocolVersion": "{}", "capabilities": {{}}, "clientInfo": )"
                                R"({{"name": "test", "version": "1"}}}})",
                                revision));
  Send(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})");
  return answer;
}

std::optional<McpMessage> McpClient::Next(std::chrono::milliseconds longest) {
  if (!program_.WaitFor("\n", lines_ + 1, longest)) return {};
  const std::string& printed = program_.printed();
  const size_t end = printed.find('\n', read_);
  McpMessage message{
      std::make_shared<simdjson::dom::parser>(), {}, printed.substr(read_, end - read_)};
  read_ = end + 1;
  ++lines_;
  if (message.parser->parse(message.text).get(message.json) != simdjson::SUCCESS) {
    ADD_FAILURE() << "not a message: " << message.text.substr(0, 500);
    return {};
  }
  return message;
}

McpMessage McpClient::Request(const std::string& method, const std::string& params) {
  const int id = ++last_id_;
  Send(fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "method": "{}", "params": {}}})", id, method,
                   params));
  while (auto message = Next()) {
    int64_t answered = 0;
    if (message->json["id"].get(answered) == simdjson::SUCCESS && answered == id) return *message;
  }
  ADD_FAILURE() << "no answer to " << method << " " << params.substr(0, 500);
  McpMessage none{std::make_shared<simdjson::dom::parser>(), {}, "{}"};
  none.json = none.parser->parse(none.text).value();
  return none;
}

McpMessage McpClient::Call(const std::string& tool, const std::string& arguments) {
  McpMessage answer =
      Request("tools/call", fmt::format(R"({{"name": "{}", "arguments": {}}})", tool, arguments));
  simdjson::dom::element result;
  EXPECT_EQ(answer.json["result"].get(result), simdjson::SUCCESS) << answer.text;
  if (answer.json["result"].error() == simdjson::SUCCESS) answer.json = result;
  return answer;
}

simdjson::dom::element McpClient::Ask(const std::string& tool, const std::string& arguments) {
  kept_ = Call(tool, arguments);
  bool failed = true;
  EXPECT_EQ(kept_.json["isError"].get(failed), simdjson::SUCCESS) << kept_.text;
  EXPECT_FALSE(failed) << tool << " " << arguments << ": " << kept_.text;
  simdjson::dom::element content;
  if (kept_.json["structuredContent"].get(content) != simdjson::SUCCESS) return kept_.json;
  return content;
}

std::string TextOfResult(simdjson::dom::element result) {
  std::string_view text;
  EXPECT_EQ(result.at_pointer("/content/0/text").get(text), simdjson::SUCCESS);
  return std::string(text);
}

}  // namespace warpsight::testing
