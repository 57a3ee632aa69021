// A program that uses NVTX in every way that the agent's handler knows; how it ends is its
// argument:
//   exit    returns from main
//   kill    is killed in the midst of its work
//   fork    a child that was forked marks ranges too, and both end
//   attach  so does a child in which a recording begins, as it does where CUDA starts
//
// Built with NVTX's own header if it was found, and always with nvtx_client.h.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#ifdef WARPSIGHT_VENDOR_NVTX
#include <nvtx3/nvToolsExt.h>
#else
#include "tests/nvtx_program/nvtx_client.h"
#endif

namespace {

using Clock = std::chrono::steady_clock;

nvtxEventAttributes_t Event(nvtxMessageType_t type) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = type;
  return event;
}

void Nested() {
  nvtxRangePushA("outer");
  std::printf("depth %d\n", nvtxRangePushA("inner"));
  nvtxRangePop();
  std::printf("left %d\n", nvtxRangePop());
  std::printf("none %d\n", nvtxRangePop());  // one too many
}

struct Handles {
  nvtxDomainHandle_t domain;
  nvtxStringHandle_t registered;
};

nvtxEventAttributes_t Registered(const Handles& handles) {
  nvtxEventAttributes_t event = Event(NVTX_MESSAGE_TYPE_REGISTERED);
  event.message.registered = handles.registered;
  return event;
}

Handles Domains() {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  const Handles handles{domain, nvtxDomainRegisterStringA(domain, "registered")};
  nvtxEventAttributes_t event = Registered(handles);
  // The nesting of domains is independent.
  nvtxDomainRangePushEx(domain, &event);
  nvtxRangePushA("across");
  nvtxDomainRangePop(domain);
  nvtxRangePop();
  event = Event(NVTX_MESSAGE_TYPE_ASCII);
  event.message.ascii = "marked";
  nvtxDomainMarkEx(domain, &event);
  return handles;
}

void Threads() {
  const nvtxRangeId_t id = nvtxRangeStartA("handed over");
  std::thread([id] {
    nvtxNameOsThreadA(static_cast<uint32_t>(gettid()), "helper");
    nvtxRangePushW(L"gr\u00fc\u00dfe");
    nvtxRangeEnd(id);
    nvtxRangePop();
  }).join();
}

void WorkUntilKilled() {
  nvtxRangePushA("never ended");
  const auto begin = Clock::now();
  for (int i = 0;; ++i) {
    char name[32];
    std::snprintf(name, sizeof(name), "work %d", i);
    nvtxRangePushA(name);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    nvtxRangePop();
    if (Clock::now() - begin > std::chrono::milliseconds(1500)) kill(getpid(), SIGKILL);
  }
}

void InChild() {
  nvtxRangePushA("in the child");
  nvtxRangePop();
}

// Uses the agent that NVTX found.
void Attach() {
  void* agent = dlopen(std::getenv("NVTX_INJECTION64_PATH"), RTLD_NOW | RTLD_NOLOAD);
  if (agent == nullptr) std::exit(1);
  auto* attach = reinterpret_cast<int (*)()>(dlsym(agent, "warpsight_attach"));
  if (attach == nullptr || attach() != 1) std::exit(1);
}

void InRecordedChild(const Handles& handles, nvtxRangeId_t of_parent) {
  Attach();
  for (int i = 0; i < 50; ++i) {
    char name[32];
    std::snprintf(name, sizeof(name), "child %d", i);  // more than the parent's names
    nvtxRangePushA(name);
    nvtxRangePop();
  }
  const nvtxRangeId_t started = nvtxRangeStartA("started in the child");
  nvtxRangeEnd(of_parent);
  nvtxEventAttributes_t event = Registered(handles);
  nvtxDomainRangePushEx(handles.domain, &event);
  nvtxDomainRangePop(handles.domain);
  nvtxRangeEnd(started);
}

template <typename Work>
void Fork(const Work& work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d\n", status);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view end = argc > 1 ? argv[1] : "exit";
  Nested();
  const Handles handles = Domains();
  Threads();
  if (end == "fork") Fork(&InChild);
  if (end == "attach") {
    const nvtxRangeId_t open = nvtxRangeStartA("open in the parent");
    Fork([&] { InRecordedChild(handles, open); });
    nvtxRangeEnd(open);
  }
  if (end == "kill") WorkUntilKilled();
}
