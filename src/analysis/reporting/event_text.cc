#include "analysis/reporting/event_text.h"

#include <cstdint>

#include <fmt/format.h>

#include "analysis/text/event_ref.h"

namespace warpsight {

std::string EventText(const RowLink& link) {
  const auto event = [](EventTable table, auto id) {
    return ToString(EventRef{table, static_cast<uint32_t>(Index(id))});
  };
  if (IsSet(link.gpu)) return event(EventTable::kGpu, link.gpu);
  if (IsSet(link.host)) return event(EventTable::kHost, link.host);
  if (IsSet(link.api)) return event(EventTable::kApi, link.api);
  return "";
}

std::string EventJson(const RowLink& link) {
  const std::string event = EventText(link);
  return event.empty() ? "null" : fmt::format("\"{}\"", event);
}

}  // namespace warpsight
