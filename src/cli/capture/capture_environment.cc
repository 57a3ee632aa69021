#include "cli/capture/capture_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string_view>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace warpsight {
namespace {

constexpr const char* kCudaInjection = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";

int64_t Milliseconds(double seconds) { return static_cast<int64_t>(std::ceil(seconds * 1000)); }

Status CheckFree(const char* variable, const std::string& library) {
  const char* owner = std::getenv(variable);
  if (owner == nullptr || *owner == '\0' || library == owner) return {};
  return Error{
      fmt::format("another tool, {}, uses {}; only one tool can record a program: unset the "
                  "variable, or run without that tool",
                  owner, variable)};
}

}  // namespace

std::string NewRunId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", static_cast<uint32_t>(random()),
                     static_cast<uint32_t>(random()));
}

std::string CaptureOptionsText(const CaptureOptions& options) {
  std::vector<std::string> words;
  if (options.shapes) words.emplace_back("shapes");
  if (options.stacks) words.emplace_back("stacks");
  if (options.memory) words.emplace_back("memory");
  if (options.counters) words.emplace_back("counters");
  if (options.stretches) words.emplace_back("stretches");
  if (options.delay_seconds > 0) {
    words.push_back(fmt::format("delay={}", Milliseconds(options.delay_seconds)));
  }
  if (options.duration_seconds > 0) {
    words.push_back(fmt::format("duration={}", Milliseconds(options.duration_seconds)));
  }
  if (options.steps) {
    words.push_back(fmt::format("steps={}:{}", options.steps->first, options.steps->second));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

Result<std::vector<std::string>> CaptureEnvironment(const CaptureOptions& options,
                                                    const AgentFiles& files,
                                                    const std::string& run_folder,
                                                    const std::string& run_id) {
  for (const char* variable : {kCudaInjection, kNvtxInjection}) {
    if (const Status status = CheckFree(variable, files.library); !status.ok()) {
      return status.error();
    }
  }
  if (files.python.find(':') != std::string::npos) {
    // PYTHONPATH would name other folders, and Python would run what lies there.
    return Error{fmt::format("{}: cannot record from a folder with ':' in its name", files.python)};
  }
  const char* python_path = std::getenv("PYTHONPATH");
  const bool had_path = python_path != nullptr && *python_path != '\0';
  std::map<std::string, std::string, std::less<>> ours = {
      {"WARPSIGHT_CAPTURE", std::filesystem::absolute(run_folder).string()},
      {"WARPSIGHT_RUN", run_id},
      {"WARPSIGHT_OPTIONS", CaptureOptionsText(options)},
      {"WARPSIGHT_AGENT", files.library},
      {kCudaInjection, files.library},
      {kNvtxInjection, files.library},
      {"PYTHONPATH", had_path ? fmt::format("{}:{}", files.python, python_path) : files.python},
  };
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!ours.contains(text.substr(0, text.find('=')))) environment.emplace_back(text);
  }
  for (const auto& [name, value] : ours) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

}  // namespace warpsight
