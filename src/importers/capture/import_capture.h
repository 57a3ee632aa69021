#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "importers/api/importer.h"

namespace warpsight::importers::capture {

Importer Define();

// For tests: imports from bytes.
inline Result<Trace> TryImportBytes(std::string_view bytes) {
  MemorySource source(bytes);
  TraceBuilder builder;
  Progress progress;
  const SourceId id = builder.AddSource("test.wscap", "capture", source.file_size());
  WholeFile whole("test.wscap", source);
  ImportContext context{"test.wscap", source, whole, builder, id, progress};
  if (const Status status = Define().import(context); !status.ok()) return status.error();
  return builder.Seal();
}

inline Trace ImportBytes(std::string_view bytes) {
  auto trace = TryImportBytes(bytes);
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

// The import log, one line per entry.
inline std::string LogOf(const Trace& trace) {
  std::string log;
  const ImportLogTable& t = trace.tables.import_log;
  for (size_t i = 0; i < t.code.size(); ++i) {
    log += fmt::format("{} x{}: {}\n", trace.Text(t.code[i]), t.count[i], trace.Text(t.message[i]));
  }
  return log;
}

}  // namespace warpsight::importers::capture
