#include "importers/chrome/event_parser.h"

#include <cstdint>
#include <cstring>
#include <utility>

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

// The content of a string token, which runs up to the next structural character.
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
        true;  // a text (AMD writes addresses): kept with the other arguments
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

// A string without its quotes, or a number as its digits: pids, ids.
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

// The text of any value; containers are skipped as a whole, without recursion.
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
  event.has_args = true;
  const char* begin = value.raw_json_token().data();
  event.args.tail = {begin, static_cast<size_t>(text_end_ - begin)};
  if (type != json_type::object) {
    // args may hold anything; only objects carry fields that we know.
    error_ = RawText(value, &event.args.all);
    if (event.args.all == "null") event.args.all = {};
    event.args.has_other_args = !event.args.all.empty();
    return error_ == simdjson::SUCCESS;
  }
  Object object;
  error_ = value.get_object().get(object);
  if (error_) return false;
  for (auto result : object) {
    simdjson::ondemand::field field;
    error_ = std::move(result).get(field);
    if (error_) return false;
    const char* key = field.key().raw();
    Value v = field.value();
    const auto integer = [&](int64_t& target) {
      ReadInteger(ParseInteger, v.raw_json_token(), target, event);
    };
    const auto id = [&](int64_t& target) {
      ReadInteger(ParseId, v.raw_json_token(), target, event);
    };
    const auto real = [&](double& target) { ReadReal(v.raw_json_token(), target, event); };
    const auto text = [&](std::string_view& target) {
      ReadString(v.raw_json_token(), target, event);
    };
    const auto json = [&](std::string_view& target) { error_ = RawText(v, &target); };
    bool known = true;
    switch (*key) {
      case 'E':
        if (Is(key, "External id")) {
          id(event.args.external_id);
        } else {
          known = Is(key, "Ev Idx");
        }
        break;
      case 'R':
        known = Is(key, "Record function id");
        break;
      case 'S':
        if (Is(key, "Sequence number")) {
          id(event.args.sequence);
        } else {
          known = false;
        }
        break;
      case 'F':
        if (Is(key, "Fwd thread id")) {
          integer(event.args.forward_thread);
        } else {
          known = false;
        }
        break;
      case 'I':
        if (Is(key, "Input Dims")) {
          json(event.args.dims);
        } else if (Is(key, "Input type")) {
          json(event.args.types);
        } else if (Is(key, "Input Strides")) {
          json(event.args.strides);
        } else if (Is(key, "In msg nelems")) {
          integer(event.args.elements_in);
        } else {
          known = false;
        }
        break;
      case 'C':
        if (Is(key, "Concrete Inputs")) {
          json(event.args.values);
        } else if (Is(key, "Call stack")) {
          text(event.args.call_stack);
        } else if (Is(key, "Collective name")) {
          text(event.args.collective);
        } else {
          known = false;
        }
        break;
      case 'c':
        if (Is(key, "correlation")) {
          id(event.args.correlation);
        } else if (Is(key, "context")) {
          integer(event.args.context);
        } else if (Is(key, "correlation_id")) {
          id(event.args.correlation);
          known = false;
        } else {
          known = Is(key, "cbid");
        }
        break;
      case 'd':
        if (Is(key, "device")) {
          integer(event.args.device);
        } else if (Is(key, "dtype")) {
          text(event.args.collective_dtype);
        } else {
          known = false;
        }
        break;
      case 's':
        if (Is(key, "stream")) {
          integer(event.args.stream);
          if (v.raw_json_token().starts_with("null")) event.args.stream = kNoStream;
        } else if (Is(key, "shared memory")) {
          integer(event.args.shared_bytes);
        } else {
          known = Is(key, "sort_index");
        }
        break;
      case 'r':
        if (Is(key, "registers per thread")) {
          integer(event.args.registers);
        } else {
          known = false;
        }
        break;
      case 'b':
        if (Is(key, "block")) {
          json(event.args.block);
        } else if (Is(key, "blocks per SM")) {
          real(event.args.blocks_per_sm);
        } else if (Is(key, "bytes")) {
          integer(event.args.bytes);
        } else {
          known = false;
        }
        break;
      case 'w':
        if (Is(key, "warps per SM")) {
          real(event.args.warps_per_sm);
        } else if (Is(key, "wait_on_stream")) {
          id(event.args.wait_stream);
        } else if (Is(key, "wait_on_cuda_event_record_corr_id")) {
          id(event.args.wait_record_correlation);
        } else if (Is(key, "wait_on_cuda_event_id")) {
          id(event.args.wait_event);
        } else if (Is(key, "warpsight:args")) {
          json(event.args.own);
        } else if (Is(key, "warpsight:copy direction")) {
          integer(event.args.copy_direction);
        } else if (Is(key, "warpsight:host memory")) {
          integer(event.args.host_memory);
        } else if (Is(key, "warpsight:kind")) {
          integer(event.args.host_kind);
        } else if (Is(key, "warpsight:process")) {
          text(event.args.process);
        } else if (Is(key, "warpsight:domain")) {
          text(event.args.nvtx_domain);
        } else if (Is(key, "warpsight:recorded device")) {
          integer(event.args.recorded_device);
        } else if (Is(key, "warpsight:only shown")) {
          event.args.only_shown = true;
        } else if (Is(key, "warpsight:op")) {
          text(event.args.op_name);
        } else if (Is(key, "warpsight:op type")) {
          text(event.args.op_type);
        } else if (Is(key, "warpsight:op path")) {
          text(event.args.op_path);
        } else {
          known = false;
        }
        break;
      case 'g':
        if (Is(key, "grid")) {
          json(event.args.grid);
        } else if (Is(key, "graph id")) {
          id(event.args.graph);
        } else if (Is(key, "graph node id")) {
          id(event.args.graph_node);
        } else {
          known = false;
        }
        break;
      case 'e':
        if (Is(key, "est. achieved occupancy %")) {
          real(event.args.occupancy_percent);
        } else if (Is(key, "external id")) {
          id(event.args.external_id);
        } else {
          known = Is(key, "external ts");
        }
        break;
      case 'q':
        known = Is(key, "queued");
        break;
      case 'm':
        if (Is(key, "memory bandwidth (GB/s)")) {
          real(event.args.bandwidth);
        } else {
          known = false;
        }
        break;
      case 'n':
        if (Is(key, "name")) {
          text(event.args.label);
        } else {
          known = false;
        }
        break;
      case 'l':
        if (Is(key, "labels")) {
          text(event.args.label);
        } else {
          known = false;
        }
        break;
      case 'P':
        if (Is(key, "Python id")) {
          id(event.args.python_id);
        } else if (Is(key, "Python parent id")) {
          id(event.args.python_parent);
        } else if (Is(key, "Python module id")) {
          id(event.args.python_module);
        } else if (Is(key, "Process Group Name")) {
          text(event.args.group_name);
        } else if (Is(key, "Process Group Description")) {
          text(event.args.group_description);
        } else if (Is(key, "Process Group Ranks")) {
          json(event.args.group_ranks);
        } else {
          known = Is(key, "Profiler Event Index");
        }
        break;
      case 'M':
        if (Is(key, "Module Hierarchy")) {
          text(event.args.module_hierarchy);
        } else {
          known = false;
        }
        break;
      case 'T':
        if (Is(key, "Total Allocated")) {
          integer(event.args.total_allocated);
        } else if (Is(key, "Total Reserved")) {
          integer(event.args.total_reserved);
        } else {
          known = Is(key, "Trace name") || Is(key, "Trace iteration");
        }
        break;
      case 'B':
        if (Is(key, "Bytes")) {
          integer(event.args.bytes);
        } else {
          known = false;
        }
        break;
      case 'A':
        if (Is(key, "Addr")) {
          id(event.args.address);
        } else {
          known = false;
        }
        break;
      case 'D':
        if (Is(key, "Device Type")) {
          integer(event.args.device_type);
        } else if (Is(key, "Device Id")) {
          integer(event.args.device_id);
        } else {
          known = Is(key, "Device");
        }
        break;
      case 'G':
        if (Is(key, "Group size")) {
          integer(event.args.group_size);
        } else {
          known = false;
        }
        break;
      case 'O':
        if (Is(key, "Out msg nelems")) {
          integer(event.args.elements_out);
        } else {
          known = Is(key, "Op count");
        }
        break;
      default:
        known = false;
        break;
    }
    if (error_) return false;
    if (!known) event.args.has_other_args = true;
  }
  if (event.args.has_other_args) {
    bool has_fields = false;
    error_ = object.reset().get(has_fields);
    if (!error_) error_ = object.raw_json().get(event.args.all);
    event.args.all = TrimEnd(event.args.all);
  }
  if (!event.args.own.empty()) {
    event.args.has_other_args = true;
    event.args.all = event.args.own == "null" ? std::string_view() : TrimEnd(event.args.own);
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
