// `warpsight export`: one page that contains the viewer and its responses.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip.h"
#include "server/base64.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using simdjson::dom::element;

std::string FromBase64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

TEST(Base64, EncodesAsInTheStandard) {
  EXPECT_EQ(server::Base64(""), "");
  EXPECT_EQ(server::Base64("f"), "Zg==");
  EXPECT_EQ(server::Base64("fo"), "Zm8=");
  EXPECT_EQ(server::Base64("foo"), "Zm9v");
  EXPECT_EQ(server::Base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(server::Base64("\xff\xfe\x00\x01"), "//4=");
  const std::string bytes("\x00\xff\x10\x80 any", 8);
  EXPECT_EQ(FromBase64(server::Base64(bytes)), bytes);
}

class OfflinePageTest : public ::testing::Test {
 protected:
  element Export(std::vector<std::string> more = {}) {
    const std::string file = folder_.Path("page.html");
    std::vector<std::string> arguments = {"export", input_, "--html", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_ = RunWarpsight(arguments);
    EXPECT_EQ(run_.exit_code, 0) << run_.errors;
    page_ = ReadFile(file);
    constexpr std::string_view kBegin = "<script id=\"warpsight-data\" type=\"text/plain\">";
    const size_t begin = page_.find(kBegin);
    EXPECT_NE(begin, std::string::npos);
    if (begin == std::string::npos) return {};
    const size_t data = begin + kBegin.size();
    const std::string text = page_.substr(data, page_.find("</script>", data) - data);
    EXPECT_EQ(server::Base64(FromBase64(text)), text);  // and the encoding is exact
    json_ = Gunzip(FromBase64(text));
    element parsed;
    EXPECT_EQ(parser_.parse(json_).get(parsed), simdjson::SUCCESS);
    return parsed["responses"];
  }

  static std::string Base() { return "/api/profiles/gpt2_bf16/aggregations/default"; }

  TemporaryFolder folder_;
  std::string input_ = BundledTracePath("gpt2_bf16");
  ProgramRun run_;
  std::string page_;
  std::string json_;
  simdjson::dom::parser parser_;
};

TEST_F(OfflinePageTest, ContainsTheResponsesForTheViewer) {
  const element responses = Export();
  EXPECT_EQ(responses["/api/profiles"]["profiles"].at(0)["id"].get_string().value(), "gpt2_bf16");
  EXPECT_EQ(responses["/api/profiles/gpt2_bf16"]["gpus"].get_int64().value(), 1);
  for (const std::string part : {"/dashboard", "/advice", "/roofline", "/reports/detail",
                                 "/reports/steps", "/reports/trust", "/timeline"}) {
    EXPECT_FALSE(responses[Base() + part].error()) << part;
  }
  const element detail = responses[Base() + "/reports/detail"];
  EXPECT_EQ(detail["rows"].get_array().size(), detail["total"].get_uint64().value());
  // The page loads nothing from other hosts.
  EXPECT_EQ(page_.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page_.find("href=\"http"), std::string::npos);
}

// The page must not reveal where it was created.
TEST_F(OfflinePageTest, NamesNoFolders) {
  const TemporaryFolder secret;
  const std::string trace = secret.Path("trace.json.gz");
  std::filesystem::copy(BundledTracePath("resnet18_cuda_graph_inference"), trace);
  const std::string profile = secret.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", trace, "-o", profile}).exit_code, 0);
  const ProgramRun trust =
      RunWarpsight({"report", profile, "--report", "trust", "--format", "csv"});
  ASSERT_NE(trust.output.find("records in " + trace), std::string::npos)
      << "only the profile contains the path";
  for (const std::string& input : {profile, trace}) {
    input_ = input;
    const element responses = Export();
    EXPECT_EQ(responses["/api/profiles"]["profiles"].at(0)["path"].get_string().value(),
              std::filesystem::path(input).filename().string());
    EXPECT_EQ(json_.find(secret.path()), std::string::npos);
    EXPECT_EQ(page_.find(secret.path()), std::string::npos);
    EXPECT_NE(json_.find("records in trace.json.gz"), std::string::npos);
  }
}

TEST_F(OfflinePageTest, AllowsOnlyItsOwnScript) {
  Export();
  const size_t policy = page_.find("<meta http-equiv=\"Content-Security-Policy\" content=\"");
  ASSERT_NE(policy, std::string::npos);
  EXPECT_LT(policy, page_.find("<script"));
  const std::string text = page_.substr(policy, page_.find('>', policy) - policy);
  for (const char* part : {"default-src 'none'", "script-src 'sha256-", "connect-src 'none'",
                           "form-action 'none'", "base-uri 'none'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  const size_t begin = text.find("script-src");
  const std::string scripts = text.substr(begin, text.find(';', begin) - begin);
  EXPECT_EQ(scripts.find("unsafe"), std::string::npos) << scripts;
  EXPECT_EQ(text.find("unsafe-eval"), std::string::npos);
}

TEST_F(OfflinePageTest, LongTablesAreTruncatedAndSaySo) {
  const element responses = Export({"--rows", "50"});
  const element rows = responses[Base() + "/reports/iteration"];
  EXPECT_EQ(rows["rows"].get_array().size(), 50u);
  bool said = false;
  for (const element note : rows["notes"].get_array()) {
    said |= note.get_string().value().starts_with("This page contains the first 50 of ");
  }
  EXPECT_TRUE(said);
}

TEST_F(OfflinePageTest, TilesFillTheSizeLimitFromCoarseToFine) {
  const element small = Export({"--timeline-mb", "0.2"});
  const auto level = [&](element responses) {
    return responses[Base() + "/timeline"]["max_level"].get_int64().value();
  };
  const int64_t coarse = level(small);
  for (int64_t l = 0; l <= coarse; ++l) {
    const std::string tile = Base() + "/timeline/tiles/" + std::to_string(l) + "/0";
    const std::string bytes = FromBase64(small[tile]["base64"].get_string().value());
    EXPECT_TRUE(bytes.starts_with("WST1")) << tile;
  }
  const size_t size = page_.size();
  EXPECT_GT(level(Export({"--timeline-mb", "2"})), coarse);
  EXPECT_GT(page_.size(), size);
}

TEST_F(OfflinePageTest, EventsLinkedFromRowsHaveDetails) {
  const element responses = Export();
  const element top = responses[Base() + "/dashboard"]["top_ops"].at(0);
  std::string event(top["event"].get_string().value());
  event.replace(event.find(':'), 1, "%3A");
  EXPECT_FALSE(responses[Base() + "/timeline/events/" + event].error()) << event;
}

TEST_F(OfflinePageTest, FailuresAreOneLine) {
  const ProgramRun missing = RunWarpsight({"export", folder_.Path("nothing.warpsight")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.errors.find("no such file"), std::string::npos) << missing.errors;
  const ProgramRun folder = RunWarpsight(
      {"export", BundledTracePath("gpt2_bf16"), "--html", folder_.Path("no/such/folder.html")});
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_NE(folder.errors.find("cannot write"), std::string::npos) << folder.errors;
}

}  // namespace
}  // namespace warpsight::testing
