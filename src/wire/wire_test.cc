#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "wire/frame.h"
#include "wire/rows.h"

namespace warpsight::wire {
namespace {

std::vector<CallRecord> SomeCalls(size_t count) {
  std::mt19937_64 random(7);
  std::vector<CallRecord> calls;
  int64_t time = 1'700'000'000'000'000'000;
  for (size_t i = 0; i < count; ++i) {
    time += static_cast<int64_t>(random() % 5000);
    calls.push_back({time, time + 1200, 4711, static_cast<int64_t>(random() % 5), 0,
                     static_cast<int64_t>(i), 0});
  }
  return calls;
}

bool Equal(const CallRecord& a, const CallRecord& b) {
  return a.start == b.start && a.end == b.end && a.thread == b.thread && a.name == b.name &&
         a.driver == b.driver && a.correlation == b.correlation && a.result == b.result;
}

TEST(WireRows, RoundTrip) {
  const auto calls = SomeCalls(1000);
  std::string bytes;
  EncodeRows<CallRecord>(calls, bytes);
  EXPECT_LT(bytes.size(), calls.size() * 10);  // of 56 bytes each
  const auto decoded = DecodeRows<CallRecord>(bytes, 1000);
  ASSERT_TRUE(decoded);
  for (size_t i = 0; i < calls.size(); ++i) EXPECT_TRUE(Equal(calls[i], (*decoded)[i])) << i;
}

TEST(WireRows, RoundTripExtremeNumbers) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  const std::vector<MarkRecord> marks = {{kLow, kHigh, 0, -1}, {kHigh, kLow, -1, 0}, {0, 0, 0, 0}};
  std::string bytes;
  EncodeRows<MarkRecord>(marks, bytes);
  const auto decoded = DecodeRows<MarkRecord>(bytes, 3);
  ASSERT_TRUE(decoded);
  EXPECT_EQ((*decoded)[0].time, kLow);
  EXPECT_EQ((*decoded)[0].thread, kHigh);
  EXPECT_EQ((*decoded)[1].time, kHigh);
  EXPECT_EQ((*decoded)[1].thread, kLow);
}

TEST(WireRows, CountersRoundTripFieldByField) {
  const std::vector<CounterRecord> counters = {{50, 7, 264, 1, 1, 384, 2, 3, 0, 8, 1'500'000, 2},
                                               {50, 7, 264, 1, 1, 384, 2, 3, 1, 9, 0, 2}};
  std::string bytes;
  EncodeRows<CounterRecord>(counters, bytes);
  EXPECT_EQ(bytes.front(), 12);  // fields
  const auto decoded = DecodeRows<CounterRecord>(bytes, 2);
  ASSERT_TRUE(decoded);
  EXPECT_EQ((*decoded)[0].grid_x, 264);
  EXPECT_EQ((*decoded)[0].block_z, 3);
  EXPECT_EQ((*decoded)[0].micros, 1'500'000);
  EXPECT_EQ((*decoded)[1].instance, 1);
  EXPECT_EQ((*decoded)[1].metric, 9);
}

TEST(WireRows, OlderAndNewerWritersAreRead) {
  std::string bytes;  // a writer of marks that knew only three of the fields
  AppendVarint(3, bytes);
  for (const int64_t value : {5, 6, 7}) AppendVarint(ZigZag(value), bytes);
  const auto older = DecodeRows<MarkRecord>(bytes, 1);
  ASSERT_TRUE(older);
  EXPECT_EQ((*older)[0].name, 7);
  EXPECT_EQ((*older)[0].domain, 0);

  std::string more;
  AppendVarint(5, more);
  for (const int64_t value : {5, 6, 7, 8, 9}) AppendVarint(ZigZag(value), more);
  const auto newer = DecodeRows<MarkRecord>(more, 1);
  ASSERT_TRUE(newer);
  EXPECT_EQ((*newer)[0].domain, 8);
}

TEST(WireRows, RejectDamageWithoutReadingBeyondTheEnd) {
  const auto calls = SomeCalls(20);
  std::string bytes;
  EncodeRows<CallRecord>(calls, bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeRows<CallRecord>(std::string_view(bytes).substr(0, size), 20)) << size;
  }
  EXPECT_FALSE(DecodeRows<CallRecord>(bytes, 21));
  EXPECT_FALSE(DecodeRows<CallRecord>(bytes, 0xFFFFFFFF));

  std::string many;  // claims as many fields as rows: decoding must not loop over their product
  AppendVarint(uint64_t{1} << 19, many);
  many.resize(size_t{1} << 20);
  EXPECT_FALSE(DecodeRows<CallRecord>(many, 1U << 19));
}

TEST(WireStrings, RoundTripWithTheirNumbers) {
  const std::vector<std::string> texts = {"", "aten::mm", std::string(300, 'x')};
  std::string bytes;
  EncodeStrings(12, texts, bytes);
  const auto decoded = DecodeStrings(bytes, 3);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->first, 12U);
  ASSERT_EQ(decoded->texts.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(decoded->texts[i], texts[i]);
  EXPECT_FALSE(DecodeStrings(std::string_view(bytes).substr(0, 20), 3));
}

std::string FileOf(int frames) {
  std::string file;
  for (int i = 0; i < frames; ++i) {
    FrameHeader header;
    header.sequence = static_cast<uint32_t>(i);
    AppendFrame(header, std::string(static_cast<size_t>(10 * i), static_cast<char>('a' + i)), file);
  }
  return file;
}

std::vector<uint32_t> SequencesOf(FrameReader& reader) {
  std::vector<uint32_t> found;
  while (const auto frame = reader.Next()) found.push_back(frame->header.sequence);
  return found;
}

TEST(WireFrames, ATruncatedFileIsReadUpToItsLastCompleteFrame) {
  const std::string file = FileOf(5);
  size_t whole = 0;
  size_t end = 0;
  for (size_t size = 0; size <= file.size(); ++size) {
    if (whole < 5 && size == end + sizeof(FrameHeader) + 10 * whole) {
      end = size;
      ++whole;
    }
    FrameReader reader(std::string_view(file).substr(0, size));
    EXPECT_EQ(SequencesOf(reader).size(), whole) << size;
    EXPECT_EQ(reader.passed_over(), size - end) << size;
    EXPECT_EQ(reader.missing(), 0U);
  }
}

TEST(WireFrames, DamageAffectsOnlyItsFrame) {
  const std::string file = FileOf(5);
  for (size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    FrameReader reader(damaged);
    EXPECT_EQ(SequencesOf(reader).size(), 4U) << at;
  }
  std::string damaged = file;
  damaged[sizeof(FrameHeader) + 20] = '?';  // in the second frame
  FrameReader reader(damaged);
  EXPECT_EQ(SequencesOf(reader), (std::vector<uint32_t>{0, 2, 3, 4}));
  EXPECT_EQ(reader.missing(), 1U);
}

}  // namespace
}  // namespace warpsight::wire
