#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_builder.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/tools.h"
#include "model/profile.h"
#include "store/stored_tables.h"
#include "store/views.h"

namespace warpsight::mcp {
namespace {

struct Column {
  std::string name, type, doc;
};

// A table or a view of every profile.
struct Relation {
  std::string name, doc;
  bool view = false;
  std::vector<Column> columns;
};

// docs/schema.md describes the same.
std::vector<Relation> Relations() {
  std::vector<Relation> all;
  for (const store::View& view : store::Views()) {
    Relation& relation =
        all.emplace_back(Relation{std::string(view.name), std::string(view.doc), true, {}});
    for (const store::ViewColumn& column : view.columns) {
      relation.columns.push_back({std::string(column.name), "", std::string(column.doc)});
    }
  }
  Profile profile;
  const std::vector<store::StoredTable> tables = store::ListTables(profile);
  for (const store::StoredTable& table : tables) {
    Relation& relation =
        all.emplace_back(Relation{std::string(table.name), std::string(table.doc), false, {}});
    for (const store::StoredColumn& column : table.columns) {
      relation.columns.push_back(
          {column.name, std::string(store::SqlNameOf(column.type)), store::DocOf(tables, column)});
    }
  }
  all.push_back({"strings",
                 "Texts, each stored once.",
                 false,
                 {{"id", "UINTEGER", "what columns of texts hold, which end in _id"},
                  {"text", "VARCHAR", "the text"},
                  {"raw", "BLOB", "its bytes, where they are not valid UTF-8"}}});
  all.push_back({"warpsight",
                 "About the file itself: schema_version, profile_name, origin_unix_ns, end_ns, …",
                 false,
                 {{"key", "VARCHAR", "what"}, {"value", "VARCHAR", "its value"}}});
  return all;
}

Answer Overview(const std::vector<Relation>& relations) {
  JsonArray views;
  JsonArray tables;
  std::string text = "Views, with names instead of ids:\n";
  const auto add = [&](const Relation& relation) {
    (relation.view ? views : tables)
        .Json(JsonObject().Text("name", relation.name).Text("doc", relation.doc).Take());
    text += fmt::format("- {}: {}\n", relation.name, relation.doc);
  };
  for (const Relation& relation : relations) {
    if (relation.view) add(relation);
  }
  text += "Tables:\n";
  for (const Relation& relation : relations) {
    if (!relation.view) add(relation);
  }
  text +=
      "Call with table for the columns of one. Times are nanoseconds from the start of the trace. "
      "Rows are numbered by rowid: JOIN host_ranges o ON o.rowid = g.op_id. Texts: JOIN strings s "
      "ON s.id = g.name_id. NULL means not known.\n";
  return {text, JsonObject().Json("views", views.Take()).Json("tables", tables.Take()).Take()};
}

Answer Describe(const Relation& relation) {
  JsonArray columns;
  std::string text =
      fmt::format("{} {}: {}\n", relation.view ? "View" : "Table", relation.name, relation.doc);
  for (const Column& column : relation.columns) {
    JsonObject object;
    object.Text("name", column.name);
    if (!column.type.empty()) object.Text("type", column.type);
    columns.Json(object.Text("doc", column.doc).Take());
    text += fmt::format("- {}{}{}: {}\n", column.name, column.type.empty() ? "" : " ", column.type,
                        column.doc);
  }
  return {text, JsonObject()
                    .Text("name", relation.name)
                    .Text("doc", relation.doc)
                    .Json("columns", columns.Take())
                    .Take()};
}

}  // namespace

Tool SchemaTool() {
  return {"schema",
          "Describe tables",
          "The tables and views that query can use; with table, the columns of one.",
          {{"table", Parameter::Type::kText, "a table or a view"}},
          [](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
            const std::vector<Relation> relations = Relations();
            const std::string_view name = arguments.Text("table");
            if (name.empty()) return Overview(relations);
            const auto relation =
                std::find_if(relations.begin(), relations.end(),
                             [name](const Relation& r) { return r.name == name; });
            if (relation != relations.end()) return Describe(*relation);
            return Error{fmt::format("there is no table {}; call schema without arguments for all",
                                     Quoted(name))};
          }};
}

}  // namespace warpsight::mcp
