#pragma once

#include <string>

namespace warpsight {

// The last part of a path, also of a folder with a slash at its end.
std::string FileNameOf(const std::string& path);

// A short name for a profile, of letters, digits and "._-": "runs/gpt2 bf16.pt.trace.json.gz" ->
// "gpt2_bf16".
std::string ProfileIdOf(const std::string& path);

}  // namespace warpsight
