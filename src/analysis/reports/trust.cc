#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "analysis/facts/trust_sentence.h"
#include "analysis/reporting/render.h"
#include "analysis/reporting/report.h"
#include "analysis/text/format.h"
#include "analysis/text/wrap_text.h"
#include "model/import_log_effects.h"

namespace warpsight::reports::trust {

Report Define();

namespace {

Cell Share(int64_t count, int64_t of) {
  if (of <= 0 || count == kMissing) return {};
  return 100.0 * static_cast<double>(count) / static_cast<double>(of);
}

void WriteCounts(ProfileView profile, RowSink& sink) {
  const TrustTable& t = profile.facts.trust;
  for (size_t i = 0; i < t.code.size(); ++i) {
    const Cell cells[] = {profile.trace.Text(t.code[i]), t.count[i], t.of[i],
                          Share(t.count[i], t.of[i]), profile.trace.Text(t.meaning[i])};
    sink.Row(cells);
  }
}

// Adds what importers left out, by file and kind of problem.
void WriteImportLog(const Trace& trace, RowSink& sink) {
  const ImportLogTable& log = trace.tables.import_log;
  for (size_t i = 0; i < log.code.size(); ++i) {
    const std::string code = fmt::format("import: {}", trace.Text(log.code[i]));
    std::string meaning(trace.Text(log.message[i]));
    if (IsAboutUnreadFile(trace.Text(log.code[i]))) {
      const Cell cells[] = {code, log.count[i], {}, {}, meaning};
      sink.Row(cells);
      continue;
    }
    const size_t source = Index(log.source[i]);
    const int64_t events = trace.tables.sources.events[source];
    if (log.offset[i] != kMissing) {
      meaning += fmt::format("; the first at byte {}", FormatCount(log.offset[i]));
    }
    meaning += fmt::format(" of {}", trace.Text(trace.tables.sources.path[source]));
    const Cell cells[] = {code, log.count[i], events, Share(log.count[i], events), meaning};
    sink.Row(cells);
  }
}

void WriteSources(const Trace& trace, RowSink& sink) {
  const SourcesTable& sources = trace.tables.sources;
  const SourceFiles files(trace);
  for (size_t i = 0; i < sources.path.size(); ++i) {
    if (!files.IsFile(MakeId<SourceId>(i))) continue;
    const std::string meaning = fmt::format("records in {} ({}, {})", trace.Text(sources.path[i]),
                                            trace.Text(sources.format[i]),
                                            FormatBytes(static_cast<double>(sources.bytes[i])));
    const Cell cells[] = {"file", sources.events[i], {}, {}, meaning};
    sink.Row(cells);
  }
}

void WriteRows(const ReportInput& input, RowSink& sink) {
  WriteCounts(input.profile, sink);
  WriteImportLog(input.profile.trace, sink);
  WriteSources(input.profile.trace, sink);
}

void Compute(const ReportInput& input, RowSink& sink) {
  sink.Note(TrustSentence(input.profile));
  WriteRows(input, sink);
}

// Prints the sentence before the table.
std::string Text(const ReportInput& input, const TextStyle& style) {
  Report table = Define();
  table.text = nullptr;
  table.compute = WriteRows;
  StringOutput output;
  RenderReport(table, input, ReportFormat::kText, style, output);
  const std::string sentence = TrustSentence(input.profile);
  return HangingText("", 0, sentence, static_cast<size_t>(style.width)) + '\n' + output.text();
}

}  // namespace

Report Define() {
  return {"trust",
          "How far the numbers can be trusted",
          "what was read, skipped and correlated, and how that affects the numbers",
          {{"What", ColumnType::kText, "what was counted"},
           {"Count", ColumnType::kInteger, "count, or nanoseconds if the name ends in _ns"},
           {"Of", ColumnType::kInteger, "out of how many; the file's records for import problems"},
           {"Share (%)", ColumnType::kReal, "Count / Of; derived"},
           {"Meaning", ColumnType::kText, "how it affects the numbers"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::trust
