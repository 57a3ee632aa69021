#include "analysis/text/text_search.h"

#include <algorithm>

namespace warpsight {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

TextSearch::TextSearch(std::string_view wanted) : wanted_(wanted) {
  std::transform(wanted_.begin(), wanted_.end(), wanted_.begin(), Lower);
}

bool TextSearch::Matches(std::string_view text) const {
  return std::search(text.begin(), text.end(), wanted_.begin(), wanted_.end(),
                     [](char a, char b) { return Lower(a) == b; }) != text.end() ||
         wanted_.empty();
}

}  // namespace warpsight
