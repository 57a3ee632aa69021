#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpsight::xla {

// The text of a range marked by XLA, JAX or TensorFlow: a title, and metadata between two '#':
// "Thunk:#name=jvp()/dot_general,hlo_op=fusion.3#", "train#step_num=3#".
class TslText {
 public:
  // Returns nullopt for other texts, such as "C#".
  static std::optional<TslText> Parse(std::string_view text);

  std::string_view title() const { return title_; }  // "Thunk", "train"
  // The value of a key; "" if it is missing.
  std::string_view Value(std::string_view key) const;
  // The title, followed by the step number if there is one: "train#3".
  std::string Name() const;

 private:
  std::string_view title_, metadata_;
};

}  // namespace warpsight::xla
