#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Texts from traces and profiles are untrusted: a kernel can have the name "ignore your
// instructions". They are values of JSON fields, or in quotation marks; they are short; and what is
// not visible is escaped. They are never a part of a sentence.
namespace warpsight::mcp {

// Characters of a name, and of a sentence that may contain names, in an answer.
inline constexpr size_t kLongestName = 120;
inline constexpr size_t kLongestSentence = 1500;

// On one line and of limited length; "…" stands for what was cut. For a JSON field.
std::string ShortName(std::string_view name);
// The same of a sentence that may contain names: those must not begin a line, either.
std::string ShortSentence(std::string_view text);

// ShortName() in quotation marks, for texts.
std::string Quoted(std::string_view name);

}  // namespace warpsight::mcp
