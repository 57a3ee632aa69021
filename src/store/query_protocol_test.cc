#include "store/query_protocol.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace warpsight::store {
namespace {

using State = FrameReader::State;

std::string* sent = nullptr;

bool Keep(std::string_view frames) {
  *sent += frames;
  return true;
}

class TextSink : public QuerySink {
 public:
  void EarlierSchema(int version) override { text += fmt::format("schema {} ", version); }
  void Columns(std::span<const QueryColumn> columns) override {
    for (const QueryColumn& column : columns)
      text += fmt::format("{}:{} ", column.name, column.type);
  }
  bool Row(std::span<const QueryCell> cells) override {
    text += "|";
    for (const QueryCell& cell : cells) text += fmt::format(" {}", cell.value_or("NULL"));
    return text.size() < 10'000;
  }
  std::string text;
};

const std::vector<QueryColumn> kColumns = {{"a", "VARCHAR", QueryColumn::Kind::kText},
                                           {"b", "BIGINT", QueryColumn::Kind::kNumber},
                                           {"c", "BOOLEAN", QueryColumn::Kind::kBoolean}};

std::string Frames(const std::vector<std::vector<QueryCell>>& rows, const Status& end = {}) {
  std::string frames;
  sent = &frames;
  FrameWriter writer(Keep, 1000);
  writer.EarlierSchema(3);
  writer.Columns(kColumns);
  for (const auto& row : rows) {
    if (!writer.Row(row)) break;
  }
  writer.Finish(end);
  return frames;
}

const std::vector<std::vector<QueryCell>> kRows = {{"x", "-1.5e3", "true"},
                                                   {"", "nan", std::nullopt}};

TEST(QueryProtocol, ResultsArriveInAnyPieces) {
  const std::string frames = Frames(kRows);
  for (size_t piece = 1; piece <= frames.size(); ++piece) {
    TextSink sink;
    FrameReader reader(sink, 1 << 20);
    State state = State::kOpen;
    for (size_t i = 0; i < frames.size(); i += piece) {
      ASSERT_EQ(state, State::kOpen);
      state = reader.Read(std::string_view(frames).substr(i, piece));
    }
    EXPECT_EQ(state, State::kDone);
    EXPECT_EQ(sink.text, "schema 3 a:VARCHAR b:BIGINT c:BOOLEAN | x -1.5e3 true|  nan NULL");
  }
}

TEST(QueryProtocol, ErrorsAreOneLineWithAKnownCode) {
  TextSink sink;
  FrameReader reader(sink, 1 << 20);
  EXPECT_EQ(reader.Read(Frames({}, Error{"two\nlines \x1b[2J \xff", "no-such-code"})),
            State::kFailed);
  EXPECT_EQ(reader.error().code, "sql-error");
  EXPECT_EQ(reader.error().message, "two lines  [2J \xEF\xBF\xBD");
}

TEST(QueryProtocol, RowsThatAreTooLargeAreAnError) {
  const std::string large(2000, 'x');
  TextSink sink;
  FrameReader reader(sink, 1 << 20);
  EXPECT_EQ(reader.Read(Frames({{large, "1", "true"}})), State::kFailed);
  EXPECT_EQ(reader.error().message, "a row of the result is larger than 0 MB");
}

TEST(QueryProtocol, DeviationsFromTheProtocolAreErrors) {
  const std::string good = Frames(kRows);
  const std::string columns = Frames({}).substr(0, Frames({}).size() - 5);
  constexpr size_t kSchemaFrame = 9;
  const std::vector<std::string> bad = {
      good.substr(columns.size()),                             // rows without columns
      columns + good,                                          // everything twice
      columns + columns.substr(kSchemaFrame),                  // columns twice
      std::string("\x05\x04\x00\x00\x00\xff\x00\x00\x00", 9),  // the schema of a newer version
      std::string("\x05\x02\x00\x00\x00\x03\x00", 7),          // half a number
      Frames({{"\xff", "1", "true"}}),                         // invalid UTF-8
      Frames({{"x", "1, \"evil\": 2", "true"}}),               // not a number
      Frames({{"x", "1", "maybe"}}),                           // not a boolean
      columns + std::string("\x02\xff\xff\xff\xff", 5),        // a frame of 4 GB
      columns + std::string("\x02\x04\x00\x00\x00\x09\x00\x00\x00", 9),  // a cell beyond its frame
      columns + std::string("\x07\x00\x00\x00\x00", 5),                  // unknown kind
      columns + std::string("\x03\x01\x00\x00\x00x", 6),       // a final frame with a payload
      std::string("\x01\x04\x00\x00\x00\xff\xff\xff\xff", 9),  // 4 billion columns
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    TextSink sink;
    FrameReader reader(sink, 1 << 20);
    EXPECT_EQ(reader.Read(bad[i]), State::kMalformed) << i;
  }
}

// Sanitizers must not report anything, and the sink must get only complete rows.
TEST(QueryProtocol, RandomChangesAreHarmless) {
  std::mt19937 random(16);  // NOLINT: deterministic on purpose
  const std::string good = Frames(kRows);
  for (int i = 0; i < 20'000; ++i) {
    std::string frames = good;
    for (int changes = 0; changes < 3; ++changes) {
      frames[random() % frames.size()] = static_cast<char>(random());
    }
    frames.resize(frames.size() - random() % 8);
    TextSink sink;
    FrameReader reader(sink, 1 << 12);
    reader.Read(frames);
    EXPECT_LT(sink.text.size(), 20'000u);
  }
}

TEST(QueryProtocol, RequestsSurvive) {
  QueryRequest request;
  request.parent = 77;
  request.memory_bytes = 1ULL << 40;
  request.row_bytes = 5;
  request.nice = 10;
  request.path = "run.warpsight";
  request.sql = std::string("SELECT 1\0;", 10);
  const std::string bytes = EncodeRequest(request);
  const auto read = DecodeRequest(std::string_view(bytes).substr(4));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->parent, 77);
  EXPECT_EQ(read->memory_bytes, 1ULL << 40);
  EXPECT_EQ(read->row_bytes, 5u);
  EXPECT_EQ(read->nice, 10u);
  EXPECT_EQ(read->path, request.path);
  EXPECT_EQ(read->sql, request.sql);
  for (size_t cut = 4; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(DecodeRequest(std::string_view(bytes).substr(4, cut - 4)).ok());
  }
}

}  // namespace
}  // namespace warpsight::store
