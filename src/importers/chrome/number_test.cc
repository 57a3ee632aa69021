#include "importers/chrome/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace warpsight::importers::chrome {
namespace {

constexpr auto kNothing = std::nullopt;

struct TimeCase {
  std::string_view text;
  std::optional<int64_t> nanoseconds;
};

TEST(ParseMicroseconds, IsExact) {
  const TimeCase cases[] = {
      {"0", 0},
      {"1", 1000},
      {"-1", -1000},
      {"1.5", 1500},
      {"1.50", 1500},
      {"1.001", 1001},
      {"1.0004", 1000},
      {"1.0005", 1001},
      {"1.99951", 2000},
      {"-0.0005", -1},
      {"0.000499999999999999999999", 0},
      {"1.", 1000},
      {"007", 7000},
      // 2^53 ns and beyond: a double would lose the last digits.
      {"9007199254740.993", 9007199254740993},
      {"1694128201545123.457", 1694128201545123457},
      {"6403411022711.311", 6403411022711311},
      {" \n12\t", 12000},
      {"\"12.5\"", 12500},
      {"\"12.5\" ", 12500},
      // Exponents, as Python prints small numbers.
      {"5e-05", 0},
      {"1e-3", 1},
      {"1.5E3", 1500000},
      {"1e+2", 100000},
      {"-2e0", -2000},
      // Beyond +-2^61 ns.
      {"2305843009213693", 2305843009213693000},
      {"2305843009213694", kNothing},
      {"-2305843009213694", kNothing},
      {"1e300", kNothing},
      {"1e999999999999999999999", kNothing},
      {"99999999999999999999999999999999", kNothing},
      // Not numbers.
      {"", kNothing},
      {"-", kNothing},
      {"\"\"", kNothing},
      {".", kNothing},
      {"+1", kNothing},
      {"--1", kNothing},
      {"1.2.3", kNothing},
      {"1,5", kNothing},
      {"1 2", kNothing},
      {"0x10", kNothing},
      {"NaN", kNothing},
      {"Infinity", kNothing},
      {"null", kNothing},
      {"true", kNothing},
      {"{", kNothing},
      {"1e", kNothing},
      {"1\xc3\xa9", kNothing},
  };
  for (const TimeCase& c : cases) EXPECT_EQ(ParseMicroseconds(c.text), c.nanoseconds) << c.text;
}

TEST(ParseInteger, AcceptsOnlyWholeNumbers) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  const std::pair<std::string_view, std::optional<int64_t>> cases[] = {
      {"0", 0},
      {"-5", -5},
      {"9007199254740993", 9007199254740993},
      {"9223372036854775807", kLargest},
      {"-9223372036854775808", -kLargest - 1},
      {"9223372036854775808", kNothing},
      {"18446744073709551615", kNothing},
      {"\"42\"", 42},
      {" 42 ", 42},
      {"42.0", 42},
      {"4.2e1", 42},
      {"42.5", kNothing},
      {"1e30", kNothing},
      {"1e400", kNothing},
      {"", kNothing},
      {"abc", kNothing},
      {"12abc", kNothing},
      {"[1]", kNothing},
      {"null", kNothing},
      {"nan", kNothing},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(ParseInteger(text), value) << text;
}

TEST(ParseId, AcceptsUnsignedAndHexadecimalNumbers) {
  EXPECT_EQ(ParseId("17"), 17);
  EXPECT_EQ(ParseId("18446744073709551615"), -1);
  EXPECT_EQ(ParseId("\"0x1f\""), 31);
  EXPECT_EQ(ParseId("0xffffffffffffffff"), -1);
  EXPECT_EQ(ParseId("0x"), kNothing);
  EXPECT_EQ(ParseId("18446744073709551616"), kNothing);
  EXPECT_EQ(ParseId("a"), kNothing);
}

TEST(ParseReal, AcceptsFiniteNumbers) {
  EXPECT_EQ(ParseReal("1.25"), 1.25);
  EXPECT_EQ(ParseReal(" \"-3e2\" "), -300.0);
  EXPECT_EQ(ParseReal("inf"), kNothing);
  EXPECT_EQ(ParseReal("nan"), kNothing);
  EXPECT_EQ(ParseReal("1e999"), kNothing);
  EXPECT_EQ(ParseReal(""), kNothing);
  EXPECT_EQ(ParseReal("1.2x"), kNothing);
}

}  // namespace
}  // namespace warpsight::importers::chrome
