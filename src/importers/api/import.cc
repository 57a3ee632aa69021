#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/utf8.h"
#include "importers/api/importer.h"
#include "importers/api/one_run.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSniffBytes = 64 * 1024;

struct Candidate {
  std::string path;
  bool named;  // given by the user, not found in a folder
};

// Serves the bytes read for sniffing again, then the rest.
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
  std::string damage() const override { return rest_.damage(); }
  int64_t consumed() const override { return rest_.consumed(); }
  int64_t file_size() const override { return rest_.file_size(); }

 private:
  std::string head_;
  size_t used_ = 0;
  ByteSource& rest_;
};

Result<std::vector<Candidate>> ExpandFolders(const std::vector<std::string>& paths) {
  std::vector<Candidate> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, true});
      continue;
    }
    std::vector<std::string> found;
    fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error);
    if (error) return Error{fmt::format("{}: cannot read the folder: {}", path, error.message())};
    for (const auto end = fs::recursive_directory_iterator(); it != end; it.increment(error)) {
      if (error) break;
      if (it->is_regular_file(error)) found.push_back(it->path().string());
    }
    if (found.empty()) return Error{fmt::format("{}: the folder holds no files", path)};
    std::sort(found.begin(), found.end());
    for (std::string& file : found) files.push_back({std::move(file), false});
  }
  return files;
}

// JAX and TensorFlow write every profile twice into one folder. The XPlane file that a trace.json
// is made of, or "" where there is none.
std::string FullerTwin(const std::string& path) {
  constexpr std::string_view kJson = ".trace.json.gz";
  if (!path.ends_with(kJson)) return {};
  const std::string twin = path.substr(0, path.size() - kJson.size()) + ".xplane.pb";
  std::error_code error;
  return fs::is_regular_file(twin, error) ? twin : std::string();
}

// A profile name from a file name: without folder and trace endings.
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

Status ImportFile(const std::string& path, const std::vector<Importer>& importers,
                  TraceBuilder& builder, Progress& progress) {
  auto bytes = OpenBytes(path);
  if (!bytes.ok()) return bytes.error();
  std::string head(kSniffBytes, '\0');
  auto n = (*bytes)->Read(head.data(), head.size());
  if (!n.ok()) return n.error();
  head.resize(*n);
  if (head.empty()) {
    const std::string damage = (*bytes)->damage();
    return Error{fmt::format("{}: {}", path, damage.empty() ? "the file is empty" : damage)};
  }
  RewoundSource rewound(head, **bytes);
  WholeFile whole(path, rewound);
  const auto import_by = [&](const Importer& importer) {
    const SourceId source = builder.AddSource(path, importer.name, (*bytes)->file_size());
    ImportContext context{path, rewound, whole, builder, source, progress};
    Status status = importer.import(context);
    if (!status.ok()) builder.DropLastSource();
    return status;
  };
  std::string refusal;
  for (const Importer& importer : importers) {
    if (!importer.sniff(head)) continue;
    if (importer.recognise != nullptr) {
      if (const Status status = importer.recognise(whole); !status.ok()) {
        refusal = status.error().message;
        continue;
      }
    }
    return import_by(importer);
  }
  if (!refusal.empty()) return Error{fmt::format("{}: {}", path, refusal)};
  for (const Importer& importer : importers) {
    const bool named = std::any_of(importer.endings.begin(), importer.endings.end(),
                                   [&](std::string_view ending) { return path.ends_with(ending); });
    if (named) return import_by(importer);
  }
  return Error{fmt::format("{}: not a trace that Warpsight reads (known: {})", path,
                           KnownFormats(importers))};
}

}  // namespace

Result<Trace> ImportTraces(const std::vector<std::string>& paths, const ImportOptions& options,
                           Progress& progress) {
  auto files = ExpandFolders(paths);
  if (!files.ok()) return files.error();
  std::vector<Importer> importers = AllImporters();
  std::sort(importers.begin(), importers.end(),
            [](const Importer& a, const Importer& b) { return a.sniff_rank < b.sniff_rank; });

  int64_t total = 0;
  for (const Candidate& file : *files) {
    std::error_code error;
    const auto size = fs::file_size(file.path, error);
    if (!error) total += static_cast<int64_t>(size);
  }
  progress.Begin("reading", total);

  TraceBuilder builder;
  size_t imported = 0;
  std::vector<Error> passed_over;
  for (const Candidate& file : *files) {
    const std::string twin = file.named ? "" : FullerTwin(file.path);
    const Status status = twin.empty()
                              ? ImportFile(file.path, importers, builder, progress)
                              : Error{fmt::format("{}: the same profile as {}", file.path, twin)};
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
    return Error{fmt::format("{}: the folder holds no trace that Warpsight reads; {}",
                             paths.front(), passed_over.front().message)};
  }
  if (Status status = CheckOneRun(builder.DescribeSources()); !status.ok()) return status.error();
  TracePart log(MakeId<SourceId>(0));
  for (const Error& error : passed_over) log.Log("file_passed_over", kMissing, error.message);
  builder.Add(std::move(log));
  auto trace = builder.Seal();
  if (trace.ok()) {
    // Names of files and arguments may hold any bytes.
    trace->profile_name = RepairUtf8(options.profile_name.empty() ? NameFromPath(paths.front())
                                                                  : options.profile_name);
  }
  return trace;
}

}  // namespace warpsight
