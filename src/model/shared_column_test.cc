#include "model/shared_column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace warpsight {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SharedColumn<int64_t> MakeColumn() {
  SharedColumn<int64_t> column;
  column.push_back(1);
  column.push_back(2);
  return column;
}

TEST(SharedColumn, CopiesShareUntilOneIsChanged) {
  SharedColumn<int64_t> column = MakeColumn();
  SharedColumn<int64_t> copy = column;
  EXPECT_TRUE(copy.SharesWith(column));
  EXPECT_EQ(copy.data(), column.data());
  copy.Edit()[0] = 7;
  EXPECT_FALSE(copy.SharesWith(column));
  EXPECT_THAT(copy, ElementsAre(7, 2));
  EXPECT_THAT(column, ElementsAre(1, 2));
  // Nobody else has the values: they are changed where they are.
  const int64_t* place = column.data();
  column.Edit()[1] = 8;
  EXPECT_EQ(column.data(), place);
  EXPECT_EQ(column.back(), 8);
}

TEST(SharedColumn, SettingTheSameValuesKeepsThemShared) {
  const SharedColumn<int64_t> column = MakeColumn();
  SharedColumn<int64_t> copy = column;
  copy.Set({1, 2});
  EXPECT_TRUE(copy.SharesWith(column));
  copy.Set({1, 3});
  EXPECT_FALSE(copy.SharesWith(column));
  EXPECT_THAT(copy, ElementsAre(1, 3));
  EXPECT_THAT(column, ElementsAre(1, 2));
}

TEST(SharedColumn, NewOnesShareNothing) {
  SharedColumn<int64_t> a;
  const SharedColumn<int64_t> b;
  EXPECT_FALSE(a.SharesWith(b));
  a.push_back(1);
  EXPECT_EQ(a.size(), 1U);
  EXPECT_THAT(b, IsEmpty());
  EXPECT_TRUE(b.empty());
}

}  // namespace
}  // namespace warpsight
