#include "cli/iteration_flags.h"

#include <cstdint>

#include "model/limits.h"

namespace warpsight {

void AddIterationFlags(CLI::App& command, IterationOptions& options) {
  command.add_option("--key-op", options.key_op, "Iterations end where this op or range ends")
      ->type_name("NAME");
  command
      .add_option("--iter-start", options.first,
                  "First iteration to aggregate, counted from 0 (default: after warm-up)")
      ->type_name("N");
  command
      .add_option("--iter-stop", options.last, "Last iteration to aggregate (default: the last)")
      ->type_name("N");
  command
      .add_option("--batch-size", options.batch_size,
                  "Samples per iteration (default: from recorded shapes)")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, kLargestLaunch));
}

}  // namespace warpsight
