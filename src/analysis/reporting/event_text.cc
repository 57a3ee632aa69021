#include "analysis/reporting/event_text.h"

#include <fmt/format.h>

namespace warpsight {

std::string EventText(const RowLink& link) {
  if (IsSet(link.gpu)) return fmt::format("gpu:{}", Index(link.gpu));
  if (IsSet(link.host)) return fmt::format("host:{}", Index(link.host));
  if (IsSet(link.api)) return fmt::format("api:{}", Index(link.api));
  return "";
}

std::string EventJson(const RowLink& link) {
  const std::string event = EventText(link);
  return event.empty() ? "null" : fmt::format("\"{}\"", event);
}

}  // namespace warpsight
