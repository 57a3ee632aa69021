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
  std::string text;                // of a text; of a number, None, True, False as written
  std::vector<PythonValue> items;  // of a dict: keys and values in turn

  bool IsNone() const { return kind == Kind::kWord && text == "None"; }
  bool IsSequence() const { return kind == Kind::kList || kind == Kind::kTuple; }
  // The value of a dict's key; null where there is none.
  const PythonValue* Find(std::string_view key) const;
};

// A truncated text yields the part before the cut, because profilers truncate long texts. None if
// it is not a literal, or nested too deeply to have been printed by a program.
std::optional<PythonValue> ParsePython(std::string_view text);

}  // namespace warpsight
