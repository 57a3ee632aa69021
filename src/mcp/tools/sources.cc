#include "mcp/tools/sources.h"

namespace warpsight::mcp {

void Sources::Sql(std::string_view value, std::string_view sql) { SqlOf("", value, sql); }

void Sources::SqlOf(std::string_view profile, std::string_view value, std::string_view sql,
                    std::string_view key) {
  JsonObject source;
  source.Text("value", value);
  if (!profile.empty()) source.Text("profile", profile);
  if (!key.empty()) source.Text("key", key);
  list_.Json(source.Text("sql", sql).Take());
}

void Sources::Formula(std::string_view value, std::string_view formula) {
  list_.Json(JsonObject().Text("value", value).Text("formula", formula).Take());
}

void Sources::Report(std::string_view value, std::string_view report) {
  list_.Json(JsonObject().Text("value", value).Text("report", report).Take());
}

}  // namespace warpsight::mcp
