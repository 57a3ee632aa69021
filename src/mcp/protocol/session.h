#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "mcp/protocol/json_rpc.h"
#include "mcp/protocol/tool.h"

namespace warpsight::mcp {

// The revisions of the protocol, the newest first.
inline constexpr std::string_view kRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                  "2024-11-05"};

// A session of the Model Context Protocol (https://modelcontextprotocol.io/specification): takes
// the client's messages and answers them. Calls of tools run one after the other in a thread of
// their own, so that pings and cancellations are taken meanwhile. Whatever the client sends, the
// session goes on.
class Session {
 public:
  // Is given whole messages, each on one line without its end. Called from two threads, one at a
  // time.
  using Send = std::function<void(std::string_view message)>;

  // `instructions`: what the client is told about all tools together.
  Session(std::vector<Tool> tools, std::string_view instructions, Send send);
  // Cancels what still runs.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A line of the client. From one thread.
  void Receive(std::string_view line);
  // Tells the client that a line was too long to be read.
  void RejectLongLine();

  // Cancels all calls, of which nothing more is sent. Safe from any thread; returns at once.
  void Stop();
  // Waits until every call is answered; false where that takes longer.
  bool WaitUntilIdle(std::chrono::milliseconds longest);

 private:
  // The answers to the messages of one array, guarded by sending_.
  struct Batch {
    std::string answers;
    size_t open = 0;  // messages that are not done
  };
  struct Task {
    std::string id;
    const Tool* tool = nullptr;
    Arguments arguments;
    std::shared_ptr<Batch> batch;
    bool structured = false;  // the revision knows structured results
    Progress progress;
    bool cancelled = false;
  };

  void ReceiveBatch(simdjson::dom::array messages);
  void Handle(simdjson::dom::element element, const std::shared_ptr<Batch>& batch);
  // Whether the answer comes later, from the thread that runs tools.
  bool HandleRequest(const Message& message, const std::shared_ptr<Batch>& batch,
                     std::string& answer);
  std::string Initialize(const Message& message, bool in_batch);
  std::string ListTools(const Message& message) const;
  bool CallTool(const Message& message, const std::shared_ptr<Batch>& batch, std::string& answer);
  void Cancel(const Message& message);

  // Ends the handling of a message; an empty answer sends nothing.
  void Finish(const std::shared_ptr<Batch>& batch, const std::string& answer);

  void Work();
  static std::string Run(Task& task);

  const std::vector<Tool> tools_;
  const std::string instructions_;
  const Send send_;
  simdjson::dom::parser parser_;
  std::string_view revision_;  // of kRevisions; empty before initialize

  std::mutex sending_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Task>> tasks_;  // the first one is running
  bool stop_ = false;

  std::thread thread_;  // last: it uses the rest
};

}  // namespace warpsight::mcp
