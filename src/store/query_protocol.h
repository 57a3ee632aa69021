#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/query.h"

// The protocol between RunQuery and the process that runs the query. Numbers are little-endian, a
// text is its length in 4 bytes and its bytes.
//
// The request: 4 bytes of length, then the fields of QueryRequest in order.
//
// The answer: frames of 1 byte of kind, 4 bytes of length and a payload.
//   schema   first, only if it is an earlier one: the version of the profile's schema (4 bytes)
//   columns  once: their number, then for each its kind (1 byte), name and type
//   rows     any number of times: cells row by row, each a text, or only the length kNull
//   done     the end of a complete result; no payload
//   error    the end instead of `done`: code and message
namespace warpsight::store {

// The code for DuckDB's out-of-memory errors; used only between the two processes.
inline constexpr std::string_view kOutOfMemory = "out-of-memory";

struct QueryRequest {
  int64_t parent = 0;          // process id
  uint64_t memory_bytes = 0;   // for DuckDB
  uint64_t process_bytes = 0;  // for everything
  uint64_t cpu_seconds = 0;    // 0: unlimited
  uint64_t threads = 1;
  uint64_t row_bytes = 0;
  uint64_t nice = 0;
  std::string path;  // of the profile, for messages
  std::string sql;
};

std::string EncodeRequest(const QueryRequest& request);
// Decodes the bytes after the length.
Result<QueryRequest> DecodeRequest(std::string_view payload);

// Encodes a result as frames. `send` receives complete frames; if it returns false, the query ends.
class FrameWriter : public QuerySink {
 public:
  using Send = bool (*)(std::string_view frames);

  FrameWriter(Send send, uint64_t row_bytes) : send_(send), row_bytes_(row_bytes) {}

  void EarlierSchema(int version) override;
  void Columns(std::span<const QueryColumn> columns) override;
  bool Row(std::span<const QueryCell> cells) override;
  // Sends the remaining rows and the final frame.
  void Finish(const Status& status);

 private:
  bool SendRows();

  Send send_;
  uint64_t row_bytes_;
  std::string rows_;
  bool row_too_large_ = false;
};

// Decodes frames that arrive in pieces and passes them to a sink. The sender is untrusted, since it
// may have run a malicious statement: any deviation from the protocol is an error, cells of numbers
// and booleans must be valid, texts must be valid UTF-8, and messages must be one line.
class FrameReader {
 public:
  enum class State : uint8_t {
    kOpen,       // more frames may come
    kDone,       // the result is complete
    kStopped,    // the sink wants no more
    kFailed,     // the sender sent an error: error()
    kMalformed,  // not a frame
  };

  // A frame may have at most `largest_frame` bytes.
  FrameReader(QuerySink& sink, uint64_t largest_frame)
      : sink_(sink), largest_frame_(largest_frame) {}

  // Must be called with all bytes in order, until it returns a state other than kOpen.
  State Read(std::string_view bytes);
  const Error& error() const { return error_; }

 private:
  State ReadFrame(uint8_t kind, std::string_view payload);
  State ReadSchema(std::string_view payload);
  State ReadColumns(std::string_view payload);
  State ReadRows(std::string_view payload);
  State ReadError(std::string_view payload);
  bool IsValid(std::string_view cell, QueryColumn::Kind kind) const;

  QuerySink& sink_;
  uint64_t largest_frame_;
  std::string pending_;  // the beginning of an incomplete frame
  bool has_schema_ = false;
  bool has_columns_ = false;
  std::vector<QueryColumn> columns_;
  std::vector<QueryCell> cells_;
  Error error_;
};

}  // namespace warpsight::store
