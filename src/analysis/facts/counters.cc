#include "analysis/facts/counters.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "base/text.h"

namespace warpsight {
namespace {

// Calls visit(key, number) for every numeric member of a flat JSON object.
template <typename Visit>
void ForEachNumber(std::string_view json, Visit&& visit) {
  for (size_t open = json.find('"'); open != json.npos;) {
    const size_t close = json.find('"', open + 1);
    if (close == json.npos) return;
    const std::string_view key = json.substr(open + 1, close - open - 1);
    size_t at = json.find_first_not_of(" \t\n\r", close + 1);
    if (at != json.npos && json[at] == ':') {
      at = json.find_first_not_of(" \t\n\r", at + 1);
      if (at == json.npos) return;
      double number = 0;
      const auto [end, error] =
          std::from_chars(json.data() + at, json.data() + json.size(), number);
      if (error == std::errc() && number >= 0) visit(key, number);
    }
    open = json.find('"', close + 1);
  }
}

// The number of operations per count of a per-thread instruction counter; 0 for other keys.
// Instructions on pairs of fp16 numbers (hfma2) count the operations of both.
double OperationsOf(std::string_view key) {
  constexpr std::string_view kBefore = "smsp__sass_thread_inst_executed_op_";
  if (!key.starts_with(kBefore) || !key.ends_with("_pred_on.sum")) return 0;
  const std::string_view op = key.substr(kBefore.size());
  for (const std::string_view one : {"fadd_", "fmul_", "dadd_", "dmul_", "hadd_", "hmul_"}) {
    if (op.starts_with(one)) return 1;
  }
  for (const std::string_view two : {"ffma_", "dfma_", "hfma_"}) {
    if (op.starts_with(two)) return 2;
  }
  return 0;
}

void Add(double& sum, double value) { sum = (sum < 0 ? 0 : sum) + value; }

}  // namespace

MeasuredWork ReadCounters(std::string_view args_json) {
  MeasuredWork work;
  double read = kMissingReal;
  double written = kMissingReal;
  double tensor_instructions = 0;
  bool tensor_operations = false;
  ForEachNumber(args_json, [&](std::string_view key, double value) {
    if (key == "dram__bytes.sum") {
      work.bytes = value;
    } else if (key == "dram__bytes_read.sum") {
      read = value;
    } else if (key == "dram__bytes_write.sum") {
      written = value;
    } else if (key.starts_with("sm__ops_path_tensor_") && key.ends_with(".sum")) {
      tensor_operations = true;
      Add(work.flops, value);
    } else if (Contains(key, "inst_executed_pipe_tensor") && key.ends_with(".sum")) {
      tensor_instructions += value;
    } else if (const double operations = OperationsOf(key); operations > 0) {
      Add(work.flops, operations * value);
    }
  });
  if (work.bytes < 0 && read >= 0 && written >= 0) work.bytes = read + written;
  // The arithmetic of a Tensor Core instruction depends on its shape, which the counters do not
  // contain.
  if (tensor_instructions > 0 && !tensor_operations) work.flops = kMissingReal;
  return work;
}

StatedWork ReadStatedWork(std::string_view args_json) {
  StatedWork work;
  if (!Contains(args_json, "\"flops\"") && !Contains(args_json, "\"bytes_accessed\"")) return work;
  ForEachNumber(args_json, [&](std::string_view key, double value) {
    if (key == "flops") work.flops = value;
    if (key == "bytes_accessed") work.bytes = value;
    if (key == "matrix_flops") work.matrix_flops = value;
  });
  constexpr std::string_view kType = "\"matrix_type\":\"";
  if (const size_t at = args_json.find(kType); at != args_json.npos) {
    const std::string_view rest = args_json.substr(at + kType.size());
    work.matrix_type = rest.substr(0, rest.find('"'));
  }
  return work;
}

}  // namespace warpsight
