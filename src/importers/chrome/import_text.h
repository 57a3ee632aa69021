#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "importers/chrome/chrome_importer.h"

// Imports traces from texts, for tests.
namespace warpsight::importers::chrome {

inline Result<Trace> TryImportText(std::string_view text,
                                   size_t block_size = EventStream::kBlockSize) {
  MemorySource bytes(text);
  TraceBuilder builder;
  Progress progress;
  const SourceId source = builder.AddSource("test.json", "chrome", bytes.file_size());
  WholeFile whole("test.json", bytes);
  ImportContext context{"test.json", bytes, whole, builder, source, progress};
  if (const Status status = ImportChrome(context, block_size); !status.ok()) return status.error();
  return builder.Seal();
}

inline Trace ImportText(std::string_view text, size_t block_size = EventStream::kBlockSize) {
  auto trace = TryImportText(text, block_size);
  if (!trace.ok()) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  EXPECT_EQ(CheckIntegrity(*trace), "");
  return std::move(*trace);
}

// How often the import log contains a code, and its first offset and message.
struct Logged {
  int64_t count = 0;
  int64_t offset = kMissing;
  std::string message;
};
inline Logged LogOf(const Trace& trace, std::string_view code) {
  const ImportLogTable& log = trace.tables.import_log;
  for (size_t i = 0; i < log.code.size(); ++i) {
    if (trace.Text(log.code[i]) != code) continue;
    return {log.count[i], log.offset[i], std::string(trace.Text(log.message[i]))};
  }
  return {};
}

}  // namespace warpsight::importers::chrome
