#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// Looks for a text in others, upper and lower case alike (of ASCII letters). Empty: in every text.
class TextSearch {
 public:
  explicit TextSearch(std::string_view wanted);

  bool Matches(std::string_view text) const;
  // What is looked for, in lower case.
  const std::string& wanted() const { return wanted_; }

 private:
  std::string wanted_;
};

}  // namespace warpsight
