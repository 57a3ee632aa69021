// Tests the scanner through the whole importer, with damaged texts that the fast parser rejects.
#include "importers/chrome/record_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "importers/chrome/import_text.h"
#include "model/compare.h"

namespace warpsight::importers::chrome {
namespace {

std::string Op(int number) {
  return R"({"ph":"X","cat":"cpu_op","name":"op)" + std::to_string(number) +
         R"(","pid":1,"tid":1,"ts":)" + std::to_string(number * 10) + R"(,"dur":5})";
}

std::vector<std::string> Names(const Trace& trace) {
  std::vector<std::string> names;
  for (const StringId id : trace.tables.host.name) names.emplace_back(trace.Text(id));
  return names;
}

using NameList = std::vector<std::string>;

TEST(RecordScanner, SkipsValuesOtherThanRecords) {
  const std::string text =
      R"({"traceEvents":[)" + Op(1) + R"(, 7, null, "text", [1,{"ph":"X"}], )" + Op(2) + "]}";
  const Trace trace = ImportText(text);
  EXPECT_EQ(Names(trace), (NameList{"op1", "op2"}));
  EXPECT_EQ(LogOf(trace, "unexpected_text").count, 4);
  EXPECT_EQ(LogOf(trace, "unexpected_text").offset, static_cast<int64_t>(text.find(" 7,") + 1));
  EXPECT_EQ(trace.tables.sources.events[0], 6);
}

TEST(RecordScanner, RepairsTrailingCommasAndBareKeys) {
  const Trace trace = ImportText(
      R"({traceEvents: [{ph:"X",name:"a",ts:1,dur:2,args:{"External id":3,},},{ph:"X",name:"b",ts:2},],})");
  EXPECT_EQ(Names(trace), (NameList{"a", "b"}));
  EXPECT_EQ(trace.tables.host.external_id[0], 3);
  EXPECT_EQ(LogOf(trace, "repaired_record").count, 2);
  EXPECT_EQ(LogOf(trace, "repaired_record").offset, 15);
  EXPECT_EQ(RowCount(trace.tables.import_log), 1u);
}

TEST(RecordScanner, ReplacesInvalidUtf8AndControlCharacters) {
  const Trace trace =
      ImportText("[" + Op(1) + ",{\"ph\":\"X\",\"ts\":20,\"name\":\"a\xff\x01z\"}," + Op(3) + "]");
  EXPECT_EQ(Names(trace), (NameList{"op1", "a\xEF\xBF\xBD z", "op3"}));
  EXPECT_EQ(LogOf(trace, "repaired_record").count, 1);
}

TEST(RecordScanner, ContinuesAfterAnUnclosedStringAtTheLineEnd) {
  const std::string broken = "{\"ph\":\"X\",\"name\":\"never closed,\n\"ts\":20,\"dur\":1},\n";
  const std::string text =
      "{\"traceEvents\":[\n" + Op(1) + ",\n" + broken + Op(3) + ",\n" + Op(4) + "\n]}";
  const Trace trace = ImportText(text);
  EXPECT_EQ(Names(trace), (NameList{"op1", "op3", "op4"}));
  EXPECT_EQ(LogOf(trace, "bad_record").count, 1);
  EXPECT_EQ(LogOf(trace, "bad_record").offset, static_cast<int64_t>(text.find(broken)));
  EXPECT_EQ(LogOf(trace, "bad_record").message, "a string is not closed");
}

TEST(RecordScanner, ContinuesAfterAnUnclosedStringWithinALine) {
  std::string text = "[" + Op(1) + R"(,{"ph":"X","name":"never closed,"ts":20},)";
  for (int i = 3; i < 50; ++i) text += Op(i) + ",";
  text += Op(50) + "]";
  const Trace trace = ImportText(text);
  EXPECT_EQ(Names(trace).front(), "op1");
  EXPECT_EQ(Names(trace).size(), 49u);
  EXPECT_EQ(LogOf(trace, "bad_record").count, 1);
}

TEST(RecordScanner, ContinuesAfterAMissingBrace) {
  const Trace trace =
      ImportText(R"({"traceEvents":[)" + Op(1) + R"(,{"ph":"X","name":"open","args":{"a":[1,2]},)" +
                 Op(3) + "," + Op(4) + R"(],"traceName":"n"})");
  EXPECT_THAT(Names(trace), ::testing::Contains("op4"));
  EXPECT_GE(LogOf(trace, "bad_record").count, 1);
}

TEST(RecordScanner, ABracketInsideADamagedRecordDoesNotEndTheArray) {
  std::string text = R"({"traceEvents":[)" + Op(1) +
                     R"(,{"ph":"X" "name":"bad","args":{"list":[{"name":1},{"name":2}],"x":[3]}},)";
  for (int i = 3; i < 200; ++i) text += Op(i) + ",";
  text += Op(200) + "]}";
  for (const size_t block : {size_t{64}, size_t{1000}, EventStream::kBlockSize}) {
    const Trace trace = ImportText(text, block);
    EXPECT_EQ(Names(trace).size(), 199u) << block;
    EXPECT_GE(LogOf(trace, "bad_record").count, 1) << block;
  }
}

TEST(RecordScanner, BlocksCutInsideArgumentsAreReadCorrectly) {
  // The arguments contain text that looks like the beginning of a record, so that blocks are cut
  // there.
  std::string text = R"({"traceEvents":[)";
  for (int i = 1; i < 60; ++i) {
    text += R"({"ph":"i","name":"n)" + std::to_string(i) + R"(","ts":)" + std::to_string(i) +
            R"(,"args":{"list":[{"name":1},   {"name":2} ,)" + "\n" + R"({"name":3}]}},)";
  }
  text += Op(100) + "]}";
  const Trace whole = ImportText(text);
  EXPECT_EQ(RowCount(whole.tables.instants), 59u);
  EXPECT_EQ(RowCount(whole.tables.import_log), 0u);
  for (size_t block = 1; block < 300; ++block) {
    ASSERT_EQ(FirstDifference(whole, ImportText(text, block)), "") << block;
  }
}

TEST(RecordScanner, ReadsASecondArray) {
  for (const size_t block : {size_t{1}, size_t{100}, EventStream::kBlockSize}) {
    std::string text = R"({"traceEvents":[)" + Op(1) + "," + Op(2) + R"(],"a":1,"traceEvents":[)";
    for (int i = 3; i < 20; ++i) text += Op(i) + ",";
    text += Op(20) + R"(],"b":2})";
    const Trace trace = ImportText(text, block);
    EXPECT_EQ(Names(trace).size(), 20u) << block;
    EXPECT_EQ(LogOf(trace, "second_array").count, 1) << block;
    EXPECT_EQ(RowCount(trace.tables.metadata), 2u) << block;
  }
}

TEST(RecordScanner, LogsWhereAFileIsTruncated) {
  const std::string text = R"({"traceEvents":[)" + Op(1) + "," + Op(2) + R"(],"a":1})";
  const size_t second = text.find(Op(2));
  for (size_t size = text.find('[') + 1; size < text.size(); ++size) {
    const Trace trace = ImportText(text.substr(0, size));
    const bool first_whole = size >= second - 1;
    const bool second_whole = size >= second + Op(2).size();
    EXPECT_EQ(Names(trace).size(), static_cast<size_t>(first_whole + second_whole)) << size;
    EXPECT_EQ(LogOf(trace, "truncated").count, 1) << text.substr(0, size);
  }
}

TEST(RecordScanner, ABareArrayMayEndWithoutItsBracket) {
  for (const std::string_view end : {"", ",", "\n", ",\n", "]", "]\n"}) {
    const Trace trace = ImportText("[" + Op(1) + "," + Op(2) + std::string(end));
    EXPECT_EQ(Names(trace).size(), 2u);
    EXPECT_EQ(RowCount(trace.tables.import_log), 0u) << end;
  }
  const Trace trace = ImportText("[" + Op(1) + R"(,{"ph":"X")");
  EXPECT_EQ(LogOf(trace, "truncated").count, 1);
}

TEST(RecordScanner, LogsTextAfterTheEnd) {
  const Trace trace = ImportText(R"({"traceEvents":[)" + Op(1) + R"(]} and more)");
  EXPECT_EQ(LogOf(trace, "unexpected_text").count, 1);
}

TEST(RecordScanner, HostileNestingTakesLinearTime) {
  std::string text = "[";
  for (int i = 0; i < 300'000; ++i) text += R"({"ph":{},{"ph":)";
  const Trace trace = ImportText(text);  // quadratic time would exceed the test's time limit
  EXPECT_EQ(RowCount(trace.tables.host), 0u);
}

}  // namespace
}  // namespace warpsight::importers::chrome
