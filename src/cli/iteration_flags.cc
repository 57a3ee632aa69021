#include "cli/iteration_flags.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/result.h"
#include "model/limits.h"

namespace warpsight {

void AddIterationFlags(Command& command, IterationOptions& options) {
  command.AddOption("--key-op", options.key_op, "Iterations end where this op or range ends")
      .Type("NAME");
  const auto add = [&](const char* name, auto& value, int64_t low, const char* help) {
    command.AddNumber(name, value, low, kLargestLaunch, help).Type("N");
  };
  add("--iter-start", options.first, 0,
      "First iteration to aggregate, counted from 0 (default: after warm-up)");
  add("--iter-stop", options.last, 0, "Last iteration to aggregate (default: the last)");
  add("--batch-size", options.batch_size, 1,
      "Samples per iteration (default: from recorded shapes)");
  command.AddCheck([&options]() -> Status {
    if (!options.first || !options.last || *options.first <= *options.last) return {};
    return Error{fmt::format("--iter-stop: {} is before the first iteration, --iter-start {}",
                             *options.last, *options.first)};
  });
}

}  // namespace warpsight
