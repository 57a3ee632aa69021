#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "analysis/reporting/system_info.h"
#include "analysis/text/format.h"
#include "base/json_builder.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/step_facts.h"
#include "mcp/tools/tools.h"

namespace warpsight::mcp {
namespace {

// A sum over the rows of a table; not known without any.
int64_t Sum(const Column<int64_t>& values) {
  return values.empty() ? kMissing : std::accumulate(values.begin(), values.end(), int64_t{0});
}

std::string Formats(const Trace& trace) {
  std::set<std::string_view> formats;
  for (const StringId format : trace.tables.sources.format) formats.insert(trace.Text(format));
  JsonArray list;
  for (const std::string_view format : formats) list.Text(ShortName(format));
  return list.Take();
}

std::string Contents(const OpenedProfile& opened) {
  const FactTables& facts = opened.facts();
  return JsonObject()
      .Integer("events", Sum(opened.trace().tables.sources.events))
      .Integer("ops", Sum(facts.sources.ops))
      .Integer("api_calls", Sum(facts.sources.api_calls))
      .Integer("kernels", Sum(facts.devices.kernels))
      .Integer("copies", Sum(facts.devices.copies))
      .Integer("memsets", Sum(facts.devices.memsets))
      .Integer("length_ns", opened.trace().end)
      .Take();
}

std::string Iterations(const RangeSummary& range) {
  return JsonObject()
      .Integer("first", range.first)
      .Integer("last", range.last)
      .Integer("total", range.total)
      .Take();
}

constexpr std::string_view kContentsSql =
    "SELECT (SELECT sum(events) FROM sources) AS events, (SELECT sum(ops) FROM sources) AS ops, "
    "(SELECT sum(api_calls) FROM sources) AS api_calls, (SELECT sum(kernels) FROM devices) AS "
    "kernels, (SELECT sum(copies) FROM devices) AS copies, (SELECT sum(memsets) FROM devices) AS "
    "memsets, (SELECT value::BIGINT FROM warpsight WHERE key = 'end_ns') AS length_ns";
constexpr std::string_view kIterationsSql =
    "SELECT first, last, (SELECT max(number) + 1 FROM iterations) AS total FROM aggregations";

JsonObject Describe(const OpenedProfile& opened) {
  JsonObject object;
  object.Text("profile", opened.id())
      .Text("kind", opened.saved() ? "profile" : "trace")
      .Text("path", ShortSentence(opened.path()))
      .Text("name", ShortName(opened.trace().profile_name))
      .Text("device", ShortName(DescribeUsedDevices(opened.trace(), opened.range())))
      .Json("formats", Formats(opened.trace()))
      .Json("contents", Contents(opened))
      .Json("iterations", Iterations(opened.range()));
  if (!opened.notice().empty()) object.Text("notice", ShortSentence(opened.notice()));
  return object;
}

std::string DescribeInText(const OpenedProfile& opened) {
  const std::string device = DescribeUsedDevices(opened.trace(), opened.range());
  return fmt::format("{}: {}, {} events, step {}\n", opened.id(),
                     device.empty() ? "no GPU work" : Quoted(device),
                     FormatCount(Sum(opened.trace().tables.sources.events)), StepText(opened));
}

}  // namespace

Tool OpenProfileTool(const Profiles& profiles) {
  return {
      "open_profile",
      "Open a profile or a trace",
      "Opens a saved profile (.warpsight), or reads and analyzes a trace: PyTorch (Kineto) or "
      "other Chrome JSON, Nsight Systems SQLite, XPlane, nvprof, TensorRT, .wscap; a folder is "
      "read as one run of several ranks. Returns the name by which other tools call it. Nothing "
      "is written.",
      {{"path", Parameter::Type::kText, "path of the file or folder", true}},
      [profiles](const Arguments& arguments, Progress& progress) -> Result<Answer> {
        const auto opened = profiles->Open(std::string(arguments.Text("path")), progress);
        if (!opened.ok()) return opened.error();
        Sources sources;
        sources.Sql("contents", kContentsSql);
        sources.Sql("iterations", kIterationsSql);
        std::string text = "Opened " + DescribeInText(**opened);
        if (!(*opened)->notice().empty()) {
          text += "Note: " + ShortSentence((*opened)->notice()) + "\n";
        }
        text += fmt::format("Next: summary or findings with profile \"{}\".\n", (*opened)->id());
        return Answer{text, Describe(**opened).Json("sources", sources.Json()).Take()};
      }};
}

Tool ListProfilesTool(const Profiles& profiles) {
  return {"list_profiles",
          "List open profiles",
          "Lists the profiles that are open, by the names that open_profile returned.",
          {},
          [profiles](const Arguments& /*arguments*/, Progress& /*progress*/) -> Result<Answer> {
            JsonArray list;
            std::string text;
            Sources sources;
            for (const auto& opened : profiles->all()) {
              const size_t row = &opened - profiles->all().data();
              list.Json(Describe(*opened).Take());
              sources.SqlOf(opened->id(), fmt::format("profiles[{}].contents", row), kContentsSql);
              sources.SqlOf(opened->id(), fmt::format("profiles[{}].iterations", row),
                            kIterationsSql);
              text += DescribeInText(*opened);
            }
            if (text.empty()) text = "No profile is open: call open_profile with a path.\n";
            return Answer{
                text,
                JsonObject().Json("profiles", list.Take()).Json("sources", sources.Json()).Take()};
          }};
}

Tool CloseProfileTool(const Profiles& profiles) {
  return {"close_profile",
          "Close a profile",
          "Frees the memory of a profile that is not needed any more.",
          {ProfileParameter()},
          [profiles](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
            const std::string id(arguments.Text("profile"));
            if (const Status status = profiles->Close(id); !status.ok()) return status.error();
            return Answer{"Closed " + id + ".\n", JsonObject().Text("closed", id).Take()};
          }};
}

}  // namespace warpsight::mcp
