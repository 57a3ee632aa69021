#include "importers/chrome/arg_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "importers/chrome/event_parser.h"

namespace warpsight::importers::chrome {
namespace {

const ArgField* Find(std::string_view text) {
  static ArgFinder finder;
  return finder.Find((std::string(text) + std::string(kPadding, '\0')).c_str());
}

RawEvent Parse(const std::string& args) {
  static EventParser parser;  // its buffer holds the texts of the event
  RawEvent event;
  std::string reason;
  EXPECT_TRUE(parser.ParseOne(R"({"ph": "X", "args": )" + args + "}", &event, &reason)) << reason;
  return event;
}

TEST(ArgFields, AreFoundByTheirCompleteName) {
  // Names shorter than a word, names that fill a word without and with the closing quote, and names
  // of several words.
  for (const std::string name :
       {"grid", "context", "graph id", "Python id", "Sequence number", "warpsight:op",
        "warpsight:op type", "est. achieved occupancy %", "wait_on_cuda_event_record_corr_id"}) {
    const ArgField* field = Find(name + "\": 1");
    ASSERT_NE(nullptr, field) << name;
    EXPECT_EQ(name, field->name);
    EXPECT_EQ(nullptr, Find(name + "x\": 1"));
    EXPECT_EQ(nullptr, Find(name + " \": 1"));
    EXPECT_EQ(nullptr, Find("\"" + name.substr(1) + "\": 1"));
    std::string last_changed = name;
    last_changed.back() ^= 1;
    EXPECT_EQ(nullptr, Find(last_changed + "\": 1")) << last_changed;
  }
  EXPECT_EQ("block", Find("block\": 1")->name);
  EXPECT_EQ("blocks per SM", Find("blocks per SM\": 1")->name);
  EXPECT_EQ(nullptr, Find("blocks\": 1"));
  EXPECT_EQ(nullptr, Find("\": 1"));
  EXPECT_EQ(nullptr, Find("\xc3\xa9\": 1"));
}

TEST(ArgFields, AreReadByTheirKind) {
  const RawEvent event = Parse(
      R"({"registers per thread": 32, "External id": 18446744073709551615, "stream": null,
          "warps per SM": 1.5, "Call stack": "a\"b", "Input Dims" : [[2, [3]], []] ,
          "warpsight:only shown": 1, "cbid": 211})");
  const RawEvent::Args& args = event.args;
  EXPECT_EQ(32, args.registers);
  EXPECT_EQ(-1, args.external_id);
  EXPECT_EQ(kNoStream, args.stream);
  EXPECT_EQ(1.5, args.warps_per_sm);
  EXPECT_EQ(R"(a\"b)", args.call_stack);
  EXPECT_EQ("[[2, [3]], []]", args.dims.substr(0, 14));
  EXPECT_TRUE(args.only_shown);
  EXPECT_FALSE(args.has_other_args);
  EXPECT_EQ(0, event.wrong_types);
}

TEST(ArgFields, OthersAreKeptUnchanged) {
  EXPECT_EQ(R"({"bytes": 1, "new": {"a": [1]}})",
            Parse(R"({"bytes": 1, "new": {"a": [1]}} )").args.all);
  const RawEvent jax = Parse(R"({"correlation_id": 7})");
  EXPECT_EQ(7, jax.args.correlation);
  EXPECT_EQ(R"({"correlation_id": 7})", jax.args.all);
  const RawEvent address = Parse(R"({"bytes": "0x10"})");
  EXPECT_EQ(kMissing, address.args.bytes);
  EXPECT_EQ(R"({"bytes": "0x10"})", address.args.all);
  EXPECT_EQ("[1, 2]", Parse("[1, 2]").args.all);
  EXPECT_EQ(R"({"a": 1})", Parse(R"({"warpsight:args": {"a": 1}, "bytes": 3})").args.all);
}

TEST(ArgFields, OfWrongTypesAreCounted) {
  const RawEvent event = Parse(R"({"bytes": [], "warps per SM": "x", "dtype": 1, "device": null})");
  EXPECT_EQ(3, event.wrong_types);
  EXPECT_EQ(kMissing, event.args.bytes);
  EXPECT_EQ(kMissing, event.args.device);
}

}  // namespace
}  // namespace warpsight::importers::chrome
