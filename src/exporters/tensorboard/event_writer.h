#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "exporters/api/output_file.h"

namespace warpsight::exporters::tensorboard {

// A value of one step. TensorBoard shows the charts of a group next to each other.
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

// The first bytes of every file, which identify Warpsight as its writer.
std::string FileHead();

// Writes an event file: TFRecord records that each contain one Event in protobuf. Times are in
// seconds; steps are numbers of iterations.
class EventWriter {
 public:
  EventWriter(OutputFile& file, double wall_time);

  void Write(double wall_time, int64_t step, std::span<const Scalar> scalars);
  void Write(double wall_time, int64_t step, const Text& text);

 private:
  // Readers take the metadata of a tag from its first value.
  bool IsNew(const std::string& tag) { return tags_.insert(tag).second; }
  void WriteEvent(double wall_time, int64_t step, const std::string& summary);

  OutputFile& file_;
  std::set<std::string> tags_;
};

}  // namespace warpsight::exporters::tensorboard
