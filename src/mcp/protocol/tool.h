#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "mcp/protocol/arguments.h"

namespace warpsight::mcp {

// What a tool answers.
struct Answer {
  std::string text;        // a few lines
  std::string structured;  // one JSON object with all of it
};

// Something that a client can call. An error is a sentence that says what to do.
struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::vector<Parameter> parameters;
  // Called from one thread, one call after the other. A call whose progress is canceled should end
  // soon; its result is dropped.
  std::function<Result<Answer>(const Arguments& arguments, Progress& progress)> run;
};

}  // namespace warpsight::mcp
