#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/app.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/open_browser.h"
#include "cli/terminal/console.h"
#include "cli/terminal/interrupts.h"
#include "cli/terminal/progress_bar.h"
#include "cli/view_inputs.h"
#include "profiles/open_profile.h"
#include "server/access.h"
#include "server/http_server.h"
#include "server/viewer.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  server::HttpOptions http;
  bool open = false;
};

// A token that the user chose, so that scripts know it. Other users cannot read the environment.
constexpr const char* kTokenVariable = "WARPSIGHT_TOKEN";

// The page through which the browser was opened, if any. It must live as long as the viewer: a
// browser may take its time to start.
std::optional<RedirectPage> OpenInBrowser(const server::HttpServer& http) {
  auto page = RedirectPage::Write(http.UrlWithToken());
  Status opened = page.ok() ? OpenBrowser(page->path()) : Status(page.error());
  if (opened.ok()) return *std::move(page);
  Print("{}\n", opened.error().message);
  std::fflush(stdout);
  return {};
}

void PrintAddress(const server::HttpServer& http, bool chosen_token) {
  if (chosen_token) {
    Print("{}\nThe token is the one in {}\n", http.url(), kTokenVariable);
  } else {
    Print("{}\nAnyone with this URL can read the profiles\n", http.UrlWithToken());
  }
  Print("Ctrl-C ends the viewer\n");
  std::fflush(stdout);
}

// Waits until the program is asked to end. Ctrl-C is the normal way to end the viewer, not a
// failure.
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

int Run(Options options) {
  const char* chosen_token = std::getenv(kTokenVariable);
  if (chosen_token != nullptr) {
    if (const Status status = server::CheckToken(chosen_token); !status.ok()) {
      return Fail(fmt::format("{}: {}", kTokenVariable, status.error().message));
    }
    options.http.token = chosen_token;
  }
  Progress progress;
  std::optional<ProgressBar> bar(progress);
  progress.Begin("listing", 0);
  const auto files = InputFiles::Open(options.paths, progress);
  const auto inputs = files.ok() ? FindViewInputs(files->paths()) : files.error();
  bar.reset();
  if (!inputs.ok()) return Fail(inputs.error().message);
  StopRequest stop_request;
  server::Viewer viewer(
      *inputs,
      [&](const std::string& path, Progress& progress) {
        auto profile = ImportProfile({path}, "", {}, progress);
        if (profile.ok()) files->NameIn(profile->trace);
        return profile;
      },
      Inform, [&](std::string text) { return files->Named(std::move(text)); });
  server::HttpServer http(options.http,
                          [&](const server::Request& request) { return viewer.Handle(request); });
  if (const Status status = http.Bind(); !status.ok()) return Fail(status.error().message);
  if (http.port() != options.http.port) {
    Print("port {} is taken; using {}\n", options.http.port, http.port());
  }
  PrintAddress(http, chosen_token != nullptr);
  std::thread serving([&] { http.Serve(); });
  const std::optional<RedirectPage> page =
      options.open ? OpenInBrowser(http) : std::optional<RedirectPage>();
  stop_request.Wait();
  http.Stop();
  serving.join();
  Print("\n");
  return kExitOk;
}

}  // namespace

void AddViewCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("view", "Show profiles or traces in a browser");
  command
      .AddOption("PROFILE|TRACE", options->paths,
                 "Saved profiles, or traces, which are imported first, or folders with them; - is "
                 "standard input")
      .Files(InputEndings())
      .Required();
  command.AddOption("-b,--bind", options->http.address, "Address to listen on")
      .Type("ADDRESS")
      .ShowDefault();
  command
      .AddNumber("-p,--port", options->http.port, 1, 65535,
                 "Port; if it is taken, the next free one is used")
      .Type("PORT")
      .ShowDefault();
  command.AddFlag("--open", options->open, "Open the browser");
  command.SetFooter(
      "The viewer works without a network; everything it shows comes from this program. Its URL "
      "contains a token, which the browser then remembers. Scripts send it as Authorization: "
      "Bearer TOKEN; they can choose it with the variable WARPSIGHT_TOKEN.\n"
      "From another machine: ssh -L 8000:localhost:8000 HOST, then open the printed URL.");
  command.AddExample("warpsight view run.warpsight --open", "Look at a profile in the browser");
  command.AddExample("warpsight view profiles/ -p 8080",
                     "Serve all profiles and traces of a folder");
  command.AddVariable(kTokenVariable,
                      "The token of the viewer; without it each start makes a new one.");
  command.AddVariable("XDG_RUNTIME_DIR",
                      "Where the page is written through which `--open` starts the browser.");
  command.SetExitCodes({{"0", "The viewer was ended by Ctrl-C, SIGTERM or SIGHUP."},
                        {"1", "It could not start: a file is missing, or no port is free."},
                        {"2", "The command line is wrong."}});
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
