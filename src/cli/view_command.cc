#include <fmt/format.h>
#include <sys/wait.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/spawn.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/open_profile.h"
#include "server/http_server.h"
#include "server/viewer.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  server::HttpOptions http;
  bool open = false;
};

// Starts the user's browser, and does not wait for it.
void OpenBrowser(const std::string& url) {
  SpawnOptions options;
  options.search_path = true;
  const auto process = Spawn("xdg-open", {"xdg-open", url}, options);
  if (!process.ok()) {
    fmt::print("xdg-open is not there: open the address by hand\n");
    return;
  }
  std::thread([process = *process] { waitpid(process, nullptr, 0); }).detach();
}

// Waits until the program is asked to end. Ctrl-C is how viewers end: no failure.
class StopRequest {
 public:
  void Wait() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stop_; });
  }

 private:
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  const OnInterrupt on_interrupt_{{[this] { Stop(); }, {}, kExitOk}};
};

int Run(const Options& options) {
  StopRequest stop_request;
  server::Viewer viewer(options.paths, [](const std::string& path, Progress& progress) {
    return OpenProfile({path}, {}, progress);
  });
  server::HttpServer http(options.http,
                          [&](const server::Request& request) { return viewer.Handle(request); });
  if (const Status status = http.Bind(); !status.ok()) return Fail(status.error().message);
  if (http.port() != options.http.port) {
    fmt::print("port {} is taken; using {}\n", options.http.port, http.port());
  }
  fmt::print("{}\n", http.url());
  if (!http.token().empty()) {
    fmt::print("whoever has this address can read the profiles; without the token nobody can\n");
  }
  fmt::print("Ctrl-C ends the viewer\n");
  std::fflush(stdout);
  std::thread serving([&] { http.Serve(); });
  if (options.open) OpenBrowser(http.url());
  stop_request.Wait();
  http.Stop();
  serving.join();
  fmt::print("\n");
  return kExitOk;
}

}  // namespace

void AddViewCommand(CLI::App& app, const SetCommand& set) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("view", "Look at profiles or traces in a browser");
  command
      ->add_option("PROFILE|TRACE", options->paths,
                   "Saved profiles, or traces, which are imported first")
      ->required();
  command
      ->add_option("-b,--bind", options->http.address,
                   "Address to listen on; other than localhost: with a token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command->add_option("-p,--port", options->http.port, "Port; when it is taken, the next free one")
      ->type_name("PORT")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  command->add_flag("--open", options->open, "Open the browser");
  command->footer(
      "\nThe viewer works without a network; everything it shows comes from this program.\n"
      "From another machine: ssh -L 8000:localhost:8000 HOST, then open http://localhost:8000");
  command->callback([options, set] { set([options] { return Run(*options); }); });
}

}  // namespace warpsight
