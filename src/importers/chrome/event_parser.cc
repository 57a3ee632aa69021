#include "importers/chrome/event_parser.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "importers/chrome/arg_fields.h"
#include "importers/chrome/json_text.h"
#include "importers/chrome/number.h"

namespace warpsight::importers::chrome {
namespace {

using simdjson::ondemand::json_type;

// Whether the key that starts at `raw` is exactly `name`.
template <size_t N>
bool Is(const char* raw, const char (&name)[N]) {
  return std::memcmp(raw, name, N - 1) == 0 && raw[N - 1] == '"';
}

// The content of a string token. The token extends to the next structural character.
std::string_view StringContent(std::string_view token) {
  size_t end = token.size();
  while (end > 1 && token[end - 1] != '"') --end;
  return end > 1 ? token.substr(1, end - 2) : std::string_view();
}

std::string_view TrimEnd(std::string_view token) {
  while (!token.empty() && IsSpace(token.back())) token.remove_suffix(1);
  return token;
}

// `Parse` is ParseInteger or ParseId.
template <typename Parse>
void ReadInteger(Parse parse, std::string_view token, int64_t& target, RawEvent& event) {
  if (const auto number = parse(token)) {
    target = *number;
  } else if (token.starts_with('"')) {
    event.args.has_other_args =
        true;  // a text (AMD writes addresses as texts): kept with the other arguments
  } else if (!token.starts_with("null")) {
    ++event.wrong_types;
  }
}

void ReadReal(std::string_view token, double& target, RawEvent& event) {
  if (const auto number = ParseReal(token)) {
    target = *number < 0 ? kMissingReal : *number;
  } else if (!token.starts_with("null")) {
    ++event.wrong_types;
  }
}

void ReadString(std::string_view token, std::string_view& target, RawEvent& event) {
  if (token.starts_with('"')) {
    target = StringContent(token);
  } else if (!token.starts_with("null")) {
    ++event.wrong_types;
  }
}

// Reads a string without its quotes, or a number as its digits, such as a process id.
void ReadScalar(std::string_view token, std::string_view& target, RawEvent& event) {
  if (token.starts_with('"')) {
    target = StringContent(token);
  } else if (token.starts_with('{') || token.starts_with('[')) {
    ++event.wrong_types;
  } else {
    target = TrimEnd(token);
  }
}

}  // namespace

// The text of any value; nested values are skipped as a whole, without recursion.
static simdjson::error_code RawText(simdjson::ondemand::value value, std::string_view* text) {
  json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case json_type::array: {
      simdjson::ondemand::array array;
      if (const auto error = value.get_array().get(array)) return error;
      return array.raw_json().get(*text);
    }
    case json_type::object: {
      simdjson::ondemand::object object;
      if (const auto error = value.get_object().get(object)) return error;
      return object.raw_json().get(*text);
    }
    default:
      *text = TrimEnd(value.raw_json_token());
      return simdjson::SUCCESS;
  }
}

static simdjson::error_code ReadArg(const ArgField& field, simdjson::ondemand::value value,
                                    RawEvent& event) {
  using Kind = ArgField::Kind;
  RawEvent::Args& args = event.args;
  switch (field.kind) {
    case Kind::kInteger:
      ReadInteger(ParseInteger, value.raw_json_token(), args.*field.integer, event);
      break;
    case Kind::kIdAndOther:
      args.has_other_args = true;
      [[fallthrough]];
    case Kind::kId:
      ReadInteger(ParseId, value.raw_json_token(), args.*field.integer, event);
      break;
    case Kind::kStream: {
      const std::string_view token = value.raw_json_token();
      ReadInteger(ParseInteger, token, args.*field.integer, event);
      if (token.starts_with("null")) args.*field.integer = kNoStream;
      break;
    }
    case Kind::kReal:
      ReadReal(value.raw_json_token(), args.*field.real, event);
      break;
    case Kind::kText:
      ReadString(value.raw_json_token(), args.*field.text, event);
      break;
    case Kind::kJson:
      return RawText(value, &(args.*field.text));
    case Kind::kFlag:
      args.*field.flag = true;
      break;
    case Kind::kNothing:
      break;
  }
  return simdjson::SUCCESS;
}

bool EventParser::ReadEvent(Object object, RawEvent& event) {
  for (auto result : object) {
    simdjson::ondemand::field field;
    error_ = std::move(result).get(field);
    if (error_) return false;
    const char* key = field.key().raw();
    Value value = field.value();
    switch (*key) {
      case 'p':
        if (Is(key, "ph")) {
          std::string_view text;
          ReadString(value.raw_json_token(), text, event);
          event.phase = text.size() == 1 ? text[0] : '\0';
        } else if (Is(key, "pid")) {
          ReadScalar(value.raw_json_token(), event.pid, event);
        }
        break;
      case 'c':
        if (Is(key, "cat")) ReadString(value.raw_json_token(), event.category, event);
        break;
      case 'n':
        if (Is(key, "name")) ReadString(value.raw_json_token(), event.name, event);
        break;
      case 't':
        if (Is(key, "tid")) {
          ReadScalar(value.raw_json_token(), event.tid, event);
        } else if (Is(key, "ts")) {
          event.time = value.raw_json_token();
        }
        break;
      case 'd':
        if (Is(key, "dur")) event.duration = value.raw_json_token();
        break;
      case 'i':
        if (Is(key, "id")) ReadScalar(value.raw_json_token(), event.id, event);
        break;
      case 'a':
        if (Is(key, "args") && !ReadArgs(value, event)) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

bool EventParser::ReadArgs(Value value, RawEvent& event) {
  json_type type;
  error_ = value.type().get(type);
  if (error_) return false;
  RawEvent::Args& args = event.args;
  event.has_args = true;
  const char* begin = value.raw_json_token().data();
  args.tail = {begin, static_cast<size_t>(text_end_ - begin)};
  if (type != json_type::object) {
    // `args` may be any value; only objects have fields.
    error_ = RawText(value, &args.all);
    if (args.all == "null") args.all = {};
    args.has_other_args = !args.all.empty();
    return error_ == simdjson::SUCCESS;
  }
  Object object;
  error_ = value.get_object().get(object);
  if (error_) return false;
  for (auto result : object) {
    simdjson::ondemand::field field;
    error_ = std::move(result).get(field);
    if (error_) return false;
    if (const ArgField* known = finder_.Find(field.key().raw())) {
      error_ = ReadArg(*known, field.value(), event);
      if (error_) return false;
    } else {
      args.has_other_args = true;
    }
  }
  if (args.has_other_args) {
    bool has_fields = false;
    error_ = object.reset().get(has_fields);
    if (!error_) error_ = object.raw_json().get(args.all);
    args.all = TrimEnd(args.all);
  }
  if (!args.own.empty()) {
    args.has_other_args = true;
    args.all = args.own == "null" ? std::string_view() : TrimEnd(args.own);
  }
  return error_ == simdjson::SUCCESS;
}

bool EventParser::ParseOne(std::string_view text, RawEvent* event, std::string* reason) {
  padded_.assign(text);
  padded_.append(kPadding, '\0');
  text_end_ = padded_.data() + text.size();
  simdjson::ondemand::document document;
  error_ = parser_.iterate(padded_.data(), text.size(), padded_.size()).get(document);
  Object object;
  if (!error_) error_ = document.get_object().get(object);
  if (!error_ && ReadEvent(object, *event) && AtEnd(document)) return true;
  *reason = error_ ? simdjson::error_message(error_) : "text after the record";
  return false;
}

}  // namespace warpsight::importers::chrome
