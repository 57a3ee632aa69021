#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// A text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, and invisible characters
// are escaped: the result is valid JSON, and safe to print and to put into a script.
void AppendJsonString(std::string_view text, std::string& out);
std::string JsonString(std::string_view text);

}  // namespace warpsight
