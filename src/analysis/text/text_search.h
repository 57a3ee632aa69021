#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// Searches for a text in other texts, ignoring the case of ASCII letters. An empty text matches
// everything.
class TextSearch {
 public:
  explicit TextSearch(std::string_view wanted);

  bool Matches(std::string_view text) const;
  // The searched text in lower case.
  const std::string& wanted() const { return wanted_; }

 private:
  std::string wanted_;
};

}  // namespace warpsight
