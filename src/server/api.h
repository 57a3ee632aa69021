#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/reporting/report.h"
#include "server/export/export_table.h"
#include "server/message.h"
#include "server/profiles.h"
#include "server/slots.h"

namespace warpsight::server {

// Implements the API of docs/api.md (/api/… only). Never throws. Thread-safe.
class Api {
 public:
  explicit Api(Profiles& profiles);

  Response Handle(const Request& request);

 private:
  Response Route(const Request& request);
  Response ProfileRoute(const Request& request);
  Response AggregationRoute(const Request& request, LoadedProfile& profile);
  Response InAggregation(const Request& request, const LoadedProfile& profile,
                         const Aggregation& aggregation);
  Response ReportRoute(const Request& request, const Aggregation& aggregation);
  const Report* FindReport(std::string_view id) const;

  Profiles& profiles_;
  std::vector<Report> reports_;
  // Concurrent queries: each may use a core and a share of the memory.
  Slots query_slots_{2};
};

// Rows of a table as a file, in the format that the request names.
Response ExportRoute(const Request& request, const Table& table, std::span<const uint32_t> rows,
                     const ExportHeading& heading);

// Each of these is implemented in a separate file.
Response CreateAggregation(const Request& request, LoadedProfile& profile);
Response TimelineRoute(const Request& request, const LoadedProfile& profile,
                       const Aggregation& aggregation);
Response SqlRoute(const Request& request, const LoadedProfile& profile, Slots& slots);

}  // namespace warpsight::server
