#pragma once

#include <sys/types.h>

#include <string>

namespace warpsight {

// Standard input for a program that runs twice: a file is read from the same place again, a
// terminal is asked again, anything else was used up by the first run. Make it before the first
// run.
class RepeatedInput {
 public:
  RepeatedInput();
  RepeatedInput(const RepeatedInput&) = delete;
  RepeatedInput& operator=(const RepeatedInput&) = delete;
  // Later readers continue where the first run stopped.
  ~RepeatedInput();

  // Between the runs: what the second one gets, as in ChildStreams.
  int Again();
  // Whether that is not what the first one had.
  bool used_up() const { return used_up_; }

 private:
  off_t begin_ = -1;
  off_t end_ = -1;
  int nothing_ = -1;  // /dev/null
  bool used_up_ = false;
};

// Storage for output that is shown only if something fails. The file has no name.
class HiddenOutput {
 public:
  explicit HiddenOutput(const std::string& folder);
  HiddenOutput(const HiddenOutput&) = delete;
  HiddenOutput& operator=(const HiddenOutput&) = delete;
  ~HiddenOutput();

  int descriptor() const { return descriptor_; }
  // The last lines of what was written.
  std::string Tail() const;

 private:
  int descriptor_ = -1;
};

}  // namespace warpsight
