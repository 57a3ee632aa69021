#include "server/assets.h"

#include <algorithm>
#include <memory>
#include <span>

#include "base/gzip.h"
#include "server/embedded_assets.h"

namespace warpsight::server {
namespace {

constexpr std::string_view kOfflinePage = "offline.html";

const Asset* Find(std::string_view path) {
  const std::span<const Asset> assets = EmbeddedAssets();
  const auto it = std::find_if(assets.begin(), assets.end(),
                               [&](const Asset& asset) { return asset.path == path; });
  return it == assets.end() ? nullptr : &*it;
}

std::string TypeOf(std::string_view path) {
  const std::string_view ending = path.substr(std::min(path.rfind('.'), path.size()));
  if (ending == ".html") return "text/html; charset=utf-8";
  if (ending == ".js") return "text/javascript; charset=utf-8";
  if (ending == ".css") return "text/css; charset=utf-8";
  if (ending == ".svg") return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace

Response AssetRoute(const Request& request) {
  std::string path;
  for (const std::string& part : request.path) path += (path.empty() ? "" : "/") + part;
  if (path.empty()) path = "index.html";
  Response response;
  const Asset* asset = path == kOfflinePage ? nullptr : Find(path);
  if (asset == nullptr) {
    response.status = 404;
    response.keep = Keep::kNever;
    response.type = "text/html; charset=utf-8";
    response.body = std::make_shared<const std::string>(
        "<!doctype html><html lang=\"en\"><title>Not found · Warpsight</title>"
        "<p>This page does not exist. <a href=\"/\">Open the viewer</a></p></html>\n");
    return response;
  }
  response.type = TypeOf(path);
  response.keep = path == "index.html" ? Keep::kRevalidate : Keep::kImmutable;
  response.gzip_body = asset->gzip;
  return response;
}

std::string OfflinePage() {
  const Asset* asset = Find(kOfflinePage);
  return asset == nullptr ? "" : Gunzip(asset->gzip);
}

}  // namespace warpsight::server
