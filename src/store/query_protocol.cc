#include "store/query_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/utf8.h"
#include "store/stored_tables.h"

namespace warpsight::store {
namespace {

enum FrameKind : uint8_t { kColumns = 1, kRows = 2, kDone = 3, kError = 4, kSchema = 5 };

constexpr size_t kFrameHead = 1 + sizeof(uint32_t);
constexpr uint32_t kNull = UINT32_MAX;
// Rows are sent together until a frame has this size.
constexpr size_t kRowsFrame = 64 << 10;
constexpr size_t kLongestMessage = 4000;

template <typename T>
void Append(T value, std::string& out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void AppendText(std::string_view text, std::string& out) {
  Append(static_cast<uint32_t>(text.size()), out);
  out.append(text);
}

std::string Frame(FrameKind kind, std::string_view payload) {
  std::string frame(1, static_cast<char>(kind));
  AppendText(payload, frame);
  return frame;
}

// Takes values from the front of a text; returns nullopt if there are too few bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  std::optional<T> Number() {
    if (rest_.size() < sizeof(T)) return {};
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  std::optional<std::string_view> Bytes(size_t count) {
    if (rest_.size() < count) return {};
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::optional<std::string_view> Text() {
    const auto length = Number<uint32_t>();
    return length ? Bytes(*length) : std::nullopt;
  }
  bool done() const { return rest_.empty(); }
  size_t size() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

// The numbers of a request, in order.
template <typename Request>
auto NumbersOf(Request& request) {
  return std::array{&request.memory_bytes, &request.process_bytes, &request.cpu_seconds,
                    &request.threads,      &request.row_bytes,     &request.nice};
}

// The literal for a received code, since codes must have static lifetime.
std::string_view KnownCode(std::string_view code) {
  constexpr std::array<std::string_view, 7> kCodes = {"sql-error",   kOutOfMemory, "missing",
                                                      "unreadable",  "damaged",    "not-a-profile",
                                                      "newer-schema"};
  const auto* const found = std::find(kCodes.begin(), kCodes.end(), code);
  return found == kCodes.end() ? "sql-error" : *found;
}

std::string OneLine(std::string_view message) {
  std::string line = RepairUtf8(message.substr(0, kLongestMessage));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return line;
}

bool LooksLikeNumber(std::string_view text) {
  return !text.empty() && (text.find_first_not_of("0123456789+-.eE") == text.npos ||
                           text == "inf" || text == "-inf" || text == "nan" || text == "-nan");
}

}  // namespace

std::string EncodeRequest(const QueryRequest& request) {
  std::string payload;
  Append(request.parent, payload);
  for (const uint64_t* number : NumbersOf(request)) Append(*number, payload);
  AppendText(request.path, payload);
  AppendText(request.sql, payload);
  std::string bytes;
  AppendText(payload, bytes);
  return bytes;
}

Result<QueryRequest> DecodeRequest(std::string_view payload) {
  const Error malformed{"malformed query request"};
  QueryRequest request;
  Reader reader(payload);
  const auto parent = reader.Number<int64_t>();
  if (!parent) return malformed;
  request.parent = *parent;
  for (uint64_t* number : NumbersOf(request)) {
    const auto value = reader.Number<uint64_t>();
    if (!value) return malformed;
    *number = *value;
  }
  const auto path = reader.Text();
  const auto sql = reader.Text();
  if (!path || !sql || !reader.done()) return malformed;
  request.path = *path;
  request.sql = *sql;
  return request;
}

void FrameWriter::EarlierSchema(int version) {
  std::string payload;
  Append(static_cast<uint32_t>(version), payload);
  send_(Frame(kSchema, payload));
}

void FrameWriter::Columns(std::span<const QueryColumn> columns) {
  std::string payload;
  Append(static_cast<uint32_t>(columns.size()), payload);
  for (const QueryColumn& column : columns) {
    Append(static_cast<uint8_t>(column.kind), payload);
    AppendText(column.name, payload);
    AppendText(column.type, payload);
  }
  rows_ = Frame(kColumns, payload);
  send_(rows_);
  rows_.clear();
}

bool FrameWriter::Row(std::span<const QueryCell> cells) {
  uint64_t size = 0;
  for (const QueryCell& cell : cells) size += sizeof(uint32_t) + (cell ? cell->size() : 0);
  if (size > row_bytes_) {
    row_too_large_ = true;
    return false;
  }
  if (!rows_.empty() && rows_.size() + size > kRowsFrame && !SendRows()) return false;
  for (const QueryCell& cell : cells) {
    if (cell) {
      AppendText(*cell, rows_);
    } else {
      Append(kNull, rows_);
    }
  }
  return true;
}

bool FrameWriter::SendRows() {
  const bool sent = send_(Frame(kRows, rows_));
  rows_.clear();
  return sent;
}

void FrameWriter::Finish(const Status& status) {
  if (!rows_.empty() && !SendRows()) return;
  if (status.ok() && !row_too_large_) {
    send_(Frame(kDone, ""));
    return;
  }
  std::string payload;
  AppendText(row_too_large_ ? "sql-error" : status.error().code, payload);
  AppendText(row_too_large_
                 ? fmt::format("a row of the result is larger than {} MB", row_bytes_ >> 20)
                 : status.error().message,
             payload);
  send_(Frame(kError, payload));
}

FrameReader::State FrameReader::Read(std::string_view bytes) {
  // Most frames arrive in several pieces. The rest of the previous piece is at the front.
  pending_.append(bytes);
  std::string_view rest = pending_;
  State state = State::kOpen;
  while (state == State::kOpen && rest.size() >= kFrameHead) {
    const auto kind = static_cast<uint8_t>(rest.front());
    uint32_t length = 0;
    std::memcpy(&length, rest.data() + 1, sizeof length);
    if (length > largest_frame_) return State::kMalformed;
    if (rest.size() - kFrameHead < length) break;
    state = ReadFrame(kind, rest.substr(kFrameHead, length));
    rest.remove_prefix(kFrameHead + length);
  }
  pending_.erase(0, pending_.size() - rest.size());
  return state;
}

FrameReader::State FrameReader::ReadFrame(uint8_t kind, std::string_view payload) {
  switch (kind) {
    case kSchema:
      return ReadSchema(payload);
    case kColumns:
      return ReadColumns(payload);
    case kRows:
      return ReadRows(payload);
    case kDone:
      return payload.empty() && has_columns_ ? State::kDone : State::kMalformed;
    case kError:
      return ReadError(payload);
    default:
      return State::kMalformed;
  }
}

FrameReader::State FrameReader::ReadSchema(std::string_view payload) {
  Reader reader(payload);
  const auto version = reader.Number<uint32_t>();
  const bool earlier = version && *version > 0 && *version < kSchemaVersion;
  if (has_schema_ || has_columns_ || !earlier || !reader.done()) return State::kMalformed;
  has_schema_ = true;
  sink_.EarlierSchema(static_cast<int>(*version));
  return State::kOpen;
}

FrameReader::State FrameReader::ReadColumns(std::string_view payload) {
  Reader reader(payload);
  const auto count = reader.Number<uint32_t>();
  if (has_columns_ || !count) return State::kMalformed;
  for (uint32_t i = 0; i < *count; ++i) {
    const auto kind = reader.Number<uint8_t>();
    const auto name = reader.Text();
    const auto type = reader.Text();
    if (!kind || !name || !type || *kind > static_cast<uint8_t>(QueryColumn::Kind::kBoolean)) {
      return State::kMalformed;
    }
    if (!IsUtf8(*name) || !IsUtf8(*type)) return State::kMalformed;
    columns_.push_back(
        {std::string(*name), std::string(*type), static_cast<QueryColumn::Kind>(*kind)});
  }
  if (!reader.done()) return State::kMalformed;
  has_columns_ = true;
  cells_.resize(columns_.size());
  sink_.Columns(columns_);
  return State::kOpen;
}

bool FrameReader::IsValid(std::string_view cell, QueryColumn::Kind kind) const {
  switch (kind) {
    case QueryColumn::Kind::kText:
      return IsUtf8(cell);
    case QueryColumn::Kind::kNumber:
      return LooksLikeNumber(cell);
    case QueryColumn::Kind::kBoolean:
      return cell == "true" || cell == "false";
  }
  return false;
}

FrameReader::State FrameReader::ReadRows(std::string_view payload) {
  if (columns_.empty()) return State::kMalformed;
  Reader reader(payload);
  while (!reader.done()) {
    for (size_t i = 0; i < cells_.size(); ++i) {
      const auto length = reader.Number<uint32_t>();
      if (!length) return State::kMalformed;
      cells_[i].reset();
      if (*length == kNull) continue;
      cells_[i] = reader.Bytes(*length);
      if (!cells_[i] || !IsValid(*cells_[i], columns_[i].kind)) return State::kMalformed;
    }
    if (!sink_.Row(cells_)) return State::kStopped;
  }
  return State::kOpen;
}

FrameReader::State FrameReader::ReadError(std::string_view payload) {
  Reader reader(payload);
  const auto code = reader.Text();
  const auto message = reader.Text();
  if (!code || !message || !reader.done()) return State::kMalformed;
  error_ = Error{OneLine(*message), KnownCode(*code)};
  return State::kFailed;
}

}  // namespace warpsight::store
