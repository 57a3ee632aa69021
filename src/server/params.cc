#include "server/params.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

namespace warpsight::server {
namespace {

constexpr size_t kDefaultRows = 25;
// The maximum length of a filter; use SQL for more.
constexpr size_t kLongestText = 1000;
constexpr size_t kMaxFilters = 50;

}  // namespace

Response BadParam(const Error& error) {
  return Failure(400, error.code.empty() ? "bad-parameter" : error.code, error.message);
}

Result<size_t> CountParam(const Request& request, std::string_view name, size_t otherwise) {
  const std::string_view text = request.Param(name);
  if (text.empty()) return otherwise;
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0) {
    return Error{fmt::format("{}: '{}' is not an integer", name, text.substr(0, 40))};
  }
  return static_cast<size_t>(value);
}

Result<Page> ReadPage(const Request& request) {
  Page page;
  const auto offset = CountParam(request, "offset", 0);
  if (!offset.ok()) return offset.error();
  page.offset = *offset;
  page.limit = SIZE_MAX;
  if (request.Param("limit") != "all") {
    const auto limit = CountParam(request, "limit", kDefaultRows);
    if (!limit.ok()) return limit.error();
    page.limit = *limit;
  }
  return page;
}

Status ReadTableQuery(const Request& request, TableQuery& query) {
  query.search = request.Param("search");
  query.sort = request.Param("sort");
  const std::string_view order = request.Param("order");
  if (!order.empty() && order != "asc" && order != "desc") {
    return Error{"order must be 'asc' or 'desc'"};
  }
  query.descending = order == "desc";
  for (const auto& [name, value] : request.params) {
    if (!name.starts_with("f.") || value.empty()) continue;
    if (value.size() > kLongestText) return Error{"a filter is too long"};
    query.filters.emplace_back(name.substr(2), value);
  }
  if (query.search.size() > kLongestText) return Error{"the text to search for is too long"};
  if (query.filters.size() > kMaxFilters) return Error{"there are too many filters"};
  return {};
}

}  // namespace warpsight::server
