#pragma once

#include <simdjson.h>

#include <functional>
#include <string>
#include <vector>

namespace warpsight::testing {

// A result of a query: the columns and the rows of the tool `query`.
using RunSql =
    std::function<simdjson::dom::element(const std::string& profile, const std::string& sql)>;

// Checks an answer of `warpsight mcp` (its structured content) against the SQL that it lists: each
// of its numbers must be the one that a statement, or a formula on other numbers, gives. `profile`
// is what statements without a profile of their own are for. Returns what is wrong, a line for
// each.
std::vector<std::string> CheckSources(simdjson::dom::element content, const std::string& profile,
                                      const RunSql& run);

// How many numbers an answer has.
size_t CountNumbers(simdjson::dom::element content);

}  // namespace warpsight::testing
