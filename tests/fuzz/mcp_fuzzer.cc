// Reads any bytes as what a client of `warpsight mcp` sends, and checks that only whole messages
// come back, at most one for each line.
#include <simdjson.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/protocol/line_reader.h"
#include "mcp/protocol/session.h"

namespace warpsight::mcp {
namespace {

void Require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

std::vector<Tool> Tools() {
  Tool echo{"echo", "Echo", "Repeats a text.", {}, {}};
  echo.parameters = {{"text", Parameter::Type::kText, "", true},
                     {"times", Parameter::Type::kInteger, "", false, 1, 9},
                     {"loud", Parameter::Type::kYesNo, ""}};
  echo.run = [](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
    Require(arguments.Integer("times", 1) >= 1 && arguments.Integer("times", 1) <= 9,
            "numbers are in their range");
    if (arguments.YesNo("loud")) return Error{std::string(arguments.Text("text"))};
    return Answer{std::string(arguments.Text("text")), "{\n}"};
  };
  return {echo};
}

void CheckMessage(std::string_view message) {
  Require(message.find('\n') == message.npos, "a message is one line");
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  Require(parser.parse(message.data(), message.size()).get(json) == simdjson::SUCCESS,
          "a message is JSON");
}

void Read(std::string_view bytes, bool initialized, uint8_t revision) {
  size_t messages = 0;
  size_t lines = 0;
  Session session(Tools(), "", [&](std::string_view message) {
    CheckMessage(message);
    ++messages;
  });
  if (initialized) {
    session.Receive(R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": )"
                    R"({"protocolVersion": ")" +
                    std::string(kRevisions[revision % std::size(kRevisions)]) + "\"}}");
    ++lines;
  }
  LineReader reader;
  const auto take = [&] {
    while (const auto line = reader.Next()) {
      session.Receive(line->text);
      ++lines;
    }
  };
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, 97);
    reader.Append(piece);
    bytes.remove_prefix(piece.size());
    take();
  }
  reader.End();
  take();
  Require(session.WaitUntilIdle(std::chrono::minutes(1)), "every call ends");
  Require(messages <= lines, "one answer for a line at most");
}

}  // namespace
}  // namespace warpsight::mcp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  warpsight::mcp::Read(bytes, (data[0] & 1) == 0, static_cast<uint8_t>(data[0] >> 1));
  return 0;
}
