#include "test_traces.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "profiles/open_profile.h"

namespace warpsight::testing {

std::string SourcePath(const std::string& relative) {
  return std::string(WARPSIGHT_SOURCE_DIR) + "/" + relative;
}

const std::vector<std::string>& BundledTraces() {
  static const auto* names = new std::vector<std::string>{"bert_inference_nosteps",
                                                          "gpt2_bf16",
                                                          "gpt2_bf16_compiled",
                                                          "gpt2_bf16_stacks_memory",
                                                          "gpt2_fp32_odd_shapes",
                                                          "gpt2_sync_every_param",
                                                          "mlp_cpu_bound",
                                                          "resnet18_cuda_graph_inference",
                                                          "resnet50_amp_workers8_nhwc",
                                                          "resnet50_fp32_workers0"};
  return *names;
}

std::string BundledTracePath(const std::string& name) {
  return SourcePath("tests/data/h200/" + name + ".pt.trace.json.gz");
}

std::string SharedTraces() {
  const char* folder = std::getenv("WARPSIGHT_SHARED");
  return (folder != nullptr ? std::string(folder) : SourcePath("../shared")) + "/traces/public";
}

Profile ImportForTest(const std::vector<std::string>& paths) {
  Progress progress;
  auto profile = ImportProfile(paths, "", {}, progress);
  if (!profile.ok()) {
    ADD_FAILURE() << profile.error().message;
    return {};
  }
  return std::move(*profile);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

ProgramRun RunWarpsight(const std::vector<std::string>& arguments, const std::string& input) {
  const TemporaryFolder folder;
  std::ofstream(folder.Path("in"), std::ios::binary) << input;
  std::string command = "'" WARPSIGHT_PROGRAM "'";
  for (const std::string& argument : arguments) {
    command += " '";
    for (const char c : argument) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += "'";
  }
  command += " <" + folder.Path("in") + " >" + folder.Path("out") + " 2>" + folder.Path("err");
  const int status = std::system(command.c_str());
  ProgramRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.output = ReadFile(folder.Path("out"));
  run.errors = ReadFile(folder.Path("err"));
  return run;
}

}  // namespace warpsight::testing
