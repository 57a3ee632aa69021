#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace warpsight {
namespace {

// RFC 3720, appendix B.4, and the check value of the CRC catalog.
TEST(Crc32c, KnownAnswers) {
  std::string rising;
  for (int i = 0; i < 32; ++i) rising.push_back(static_cast<char>(i));
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(Crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(Crc32c(std::string(rising.rbegin(), rising.rend())), 0x113FDB5CU);
}

TEST(Crc32c, CanBeComputedInParts) {
  const std::string text = "length, payload and what follows";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Crc32c(text.substr(cut), Crc32c(text.substr(0, cut))), Crc32c(text)) << cut;
  }
}

}  // namespace
}  // namespace warpsight
