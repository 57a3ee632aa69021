#include <fmt/format.h>

#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernels/kernel_class.h"
#include "analysis/text/csv_text.h"
#include "analysis/text/wrap_text.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/terminal/console.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string format = "text";
};

// Calls visit(name) for each name given; "-" stands for the lines of standard input.
template <typename Visit>
void ForEachName(const std::vector<std::string>& names, Visit visit) {
  for (const std::string& name : names) {
    if (name != "-") {
      visit(name);
      continue;
    }
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) visit(line);
    }
  }
}

std::string_view TensorCoreDigit(TensorCoreUse use) {
  if (use == TensorCoreUse::kYes) return "1";
  if (use == TensorCoreUse::kNo) return "0";
  return "";
}

void PrintText(std::string_view name, const KernelClass& kernel) {
  Print("{}\n", ShortKernelName(name));
  Print("  library       {}\n", ToString(kernel.library));
  Print("  family        {}\n", ToString(kernel.family));
  Print("  precision     {}\n", ToString(kernel.precision));
  Print("  Tensor Cores  {}\n", ToString(kernel.tensor_cores));
  constexpr size_t kValueColumn = 16;
  const size_t width = ListWidth();
  PrintRendered(HangingText("  why", kValueColumn, Printable(kernel.reason), width));
}

int Run(const Options& options) {
  const bool csv = options.format == "csv";
  const bool json = options.format == "json";
  if (csv) Print("uses_tensor_cores,precision,family,library,kernel_name\n");
  if (json) Print("[");
  bool first = true;
  ForEachName(options.names, [&](const std::string& name) {
    const KernelClass kernel = ClassifyKernel(name);
    if (csv) {
      PrintData(fmt::format("{},{},{},{},{}\n", TensorCoreDigit(kernel.tensor_cores),
                            ToString(kernel.precision), ToString(kernel.family),
                            ToString(kernel.library), CsvField(name)));
    } else if (json) {
      const std::string_view uses = kernel.tensor_cores == TensorCoreUse::kYes  ? "true"
                                    : kernel.tensor_cores == TensorCoreUse::kNo ? "false"
                                                                                : "null";
      Print(
          "{}\n {{\"kernel_name\": {}, \"library\": {}, \"family\": {}, \"precision\": {}, "
          "\"uses_tensor_cores\": {}, \"reason\": {}}}",
          first ? "" : ",", JsonString(name), JsonString(ToString(kernel.library)),
          JsonString(ToString(kernel.family)), JsonString(ToString(kernel.precision)), uses,
          JsonString(kernel.reason));
    } else {
      if (!first) Print("\n");
      PrintText(name, kernel);
    }
    first = false;
  });
  if (json) Print("\n]\n");
  return kExitOk;
}

}  // namespace

void AddKernelCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand(
      "kernel", "Explain kernel names: library, family, precision, Tensor Cores and why");
  command.AddOption("NAME", options->names, "Kernel names; - reads one per line").Required();
  command.AddChoice("--format", options->format, {"text", "csv", "json"}, "text, csv or json")
      .Type("FORMAT");
  command.SetFooter("A kernel is classified by its name alone; no file is read.");
  command.AddExample("warpsight kernel nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_NNT",
                     "What a kernel is");
  command.AddExample("warpsight kernel - --format csv < kernel_names.txt", "A list of many");
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
