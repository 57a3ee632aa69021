// Aggregations of other iterations through the API: created, polled, requested concurrently,
// dropped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/reporting/report.h"
#include "api_client.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using simdjson::dom::element;

constexpr const char* kProfile = "gpt2_bf16";
constexpr const char* kAggregations = "/api/profiles/gpt2_bf16/aggregations";
constexpr const char* kKeyOp = "Optimizer.step#AdamW.step";

class AggregationsTest : public ::testing::Test {
 protected:
  AggregationsTest() : api_({BundledTracePath(kProfile)}) { api_.viewer().profiles().Wait(); }

  std::string Of(const std::string& id) { return std::string(kAggregations) + '/' + Encode(id); }
  std::string Summary(const std::string& id) {
    const ApiAnswer answer = api_.Get(Of(id) + "/reports/summary", {{"limit", "all"}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }

  ApiClient api_;
};

TEST_F(AggregationsTest, TheProfilesAggregationExists) {
  const ApiAnswer list = api_.Get(kAggregations);
  ASSERT_EQ(list.json["aggregations"].get_array().value().size(), 1u);
  const element own = list.json["aggregations"].at(0).value();
  EXPECT_EQ(TextOf(own, "id"), "default");
  EXPECT_EQ(TextOf(own, "state"), "ready");
  EXPECT_EQ(TextOf(own, "phase"), "");
  EXPECT_EQ(IntegerOf(own, "iterations"), 4);
  EXPECT_EQ(api_.Ask("DELETE", Of("default")).status, 409);
  EXPECT_EQ(api_.Get(Of("default")).status, 200);
}

TEST_F(AggregationsTest, NumbersEqualThoseOfTheProgram) {
  const std::string id = api_.Aggregate(kProfile, {{"start", "1"}, {"stop", "2"}});
  EXPECT_EQ(id, "1-2");
  const ApiAnswer state = api_.Get(Of(id));
  EXPECT_EQ(TextOf(state.json, "state"), "ready");
  EXPECT_EQ(IntegerOf(state.json, "start"), 1);
  EXPECT_EQ(IntegerOf(state.json, "stop"), 2);
  EXPECT_EQ(IntegerOf(state.json, "iterations"), 4);
  const ProgramRun printed =
      RunWarpsight({"report", BundledTracePath(kProfile), "--report", "detail", "--format", "json",
                    "--iter-start", "1", "--iter-stop", "2"});
  simdjson::dom::parser parser;
  const element expected = parser.parse(printed.output);
  const ApiAnswer detail = api_.Get(Of(id) + "/reports/detail", {{"limit", "all"}});
  const auto rows = detail.json["rows"].get_array().value();
  ASSERT_EQ(rows.size(), expected["rows"].get_array().value().size());
  auto row = rows.begin();
  for (const element printed_row : expected["rows"].get_array()) {
    const simdjson::dom::object object = printed_row.get_object();
    auto cell = (*row).get_array().value().begin();
    for (const auto field : object) {
      EXPECT_EQ(simdjson::to_string(*cell), simdjson::to_string(field.value)) << field.key;
      ++cell;
    }
    ++row;
  }
}

TEST_F(AggregationsTest, ReportsProgressUntilItIsReady) {
  const ApiAnswer made = api_.Ask("POST", kAggregations, {{"start", "0"}, {"stop", "1"}});
  EXPECT_EQ(made.status, 202);
  EXPECT_EQ(TextOf(made.json, "state"), "computing");
  EXPECT_EQ(made.response.keep, server::Keep::kNever);
  const ApiAnswer early = api_.Get(Of("0-1") + "/dashboard");
  if (early.status != 200) {
    EXPECT_EQ(early.status, 409);
    EXPECT_EQ(early.code(), "computing");
  }
  EXPECT_EQ(api_.WaitForAggregation(kProfile, "0-1"), "ready");
  const ApiAnswer ready = api_.Get(Of("0-1"));
  EXPECT_EQ(TextOf(ready.json, "phase"), "");
  EXPECT_EQ(TextOf(ready.json, "error"), "");
  EXPECT_EQ(api_.Get(Of("0-1") + "/dashboard").status, 200);
  EXPECT_EQ(api_.Get(kAggregations).json["aggregations"].get_array().value().size(), 2u);
}

TEST_F(AggregationsTest, EqualRequestsShareOneAggregation) {
  api_.Aggregate(kProfile, {{"start", "0"}, {"stop", "2"}});
  const std::string before = api_.Get(Of("0-2")).body;
  const ApiAnswer again = api_.Ask("POST", kAggregations, {{"start", "0"}, {"stop", "2"}});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, before);
  EXPECT_EQ(api_.Get(kAggregations).json["aggregations"].get_array().value().size(), 2u);
}

TEST_F(AggregationsTest, KeyOps) {
  const std::string id = api_.Aggregate(kProfile, {{"key_op", kKeyOp}});
  const ApiAnswer state = api_.Get(Of(id));
  EXPECT_EQ(TextOf(state.json, "state"), "ready");
  EXPECT_EQ(TextOf(state.json, "key_op"), kKeyOp);
  EXPECT_EQ(IntegerOf(state.json, "iterations"), 4);
  const std::string part =
      api_.Aggregate(kProfile, {{"key_op", kKeyOp}, {"start", "1"}, {"stop", "1"}});
  EXPECT_EQ(part, std::string("1-1@") + kKeyOp);
  EXPECT_EQ(IntegerOf(api_.Get(Of(part)).json, "start"), 1);
}

TEST_F(AggregationsTest, ImpossibleRequestsFailWithTheReason) {
  EXPECT_EQ(
      api_.WaitForAggregation(kProfile, api_.Aggregate(kProfile, {{"start", "2"}, {"stop", "99"}})),
      "failed");
  const ApiAnswer beyond = api_.Get(Of("2-99"));
  EXPECT_EQ(TextOf(beyond.json, "code"), "impossible-range");
  EXPECT_NE(TextOf(beyond.json, "error").find('4'), std::string::npos)
      << "names the number of iterations";
  EXPECT_EQ(IntegerOf(beyond.json, "start"), 2);
  EXPECT_EQ(IntegerOf(beyond.json, "stop"), 99);
  EXPECT_EQ(api_.Get(Of("2-99") + "/dashboard").status, 422);
  EXPECT_EQ(api_.Get(Of("2-99") + "/dashboard").code(), "impossible-range");

  api_.Aggregate(kProfile, {{"start", "3"}, {"stop", "1"}});
  EXPECT_EQ(TextOf(api_.Get(Of("3-1")).json, "code"), "impossible-range");
  api_.Aggregate(kProfile, {{"key_op", "no such op"}});
  EXPECT_EQ(TextOf(api_.Get(Of("auto@no such op")).json, "code"), "unknown-key-op");

  // A second request computes it again.
  EXPECT_EQ(api_.Ask("POST", kAggregations, {{"start", "2"}, {"stop", "99"}}).status, 202);
  EXPECT_EQ(api_.WaitForAggregation(kProfile, "2-99"), "failed");
  EXPECT_EQ(api_.Get(Of("default") + "/dashboard").status, 200);
}

TEST_F(AggregationsTest, WrongFields) {
  for (const Params& params :
       {Params{}, Params{{"start", "1"}}, Params{{"stop", "1"}},
        Params{{"start", "x"}, {"stop", "2"}}, Params{{"start", "-1"}, {"stop", "2"}},
        Params{{"start", "1.5"}, {"stop", "2"}}, Params{{"key_op", std::string(2000, 'x')}}}) {
    EXPECT_EQ(api_.Ask("POST", kAggregations, params).status, 400);
  }
}

TEST_F(AggregationsTest, DeletedWhileItIsComputed) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(api_.Ask("POST", kAggregations, {{"start", "0"}, {"stop", "1"}}).status, 202);
    const ApiAnswer gone = api_.Ask("DELETE", Of("0-1"));
    EXPECT_EQ(gone.status, 204);
    EXPECT_TRUE(gone.body.empty());
    EXPECT_EQ(api_.Get(Of("0-1")).status, 404);
    EXPECT_EQ(api_.Ask("DELETE", Of("0-1")).status, 404);
  }
  api_.Aggregate(kProfile, {{"start", "0"}, {"stop", "1"}});
  EXPECT_EQ(api_.Get(Of("0-1") + "/dashboard").status, 200);
}

TEST_F(AggregationsTest, DroppedAggregationsAreComputedAgain) {
  const std::vector<std::pair<int, int>> ranges = {{0, 0}, {1, 1}, {2, 2}, {3, 3},
                                                   {0, 1}, {1, 2}, {2, 3}};
  std::map<std::string, std::string> summaries;
  std::map<std::string, std::string> states;
  for (const auto& [first, last] : ranges) {
    const std::string id = api_.Aggregate(
        kProfile, {{"start", std::to_string(first)}, {"stop", std::to_string(last)}});
    summaries[id] = Summary(id);
    states[id] = api_.Get(Of(id)).body;
  }
  EXPECT_NE(summaries["0-0"], summaries["1-1"]);
  for (int round = 0; round < 2; ++round) {
    for (const auto& [id, summary] : summaries) {
      EXPECT_TRUE(Summary(id) == summary) << id;
      EXPECT_EQ(api_.Get(Of(id)).body, states[id])
          << "a dropped aggregation gives the same answers";
    }
  }
}

// Also run it with ThreadSanitizer.
TEST_F(AggregationsTest, ConcurrentRequestsDuringComputation) {
  std::vector<std::string> places = {
      "",
      "/dashboard",
      "/advice",
      "/roofline",
      "/reports/detail?",
      "/reports/kernel",
      "/reports/summary",
      "/reports/iteration",
      "/timeline",
      "/timeline/tiles/0/0",
      "/timeline/tiles/3/1",
      "/timeline/events/gpu%3A10",
      "/timeline/gaps",
  };
  const std::vector<std::string> ids = {"default", "0-0", "1-1", "2-2", "3-3", "0-1", "1-2", "2-3"};
  std::atomic<bool> stop = false;
  std::atomic<int> good = 0;
  std::atomic<int> strange = 0;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      while (!stop) {
        const std::string path = Of(ids[random() % ids.size()]) + places[random() % places.size()];
        const ApiAnswer answer = random() % 10 == 0 ? api_.Get("/api/profiles/gpt2_bf16/key-ops")
                                                    : api_.Get(path.substr(0, path.find('?')),
                                                               {{"limit", "5"}, {"sort", ""}});
        if (answer.status == 200) ++good;
        const bool expected = answer.status == 200 || answer.status == 404 ||
                              answer.status == 409 || answer.code() == "busy";
        if (!expected) ++strange;
      }
    });
  }
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 1; i < ids.size(); ++i) {
      const size_t dash = ids[i].find('-');
      api_.Aggregate(kProfile,
                     {{"start", ids[i].substr(0, dash)}, {"stop", ids[i].substr(dash + 1)}});
    }
    api_.Aggregate(kProfile, {{"key_op", kKeyOp}});
    for (size_t i = 1; i < ids.size(); i += 2) api_.Ask("DELETE", Of(ids[i]));
    api_.Ask("DELETE", Of(std::string("auto@") + kKeyOp));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(good, 100);
  EXPECT_EQ(strange, 0);
}

// A flood of requests is rejected and leaves nothing behind; the accepted ones work.
TEST_F(AggregationsTest, RequestsBeyondTheQueueLimitAreRejected) {
  int refused = 0;
  std::string last;
  for (int first = 0; first < 200; ++first) {
    const std::string stop = std::to_string(1000 + first);
    const ApiAnswer made = api_.Ask("POST", kAggregations, {{"start", "0"}, {"stop", stop}});
    if (made.status == 202) {
      last = TextOf(made.json, "id");
      continue;
    }
    ++refused;
    EXPECT_EQ(made.status, 503) << made.body;
    EXPECT_EQ(made.code(), "busy");
    EXPECT_GT(made.response.retry_after_seconds, 0);
    EXPECT_EQ(api_.Get(Of("0-" + stop)).status, 404) << "the rejected request left nothing";
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(api_.WaitForAggregation(kProfile, last), "failed");
  api_.Aggregate(kProfile, {{"start", "0"}, {"stop", "1"}});
  EXPECT_EQ(api_.Get(Of("0-1") + "/dashboard").status, 200);
}

TEST_F(AggregationsTest, DeletedOnesStillCountAsWaiting) {
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string stop = std::to_string(1000 + round);
    refused += api_.Ask("POST", kAggregations, {{"start", "0"}, {"stop", stop}}).status == 503;
    api_.Ask("DELETE", Of("0-" + stop));
  }
  EXPECT_GT(refused, 0);
}

TEST_F(AggregationsTest, TheOldestAreDropped) {
  api_.Aggregate(kProfile, {{"start", "0"}, {"stop", "1"}});
  for (int stop = 100; stop < 180; ++stop) {
    api_.Aggregate(kProfile, {{"start", "0"}, {"stop", std::to_string(stop)}});
  }
  EXPECT_LE(api_.Get(kAggregations).json["aggregations"].get_array().value().size(), 33u);
  EXPECT_EQ(api_.Get(Of("0-1")).status, 404);
  EXPECT_EQ(api_.Get(Of("0-179")).status, 200);
  EXPECT_EQ(api_.Get(Of("default") + "/dashboard").status, 200);
  api_.Aggregate(kProfile, {{"start", "0"}, {"stop", "1"}});
  EXPECT_EQ(api_.Get(Of("0-1") + "/dashboard").status, 200) << "made again";
}

TEST_F(AggregationsTest, EndsWhileOneIsComputed) {
  for (int first = 0; first < 4; ++first) {
    api_.Ask("POST", kAggregations, {{"start", std::to_string(first)}, {"stop", "3"}});
  }
  api_.Close();  // waits for the running computation, and starts no other
}

}  // namespace
}  // namespace warpsight::testing
