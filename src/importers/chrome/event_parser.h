#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "importers/chrome/arg_fields.h"
#include "importers/chrome/raw_event.h"

namespace warpsight::importers::chrome {

// The number of bytes that must be readable after a block's text.
inline constexpr size_t kPadding = simdjson::SIMDJSON_PADDING;

// Parses the text of events into RawEvents. Keeps its buffers between calls; used by one thread.
class EventParser {
 public:
  // Parses `text`, a JSON array of events with kPadding readable bytes after it, and calls
  // sink(event) for each record. Returns false if the text is not a well-formed array: the caller
  // must then discard the records that were already delivered, and parse event by event.
  template <typename Sink>
  bool ParseArray(std::string_view text, Sink&& sink);

  // Parses one record. Returns false with a reason if it is not a well-formed object.
  bool ParseOne(std::string_view text, RawEvent* event, std::string* reason);

 private:
  using Object = simdjson::ondemand::object;
  using Value = simdjson::ondemand::value;

  static bool AtEnd(simdjson::ondemand::document& document) {
    const char* rest = nullptr;
    return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  }
  // Returns false on a JSON error, which is in error_.
  bool ReadEvent(Object object, RawEvent& event);
  bool ReadArgs(Value value, RawEvent& event);

  simdjson::ondemand::parser parser_;
  ArgFinder finder_;
  simdjson::error_code error_ = simdjson::SUCCESS;
  std::string padded_;
  const char* text_end_ = nullptr;  // end of the text that is being parsed
};

template <typename Sink>
bool EventParser::ParseArray(std::string_view text, Sink&& sink) {
  simdjson::ondemand::document document;
  text_end_ = text.data() + text.size();
  error_ = parser_.iterate(text.data(), text.size(), text.size() + kPadding).get(document);
  if (error_) return false;
  simdjson::ondemand::array array;
  error_ = document.get_array().get(array);
  if (error_) return false;
  RawEvent event;
  for (auto element : array) {
    Object object;
    std::string_view token;
    if (element.raw_json_token().get(token) != simdjson::SUCCESS) token = {};
    const char* begin = token.data();
    error_ = element.get_object().get(object);
    if (error_) return false;
    event.Clear();
    event.begin = begin;
    if (!ReadEvent(object, event)) return false;
    sink(event);
  }
  return AtEnd(document);
}

}  // namespace warpsight::importers::chrome
