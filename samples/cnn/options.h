#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace cnn {

struct Options {
  std::string variant;
  int images = 10000;
  int batch = 0;   // 0: all images at once
  int repeat = 0;  // 0: not given; 3 on the GPU, 1 on the CPU
  int check = 200;
  bool list = false;
  bool help = false;
  bool self_test = false;
};

// The problem with the command line, as a message for the user.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws UsageError. `arguments` do not include the program's name.
Options ParseOptions(const std::vector<std::string>& arguments);

std::string HelpText();

}  // namespace cnn
