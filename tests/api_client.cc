#include "api_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <thread>
#include <utility>

#include "profiles/open_profile.h"

namespace warpsight::testing {
namespace {

Result<Profile> ImportAsTheProgramDoes(const std::string& path, Progress& progress) {
  return ImportProfile({path}, "", {}, progress);
}

}  // namespace

std::string ApiAnswer::code() const { return status < 400 ? "" : TextOf(json, "code"); }

ApiClient::ApiClient(const std::vector<std::string>& paths, server::Profiles::Import import)
    : viewer_(std::make_unique<server::Viewer>(
          paths, import ? std::move(import) : server::Profiles::Import(ImportAsTheProgramDoes))) {}

ApiAnswer ApiClient::Get(const std::string& path, Params params) {
  return Ask("GET", path, std::move(params));
}

ApiAnswer ApiClient::Ask(const std::string& method, const std::string& path, Params params,
                         const std::string& body) {
  server::Request request;
  request.method = method;
  request.path = server::SplitPath(path);
  request.params = std::move(params);
  request.body = body;
  ApiAnswer answer;
  answer.response = viewer_->Handle(request);
  answer.status = answer.response.status;
  if (answer.response.body != nullptr) answer.body = *answer.response.body;
  if (answer.response.type == "application/json" && !answer.body.empty()) {
    answer.parser_ = std::make_shared<simdjson::dom::parser>();
    if (answer.parser_->parse(answer.body).get(answer.json) != simdjson::SUCCESS) {
      ADD_FAILURE() << path << " is not JSON: " << answer.body.substr(0, 300);
    }
  }
  return answer;
}

std::string ApiClient::WaitForAggregation(const std::string& profile, const std::string& id) {
  const std::string path = fmt::format("/api/profiles/{}/aggregations/{}", profile, Encode(id));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < end) {
    const ApiAnswer answer = Get(path);
    if (answer.status != 200) return answer.code();
    std::string state = TextOf(answer.json, "state");
    if (state != "computing") return state;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return "never";
}

std::string ApiClient::Aggregate(const std::string& profile, Params params) {
  const ApiAnswer made =
      Ask("POST", fmt::format("/api/profiles/{}/aggregations", profile), std::move(params));
  EXPECT_LT(made.status, 300) << made.body;
  std::string id = TextOf(made.json, "id");
  WaitForAggregation(profile, id);
  return id;
}

std::string TextOf(simdjson::dom::element object, std::string_view key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) {
    ADD_FAILURE() << "no text " << key;
    return "";
  }
  return std::string(text);
}

int64_t IntegerOf(simdjson::dom::element object, std::string_view key) {
  int64_t value = -1;
  EXPECT_EQ(object[key].get(value), simdjson::SUCCESS) << key;
  return value;
}

std::string Encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.') {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace warpsight::testing
