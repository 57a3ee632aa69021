#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include "cli/app.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/open_profile.h"
#include "server/http_server.h"
#include "server/viewer.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  server::HttpOptions http;
  bool open = false;
};

// Starts the user's browser, and does not wait for it.
void OpenBrowser(const std::string& url) {
  std::string program = "xdg-open";
  std::string argument = url;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t process = 0;
  if (posix_spawnp(&process, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
    Print("xdg-open is not there: open the address by hand\n");
    return;
  }
  std::thread([process] { waitpid(process, nullptr, 0); }).detach();
}

// Waits for Ctrl-C or a request to end while it exists. The signals are held back from all other
// threads, which must be started after this.
class StopSignal {
 public:
  StopSignal() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      // What nohup, or a shell that put this in the background, ignores stays ignored.
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&signals_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  void Wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

int Run(const Options& options) {
  const StopSignal stop_signal;
  server::Viewer viewer(options.paths, [](const std::string& path, Progress& progress) {
    return OpenProfile({path}, {}, progress);
  });
  server::HttpServer http(options.http,
                          [&](const server::Request& request) { return viewer.Handle(request); });
  if (const Status status = http.Bind(); !status.ok()) return Fail(status.error().message);
  if (http.port() != options.http.port) {
    Print("port {} is taken; using {}\n", options.http.port, http.port());
  }
  Print("{}\n", http.url());
  if (!http.token().empty()) {
    Print("whoever has this address can read the profiles; without the token nobody can\n");
  }
  Print("Ctrl-C ends the viewer\n");
  std::fflush(stdout);
  std::thread serving([&] { http.Serve(); });
  if (options.open) OpenBrowser(http.url());
  stop_signal.Wait();
  http.Stop();
  serving.join();
  Print("\n");
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
