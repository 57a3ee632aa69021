#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analysis/timeline/event_fields.h"
#include "analysis/timeline/event_links.h"
#include "analysis/timeline/json_writer.h"

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
      break;
  }
  return kNone<IterationId>;
}

void WritePlace(const EventPlace& place, JsonWriter& json) {
  json.NumberOrNull("lane", place.lane, kNoLane).Number("depth", place.depth);
}

void WriteEventOrNull(std::string_view name, const std::optional<EventRef>& event,
                      JsonWriter& json) {
  if (event) {
    json.Text(name, ToString(*event));
  } else {
    json.Null(name);
  }
}

}  // namespace

Result<std::string> EventJson(const Timeline& timeline, ProfileView profile,
                              const RangeSummary& range, std::string_view text) {
  const std::optional<EventRef> event = ParseEventRef(text);
  if (!event) {
    return Error(fmt::format("'{}' is not an event id; ids look like gpu:123, with the prefix "
                             "host, api, gpu, gap, iteration or annotation",
                             text),
                 "unknown-event");
  }
  if (!Exists(profile, *event)) {
    return Error(fmt::format("there is no event {} in this profile", text), "unknown-event");
  }
  const Interval times = TimesOf(timeline, profile, *event);
  const EventPlace place = PlaceOf(timeline, profile, range, *event);
  JsonWriter json;
  json.Open("", '{')
      .Text("event", ToString(*event))
      .Text("kind", KindOf(profile, *event))
      .Text("category", IdOf(place.category))
      .Text("name", EventName(profile, *event))
      .Text("full_name", FullName(profile, *event))
      .Number("start", times.start)
      .Number("duration", times.end - times.start);
  WritePlace(place, json);
  if (const IterationId iteration = IterationOf(profile, *event); IsSet(iteration)) {
    json.Number("iteration", profile.facts.iterations.number[Index(iteration)]);
  } else {
    json.Null("iteration");
  }
  json.Open("fields", '[');
  for (const EventField& field : FieldsOf(timeline, profile, range, *event)) {
    json.Open("", '{').Text("name", field.name).Text("value", field.value).Close('}');
  }
  json.Close(']').Open("stack", '[');
  for (const std::string& frame : StackOf(profile, *event)) json.Text("", frame);
  const EventLinks links = LinksOf(timeline, profile, *event);
  json.Close(']').Open("links", '[');
  for (const EventLink& link : links.links) {
    const Interval link_times = TimesOf(timeline, profile, link.event);
    json.Open("", '{')
        .Text("role", link.role)
        .Text("event", ToString(link.event))
        .Text("name", EventName(profile, link.event))
        .Number("start", link_times.start)
        .Number("duration", link_times.end - link_times.start);
    WritePlace(PlaceOf(timeline, profile, range, link.event), json);
    json.Close('}');
  }
  const SameName same = SameNameAs(profile, *event);
  json.Close(']').Number("links_total", links.total).Open("same_name", '{');
  json.Number("count", same.count);
  WriteEventOrNull("previous", same.previous, json);
  WriteEventOrNull("next", same.next, json);
  return json.Close('}').Close('}').Take();
}

}  // namespace warpsight
