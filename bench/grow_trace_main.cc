#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "bench/trace_template.h"
#include "importers/api/byte_source.h"

// Grows a real Kineto trace to a given size by repeating its events: the copies follow each other
// in time, and their ids are renumbered so that each copy is consistent in itself and distinct from
// the others. Prints JSON that describes the result, with which the benchmark checks its results.
namespace warpsight::bench {
namespace {

struct Options {
  std::string trace;
  std::string output;
  int64_t megabytes = 0;
  int64_t copies = 0;
  int64_t gap_us = 100;
};

Result<std::string> ReadAll(const std::string& path) {
  auto source = OpenBytes(path);
  if (!source.ok()) return source.error();
  std::string text;
  constexpr size_t kBlock = 4 << 20;
  for (;;) {
    const size_t size = text.size();
    text.resize(size + kBlock);
    const auto read = (*source)->Read(text.data() + size, kBlock);
    if (!read.ok()) return read.error();
    text.resize(size + *read);
    if (*read == 0) break;
  }
  if (!(*source)->damage().empty()) return Error{fmt::format("{}: {}", path, (*source)->damage())};
  return text;
}

// The number of copies whose size is nearest to the given one; at least one.
int64_t CopiesFor(int64_t megabytes, const TraceTemplate& trace) {
  const auto fixed = static_cast<int64_t>(trace.prefix.size() + trace.once.text.size());
  const auto size = static_cast<int64_t>(trace.repeated.text.size());
  return std::max<int64_t>(1, (megabytes * 1'000'000 - fixed + size / 2) / size);
}

// Writes a file sequentially. Finish returns its size, or an error unless all of it was written.
class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (file_ != nullptr) std::fclose(file_);
  }

  void Write(std::string_view text) {
    if (file_ != nullptr) bytes_ += std::fwrite(text.data(), 1, text.size(), file_);
    wanted_ += text.size();
  }

  Result<size_t> Finish() {
    const bool closed = file_ != nullptr && std::fclose(file_) == 0;
    file_ = nullptr;
    if (!closed || bytes_ != wanted_) return Error{fmt::format("{}: cannot be written", path_)};
    return bytes_;
  }

 private:
  std::string path_;
  std::FILE* file_;
  size_t bytes_ = 0;
  size_t wanted_ = 0;
};

Result<size_t> WriteGrown(const TraceTemplate& trace, const Strides& strides, int64_t copies,
                          const std::string& path) {
  Writer writer(path);
  writer.Write(trace.prefix);
  std::string text;
  for (int64_t copy = 0; copy < copies; ++copy) {
    text.clear();
    if (copy > 0) text += trace.separator;
    AppendCopy(trace.repeated, strides, copy, text);
    writer.Write(text);
  }
  if (trace.once.events > 0) {
    text = trace.separator;
    AppendCopy(trace.once, strides, copies - 1, text);
    writer.Write(text);
  }
  writer.Write(trace.suffix);
  return writer.Finish();
}

Status Grow(const Options& options) {
  const auto text = ReadAll(options.trace);
  if (!text.ok()) return text.error();
  const auto trace = MakeTemplate(*text);
  if (!trace.ok()) return Error{fmt::format("{}: {}", options.trace, trace.error().message)};
  const int64_t copies = options.copies > 0 ? options.copies : CopiesFor(options.megabytes, *trace);
  const Strides strides = trace->MakeStrides(options.gap_us);
  // Under another name until it is complete, so that an interrupted run does not leave a partial
  // file.
  const std::string part = options.output + ".part";
  const auto bytes = WriteGrown(*trace, strides, copies, part);
  std::error_code error;
  if (!bytes.ok()) {
    std::filesystem::remove(part, error);
    return bytes.error();
  }
  std::filesystem::rename(part, options.output, error);
  if (error) return Error{fmt::format("{}: {}", options.output, error.message())};
  fmt::print(
      "{{\"copies\": {}, \"events_per_copy\": {}, \"events_once\": {}, \"events\": {}, "
      "\"bytes\": {}, \"period_us\": {}}}\n",
      copies, trace->repeated.events, trace->once.events,
      copies * trace->repeated.events + trace->once.events, *bytes,
      strides[static_cast<size_t>(NumberKind::kTime)]);
  return {};
}

int Run(int argc, char** argv) {
  Options options;
  CLI::App app("Grows a Kineto trace by repeating its events");
  app.add_option("TRACE", options.trace, "A trace, plain or compressed")->required();
  app.add_option("-o,--output", options.output, "File to write, uncompressed")->required();
  auto* megabytes = app.add_option("--mb", options.megabytes, "Wanted size in MB (10^6 bytes)");
  auto* copies = app.add_option("--copies", options.copies, "Wanted number of copies");
  megabytes->check(CLI::PositiveNumber)->excludes(copies);
  copies->check(CLI::PositiveNumber);
  app.add_option("--gap-us", options.gap_us, "Microseconds between copies")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    if (megabytes->empty() && copies->empty()) throw CLI::RequiredError("--mb or --copies");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const Status status = Grow(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "grow_trace: {}\n", status.error().message);
  return 1;
}

}  // namespace
}  // namespace warpsight::bench

int main(int argc, char** argv) { return warpsight::bench::Run(argc, argv); }
