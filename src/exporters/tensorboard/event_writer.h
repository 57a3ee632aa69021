#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "exporters/api/output_file.h"

namespace warpsight::exporters::tensorboard {

// A value of one step. TensorBoard shows the charts of a group together.
struct Scalar {
  std::string group;
  std::string name;
  std::string_view description;
  double value;
};

// A text in Markdown.
struct Text {
  std::string group;
  std::string name;
  std::string_view description;
  std::string markdown;
};

// The first bytes of every file, which say that Warpsight wrote it.
std::string FileHead();

// Writes an event file: records of TensorFlow's TFRecord format, each with one Event in protobuf.
// Times are in seconds; steps are numbers of iterations.
class EventWriter {
 public:
  EventWriter(OutputFile& file, double wall_time);

  void Write(double wall_time, int64_t step, std::span<const Scalar> scalars);
  void Write(double wall_time, int64_t step, const Text& text);

 private:
  // Readers take metadata from the first value of a tag.
  bool IsNew(const std::string& tag) { return tags_.insert(tag).second; }
  void WriteEvent(double wall_time, int64_t step, const std::string& summary);

  OutputFile& file_;
  std::set<std::string> tags_;
};

}  // namespace warpsight::exporters::tensorboard
