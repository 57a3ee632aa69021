#include "server/params.h"

#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpsight::server {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Request Asking(std::multimap<std::string, std::string> params) {
  Request request;
  request.params = std::move(params);
  return request;
}

TEST(Params, Counts) {
  EXPECT_EQ(*CountParam(Asking({{"n", "12"}}), "n", 5), 12u);
  EXPECT_EQ(*CountParam(Asking({{"n", "0"}}), "n", 5), 0u);
  EXPECT_EQ(*CountParam(Asking({{"n", ""}}), "n", 5), 5u);
  EXPECT_EQ(*CountParam(Asking({}), "n", 5), 5u);
  EXPECT_EQ(*CountParam(Asking({{"n", "9223372036854775807"}}), "n", 5), 9223372036854775807u);
  for (const char* text :
       {"-1", "1.5", "1e3", "x", " 1", "1 ", "+1", "0x10", "9223372036854775808", "١"}) {
    EXPECT_FALSE(CountParam(Asking({{"n", text}}), "n", 5).ok()) << text;
  }
  EXPECT_LT(CountParam(Asking({{"n", std::string(5000, 'x')}}), "n", 5).error().message.size(),
            100u)
      << "what was sent is not sent back at length";
}

TEST(Params, Pages) {
  const auto page = ReadPage(Asking({}));
  EXPECT_EQ(page->offset, 0u);
  EXPECT_EQ(page->limit, 25u);
  EXPECT_EQ(ReadPage(Asking({{"limit", "all"}}))->limit, SIZE_MAX);
  EXPECT_EQ(ReadPage(Asking({{"limit", "0"}}))->limit, 0u);
  EXPECT_FALSE(ReadPage(Asking({{"limit", "ALL"}})).ok());
  EXPECT_FALSE(ReadPage(Asking({{"offset", "-1"}})).ok());
}

TEST(Params, TableQueries) {
  TableQuery query;
  ASSERT_TRUE(ReadTableQuery(Asking({{"search", "mm"},
                                     {"sort", "Op Name"},
                                     {"order", "desc"},
                                     {"f.Op Name", "aten"},
                                     {"f.Calls", "1..2"},
                                     {"f.Empty", ""},
                                     {"other", "x"}}),
                             query)
                  .ok());
  EXPECT_EQ(query.search, "mm");
  EXPECT_EQ(query.sort, "Op Name");
  EXPECT_TRUE(query.descending);
  EXPECT_THAT(query.filters, ElementsAre(Pair("Calls", "1..2"), Pair("Op Name", "aten")));

  TableQuery plain;
  ASSERT_TRUE(ReadTableQuery(Asking({{"order", "asc"}}), plain).ok());
  EXPECT_FALSE(plain.descending);
}

TEST(Params, TableQueriesHaveLimits) {
  TableQuery query;
  const std::string longest(1000, 'x');
  EXPECT_TRUE(ReadTableQuery(Asking({{"search", longest}, {"f.A", longest}}), query).ok());
  EXPECT_FALSE(ReadTableQuery(Asking({{"search", longest + "x"}}), query).ok());
  EXPECT_FALSE(ReadTableQuery(Asking({{"f.A", longest + "x"}}), query).ok());
  EXPECT_FALSE(ReadTableQuery(Asking({{"order", "down"}}), query).ok());
  std::multimap<std::string, std::string> many;
  for (int i = 0; i < 51; ++i) many.emplace("f.A", std::to_string(i));
  TableQuery another;
  EXPECT_FALSE(ReadTableQuery(Asking(many), another).ok());
}

TEST(Params, ErrorsCarryTheirCode) {
  EXPECT_EQ(*BadParam(Error{"no"}).body, "{\"code\": \"bad-parameter\", \"message\": \"no\"}\n");
  EXPECT_EQ(*BadParam(Error{"no", "special"}).body,
            "{\"code\": \"special\", \"message\": \"no\"}\n");
  EXPECT_EQ(BadParam(Error{"no"}).status, 400);
}

}  // namespace
}  // namespace warpsight::server
