#pragma once

#include <cstddef>
#include <string_view>

#include "analysis/reporting/table_query.h"
#include "base/result.h"
#include "server/message.h"

// Reading of a request's parameters.
namespace warpsight::server {

Response BadParam(const Error& error);

// A whole number ≥ 0; `otherwise` where the parameter is missing or empty.
Result<size_t> CountParam(const Request& request, std::string_view name, size_t otherwise);

struct Page {
  size_t offset = 0;
  size_t limit = 0;
};
// `offset` and `limit`; a limit "all" has no end.
Result<Page> ReadPage(const Request& request);

// `search`, `sort`, `order` and the filters `f.COLUMN`.
Status ReadTableQuery(const Request& request, TableQuery& query);

}  // namespace warpsight::server
