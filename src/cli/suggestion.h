#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

// What was probably meant by a word that is none of the known ones: the one that differs in the
// fewest letters, or the only one that begins with it. Empty where nothing is close.
std::string NearestWord(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'report'?"; empty where nothing is close.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace warpsight
