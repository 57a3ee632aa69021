#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

// A value as Python's str() and repr() write it: {'a': [1, (2, None)], 'b': "it's"}.
struct PythonValue {
  enum class Kind { kWord, kText, kList, kTuple, kDict };

  Kind kind = Kind::kWord;
  std::string text;                // the text; a number, None, True or False as written
  std::vector<PythonValue> items;  // of a dict: keys and values alternate

  bool IsNone() const { return kind == Kind::kWord && text == "None"; }
  bool IsSequence() const { return kind == Kind::kList || kind == Kind::kTuple; }
  // The value of a key of a dict; null if there is none.
  const PythonValue* Find(std::string_view key) const;
};

// A truncated text yields the part before the cut, since profilers truncate long texts. Returns
// nullopt if the text is not a literal, or is nested more deeply than any program prints.
std::optional<PythonValue> ParsePython(std::string_view text);

}  // namespace warpsight
