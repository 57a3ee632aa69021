#pragma once

#include <string>
#include <string_view>

#include "base/json_builder.h"

namespace warpsight::mcp {

// Where the numbers of an answer come from: for each value, or object or list of them, the SQL that
// gives the same numbers. The columns of its result have the names of the fields. Of a list it
// gives the elements in order, of an object one row.
class Sources {
 public:
  // `value` is a path in the answer: "step", "findings[0].evidence".
  void Sql(std::string_view value, std::string_view sql);
  // For answers about several profiles: the statement is for that one, and of a list it gives
  // elements in any order, which a text field identifies.
  void SqlOf(std::string_view profile, std::string_view value, std::string_view sql,
             std::string_view key = "");
  // Computed from other values of the answer: "after_ns - before_ns".
  void Formula(std::string_view value, std::string_view formula);

  // Rows of a report, which are computed from events in memory: SQL does not give them.
  void Report(std::string_view value, std::string_view report);

  std::string Json() { return list_.Take(); }

 private:
  JsonArray list_;
};

}  // namespace warpsight::mcp
