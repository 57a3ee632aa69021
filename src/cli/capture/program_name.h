#pragma once

#include <string>
#include <vector>

namespace warpsight {

// What to call a recording of this command: the script where it runs one ("python train.py",
// "torchrun --nproc-per-node 4 train.py", "python -m pkg.train": "train"), else the program.
std::string ProgramName(const std::vector<std::string>& command);

// A text as one word for a shell, and printable.
std::string ShellQuoted(const std::string& text);

}  // namespace warpsight
