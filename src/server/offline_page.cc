#include "server/offline_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/text/format.h"
#include "base/gzip.h"
#include "base/json_text.h"
#include "base/output_place.h"
#include "server/assets.h"
#include "server/base64.h"

namespace warpsight::server {
namespace {

// The element in which the page expects its data (viewer/src/base/offline_source.ts).
constexpr std::string_view kDataElement = "<script id=\"warpsight-data\" type=\"text/plain\">";

// The page's styles come before its data.
constexpr size_t kMaxBytesBeforeData = 8 * 1024 * 1024;

// The share of the timeline's space that details of events may use.
constexpr double kShareOfEvents = 0.25;
constexpr size_t kMaxDetailedEvents = 1000;
// A report whose rows are single events: there are too many of them, and details would add little.
constexpr std::string_view kEventReport = "iteration";

// Encodes like JavaScript's encodeURIComponent, which the page uses for its URLs.
std::string Encode(std::string_view part) {
  std::string text;
  for (const char c : part) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-_.!~*'()").find(c) != std::string_view::npos;
    if (plain) {
      text += c;
    } else {
      fmt::format_to(std::back_inserter(text), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

// The integer after `"name": ` in JSON that this program wrote.
std::optional<int64_t> NumberIn(std::string_view json, std::string_view name) {
  const std::string key = fmt::format("\"{}\": ", name);
  const size_t at = json.find(key);
  if (at == json.npos) return std::nullopt;
  int64_t value = 0;
  const char* begin = json.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, json.data() + json.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

void ReplaceNumber(std::string& json, std::string_view name, int64_t value) {
  const std::string key = fmt::format("\"{}\": ", name);
  const size_t at = json.find(key);
  if (at == json.npos) return;
  const size_t begin = at + key.size();
  const size_t end = std::min(json.find_first_not_of("0123456789-", begin), json.size());
  json.replace(begin, end - begin, fmt::format("{}", value));
}

class OfflinePageMaker {
 public:
  OfflinePageMaker(Api& api, const std::string& profile, const OfflineOptions& options)
      : api_(api),
        options_(options),
        profile_("/api/profiles/" + Encode(profile)),
        aggregation_(profile_ + "/aggregations/default") {}

  Result<OfflinePageInfo> Make() {
    const std::string page = OfflinePage();
    const size_t element = page.find(kDataElement);
    if (element == page.npos) return Error{"this build contains no offline viewer"};
    for (const std::string& path :
         {std::string("/api/profiles"), std::string("/api/reports"), profile_,
          profile_ + "/aggregations", aggregation_, profile_ + "/key-ops",
          aggregation_ + "/dashboard", aggregation_ + "/advice", aggregation_ + "/roofline"}) {
      if (const Status status = AddJson(path); !status.ok()) return status.error();
    }
    for (const Report& report : AllReports()) {
      if (const Status status = AddReport(report.id); !status.ok()) return status.error();
    }
    AddTimeline();
    json_ += "}}";
    // The element contains a placeholder, which is replaced.
    const size_t data = element + kDataElement.size();
    info_.html = page;
    info_.html.replace(data, page.find('<', data) - data, Base64(Gzip(json_, GzipLevel::kFast)));
    return std::move(info_);
  }

 private:
  // The body of the response, or null if there is none.
  std::shared_ptr<const std::string> Ask(const std::string& path, Request request = {}) {
    request.path = SplitPath(path);
    const Response response = api_.Handle(request);
    return response.status == 200 ? response.body : nullptr;
  }

  void Keep(std::string_view path, std::string_view json) {
    if (kept_++ > 0) json_ += ",\n";
    AppendJsonString(path, json_);
    json_ += ": ";
    json_ += json;
  }

  Status AddJson(const std::string& path) {
    const auto body = Ask(path);
    if (body == nullptr) return Error{fmt::format("{} has no response", path)};
    Keep(path, *body);
    CollectEvents(*body);
    return {};
  }

  Status AddReport(std::string_view id) {
    const std::string path = fmt::format("{}/reports/{}", aggregation_, Encode(id));
    Request request;
    request.params.emplace("limit", fmt::format("{}", options_.rows));
    const auto body = Ask(path, std::move(request));
    if (body == nullptr) return Error{fmt::format("{} has no response", path)};
    std::string json = *body;
    ++info_.reports;
    const int64_t total = NumberIn(json, "total").value_or(0);
    if (total > static_cast<int64_t>(options_.rows)) {
      ++info_.cut_reports;
      AddNote(fmt::format("This page contains the first {} of {} rows; `warpsight view` shows all.",
                          FormatCount(static_cast<int64_t>(options_.rows)), FormatCount(total)),
              json);
    }
    Keep(path, json);
    if (id != kEventReport) CollectEvents(json);
    return {};
  }

  // The list of notes comes last, and a quoted name cannot occur inside a JSON string.
  static void AddNote(std::string_view note, std::string& json) {
    constexpr std::string_view kNotes = "\"notes\": [";
    const size_t at = json.rfind(kNotes);
    if (at == json.npos) return;
    const size_t begin = at + kNotes.size();
    const bool first = json.compare(begin, 1, "]") == 0;
    json.insert(begin, JsonString(note) + (first ? "" : ", "));
  }

  // Collects events to which something in the page links.
  void CollectEvents(std::string_view json) {
    constexpr std::string_view kEvent = "\"event\": \"";
    for (size_t at = json.find(kEvent); at != json.npos; at = json.find(kEvent, at)) {
      at += kEvent.size();
      const size_t end = json.find('"', at);
      if (end == json.npos) return;
      const std::string event(json.substr(at, end - at));
      if (known_events_.insert(event).second) events_.push_back(event);
    }
  }

  void AddTimeline() {
    const std::string path = aggregation_ + "/timeline";
    const auto body = Ask(path);
    if (body == nullptr) return;
    const int64_t deepest = NumberIn(*body, "max_level").value_or(0);
    for (int64_t level = 0; level <= deepest && AddLevel(path, level); ++level) {
      info_.timeline_level = level;
    }
    std::string json = *body;
    ReplaceNumber(json, "max_level", std::max<int64_t>(0, info_.timeline_level));
    Keep(path, json);
    Request request;
    request.params.emplace("limit", "100");
    if (const auto gaps = Ask(path + "/gaps", std::move(request))) {
      Keep(path + "/gaps", *gaps);
      CollectEvents(*gaps);
    }
    AddEvents(path);
  }

  // Adds all tiles of a level, if there is room for them.
  bool AddLevel(const std::string& timeline, int64_t level) {
    std::vector<std::pair<std::string, std::string>> tiles;
    size_t size = 0;
    for (int64_t index = 0; index < int64_t{1} << level; ++index) {
      const std::string path = fmt::format("{}/tiles/{}/{}", timeline, level, index);
      const auto body = Ask(path);
      if (body == nullptr) continue;  // past the end of the trace
      size += Gzip(*body, GzipLevel::kFast).size();
      if (timeline_size_ + size > TileBytes()) return false;
      tiles.emplace_back(path, fmt::format("{{\"base64\": \"{}\"}}", Base64(*body)));
    }
    for (const auto& [path, json] : tiles) Keep(path, json);
    timeline_size_ += size;
    info_.tiles += tiles.size();
    return true;
  }

  size_t TileBytes() const {
    return static_cast<size_t>(static_cast<double>(options_.timeline_bytes) * (1 - kShareOfEvents));
  }

  void AddEvents(const std::string& timeline) {
    // Many small responses compress far better together than one by one.
    constexpr size_t kTypicalRatio = 8;
    const size_t most = options_.timeline_bytes > timeline_size_
                            ? (options_.timeline_bytes - timeline_size_) * kTypicalRatio
                            : 0;
    size_t size = 0;
    for (const std::string& event : events_) {
      const std::string path = fmt::format("{}/events/{}", timeline, Encode(event));
      const auto body = Ask(path);
      if (body == nullptr) continue;
      size += body->size();
      if (size > most || info_.events == kMaxDetailedEvents) return;
      Keep(path, *body);
      ++info_.events;
    }
  }

  Api& api_;
  const OfflineOptions options_;
  const std::string profile_;
  const std::string aggregation_;
  OfflinePageInfo info_;
  std::string json_ = "{\"responses\": {";
  size_t kept_ = 0;
  size_t timeline_size_ = 0;
  std::vector<std::string> events_;
  std::set<std::string> known_events_;
};

}  // namespace

Result<OfflinePageInfo> MakeOfflinePage(Api& api, const std::string& profile,
                                        const OfflineOptions& options) {
  return OfflinePageMaker(api, profile, options).Make();
}

bool IsOfflinePage(const std::string& path) {
  const std::string head = ReadHead(path, kMaxBytesBeforeData);
  return head.starts_with("<!") && head.find(kDataElement) != std::string::npos;
}

}  // namespace warpsight::server
