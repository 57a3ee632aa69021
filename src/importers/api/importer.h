#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "importers/api/byte_source.h"
#include "importers/api/memory_guard.h"
#include "importers/api/whole_file.h"
#include "model/trace_builder.h"

namespace warpsight {

// The input of an importer: one file, and the builder for its rows.
struct ImportContext {
  std::string path;
  ByteSource& bytes;  // positioned at the first byte
  WholeFile& whole;   // the same bytes, for formats that need random access
  TraceBuilder& builder;
  SourceId source;
  Progress& progress;
  MemoryGuard* memory = nullptr;  // null: no limit

  // Whether to stop, because the user cancelled or memory is low. Cheap enough to be called once
  // per thousand records or so, from any thread.
  bool MustStop() const {
    return progress.cancelled() || (memory != nullptr && memory->Exceeded());
  }
  // An Error if MustStop() returned true; to be returned at the end of an import's loop.
  Status CheckStopped() const;
};

// One trace format. Each folder beside this one defines one, in importers::<folder>::Define(); the
// build lists them (AllImporters).
struct Importer {
  std::string_view name;                     // as stored in sources.format
  std::string_view title;                    // for people
  int sniff_rank;                            // lower is asked first
  bool (*sniff)(std::string_view head);      // by the first bytes; the file name is irrelevant
  Status (*import)(ImportContext& context);  // after an error, nothing of the file is used
  // For formats that share their first bytes with others, as all SQLite databases do: called after
  // sniff() returned true. An Error says what the file is instead; null if sniff() is sufficient.
  Status (*recognize)(WholeFile& file) = nullptr;
  // File extensions that suggest this format if no importer recognized the content: the importer
  // then reports what is wrong, or what to do.
  std::vector<std::string_view> endings = {};
};

std::vector<Importer> AllImporters();

struct ImportOptions {
  std::string profile_name;  // empty: from the first file's name
};

// Reads files, or all traces in folders and their subfolders, into one trace. A file that cannot be
// read or has an unknown format is an error if the user named it, and an entry of the import log if
// it was found in a folder.
Result<Trace> ImportTraces(const std::vector<std::string>& paths, const ImportOptions& options,
                           Progress& progress);

}  // namespace warpsight
