#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "server/api.h"
#include "server/params.h"

namespace warpsight::server {
namespace {

constexpr size_t kMaxMatches = 1000;
constexpr size_t kMaxGaps = 1000;

Response FromResult(Result<std::string> result) {
  if (!result.ok()) {
    return Failure(400, result.error().code.empty() ? "bad-parameter" : result.error().code,
                   result.error().message);
  }
  return Json(std::move(*result));
}

int64_t Capped(size_t value, size_t most) { return static_cast<int64_t>(std::min(value, most)); }

// An integer, possibly negative; the handler checks its range.
Result<int64_t> ReadInteger(std::string_view name, std::string_view text) {
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    return Error{fmt::format("{}: '{}' is not an integer", name, text.substr(0, 40))};
  }
  return value;
}

// Parses "0,4,5"; an empty text stands for all lanes.
Result<std::vector<uint32_t>> ReadLanes(std::string_view text) {
  std::vector<uint32_t> lanes;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto lane = ReadInteger("lanes", text.substr(0, comma));
    if (!lane.ok()) return lane.error();
    if (*lane < 0 || *lane > UINT32_MAX) return Error{"lanes: no such lane"};
    lanes.push_back(static_cast<uint32_t>(*lane));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return lanes;
}

Response TileRoute(const Request& request, const Timeline& timeline,
                   const Aggregation& aggregation) {
  const auto level = ReadInteger("level", request.path[7]);
  const auto index = ReadInteger("index", request.path[8]);
  const auto lanes = ReadLanes(request.Param("lanes"));
  if (!level.ok()) return BadParam(level.error());
  if (!index.ok()) return BadParam(index.error());
  if (!lanes.ok()) return BadParam(lanes.error());
  auto tile = Tile(timeline, aggregation.profile(), aggregation.range(), *level, *index, *lanes);
  if (!tile.ok()) return BadParam(tile.error());
  Response response;
  response.type = "application/octet-stream";
  response.keep = Keep::kHour;
  response.body = std::make_shared<const std::string>(std::move(*tile));
  return response;
}

Response SelectionRoute(const Request& request, const Timeline& timeline,
                        const Aggregation& aggregation) {
  const auto start = ReadInteger("start", request.Param("start"));
  const auto end = ReadInteger("end", request.Param("end"));
  if (!start.ok()) return BadParam(start.error());
  if (!end.ok()) return BadParam(end.error());
  return FromResult(SelectionJson(timeline, aggregation.profile(), *start, *end));
}

Response SearchRoute(const Request& request, const Timeline& timeline,
                     const Aggregation& aggregation) {
  const auto limit = CountParam(request, "limit", 100);
  if (!limit.ok()) return BadParam(limit.error());
  TimeNs after = 0;
  if (!request.Param("after").empty()) {
    const auto read = ReadInteger("after", request.Param("after"));
    if (!read.ok()) return BadParam(read.error());
    after = *read;
  }
  return FromResult(SearchJson(timeline, aggregation.profile(), aggregation.range(),
                               request.Param("q"), Capped(*limit, kMaxMatches), after));
}

}  // namespace

Response TimelineRoute(const Request& request, const LoadedProfile& profile,
                       const Aggregation& aggregation) {
  const auto& path = request.path;
  const Timeline& timeline = profile.timeline();
  if (path.size() == 6) {
    return Json(
        TimelineJson(timeline, aggregation.profile(), aggregation.range(), profile.stamp()));
  }
  if (path[6] == "tiles" && path.size() == 9) return TileRoute(request, timeline, aggregation);
  if (path[6] == "events" && path.size() == 8) {
    return FromResult(EventJson(timeline, aggregation.profile(), aggregation.range(), path[7]));
  }
  if (path.size() == 7) {
    if (path[6] == "search") return SearchRoute(request, timeline, aggregation);
    if (path[6] == "selection") return SelectionRoute(request, timeline, aggregation);
    if (path[6] == "gaps") {
      const auto limit = CountParam(request, "limit", 20);
      if (!limit.ok()) return BadParam(limit.error());
      return Json(LongestGapsJson(timeline, aggregation.profile(), aggregation.range(),
                                  Capped(*limit, kMaxGaps)));
    }
  }
  return Failure(404, "unknown-address", "unknown URL; see docs/api.md");
}

}  // namespace warpsight::server
