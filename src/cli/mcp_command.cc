#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/app.h"
#include "cli/commands.h"
#include "cli/terminal/console.h"
#include "cli/terminal/interrupts.h"
#include "mcp/protocol/line_reader.h"
#include "mcp/protocol/session.h"
#include "mcp/tools/tools.h"

namespace warpsight {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(100);

void SendMessage(std::string_view message) {
  PrintData(std::string(message) + "\n");
  std::fflush(stdout);
}

// Whether the client has closed its end.
bool OutputIsClosed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

void GiveLines(mcp::LineReader& lines, mcp::Session& session) {
  while (const auto line = lines.Next()) {
    if (line->too_long) {
      session.RejectLongLine();
    } else {
      session.Receive(line->text);
    }
  }
}

// Until the input ends, or the program is asked to stop.
void ReadInput(mcp::Session& session, const std::atomic<bool>& stop) {
  mcp::LineReader lines;
  std::array<char, 1 << 16> buffer{};
  while (!stop && !OutputIsClosed()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, static_cast<int>(kPollInterval.count())) <= 0) continue;
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    lines.Append({buffer.data(), static_cast<size_t>(got)});
    GiveLines(lines, session);
  }
  lines.End();
  GiveLines(lines, session);
}

int Run() {
  // A client that is gone is noticed without it.
  std::signal(SIGPIPE, SIG_IGN);
  if (IsTerminal(STDIN_FILENO)) {
    Inform(
        "waiting for messages of the Model Context Protocol; assistants start this command "
        "themselves (docs/mcp.md). Ctrl-C ends it");
  }
  mcp::Session session(mcp::AllTools(), mcp::Instructions(), SendMessage);
  std::atomic<bool> stop = false;
  const OnInterrupt on_interrupt({.ask =
                                      [&] {
                                        stop = true;
                                        session.Stop();
                                      },
                                  .leave = {},
                                  .exit_code = kExitOk});
  ReadInput(session, stop);
  // Scripts send all messages at once and then read.
  while (!stop && !session.WaitUntilIdle(kPollInterval)) {
    if (OutputIsClosed()) session.Stop();
  }
  return kExitOk;
}

}  // namespace

void AddMcpCommand(CommandLine& line) {
  Command command =
      line.AddCommand("mcp", "Answer assistants and scripts (Model Context Protocol)");
  command.SetFooter(
      "Reads requests of the Model Context Protocol (JSON-RPC 2.0, one message per line) from "
      "standard input and answers on standard output; messages for people are on standard error. "
      "Its tools open profiles and traces, summarize them, list what to change, explain kernels, "
      "compare two profiles and run read-only SQL. It reads only files that the client names, and "
      "writes none. Assistants start it themselves: their configuration names the command "
      "`warpsight` with the argument `mcp`. docs/mcp.md has all tools and an example.");
  command.AddExample("warpsight mcp < requests.jsonl > answers.jsonl",
                     "Answer the requests in a file, one per line");
  command.SetRun([] { return Run(); });
}

}  // namespace warpsight
