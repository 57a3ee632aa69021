#include "cli/iteration_flags.h"

#include <cstdint>

#include "model/limits.h"

namespace warpsight {

void AddIterationFlags(Command& command, IterationOptions& options) {
  command.AddOption("--key-op", options.key_op, "Iterations end where this op or range ends")
      .Type("NAME");
  command
      .AddOption("--iter-start", options.first,
                 "First iteration to aggregate, counted from 0 (default: after warm-up)")
      .Type("N");
  command.AddOption("--iter-stop", options.last, "Last iteration to aggregate (default: the last)")
      .Type("N");
  command
      .AddOption("--batch-size", options.batch_size,
                 "Samples per iteration (default: from recorded shapes)")
      .Type("N")
      .Between(int64_t{1}, kLargestLaunch);
}

}  // namespace warpsight
