#include "mcp/protocol/session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "mcp/protocol/line_reader.h"

namespace warpsight::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kLatest = "2025-06-18";

// A session with two tools: echo answers at once, wait only when it is canceled or released.
class SessionTest : public ::testing::Test {
 protected:
  // The messages that the server sent so far.
  std::vector<std::string> Sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  std::string Last() {
    const std::vector<std::string> sent = Sent();
    return sent.empty() ? "" : sent.back();
  }

  // Gives a line and waits until everything is answered.
  std::string Receive(std::string_view line) {
    const size_t before = Sent().size();
    session_.Receive(line);
    EXPECT_TRUE(session_.WaitUntilIdle(std::chrono::seconds(30)));
    const std::vector<std::string> sent = Sent();
    EXPECT_LE(sent.size(), before + 1) << "one answer at most";
    return sent.size() == before ? "" : sent.back();
  }

  std::string Initialize(std::string_view revision = kLatest) {
    return Receive(fmt::format(
        R"({{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {{"protocolVersion": "{}"}}}})",
        revision));
  }

  static std::string Echo(std::string_view id, std::string_view text) {
    return fmt::format(
        R"({{"jsonrpc": "2.0", "id": {}, "method": "tools/call", "params": {{"name": "echo", "arguments": {{"text": "{}"}}}}}})",
        id, text);
  }
  static std::string Wait(std::string_view id) {
    return fmt::format(
        R"({{"jsonrpc": "2.0", "id": {}, "method": "tools/call", "params": {{"name": "wait"}}}})",
        id);
  }

  std::vector<Tool> Tools() {
    Tool echo{"echo", "Echo", "Repeats a text.", {}, {}};
    echo.parameters = {{"text", Parameter::Type::kText, "what to repeat", true},
                       {"times", Parameter::Type::kInteger, "how often", false, 1, 9},
                       {"loud", Parameter::Type::kYesNo, "whether it ends in !"}};
    echo.run = [](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
      std::string text;
      for (int64_t i = 0; i < arguments.Integer("times", 1); ++i) text += arguments.Text("text");
      if (arguments.YesNo("loud")) text += "!";
      if (text == "throw") throw std::runtime_error("on purpose");
      if (text == "fail") return Error{"say something else"};
      return Answer{text + "\n", "{\n\"length\": " + std::to_string(text.size()) + "}"};
    };
    Tool wait{"wait", "Wait", "Waits.", {}, {}};
    wait.run = [this](const Arguments& /*arguments*/, Progress& progress) -> Result<Answer> {
      ++waiting_;
      while (!progress.cancelled() && !released_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return Answer{"waited\n", "{}"};
    };
    return {echo, wait};
  }

  std::mutex mutex_;
  std::vector<std::string> sent_;
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> released_ = false;
  Session session_{Tools(), "instructions", [this](std::string_view message) {
                     const std::lock_guard lock(mutex_);
                     sent_.emplace_back(message);
                   }};
};

TEST_F(SessionTest, AgreesOnTheRevisionThatTheClientNames) {
  for (const std::string_view revision : kRevisions) {
    Session session({}, "", [this](std::string_view message) { sent_.emplace_back(message); });
    session.Receive(fmt::format(
        R"({{"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {{"protocolVersion": "{}"}}}})",
        revision));
    EXPECT_THAT(Last(), AllOf(HasSubstr("\"id\": \"a\""),
                              HasSubstr(fmt::format("\"protocolVersion\": \"{}\"", revision))));
  }
}

TEST_F(SessionTest, OffersItsNewestRevisionForOneThatItDoesNotKnow) {
  EXPECT_THAT(Initialize("1999-01-01"),
              HasSubstr(fmt::format("\"protocolVersion\": \"{}\"", kRevisions[0])));
  EXPECT_THAT(Last(), HasSubstr("\"instructions\": \"instructions\""));
}

TEST_F(SessionTest, BeginsWithInitialize) {
  EXPECT_THAT(Receive(R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})"),
              HasSubstr("\"result\": {}"));
  EXPECT_THAT(Receive(R"({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})"),
              AllOf(HasSubstr("-32600"), HasSubstr("initialize first")));
  EXPECT_THAT(Receive(R"([{"jsonrpc": "2.0", "id": 2, "method": "ping"}])"), HasSubstr("-32600"));
  EXPECT_THAT(Receive(R"({"jsonrpc": "2.0", "id": 3, "method": "initialize"})"),
              HasSubstr("-32602"));
  Initialize();
  EXPECT_THAT(Initialize(), AllOf(HasSubstr("-32600"), HasSubstr("only once")));
}

TEST_F(SessionTest, ListsToolsWithTheirSchemas) {
  Initialize();
  const std::string list = Receive(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})");
  EXPECT_THAT(list, HasSubstr("\"name\": \"echo\""));
  EXPECT_THAT(list, HasSubstr("\"times\": {\"type\": \"integer\", \"description\": \"how often\", "
                              "\"minimum\": 1, \"maximum\": 9}"));
  EXPECT_THAT(list, HasSubstr("\"required\": [ \"text\"]"));
  EXPECT_THAT(list, Not(HasSubstr("\n")));
  EXPECT_THAT(
      Receive(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}})"),
      HasSubstr("-32602"));
}

TEST_F(SessionTest, CallsTools) {
  Initialize();
  EXPECT_EQ(Receive(Echo("\"x y\"", "hello")),
            R"({"jsonrpc": "2.0", "id": "x y", "result": {"content": [ {"type": "text", "text": )"
            R"("hello\n"}], "structuredContent": { "length": 5}, "isError": false}})");
  EXPECT_THAT(Receive(R"({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": )"
                      R"("echo", "arguments": {"text": "a", "times": 3.0, "loud": true}}})"),
              HasSubstr("aaa!"));
}

// Clients that do not know structured results read them as a text.
TEST_F(SessionTest, OlderRevisionsGetAllAsTexts) {
  Initialize("2025-03-26");
  EXPECT_THAT(Receive(Echo("1", "hello")),
              AllOf(HasSubstr(R"({"type": "text", "text": "{ \"length\": 5}"})"),
                    Not(HasSubstr("structuredContent"))));
}

TEST_F(SessionTest, WrongArgumentsAreErrorsThatAModelCanCorrect) {
  Initialize();
  const auto call = [this](std::string_view arguments) {
    return Receive(fmt::format(
        R"({{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "echo", "arguments": {}}}}})",
        arguments));
  };
  const auto is_error = [](std::string_view text) {
    return AllOf(HasSubstr("\"isError\": true"), HasSubstr(std::string(text)));
  };
  EXPECT_THAT(call("{}"), is_error("text is missing: what to repeat"));
  EXPECT_THAT(call(R"({"text": 5})"), is_error("text must be a string"));
  EXPECT_THAT(call(R"({"text": null})"), is_error("text is missing"));
  EXPECT_THAT(call(R"({"text": "a\u0000b"})"), is_error("NUL"));
  EXPECT_THAT(call(R"({"text": "a", "times": 10})"), is_error("from 1 to 9"));
  EXPECT_THAT(call(R"({"text": "a", "times": 1.5})"), is_error("from 1 to 9"));
  EXPECT_THAT(call(R"({"text": "a", "times": "2"})"), is_error("from 1 to 9"));
  EXPECT_THAT(call(R"({"text": "a", "times": 1e300})"), is_error("from 1 to 9"));
  EXPECT_THAT(call(R"({"text": "a", "loud": 1})"), is_error("true or false"));
  EXPECT_THAT(call(R"({"txt": "a"})"), is_error("there are: text, times, loud"));
  EXPECT_THAT(call(R"({"text": "fail"})"), is_error("say something else"));
  EXPECT_THAT(call(R"({"text": "throw"})"), is_error("internal error: on purpose"));
  EXPECT_THAT(call("[]"), HasSubstr("-32602"));
  EXPECT_THAT(call("\"text\""), HasSubstr("-32602"));
}

TEST_F(SessionTest, MalformedMessagesAreAnsweredAndTheSessionGoesOn) {
  Initialize();
  const std::vector<std::pair<std::string, std::string>> messages = {
      {"{", "-32700"},
      {"nonsense", "-32700"},
      {"\xff\xfe", "-32700"},
      {std::string(5000, '['), "-32700"},
      {"\"text\"", "-32600"},
      {"5", "-32600"},
      {"null", "-32600"},
      {"{}", "-32600"},
      {R"({"id": 1, "method": "ping"})", "-32600"},
      {R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})", "-32600"},
      {R"({"jsonrpc": "2.0", "id": 1})", "-32600"},
      {R"({"jsonrpc": "2.0", "id": 1, "method": 5})", "-32600"},
      {R"({"jsonrpc": "2.0", "id": null, "method": "ping"})", "-32600"},
      {R"({"jsonrpc": "2.0", "id": {}, "method": "ping"})", "-32600"},
      {R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})", "-32600"},
      {R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})", "-32602"},
      {R"({"jsonrpc": "2.0", "id": 1, "method": "resources/list"})", "-32601"},
      {R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call"})", "-32602"},
      {R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}})", "-32602"},
      {R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "no"}})",
       "-32602"},
  };
  for (const auto& [message, code] : messages) {
    EXPECT_THAT(Receive(message), HasSubstr(code)) << message.substr(0, 100);
  }
  EXPECT_THAT(Receive(Echo("1", "still here")), HasSubstr("still here"));
}

TEST_F(SessionTest, NotificationsAndAnswersAreNotAnswered) {
  Initialize();
  for (const std::string_view message :
       {R"({"jsonrpc": "2.0", "method": "notifications/initialized"})",
        R"({"jsonrpc": "2.0", "method": "notifications/unknown", "params": {"a": 1}})",
        R"({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo"}})",
        R"({"jsonrpc": "2.0", "method": "notifications/cancelled"})",
        R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})",
        R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}})",
        R"({"jsonrpc": "2.0", "id": 5, "result": {}})", "", "  \r"}) {
    EXPECT_EQ(Receive(message), "") << message;
  }
}

TEST_F(SessionTest, PingsAreAnsweredWhileAToolRuns) {
  Initialize();
  session_.Receive(Wait("1"));
  session_.Receive(R"({"jsonrpc": "2.0", "id": 2, "method": "ping"})");
  EXPECT_THAT(Last(), HasSubstr("\"id\": 2"));
  released_ = true;
  EXPECT_TRUE(session_.WaitUntilIdle(std::chrono::seconds(30)));
  EXPECT_THAT(Last(), AllOf(HasSubstr("\"id\": 1"), HasSubstr("waited")));
}

TEST_F(SessionTest, CanceledCallsEndWithoutAnAnswer) {
  Initialize();
  const auto cancel = [this](std::string_view id) {
    session_.Receive(fmt::format(
        R"({{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {{"requestId": {}}}}})",
        id));
  };
  session_.Receive(Wait("1"));
  session_.Receive(Wait("\"1\""));
  session_.Receive(Echo("3", "third"));
  cancel("\"1\"");  // waits for its turn
  cancel("1");      // runs
  EXPECT_TRUE(session_.WaitUntilIdle(std::chrono::seconds(30)));
  EXPECT_THAT(Sent(), ::testing::SizeIs(2)) << "of initialize and of the third call";
  EXPECT_THAT(Last(), HasSubstr("third"));
  EXPECT_LE(waiting_, 1) << "the second one did not begin";
}

TEST_F(SessionTest, WaitingCallsAreLimited) {
  Initialize();
  for (int i = 0; i < 200; ++i) session_.Receive(Wait(std::to_string(i)));
  EXPECT_THAT(Last(), AllOf(HasSubstr("\"isError\": true"), HasSubstr("calls are waiting")));
  released_ = true;
  EXPECT_TRUE(session_.WaitUntilIdle(std::chrono::seconds(30)));
  EXPECT_THAT(Sent(), ::testing::SizeIs(201)) << "each was answered";
}

TEST_F(SessionTest, StopEndsACallAtOnceAndSendsNothingMore) {
  Initialize();
  session_.Receive(Wait("1"));
  while (waiting_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto begin = std::chrono::steady_clock::now();
  session_.Stop();
  EXPECT_TRUE(session_.WaitUntilIdle(std::chrono::seconds(30)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_THAT(Sent(), ::testing::SizeIs(1));
}

TEST_F(SessionTest, ArraysOfMessagesAreAnsweredWithOne) {
  Initialize("2025-03-26");
  const std::string answer = Receive(
      "[" + Echo("1", "first") + ", 5, " + R"({"jsonrpc": "2.0", "method": "notifications/x"}, )" +
      R"({"jsonrpc": "2.0", "id": 2, "method": "ping"}, )" + Echo("3", "last") + "]");
  EXPECT_EQ(answer.front(), '[');
  EXPECT_THAT(answer, AllOf(HasSubstr("first"), HasSubstr("last"), HasSubstr("\"id\": 2"),
                            HasSubstr("-32600")));
  EXPECT_THAT(Receive("[]"), HasSubstr("-32600"));
  EXPECT_EQ(Receive(R"([{"jsonrpc": "2.0", "method": "notifications/x"}])"), "");
  EXPECT_THAT(Receive(R"([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}])"),
              HasSubstr("-32600"));
}

TEST_F(SessionTest, LaterRevisionsHaveNoArrays) {
  Initialize("2025-06-18");
  EXPECT_THAT(Receive(R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])"),
              AllOf(HasSubstr("-32600"), HasSubstr("one message per line")));
}

TEST(LineReader, CutsLinesWhereverTheBytesAreCut) {
  for (size_t piece = 1; piece < 12; ++piece) {
    LineReader reader;
    std::vector<std::string> lines;
    const std::string bytes = "one\n\ntwo three\nrest";
    const auto take = [&] {
      while (const auto line = reader.Next()) lines.push_back(line->text);
    };
    for (size_t at = 0; at < bytes.size(); at += piece) {
      reader.Append(std::string_view(bytes).substr(at, piece));
      take();
    }
    reader.End();
    take();
    EXPECT_THAT(lines, ::testing::ElementsAre("one", "", "two three", "rest"));
  }
}

TEST(LineReader, DropsLinesThatAreTooLong) {
  LineReader reader;
  const std::string piece(1 << 20, 'x');
  for (size_t bytes = 0; bytes <= 2 * kLongestLine; bytes += piece.size()) {
    reader.Append(piece);
    EXPECT_FALSE(reader.Next().has_value());
  }
  reader.Append("end\nnext\n");
  const auto line = reader.Next();
  ASSERT_TRUE(line.has_value());
  EXPECT_TRUE(line->too_long);
  EXPECT_EQ(line->text, "");
  const auto next = reader.Next();
  ASSERT_TRUE(next.has_value());
  EXPECT_FALSE(next->too_long);
  EXPECT_EQ(next->text, "next");
  EXPECT_FALSE(reader.Next().has_value());
}

}  // namespace
}  // namespace warpsight::mcp
