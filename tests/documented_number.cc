#include "documented_number.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "test_traces.h"

namespace warpsight::testing {

size_t DocumentedNumber(const std::string& page, const std::string& pattern) {
  const std::string text = ReadFile(SourcePath("docs/" + page));
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern))) {
    ADD_FAILURE() << "docs/" << page << " does not say: " << pattern;
    return 0;
  }
  std::string digits = match[1];
  std::erase(digits, ',');
  return std::stoul(digits);
}

}  // namespace warpsight::testing
