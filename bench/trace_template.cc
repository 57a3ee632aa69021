#include "bench/trace_template.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace warpsight::bench {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kStepName = "ProfilerStep#";

// An integer in the file with its position: an id, or the whole microseconds of a time.
struct Number {
  const char* begin;
  uint8_t length;
  int64_t value;
};

struct NumberOfKind {
  Number number;
  NumberKind kind;
};

// The relevant fields of an event, as they are in the file: strings without quotes.
struct Event {
  std::string_view phase, category, name, scope;
  std::optional<Number> time, duration, id;
  std::vector<NumberOfKind> numbers;  // of the args
};

// The integer at the start of the text, also inside quotes as in some old traces.
std::optional<Number> ParseNumber(std::string_view text) {
  if (text.starts_with('"')) text.remove_prefix(1);
  Number number{text.data(), 0, 0};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error != std::errc()) return std::nullopt;
  number.length = static_cast<uint8_t>(end - text.data());
  return number;
}

// Sufficient for phases, categories and names of steps, which contain no escaped quotes.
std::string_view Unquote(std::string_view text) {
  if (!text.starts_with('"')) return {};
  return text.substr(1, text.find('"', 1) - 1);
}

std::optional<NumberKind> KindOfArgument(std::string_view key) {
  if (key == "External id" || key == "external id") return NumberKind::kExternalId;
  if (key == "correlation" || key == "wait_on_cuda_event_record_corr_id") {
    return NumberKind::kCorrelation;
  }
  if (key == "Sequence number") return NumberKind::kSequence;
  if (key == "Ev Idx") return NumberKind::kEventIndex;
  if (key == "Python id" || key == "Python parent id") return NumberKind::kPython;
  if (key == "Record function id") return NumberKind::kRecordFunction;
  return std::nullopt;
}

// Whether 0 is not the first number but means "none".
bool ZeroMeansNone(NumberKind kind) {
  return kind == NumberKind::kCorrelation || kind == NumberKind::kExternalId ||
         kind == NumberKind::kRecordFunction;
}

bool Moves(const Slot& slot) {
  return slot.value > 0 || (slot.value == 0 && !ZeroMeansNone(slot.kind));
}

void ReadArguments(ondemand::object args, Event& event) {
  for (auto field : args) {
    const std::string_view key = field.unescaped_key();
    const auto kind = KindOfArgument(key);
    if (!kind) continue;
    ondemand::value value = field.value();
    if (const auto number = ParseNumber(value.raw_json_token())) {
      event.numbers.push_back({*number, *kind});
    }
  }
}

Event ReadEvent(ondemand::object object) {
  Event event;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    ondemand::value value = field.value();
    const std::string_view text = value.raw_json_token();
    if (key == "ph") {
      event.phase = Unquote(text);
    } else if (key == "cat") {
      event.category = Unquote(text);
    } else if (key == "name") {
      event.name = Unquote(text);
    } else if (key == "s") {
      event.scope = Unquote(text);
    } else if (key == "ts") {
      event.time = ParseNumber(text);
    } else if (key == "dur") {
      event.duration = ParseNumber(text);
    } else if (key == "id") {
      event.id = ParseNumber(text);
    } else if (key == "args" && text.starts_with('{')) {
      ReadArguments(value.get_object(), event);
    }
  }
  return event;
}

bool IsFlow(const Event& event) {
  return event.phase == "s" || event.phase == "t" || event.phase == "f";
}

// Global instants mark the recording window; others, such as those of memory, belong to a thread.
bool IsOnce(const Event& event) {
  return event.phase == "M" || event.category == "Trace" ||
         (event.phase == "i" && event.scope == "g");
}

std::vector<NumberOfKind> NumbersOfRepeated(const Event& event) {
  std::vector<NumberOfKind> numbers = event.numbers;
  if (event.time) numbers.push_back({*event.time, NumberKind::kTime});
  if (event.id && IsFlow(event)) {
    const bool of_launch = event.category == "ac2g" || event.category == "async_cpu_to_gpu";
    numbers.push_back({*event.id, of_launch ? NumberKind::kCorrelation : NumberKind::kFlow});
  }
  if (event.name.starts_with(kStepName)) {
    if (const auto step = ParseNumber(event.name.substr(kStepName.size()))) {
      numbers.push_back({*step, NumberKind::kStep});
    }
  }
  return numbers;
}

// The numbers that describe the end of the recording: the length of its span, and the mark of its
// end.
std::vector<NumberOfKind> NumbersOfOnce(const Event& event) {
  if (event.category == "Trace" && event.duration) return {{*event.duration, NumberKind::kTime}};
  if (event.name == "Record Window End" && event.time) return {{*event.time, NumberKind::kTime}};
  return {};
}

void Append(std::string_view text, std::vector<NumberOfKind> numbers, std::string_view separator,
            EventText& events) {
  if (events.events++ > 0) events.text += separator;
  std::sort(numbers.begin(), numbers.end(), [](const NumberOfKind& a, const NumberOfKind& b) {
    return a.number.begin < b.number.begin;
  });
  for (const auto& [number, kind] : numbers) {
    const auto offset = static_cast<size_t>(number.begin - text.data());
    const Slot slot{events.text.size() + offset, number.length, kind, number.value};
    if (Moves(slot)) events.slots.push_back(slot);
  }
  events.text += text;
}

std::string_view TrimEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

// simdjson's errors arrive as exceptions and end in MakeTemplate.
class Reader {
 public:
  explicit Reader(std::string_view trace) : trace_(trace) {}

  Result<TraceTemplate> Read() {
    const simdjson::padded_string padded(trace_);
    ondemand::parser parser;
    ondemand::document document = parser.iterate(padded);
    const bool bare = document.type() == ondemand::json_type::array;
    ondemand::array events = bare ? ondemand::array(document.get_array())
                                  : ondemand::array(document["traceEvents"].get_array());
    const char* end = nullptr;
    for (ondemand::object object : events) {
      const std::string_view text = TrimEnd(object.raw_json());
      object.reset();
      if (end == nullptr) {
        result_.prefix = Between(padded.data(), text.data());
      } else if (result_.separator.empty()) {
        result_.separator = Between(end, text.data());
      }
      end = text.data() + text.size();
      const Status status = Add(text, ReadEvent(object));
      if (!status.ok()) return status.error();
    }
    if (result_.repeated.events == 0) return Error{"no events to repeat"};
    result_.suffix = Between(end, padded.data() + padded.size());
    result_.span_us = last_ - first_;
    return std::move(result_);
  }

 private:
  Status Add(std::string_view text, const Event& event) {
    // When the first event arrives, the first separator is not known yet, but none is needed before
    // it.
    if (IsOnce(event)) {
      Append(text, NumbersOfOnce(event), result_.separator, result_.once);
      return {};
    }
    if (event.time) {
      // After a negative whole part, decimals would count backward; Kineto writes no such times.
      if (event.time->value < 0) return Error{"an event with a negative time"};
      const int64_t duration = event.duration ? std::max<int64_t>(event.duration->value, 0) : 0;
      first_ = std::min(first_, event.time->value);
      // The decimals of the time and the duration add less than 2 us.
      last_ = std::max(last_, event.time->value + duration + 2);
    }
    Append(text, NumbersOfRepeated(event), result_.separator, result_.repeated);
    return {};
  }

  std::string_view trace_;
  TraceTemplate result_;
  int64_t first_ = std::numeric_limits<int64_t>::max();
  int64_t last_ = 0;
};

}  // namespace

Strides TraceTemplate::MakeStrides(int64_t gap_us) const {
  struct Range {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = 0;
  };
  std::array<Range, kNumberKinds> ranges;
  for (const Slot& slot : repeated.slots) {
    Range& range = ranges[static_cast<size_t>(slot.kind)];
    range.first = std::min(range.first, slot.value);
    range.last = std::max(range.last, slot.value);
  }
  Strides strides{};
  for (size_t kind = 0; kind < kNumberKinds; ++kind) {
    const Range& range = ranges[kind];
    if (range.first <= range.last) strides[kind] = range.last - range.first + 1;
  }
  strides[static_cast<size_t>(NumberKind::kTime)] = span_us + gap_us;
  return strides;
}

Result<TraceTemplate> MakeTemplate(std::string_view trace) {
  try {
    return Reader(trace).Read();
  } catch (const simdjson::simdjson_error& error) {
    return Error{fmt::format("not a readable trace: {}", error.what())};
  }
}

void AppendCopy(const EventText& events, const Strides& strides, int64_t copy, std::string& out) {
  const std::string_view text = events.text;
  size_t done = 0;
  for (const Slot& slot : events.slots) {
    out.append(text, done, slot.offset - done);
    const int64_t value = slot.value + copy * strides[static_cast<size_t>(slot.kind)];
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
    done = slot.offset + slot.length;
  }
  out.append(text, done);
}

}  // namespace warpsight::bench
