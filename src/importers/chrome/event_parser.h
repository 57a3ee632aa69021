#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "importers/chrome/arg_fields.h"
#include "importers/chrome/raw_event.h"

namespace warpsight::importers::chrome {

// Bytes that must be readable behind a block's text.
inline constexpr size_t kPadding = simdjson::SIMDJSON_PADDING;

// Turns the text of events into RawEvents. Keeps its buffers between calls; one per thread.
class EventParser {
 public:
  // Parses `text`, a JSON array of events with kPadding readable bytes behind it, and calls
  // sink(event) for each record. False when the text is not a well-formed array: the caller then
  // goes through it event by event (records already delivered must be discarded).
  template <typename Sink>
  bool ParseArray(std::string_view text, Sink&& sink);

  // Parses one record. False with a reason when it is not a well-formed object.
  bool ParseOne(std::string_view text, RawEvent* event, std::string* reason);

 private:
  using Object = simdjson::ondemand::object;
  using Value = simdjson::ondemand::value;

  static bool AtEnd(simdjson::ondemand::document& document) {
    const char* rest = nullptr;
    return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  }
  // False on a JSON error; error_ holds it.
  bool ReadEvent(Object object, RawEvent& event);
  bool ReadArgs(Value value, RawEvent& event);

  simdjson::ondemand::parser parser_;
  ArgFinder finder_;
  simdjson::error_code error_ = simdjson::SUCCESS;
  std::string padded_;
  const char* text_end_ = nullptr;  // of what is being parsed
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
