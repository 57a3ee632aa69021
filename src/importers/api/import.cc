#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "importers/api/importer.h"
#include "importers/api/input_list.h"
#include "importers/api/one_run.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSniffBytes = 64 * 1024;

// Returns the bytes that were read to detect the format once more, then the rest.
class RewoundSource : public ByteSource {
 public:
  RewoundSource(std::string head, ByteSource& rest) : head_(std::move(head)), rest_(rest) {}

  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t n = std::min(size, head_.size() - used_);
    head_.copy(buffer, n, used_);
    used_ += n;
    if (n == size) return n;
    auto rest = rest_.Read(buffer + n, size - n);
    if (!rest.ok()) return rest;
    return n + *rest;
  }
  bool plain() const override { return rest_.plain(); }
  std::string change() const override { return rest_.change(); }
  std::string damage() const override { return rest_.damage(); }
  int64_t consumed() const override { return rest_.consumed(); }
  int64_t file_size() const override { return rest_.file_size(); }

 private:
  std::string head_;
  size_t used_ = 0;
  ByteSource& rest_;
};

// A profile name from a file name, without folder and trace extensions.
std::string NameFromPath(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  if (name.empty()) name = fs::path(path).parent_path().filename().string();
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view ending :
         {".gz", ".zst", ".json", ".pt", ".trace", ".sqlite", ".sql", ".nvprof", ".nvvp", ".csv",
          ".pb", ".xplane", ".nsys-rep", ".qdrep", ".wscap"}) {
      if (name.size() > ending.size() && name.ends_with(ending)) {
        name.resize(name.size() - ending.size());
        cut = true;
      }
    }
  }
  return name;
}

std::string KnownFormats(const std::vector<Importer>& importers) {
  std::string known;
  for (const Importer& importer : importers) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", importer.title);
  }
  return known;
}

// The error code for files of a folder that are not traces: they are left out without a warning in
// the reports.
constexpr std::string_view kNotATrace = "not_a_trace";

Status ImportFile(const std::string& path, const std::vector<Importer>& importers,
                  TraceBuilder& builder, Progress& progress, MemoryGuard& memory) {
  auto bytes = OpenBytes(path, &progress);
  if (!bytes.ok()) return bytes.error();
  std::string head(kSniffBytes, '\0');
  auto n = (*bytes)->Read(head.data(), head.size());
  if (!n.ok()) return n.error();
  head.resize(*n);
  if (head.empty()) {
    const std::string damage = (*bytes)->damage();
    if (damage.empty()) return Error{fmt::format("{}: the file is empty", path), kNotATrace};
    return Error{fmt::format("{}: {}", path, damage)};
  }
  RewoundSource rewound(head, **bytes);
  WholeFile whole(path, rewound, &memory);
  const auto import_by = [&](const Importer& importer) {
    const SourceId source = builder.AddSource(path, importer.name, (*bytes)->file_size());
    ImportContext context{path, rewound, whole, builder, source, progress, &memory};
    Status status = importer.import(context);
    if (!status.ok()) {
      builder.DropLastSource();
    } else if (const std::string change = rewound.change(); !change.empty()) {
      TracePart part(source);
      part.Log("changed_while_read", kMissing, change);
      builder.Add(std::move(part));
    }
    return status;
  };
  std::string refusal;
  for (const Importer& importer : importers) {
    if (!importer.sniff(head)) continue;
    if (importer.recognize != nullptr) {
      if (const auto content = whole.Bytes(); !content.ok()) return content.error();
      if (const Status status = importer.recognize(whole); !status.ok()) {
        refusal = status.error().message;
        continue;
      }
    }
    return import_by(importer);
  }
  if (!refusal.empty()) return Error{fmt::format("{}: {}", path, refusal), kNotATrace};
  for (const Importer& importer : importers) {
    const bool named = std::any_of(importer.endings.begin(), importer.endings.end(),
                                   [&](std::string_view ending) { return path.ends_with(ending); });
    if (named) return import_by(importer);
  }
  return Error{fmt::format("{}: not a trace that Warpsight reads (known: {})", path,
                           KnownFormats(importers)),
               kNotATrace};
}

// Logs the files that were not read. Files that are not traces, and duplicates, do not affect the
// numbers; traces that cannot be read do.
TracePart LogOf(const InputList& inputs, const std::vector<Error>& passed_over) {
  TracePart log(MakeId<SourceId>(0));
  for (const std::string& message : inputs.left_out) log.Log("file_left_out", kMissing, message);
  for (const Error& error : passed_over) {
    log.Log(error.code == kNotATrace ? "file_passed_over" : "file_unreadable", kMissing,
            error.message);
  }
  return log;
}

}  // namespace

Status ImportContext::CheckStopped() const {
  if (progress.cancelled()) return Error{"interrupted"};
  if (memory != nullptr && memory->Exceeded()) return memory->TooLarge(path);
  return {};
}

Result<Trace> ImportTraces(const std::vector<std::string>& paths, const ImportOptions& options,
                           Progress& progress) {
  progress.Begin("listing", 0);
  const auto inputs = ListInputs(paths, progress);
  if (!inputs.ok()) return inputs.error();
  std::vector<Importer> importers = AllImporters();
  std::sort(importers.begin(), importers.end(),
            [](const Importer& a, const Importer& b) { return a.sniff_rank < b.sniff_rank; });

  int64_t total = 0;
  for (const InputList::File& file : inputs->files) {
    std::error_code error;
    const auto size = fs::file_size(file.path, error);
    if (!error) total += static_cast<int64_t>(size);
  }
  progress.Begin("reading", total);

  TraceBuilder builder;
  MemoryGuard memory;
  size_t imported = 0;
  std::vector<Error> passed_over;
  for (const InputList::File& file : inputs->files) {
    const Status status = ImportFile(file.path, importers, builder, progress, memory);
    if (progress.cancelled()) return Error{"interrupted"};
    if (status.ok()) {
      ++imported;
    } else if (file.named) {
      return status.error();
    } else {
      passed_over.push_back(status.error());
    }
  }
  if (imported == 0) {
    return Error{fmt::format("{}: the folder contains no trace that Warpsight reads; {}",
                             paths.front(), passed_over.front().message)};
  }
  if (Status status = CheckOneRun(builder.DescribeSources()); !status.ok()) return status.error();
  builder.Add(LogOf(*inputs, passed_over));
  auto trace = builder.Seal();
  if (trace.ok()) {
    // Names of files and arguments may contain any bytes.
    trace->profile_name = RepairUtf8(options.profile_name.empty() ? NameFromPath(paths.front())
                                                                  : options.profile_name);
  }
  return trace;
}

}  // namespace warpsight
