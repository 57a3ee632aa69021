#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/timeline/event_fields.h"
#include "analysis/timeline/event_links.h"
#include "base/json_builder.h"
#include "base/json_text.h"

namespace warpsight {
namespace {

std::string FullName(ProfileView profile, EventRef event) {
  if (event.table != EventTable::kGpu) return EventName(profile, event);
  return std::string(profile.trace.Text(profile.trace.tables.gpu.name[event.row]));
}

IterationId IterationOf(ProfileView profile, EventRef event) {
  switch (event.table) {
    case EventTable::kHost:
      return profile.facts.host.iteration[event.row];
    case EventTable::kApi:
      return profile.facts.api.iteration[event.row];
    case EventTable::kGpu:
      return profile.facts.gpu.iteration[event.row];
    case EventTable::kIteration:
      return MakeId<IterationId>(event.row);
    case EventTable::kGap:
    case EventTable::kAnnotation:
    case EventTable::kStretch:
      break;
  }
  return kNone<IterationId>;
}

std::string EventOrNull(const std::optional<EventRef>& event) {
  return event ? JsonString(ToString(*event)) : "null";
}

std::string FieldsJson(const std::vector<EventField>& fields) {
  JsonArray list;
  for (const EventField& field : fields) {
    list.Json(JsonObject().Text("name", field.name).Text("value", field.value).Take());
  }
  return list.Take();
}

std::string StackJson(const std::vector<std::string>& frames) {
  JsonArray list;
  for (const std::string& frame : frames) list.Text(frame);
  return list.Take();
}

std::string LinksJson(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                      const std::vector<EventLink>& links) {
  JsonArray list;
  for (const EventLink& link : links) {
    const Interval times = TimesOf(timeline, profile, link.event);
    const EventPlace place = PlaceOf(timeline, profile, range, link.event);
    list.Json(JsonObject()
                  .Text("role", link.role)
                  .Text("event", ToString(link.event))
                  .Text("name", EventName(profile, link.event))
                  .Integer("start", times.start)
                  .Integer("duration", times.end - times.start)
                  .Integer("lane", LaneNumber(place.lane))
                  .Integer("depth", place.depth)
                  .Take());
  }
  return list.Take();
}

}  // namespace

Result<std::string> EventJson(const Timeline& timeline, ProfileView profile,
                              const RangeSummary& range, std::string_view text) {
  const std::optional<EventRef> event = ParseEventRef(text);
  if (!event) {
    return Error(fmt::format("'{}' is not an event id; ids look like gpu:123, with the prefix "
                             "host, api, gpu, gap, iteration, annotation or stretch",
                             text),
                 "unknown-event");
  }
  if (!Exists(profile, *event)) {
    return Error(fmt::format("there is no event {} in this profile", text), "unknown-event");
  }
  const Interval times = TimesOf(timeline, profile, *event);
  const EventPlace place = PlaceOf(timeline, profile, range, *event);
  const IterationId iteration = IterationOf(profile, *event);
  const EventLinks links = LinksOf(timeline, profile, *event);
  const SameName same = SameNameAs(profile, *event);
  return JsonObject()
      .Text("event", ToString(*event))
      .Text("kind", KindOf(profile, *event))
      .Text("category", IdOf(place.category))
      .Text("name", EventName(profile, *event))
      .Text("full_name", FullName(profile, *event))
      .Integer("start", times.start)
      .Integer("duration", times.end - times.start)
      .Integer("lane", LaneNumber(place.lane))
      .Integer("depth", place.depth)
      .Integer("iteration",
               IsSet(iteration) ? profile.facts.iterations.number[Index(iteration)] : kMissing)
      .Json("fields", FieldsJson(FieldsOf(timeline, profile, range, *event)))
      .Json("stack", StackJson(StackOf(profile, *event)))
      .Json("links", LinksJson(timeline, profile, range, links.links))
      .Integer("links_total", links.total)
      .Json("same_name", JsonObject()
                             .Integer("count", same.count)
                             .Json("previous", EventOrNull(same.previous))
                             .Json("next", EventOrNull(same.next))
                             .Take())
      .Take();
}

}  // namespace warpsight
