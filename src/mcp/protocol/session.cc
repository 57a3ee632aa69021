#include "mcp/protocol/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <utility>

#include "base/json_builder.h"
#include "base/printable.h"
#include "mcp/protocol/line_reader.h"

namespace warpsight::mcp {
namespace {

// Calls that wait. Clients send one after the other, or a few at a time.
constexpr size_t kMostTasks = 64;
// Arrays and objects in each other. Requests have four.
constexpr size_t kDeepest = 64;

constexpr std::string_view kStructuredSince = "2025-06-18";
// 2025-06-18 removed batches.
constexpr std::string_view kBatchesUntil = "2025-03-26";

// What a client wrote, as far as an error repeats it.
std::string Shown(std::string_view text) {
  constexpr size_t kLongest = 60;
  return Printable(text.substr(0, kLongest));
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

std::string TextContent(std::string_view text) {
  return JsonObject().Text("type", "text").Text("text", text).Take();
}

std::string ErrorResult(std::string_view text) {
  return JsonObject()
      .Json("content", JsonArray().Json(TextContent(text)).Take())
      .YesNo("isError", true)
      .Take();
}

// Clients of revisions without structured results get them as a further text.
std::string AnswerResult(const Answer& answer, bool structured) {
  JsonArray content;
  content.Json(TextContent(answer.text));
  if (!structured) content.Json(TextContent(OneLine(answer.structured)));
  JsonObject result;
  result.Json("content", content.Take());
  if (structured) result.Json("structuredContent", answer.structured);
  return result.YesNo("isError", false).Take();
}

std::string DescribeTool(const Tool& tool) {
  return JsonObject()
      .Text("name", tool.name)
      .Text("title", tool.title)
      .Text("description", tool.description)
      .Json("inputSchema", InputSchema(tool.parameters))
      .Json("annotations", JsonObject()
                               .Text("title", tool.title)
                               .YesNo("readOnlyHint", true)
                               .YesNo("openWorldHint", false)
                               .Take())
      .Take();
}

}  // namespace

Session::Session(std::vector<Tool> tools, std::string_view instructions, Send send)
    : tools_(std::move(tools)),
      instructions_(instructions),
      send_(std::move(send)),
      parser_(2 * kLongestLine) {
  const auto unused = parser_.allocate(size_t{64} << 10, kDeepest);
  (void)unused;
  thread_ = std::thread([this] { Work(); });
}

Session::~Session() {
  Stop();
  thread_.join();
}

void Session::Stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  for (const auto& task : tasks_) task->progress.cancel = true;
  changed_.notify_all();
}

bool Session::WaitUntilIdle(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return tasks_.empty(); });
}

void Session::Receive(std::string_view line) {
  if (IsBlank(line)) return;
  simdjson::dom::element document;
  if (const auto error = parser_.parse(line.data(), line.size()).get(document);
      error != simdjson::SUCCESS) {
    Finish(nullptr, ErrorMessage(kNoId, ErrorCode::kParseError,
                                 fmt::format("not JSON: {}", simdjson::error_message(error))));
    return;
  }
  simdjson::dom::array messages;
  if (document.get(messages) == simdjson::SUCCESS) {
    ReceiveBatch(messages);
  } else {
    Handle(document, nullptr);
  }
}

void Session::RejectLongLine() {
  Finish(nullptr, ErrorMessage(kNoId, ErrorCode::kInvalidRequest,
                               fmt::format("a message may have at most {} bytes", kLongestLine)));
}

void Session::ReceiveBatch(simdjson::dom::array messages) {
  const auto reject = [&](std::string_view why) {
    Finish(nullptr, ErrorMessage(kNoId, ErrorCode::kInvalidRequest, why));
  };
  if (revision_.empty()) return reject("send initialize first, and not in an array");
  if (revision_ > kBatchesUntil) {
    return reject(
        fmt::format("revision {} of the protocol has no arrays of messages: send one "
                    "message per line",
                    revision_));
  }
  if (messages.size() == 0) return reject("the array of messages is empty");
  const auto batch = std::make_shared<Batch>();
  batch->open = 1;  // until all are taken
  for (const simdjson::dom::element element : messages) {
    {
      const std::lock_guard lock(sending_);
      ++batch->open;
    }
    Handle(element, batch);
  }
  Finish(batch, "");
}

void Session::Handle(simdjson::dom::element element, const std::shared_ptr<Batch>& batch) {
  const Message message = ReadMessage(element);
  std::string answer;
  switch (message.kind) {
    case Message::Kind::kInvalid:
      answer = ErrorMessage(message.id, message.code, message.error);
      break;
    case Message::Kind::kResponse:  // this side asks nothing
      break;
    case Message::Kind::kNotification:
      if (message.method == "notifications/cancelled") Cancel(message);
      break;
    case Message::Kind::kRequest:
      if (HandleRequest(message, batch, answer)) return;
      break;
  }
  Finish(batch, answer);
}

bool Session::HandleRequest(const Message& message, const std::shared_ptr<Batch>& batch,
                            std::string& answer) {
  const auto fail = [&](ErrorCode code, std::string_view text) {
    answer = ErrorMessage(message.id, code, text);
  };
  if (message.method == "ping") {
    answer = ResultMessage(message.id, "{}");
  } else if (message.method == "initialize") {
    answer = Initialize(message, batch != nullptr);
  } else if (revision_.empty()) {
    fail(ErrorCode::kInvalidRequest, "send initialize first");
  } else if (message.method == "tools/list") {
    answer = ListTools(message);
  } else if (message.method == "tools/call") {
    return CallTool(message, batch, answer);
  } else {
    fail(ErrorCode::kUnknownMethod, fmt::format("unknown method '{}'", Shown(message.method)));
  }
  return false;
}

std::string Session::Initialize(const Message& message, bool in_batch) {
  if (in_batch || !revision_.empty()) {
    return ErrorMessage(message.id, ErrorCode::kInvalidRequest,
                        "initialize must be the first message, and only once");
  }
  std::string_view wanted;
  if (!message.params || (*message.params)["protocolVersion"].get(wanted) != simdjson::SUCCESS) {
    return ErrorMessage(message.id, ErrorCode::kInvalidParams, "protocolVersion must be a string");
  }
  // The client decides whether it can do with another one.
  const auto known = std::find(std::begin(kRevisions), std::end(kRevisions), wanted);
  revision_ = known != std::end(kRevisions) ? *known : kRevisions[0];
  return ResultMessage(
      message.id,
      JsonObject()
          .Text("protocolVersion", revision_)
          .Json("capabilities",
                JsonObject().Json("tools", JsonObject().YesNo("listChanged", false).Take()).Take())
          .Json("serverInfo", JsonObject()
                                  .Text("name", "warpsight")
                                  .Text("title", "Warpsight")
                                  .Text("version", WARPSIGHT_VERSION)
                                  .Take())
          .Text("instructions", instructions_)
          .Take());
}

std::string Session::ListTools(const Message& message) const {
  // All are on one page, so no cursor was ever given out.
  if (message.params && (*message.params)["cursor"].error() == simdjson::SUCCESS &&
      !(*message.params)["cursor"].is_null()) {
    return ErrorMessage(message.id, ErrorCode::kInvalidParams, "unknown cursor");
  }
  JsonArray list;
  for (const Tool& tool : tools_) list.Json(DescribeTool(tool));
  return ResultMessage(message.id, JsonObject().Json("tools", list.Take()).Take());
}

bool Session::CallTool(const Message& message, const std::shared_ptr<Batch>& batch,
                       std::string& answer) {
  std::string_view name;
  if (!message.params || (*message.params)["name"].get(name) != simdjson::SUCCESS) {
    answer = ErrorMessage(message.id, ErrorCode::kInvalidParams, "name must be a string");
    return false;
  }
  const auto tool = std::find_if(tools_.begin(), tools_.end(),
                                 [name](const Tool& known) { return known.name == name; });
  if (tool == tools_.end()) {
    answer = ErrorMessage(message.id, ErrorCode::kInvalidParams,
                          fmt::format("unknown tool '{}'", Shown(name)));
    return false;
  }
  std::optional<simdjson::dom::object> given;
  if (const auto element = (*message.params)["arguments"];
      element.error() == simdjson::SUCCESS && !element.is_null()) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) {
      answer = ErrorMessage(message.id, ErrorCode::kInvalidParams, "arguments must be an object");
      return false;
    }
    given = object;
  }
  // A model can correct these itself, so they are errors of the tool.
  auto arguments = Arguments::Read(tool->parameters, given);
  if (!arguments.ok()) {
    answer = ResultMessage(message.id, ErrorResult(arguments.error().message));
    return false;
  }
  const auto task = std::make_shared<Task>();
  task->id = message.id;
  task->tool = &*tool;
  task->arguments = std::move(*arguments);
  task->batch = batch;
  task->structured = revision_ >= kStructuredSince;
  const std::lock_guard lock(mutex_);
  if (stop_ || tasks_.size() >= kMostTasks) {
    answer = ResultMessage(
        message.id,
        ErrorResult(fmt::format("{} calls are waiting: wait for their answers", kMostTasks)));
    return false;
  }
  tasks_.push_back(task);
  changed_.notify_all();
  return true;
}

// Requests that are not known, or were answered already, are ignored, as the specification says.
void Session::Cancel(const Message& message) {
  if (!message.params) return;
  simdjson::dom::element given;
  if ((*message.params)["requestId"].get(given) != simdjson::SUCCESS) return;
  const auto id = ReadId(given);
  const std::lock_guard lock(mutex_);
  for (const auto& task : tasks_) {
    if (!id || task->id != *id) continue;
    task->cancelled = true;
    task->progress.cancel = true;
  }
}

void Session::Finish(const std::shared_ptr<Batch>& batch, const std::string& answer) {
  const std::lock_guard lock(sending_);
  if (batch == nullptr) {
    if (!answer.empty()) send_(OneLine(answer));
    return;
  }
  if (!answer.empty()) batch->answers += (batch->answers.empty() ? "" : ", ") + answer;
  // Notifications alone have no answer.
  if (--batch->open == 0 && !batch->answers.empty()) send_(OneLine("[" + batch->answers + "]"));
}

void Session::Work() {
  for (;;) {
    std::shared_ptr<Task> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (stop_) break;
      task = tasks_.front();
    }
    const std::string answer = task->progress.cancelled() ? "" : Run(*task);
    bool dropped = false;
    {
      const std::lock_guard lock(mutex_);
      dropped = stop_ || task->cancelled;
    }
    Finish(task->batch, dropped ? "" : answer);
    {
      const std::lock_guard lock(mutex_);
      tasks_.pop_front();
    }
    changed_.notify_all();
  }
  {
    const std::lock_guard lock(mutex_);
    tasks_.clear();
  }
  changed_.notify_all();
}

std::string Session::Run(Task& task) {
  Result<Answer> answer = Error{"not run"};
  try {
    answer = task.tool->run(task.arguments, task.progress);
  } catch (const std::bad_alloc&) {
    answer = Error{"there is not enough memory for it"};
  } catch (const std::exception& error) {
    answer = Error{fmt::format("internal error: {}", error.what())};
  }
  return ResultMessage(task.id, answer.ok() ? AnswerResult(*answer, task.structured)
                                            : ErrorResult(answer.error().message));
}

}  // namespace warpsight::mcp
