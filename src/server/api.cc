#include "server/api.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "analysis/advice/stored_advice.h"
#include "analysis/reporting/system_info.h"
#include "analysis/reporting/table_query.h"
#include "analysis/screens/dashboard.h"
#include "analysis/screens/render_advice.h"
#include "analysis/text/text_search.h"
#include "base/json_text.h"
#include "server/params.h"
#include "server/table_json.h"

namespace warpsight::server {
namespace {

Response NotFound() { return Failure(404, "unknown-address", "unknown URL; see docs/api.md"); }

Response WrongMethod(std::string_view allowed) {
  return Failure(405, "wrong-method", fmt::format("this URL accepts only {}", allowed));
}

// The response if an aggregation is not in memory. Clients that receive "busy" retry automatically.
Response Unavailable(const Error& error) {
  return Failure(error.code == "busy" ? 503 : 409, error.code, error.message);
}

std::string_view StateName(ProfileState::State state) {
  switch (state) {
    case ProfileState::State::kLoading:
      return "loading";
    case ProfileState::State::kReady:
      return "ready";
    case ProfileState::State::kFailed:
      return "failed";
  }
  return "";
}

std::string_view StateName(AggregationInfo::State state) {
  switch (state) {
    case AggregationInfo::State::kComputing:
      return "computing";
    case AggregationInfo::State::kReady:
      return "ready";
    case AggregationInfo::State::kFailed:
      return "failed";
  }
  return "";
}

std::string NumberOrNull(int64_t value) {
  return value == kMissing ? "null" : fmt::format("{}", value);
}

Response ListProfiles(const Profiles& profiles) {
  std::string out =
      fmt::format("{{\"version\": {}, \"profiles\": [", JsonString(WARPSIGHT_VERSION));
  std::string_view separator = "\n";
  for (const ProfileState& state : profiles.List()) {
    out += fmt::format(
        "{}{{\"id\": {}, \"name\": {}, \"path\": {}, \"state\": {}, \"phase\": {}, \"done\": {}, "
        "\"total\": {}, \"code\": {}, \"error\": {}, \"changed\": {}}}",
        separator, JsonString(state.id), JsonString(state.name), JsonString(state.path),
        JsonString(StateName(state.state)), JsonString(state.phase), state.done, state.total,
        JsonString(state.code), JsonString(state.error), state.changed);
    separator = ",\n";
  }
  return Json(out + "]}\n", Keep::kNever);
}

std::string StartTime(const Trace& trace) {
  if (trace.origin_unix_ns == kMissing) return "null";
  const std::time_t seconds = trace.origin_unix_ns / 1'000'000'000;
  std::tm utc{};
  if (gmtime_r(&seconds, &utc) == nullptr) return "null";
  return fmt::format("\"{:%Y-%m-%dT%H:%M:%SZ}\"", utc);
}

Response DescribeProfile(const ProfileState& state, const LoadedProfile& profile) {
  const Trace& trace = profile.trace();
  int64_t events = 0;
  for (const int64_t n : trace.tables.sources.events) events += n;
  const auto& formats = trace.tables.sources.format;
  return Json(fmt::format(
      "{{\"id\": {}, \"name\": {}, \"path\": {}, \"stamp\": {},\n \"trace_ns\": {}, \"events\": "
      "{}, "
      "\"format\": {}, \"gpus\": {},\n \"started\": {}, \"sql\": {}}}\n",
      JsonString(state.id), JsonString(trace.profile_name), JsonString(state.path),
      JsonString(profile.stamp()), trace.end, events,
      JsonString(formats.empty() ? "" : trace.Text(formats.front())),
      CountUsedDevices(profile.view()), StartTime(trace),
      profile.file() == nullptr ? "false" : "true"));
}

std::string AggregationJson(const AggregationInfo& info) {
  return fmt::format(
      "{{\"id\": {}, \"state\": {}, \"phase\": {}, \"done\": {}, \"total\": {}, \"code\": {}, "
      "\"error\": {}, \"start\": {}, "
      "\"stop\": {}, \"iterations\": {}, \"key_op\": {}, \"source\": {}, \"batch_size\": {}, "
      "\"explanation\": {}}}",
      JsonString(info.id), JsonString(StateName(info.state)), JsonString(info.phase), info.done,
      info.total, JsonString(info.code), JsonString(info.error), info.first, info.last,
      info.iterations, JsonString(info.key_op), JsonString(info.source),
      NumberOrNull(info.batch_size), JsonString(info.explanation));
}

Response ListAggregations(const LoadedProfile& profile) {
  std::string out = "{\"aggregations\": [";
  std::string_view separator = "\n";
  for (const AggregationInfo& info : profile.Aggregations()) {
    out += separator;
    out += AggregationJson(info);
    separator = ",\n";
  }
  return Json(out + "]}\n", Keep::kNever);
}

Response KeyOps(const Request& request, const LoadedProfile& profile) {
  const auto limit = CountParam(request, "limit", 50);
  if (!limit.ok()) return BadParam(limit.error());
  const TextSearch search(request.Param("search"));
  std::string out = "{\"ops\": [";
  size_t found = 0;
  for (const auto& [name, calls] : profile.RangeNames()) {
    const std::string_view text = profile.trace().Text(name);
    if (!search.Matches(text)) continue;
    if (found < *limit) {
      out += fmt::format("{}{{\"name\": {}, \"calls\": {}}}", found == 0 ? "\n" : ",\n",
                         JsonString(text), calls);
    }
    ++found;
  }
  return Json(fmt::format("{}],\n\"total\": {}}}\n", out, found));
}

std::string AdviceJson(const ReportInput& input) {
  AdviceChoice choice;
  choice.all = true;
  return RenderAdviceJson(LoadAdvice(input.profile), choice);
}

}  // namespace

Response CreateAggregation(const Request& request, LoadedProfile& profile) {
  AggregationKey key;
  const auto default_info = profile.Find(kDefaultAggregation);
  key.key_op = request.params.contains("key_op") ? std::string(request.Param("key_op"))
                                                 : default_info->key_op;
  if (key.key_op.size() > 1000) return Failure(400, "unknown-key-op", "the op name is too long");
  const bool start = !request.Param("start").empty();
  if (start != !request.Param("stop").empty()) {
    return Failure(400, "bad-parameter", "specify both start and stop, or neither");
  }
  if (start) {
    const auto first = CountParam(request, "start", 0);
    const auto last = CountParam(request, "stop", 0);
    if (!first.ok()) return BadParam(first.error());
    if (!last.ok()) return BadParam(last.error());
    key.first = static_cast<int64_t>(*first);
    key.last = static_cast<int64_t>(*last);
  } else if (key.key_op.empty()) {
    return Failure(400, "bad-parameter", "specify a range, a key op, or both");
  }
  const auto made = profile.Create(key);
  if (!made.ok()) return Unavailable(made.error());
  const auto& [info, created] = *made;
  Response response = Json(AggregationJson(info) + "\n", Keep::kNever);
  if (created) response.status = 202;
  return response;
}

Api::Api(Profiles& profiles) : profiles_(profiles), reports_(AllReports()) {}

Response Api::Handle(const Request& request) {
  try {
    return Route(request);
  } catch (const std::bad_alloc&) {
    return Failure(503, "out-of-memory", "there is not enough memory for this");
  } catch (const std::exception& error) {
    return Failure(500, "internal", fmt::format("internal error: {}", error.what()));
  }
}

const Report* Api::FindReport(std::string_view id) const {
  const auto it = std::find_if(reports_.begin(), reports_.end(),
                               [&](const Report& report) { return report.id == id; });
  return it == reports_.end() ? nullptr : &*it;
}

Response Api::Route(const Request& request) {
  const auto& path = request.path;
  if (path.size() < 2 || path[0] != "api") return NotFound();
  if (path[1] == "profiles" && path.size() > 2) return ProfileRoute(request);
  if (path.size() > 2) return NotFound();
  if (request.method != "GET") return WrongMethod("GET");
  if (path[1] == "profiles") return ListProfiles(profiles_);
  if (path[1] != "reports") return NotFound();
  std::string out = "{\"reports\": [";
  for (const Report& report : reports_) {
    out += fmt::format("{}{{\"id\": {}, \"title\": {}, \"description\": {}, \"columns\": {}}}",
                       &report == reports_.data() ? "\n" : ",\n", JsonString(report.id),
                       JsonString(report.title), JsonString(report.description),
                       ColumnsJson(TableColumns(report)));
  }
  return Json(out + "]}\n");
}

Response Api::ProfileRoute(const Request& request) {
  const auto& path = request.path;
  ProfileState state;
  if (!profiles_.Find(path[2], state)) {
    return Failure(404, "unknown-profile", fmt::format("there is no profile '{}'", path[2]));
  }
  if (state.state == ProfileState::State::kLoading) {
    return Failure(409, "loading", fmt::format("'{}' is still being opened", state.id));
  }
  if (state.state == ProfileState::State::kFailed) return Failure(422, state.code, state.error);
  const std::shared_ptr<LoadedProfile> profile = profiles_.Get(path[2]);
  if (path.size() > 3 && path[3] == "sql") {
    if (request.method != "POST") return WrongMethod("POST");
    return SqlRoute(request, *profile, query_slots_);
  }
  if (path.size() > 3 && path[3] == "aggregations") return AggregationRoute(request, *profile);
  if (request.method != "GET") return WrongMethod("GET");
  if (path.size() == 3) return DescribeProfile(state, *profile);
  if (path.size() == 4 && path[3] == "key-ops") return KeyOps(request, *profile);
  return NotFound();
}

Response Api::AggregationRoute(const Request& request, LoadedProfile& profile) {
  const auto& path = request.path;
  if (path.size() == 4) {
    if (request.method == "POST") return CreateAggregation(request, profile);
    return request.method == "GET" ? ListAggregations(profile) : WrongMethod("GET and POST");
  }
  const std::string& id = path[4];
  const auto unknown = [&] {
    return Failure(404, "unknown-aggregation", fmt::format("there is no aggregation '{}'", id));
  };
  const auto info = profile.Find(id);
  if (!info) return unknown();
  if (request.method == "DELETE" && path.size() == 5) {
    if (id == kDefaultAggregation) {
      return Failure(409, "default-aggregation", "the profile's own aggregation cannot be deleted");
    }
    profile.Delete(id);
    Response response = Json("", Keep::kNever);
    response.status = 204;
    return response;
  }
  if (request.method != "GET") return WrongMethod(path.size() == 5 ? "GET and DELETE" : "GET");
  if (path.size() == 5) return Json(AggregationJson(*info) + "\n", Keep::kNever);
  if (info->state == AggregationInfo::State::kFailed) return Failure(422, info->code, info->error);
  const auto aggregation = profile.Get(id);
  if (!aggregation.ok()) return Unavailable(aggregation.error());
  return InAggregation(request, profile, **aggregation);
}

Response Api::InAggregation(const Request& request, const LoadedProfile& profile,
                            const Aggregation& aggregation) {
  const std::string& what = request.path[5];
  if (what == "reports") return ReportRoute(request, aggregation);
  if (what == "timeline") return TimelineRoute(request, profile, aggregation);
  if (request.path.size() > 6) return NotFound();
  if (what == "dashboard") return Json(aggregation.Text(what, DashboardJson));
  if (what == "roofline") return Json(aggregation.Text(what, RooflineJson));
  if (what == "advice") return Json(aggregation.Text(what, AdviceJson));
  return NotFound();
}

Response Api::ReportRoute(const Request& request, const Aggregation& aggregation) {
  const auto& path = request.path;
  if (path.size() < 7 || path.size() > 8) return NotFound();
  const Report* report = FindReport(path[6]);
  if (report == nullptr) {
    return Failure(404, "unknown-report", fmt::format("there is no report '{}'", path[6]));
  }
  TableQuery query;
  if (const Status status = ReadTableQuery(request, query); !status.ok()) {
    return BadParam(status.error());
  }
  const auto page = ReadPage(request);
  if (!page.ok()) return BadParam(page.error());
  const std::shared_ptr<const Table> table = aggregation.TableOf(*report);
  const bool one_page = path.size() == 7;
  RowWindow window;
  if (one_page) {
    window = {page->offset, page->offset + std::min(page->limit, SIZE_MAX - page->offset)};
  }
  const auto rows = SelectRows(*table, query, window);
  if (!rows.ok()) return BadParam(rows.error());
  if (one_page) {
    return Json(PageJson(report->id, report->title, *table, *rows, page->offset, page->limit));
  }
  if (path[7] != "export") return NotFound();
  ExportHeading heading;
  heading.profile_name = aggregation.profile().trace.profile_name;
  heading.title = report->title;
  heading.range = aggregation.range().explanation;
  heading.id = report->id;
  return ExportRoute(request, *table, *rows, heading);
}

}  // namespace warpsight::server
