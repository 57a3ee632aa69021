#pragma once

#include <cstddef>
#include <string_view>

#include "analysis/reporting/table_query.h"
#include "base/result.h"
#include "server/message.h"

// Parses the parameters of a request.
namespace warpsight::server {

Response BadParam(const Error& error);

// A non-negative integer; `otherwise` if the parameter is missing or empty.
Result<size_t> CountParam(const Request& request, std::string_view name, size_t otherwise);

struct Page {
  size_t offset = 0;
  size_t limit = 0;
};
// Reads `offset` and `limit`; the limit "all" means no limit.
Result<Page> ReadPage(const Request& request);

// Reads `search`, `sort`, `order` and the filters `f.COLUMN`.
Status ReadTableQuery(const Request& request, TableQuery& query);

}  // namespace warpsight::server
