// TensorBoard's event files, read record by record: every value equals that of report `steps` and
// of the ledger.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/advice/stored_advice.h"
#include "analysis/reporting/report.h"
#include "analysis/screens/one_screen.h"
#include "analysis/screens/render_advice.h"
#include "base/utf8.h"
#include "chrome_text.h"
#include "exported_files.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using protozero::pbf_reader;

// Computed bit by bit from the definition.
uint32_t MaskedCrc(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (crc % 2 == 1 ? 0x82F63B78U : 0U);
  }
  crc = ~crc;
  return (crc >> 15U | crc << 17U) + 0xA282EAD8U;
}

template <typename Number>
Number NumberAt(std::string_view bytes, size_t pos) {
  Number number{};
  std::memcpy(&number, bytes.data() + pos, sizeof number);
  return number;
}

// The data of the records of a TFRecord file.
std::vector<std::string> Records(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    if (file.size() < 16) {
      ADD_FAILURE() << "the last record is cut off";
      break;
    }
    const auto length = NumberAt<uint64_t>(file, 0);
    EXPECT_EQ(NumberAt<uint32_t>(file, 8), MaskedCrc(file.substr(0, 8)));
    if (length > file.size() - 16) {
      ADD_FAILURE() << "a record of " << length << " bytes is cut off";
      break;
    }
    records.emplace_back(file.substr(12, length));
    EXPECT_EQ(NumberAt<uint32_t>(file, 12 + length), MaskedCrc(records.back()));
    file.remove_prefix(16 + length);
  }
  return records;
}

struct Metadata {
  std::string plugin, display_name, description;
  int data_class = 0;
};

// By tag and step.
using Series = std::map<std::string, std::map<int64_t, float>>;

// The content of an event file.
struct EventLog {
  std::string version, writer;
  double begin = -1;
  Series scalars;
  std::map<std::string, std::string> texts;
  std::map<std::string, Metadata> metadata;  // by tag
  std::map<int64_t, double> times;           // of steps with scalars
};

class EventReader {
 public:
  explicit EventReader(const std::string& path) {
    SCOPED_TRACE(path);
    for (const std::string& record : Records(ReadFile(path))) Event(pbf_reader(record));
  }
  const EventLog& run() const { return run_; }

 private:
  void Event(pbf_reader event) {
    double time = -1;
    int64_t step = 0;
    std::vector<pbf_reader> values;
    while (event.next()) {
      switch (event.tag()) {
        case 1:
          time = event.get_double();
          break;
        case 2:
          step = event.get_int64();
          break;
        case 3:
          run_.version = event.get_string();
          break;
        case 5: {
          pbf_reader summary = event.get_message();
          while (summary.next(1)) values.push_back(summary.get_message());
          break;
        }
        case 10: {
          pbf_reader source = event.get_message();
          while (source.next(1)) run_.writer = source.get_string();
          break;
        }
        default:
          ADD_FAILURE() << "field " << event.tag() << " of an event";
          event.skip();
      }
    }
    if (first_) run_.begin = time;
    EXPECT_EQ(first_, values.empty()) << "the first event names the version, others have values";
    first_ = false;
    for (const pbf_reader& value : values) Value(value, time, step);
  }

  void Value(pbf_reader value, double time, int64_t step) {
    std::string tag;
    while (value.next()) {
      switch (value.tag()) {
        case 1:
          tag = value.get_string();
          break;
        case 2:
          EXPECT_TRUE(run_.scalars[tag].emplace(step, value.get_float()).second) << tag;
          run_.times[step] = time;
          break;
        case 8:
          EXPECT_TRUE(run_.texts.emplace(tag, Text(value.get_message())).second) << tag;
          break;
        case 9:
          EXPECT_TRUE(run_.metadata.emplace(tag, ReadMetadata(value.get_message())).second) << tag;
          break;
        default:
          ADD_FAILURE() << "field " << value.tag() << " of a value";
          value.skip();
      }
    }
    EXPECT_TRUE(run_.metadata.contains(tag)) << tag << " has no metadata with its first value";
  }

  static Metadata ReadMetadata(pbf_reader fields) {
    Metadata metadata;
    while (fields.next()) {
      if (fields.tag() == 1) {
        pbf_reader plugin = fields.get_message();
        while (plugin.next(1)) metadata.plugin = plugin.get_string();
      } else if (fields.tag() == 2) {
        metadata.display_name = fields.get_string();
      } else if (fields.tag() == 3) {
        metadata.description = fields.get_string();
      } else {
        EXPECT_EQ(fields.tag(), 4U);
        metadata.data_class = fields.get_enum();
      }
    }
    return metadata;
  }

  static std::string Text(pbf_reader tensor) {
    std::string text;
    bool shape = false;
    while (tensor.next()) {
      if (tensor.tag() == 1) {
        EXPECT_EQ(tensor.get_enum(), 7) << "DT_STRING";
      } else if (tensor.tag() == 2) {
        EXPECT_EQ(tensor.get_view().size(), 0U) << "no dimensions";
        shape = true;
      } else {
        EXPECT_EQ(tensor.tag(), 8U);
        text = tensor.get_string();
      }
    }
    EXPECT_TRUE(shape);
    return text;
  }

  EventLog run_;
  bool first_ = true;
};

// The numeric cells of a report's row by column; missing values are left out.
using Row = std::map<std::string, double, std::less<>>;

class RowReader : public RowSink {
 public:
  explicit RowReader(const Report& report) : report_(report) {}

  void Row(std::span<const Cell> cells) override {
    rows_.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto* integer = std::get_if<int64_t>(&cells[i]);
      if (integer == nullptr || *integer == kMissing) continue;
      rows_.back()[std::string(report_.columns[i].name)] = static_cast<double>(*integer);
    }
  }
  void Note(std::string_view /*text*/) override {}

  const std::vector<testing::Row>& rows() const { return rows_; }

 private:
  const Report& report_;
  std::vector<testing::Row> rows_;
};

std::vector<Row> StepRows(const Profile& profile, const RangeSummary& range) {
  for (const Report& report : AllReports()) {
    if (report.id != "steps") continue;
    RowReader reader(report);
    report.compute({profile, range}, reader);
    return reader.rows();
  }
  ADD_FAILURE() << "no report steps";
  return {};
}

std::string Lowercase(std::string_view text) {
  std::string lowercase(text);
  for (char& c : lowercase) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lowercase;
}

// The report's column for an entry has the same name, in another case.
double TimeOf(const Row& row, LedgerEntry entry) {
  const std::string wanted = Lowercase(ToString(entry)) + " (ns)";
  for (const auto& [column, value] : row) {
    if (Lowercase(column) == wanted) return value;
  }
  ADD_FAILURE() << "no column " << wanted;
  return -1;
}

// The expected content of a rank's file, from the report's rows, and from the tables if the report
// lacks a value.
class ExpectedScalars {
 public:
  ExpectedScalars(const Profile& profile, size_t source)
      : profile_(profile), source_(MakeId<SourceId>(source)), range_(SummarizeRange(profile)) {
    const int64_t rank = profile.trace.tables.sources.rank[source];
    std::set<double> gpus;
    for (Row& row : StepRows(profile, range_)) {
      const auto its_rank = row.find("Rank");
      if (its_rank != row.end() && its_rank->second != static_cast<double>(rank)) continue;
      if (row.contains("GPU")) gpus.insert(row["GPU"]);
      rows_.push_back(std::move(row));
    }
    several_gpus_ = gpus.size() > 1;
    for (const Row& row : rows_) AddRow(row);
    const IterationsTable& iterations = profile.facts.iterations;
    for (size_t i = 0; i < RowCount(iterations); ++i) {
      if (iterations.source[i] == source_) AddIteration(i);
    }
  }

  const Series& series() const { return series_; }

 private:
  void Set(const std::string& tag, double step, double value) {
    series_[tag][static_cast<int64_t>(step)] = static_cast<float>(value);
  }

  void AddRow(const Row& row) {
    const double step = row.at("Iteration");
    const double window = row.at("Window (ns)");
    const bool gpu = row.contains("GPU");
    const std::string name = !gpu            ? "host"
                             : several_gpus_ ? fmt::format("GPU {}", row.at("GPU"))
                                             : "GPU";
    const auto add = [&](std::span<const LedgerEntry> entries) {
      for (const LedgerEntry entry : entries) {
        Set(fmt::format("{} time (ms)/{}", name, ToString(entry)), step, TimeOf(row, entry) / 1e6);
        Set(fmt::format("{} time (%)/{}", name, ToString(entry)), step,
            100 * TimeOf(row, entry) / window);
      }
    };
    if (window > 0) add(gpu ? std::span<const LedgerEntry>(kGpuEntries) : kHostEntries);
    if (gpu) AddGpu(row, name);
  }

  void AddGpu(const Row& row, const std::string& name) {
    const double step = row.at("Iteration");
    const double tensor_cores = TimeOf(row, LedgerEntry::kTensorCores);
    const double exposed = TimeOf(row, LedgerEntry::kCommunication);
    const double kernels = tensor_cores + TimeOf(row, LedgerEntry::kOtherKernels) + exposed;
    Set(name + "/kernels", step, row.at("Kernels"));
    Set(name + "/utilization (%)", step, 100 * kernels / row.at("Window (ns)"));
    if (kernels > 0) Set(name + "/Tensor Core share (%)", step, 100 * tensor_cores / kernels);
    if (!RunsCollectives(row.at("GPU"))) return;
    Set(name + " communication (ms)/exposed communication", step, exposed / 1e6);
    Set(name + " communication (ms)/hidden communication", step,
        HiddenCommunication(row.at("GPU"), step) / 1e6);
  }

  // From the ledger's rows; for all steps if `step` is negative.
  double HiddenCommunication(double gpu, double step) const {
    const LedgerTable& ledger = profile_.facts.ledger;
    double sum = 0;
    for (size_t i = 0; i < RowCount(ledger); ++i) {
      if (ledger.entry[i] != LedgerEntry::kHiddenCommunication) continue;
      const size_t device = Index(ledger.device[i]);
      const auto number =
          static_cast<double>(profile_.facts.iterations.number[Index(ledger.iteration[i])]);
      if (profile_.trace.tables.devices.source[device] != source_) continue;
      if (static_cast<double>(profile_.trace.tables.devices.ordinal[device]) != gpu) continue;
      if (step < 0 || step == number) sum += static_cast<double>(ledger.time[i]);
    }
    return sum;
  }

  bool RunsCollectives(double gpu) const {
    if (HiddenCommunication(gpu, -1) > 0) return true;
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.contains("GPU") && row.at("GPU") == gpu &&
             TimeOf(row, LedgerEntry::kCommunication) > 0;
    });
  }

  void AddIteration(size_t i) {
    const IterationsTable& iterations = profile_.facts.iterations;
    const auto step = static_cast<double>(iterations.number[i]);
    double longest = 0;
    bool reads = false;
    for (const Row& row : rows_) {
      reads |= row.at("Reader Cost (ns)") > 0;
      if (row.at("Iteration") != step) continue;
      longest = std::max(longest, row.at("Window (ns)"));
      Set("step/batch cost (ms)", step, row.at("Batch Cost (ns)") / 1e6);
    }
    if (reads) Set("step/reader cost (ms)", step, static_cast<double>(iterations.reader[i]) / 1e6);
    if (longest > 0) {
      Set("step/time (ms)", step, longest / 1e6);
      const auto batch = static_cast<double>(range_.samples_per_iteration);
      const bool known = range_.samples_per_iteration != kMissing;
      Set(known ? "throughput/samples per second" : "throughput/iterations per second", step,
          (known ? batch : 1) / (longest / 1e9));
    }
    if (CallsWereRecorded()) {
      Set("host/launches", step, static_cast<double>(iterations.launches[i]));
      Set("host/host synchronizations", step, static_cast<double>(iterations.synchronizations[i]));
    }
    AddMemory(i);
  }

  bool CallsWereRecorded() const {
    const Column<ThreadId>& threads = profile_.trace.tables.api.thread;
    return std::any_of(threads.begin(), threads.end(),
                       [&](ThreadId thread) { return profile_.trace.SourceOf(thread) == source_; });
  }

  void AddMemory(size_t i) {
    const MemoryEventsTable& events = profile_.trace.tables.memory;
    const IterationsTable& iterations = profile_.facts.iterations;
    struct Amount {
      int64_t allocated = kMissing, reserved = kMissing;
    };
    std::map<int64_t, Amount> devices;  // by type; this process has one GPU
    for (size_t e = 0; e < RowCount(events); ++e) {
      if (profile_.trace.SourceOf(events.thread[e]) != source_) continue;
      if (events.total_allocated[e] == kMissing || events.time[e] > iterations.end[i]) continue;
      Amount& amount = devices[events.device_type[e]];
      // The last event before the iteration counts, and all events inside it.
      if (events.time[e] <= iterations.start[i]) amount = {};
      amount.allocated = std::max(amount.allocated, events.total_allocated[e]);
      amount.reserved = std::max(amount.reserved, events.total_reserved[e]);
    }
    const auto step = static_cast<double>(iterations.number[i]);
    for (const auto& [type, amount] : devices) {
      const std::string group = type == 0 ? "CPU memory (MB)/" : "GPU memory (MB)/";
      Set(group + "allocated", step, static_cast<double>(amount.allocated) / 1e6);
      if (type == 0 || amount.reserved == kMissing) continue;
      Set(group + "reserved", step, static_cast<double>(amount.reserved) / 1e6);
    }
  }

  const Profile& profile_;
  const SourceId source_;
  const RangeSummary range_;
  std::vector<Row> rows_;
  bool several_gpus_ = false;
  Series series_;
};

void ExpectEqual(const Series& found, const Series& expected) {
  for (const auto& [tag, values] : found) {
    EXPECT_TRUE(expected.contains(tag)) << tag << " is not expected";
  }
  for (const auto& [tag, values] : expected) {
    SCOPED_TRACE(tag);
    const auto it = found.find(tag);
    if (it == found.end()) {
      ADD_FAILURE() << "missing";
      continue;
    }
    ASSERT_EQ(it->second.size(), values.size());
    for (const auto& [step, value] : values) {
      ASSERT_TRUE(it->second.contains(step)) << step;
      EXPECT_FLOAT_EQ(it->second.at(step), value) << step;
    }
  }
}

// Event files by their paths below the folder.
std::map<std::string, EventLog> ExportRuns(const Profile& profile) {
  const TemporaryFolder folder;
  const ExportResult result = ExportForTest("tensorboard", profile, folder.Path("logs"));
  std::map<std::string, EventLog> runs;
  int64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.Path("logs"))) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    bytes += static_cast<int64_t>(entry.file_size());
    runs[entry.path().lexically_relative(folder.Path("logs")).string()] = EventReader(path).run();
  }
  EXPECT_EQ(result.files, runs.size());
  EXPECT_EQ(result.bytes, bytes);
  return runs;
}

void ExpectRun(const EventLog& run, const Profile& profile, size_t source) {
  EXPECT_EQ(run.version, "brain.Event:2");
  EXPECT_EQ(run.writer, "warpsight");
  ExpectEqual(run.scalars, ExpectedScalars(profile, source).series());
  for (const auto& [tag, metadata] : run.metadata) {
    const bool text = run.texts.contains(tag);
    EXPECT_EQ(metadata.plugin, text ? "text" : "scalars") << tag;
    EXPECT_EQ(metadata.data_class, text ? 2 : 1) << tag;
    EXPECT_EQ(tag.substr(tag.find('/') + 1), metadata.display_name);
    EXPECT_NE(metadata.description, "") << tag;
  }
  const int64_t unix_ns =
      profile.trace.origin_unix_ns == kMissing ? 0 : profile.trace.origin_unix_ns;
  EXPECT_DOUBLE_EQ(run.begin, static_cast<double>(unix_ns) / 1e9);
  const IterationsTable& iterations = profile.facts.iterations;
  for (size_t i = 0; i < RowCount(iterations); ++i) {
    if (Index(iterations.source[i]) != source) continue;
    ASSERT_TRUE(run.times.contains(iterations.number[i]));
    EXPECT_DOUBLE_EQ(run.times.at(iterations.number[i]),
                     static_cast<double>(unix_ns + iterations.window_end[i]) / 1e9);
  }
}

TEST(ExportTensorboard, ValuesEqualThoseOfTheReportAndTheLedger) {
  std::vector<std::string> paths;
  for (const std::string& name : BundledTraces()) paths.push_back(BundledTracePath(name));
  paths.push_back(SourcePath("tests/data/h200/captured_gpt2_bf16.wscap"));
  paths.push_back(SourcePath("tests/data/h200/jax_mlp.xplane.pb"));
  std::set<std::string> tags;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const Profile profile = ImportForTest({path});
    const std::map<std::string, EventLog> runs = ExportRuns(profile);
    ASSERT_EQ(runs.size(), 1U);
    const auto& [file, run] = *runs.begin();
    const int64_t unix_ns = profile.trace.origin_unix_ns;
    EXPECT_EQ(file,
              fmt::format("{}/events.out.tfevents.{:010}.warpsight", profile.trace.profile_name,
                          unix_ns == kMissing ? 0 : unix_ns / 1'000'000'000));
    ExpectRun(run, profile, 0);
    for (const auto& [tag, values] : run.scalars) tags.insert(tag);
  }
  // Each kind of value except communication occurs in at least one of them.
  for (const char* tag :
       {"step/time (ms)", "step/reader cost (ms)", "throughput/samples per second",
        "throughput/iterations per second", "GPU time (ms)/host synchronization", "host/launches",
        "GPU/Tensor Core share (%)", "GPU memory (MB)/allocated", "GPU memory (MB)/reserved"}) {
    EXPECT_TRUE(tags.contains(tag)) << tag;
  }
}

constexpr const char* kGemm = "nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT";
constexpr const char* kAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

// Steps with a matrix product and, on another stream, a kernel that ends `late` microseconds after
// it.
std::string Steps(const std::string& top, const std::string& other, double late) {
  ChromeText text;
  if (!top.empty()) text.Top("distributedInfo", top);
  for (int step = 0; step < 4; ++step) {
    const double t = 1000.0 * step + 100;
    const int id = 2 * step + 1;
    text.Slice("user_annotation", fmt::format("ProfilerStep#{}", step), t, 1000);
    text.Call("cudaLaunchKernel", t + 10, 5, id).Kernel(kGemm, t + 50, 500, id);
    text.Call("cudaLaunchKernel", t + 20, 5, id + 1).Kernel(other, t + 400, 150 + late, id + 1, 20);
  }
  return text.Text();
}

std::string Write(const TemporaryFolder& folder, const std::string& name,
                  const std::string& content) {
  std::string path = folder.Path(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(ExportTensorboard, EveryRankIsASeparateRun) {
  const TemporaryFolder folder;
  const auto rank = [&](int number, double late) {
    return Write(folder, fmt::format("rank{}.json", number),
                 Steps(fmt::format(R"({{"backend": "nccl", "rank": {}, "world_size": 2}})", number),
                       kAllReduce, late));
  };
  Profile profile = ImportForTest({rank(0, 100), rank(1, 200)});
  profile.trace.profile_name = "job";
  const std::map<std::string, EventLog> runs = ExportRuns(profile);
  ASSERT_EQ(runs.size(), 2U);
  const EventLog& first = runs.begin()->second;
  const EventLog& second = runs.rbegin()->second;
  EXPECT_TRUE(runs.begin()->first.starts_with("job/rank0/events.out.tfevents."));
  EXPECT_TRUE(runs.rbegin()->first.starts_with("job/rank1/events.out.tfevents."));
  ExpectRun(first, profile, 0);
  ExpectRun(second, profile, 1);
  const std::string exposed = "GPU communication (ms)/exposed communication";
  EXPECT_FLOAT_EQ(first.scalars.at(exposed).at(1), 0.1F);
  EXPECT_FLOAT_EQ(second.scalars.at(exposed).at(1), 0.2F);
  EXPECT_FLOAT_EQ(first.scalars.at("GPU communication (ms)/hidden communication").at(1), 0.15F);
  // Texts cover all ranks.
  EXPECT_EQ(first.texts.size(), 2U);
  EXPECT_EQ(second.texts.size(), 0U);
}

TEST(ExportTensorboard, SeveralGpusOfAProcessHaveNames) {
  const TemporaryFolder folder;
  std::string text = Steps("", "elementwise_kernel(float*)", 100);
  for (const auto& [before, after] : std::map<std::string, std::string>{
           {R"("pid": 0, "tid": 20)", R"("pid": 1, "tid": 20)"},
           {R"("device": 0, "stream": 20)", R"("device": 1, "stream": 20)"}}) {
    for (size_t at = text.find(before); at != std::string::npos; at = text.find(before)) {
      text.replace(at, before.size(), after);
    }
  }
  const Profile profile = ImportForTest({Write(folder, "two.json", text)});
  const std::map<std::string, EventLog> runs = ExportRuns(profile);
  ASSERT_EQ(runs.size(), 1U);
  const EventLog& run = runs.begin()->second;
  ExpectRun(run, profile, 0);
  EXPECT_FLOAT_EQ(run.scalars.at("GPU 0 time (ms)/Tensor Core kernels").at(1), 0.5F);
  EXPECT_FLOAT_EQ(run.scalars.at("GPU 1 time (ms)/other kernels").at(1), 0.25F);
  EXPECT_FALSE(run.scalars.contains("GPU time (ms)/other kernels"));
}

TEST(ExportTensorboard, WithoutGpuWorkThereAreNoGpuValues) {
  const Profile profile =
      ImportForTest({SourcePath("tests/fuzz/seeds/chrome/onnxruntime_cpu.json")});
  const std::map<std::string, EventLog> runs = ExportRuns(profile);
  ASSERT_EQ(runs.size(), 1U);
  const EventLog& run = runs.begin()->second;
  ExpectRun(run, profile, 0);
  for (const auto& [tag, values] : run.scalars) {
    EXPECT_TRUE(tag.starts_with("step/") || tag.starts_with("throughput/") ||
                tag.starts_with("host time"))
        << tag;
  }
  EXPECT_GT(run.scalars.at("host time (ms)/ops and Python").at(0), 0);
}

TEST(ExportTensorboard, TextsAreTheScreenAndTheAdvice) {
  Profile profile = ImportForTest({BundledTracePath("gpt2_sync_every_param")});
  profile.trace.profile_name = "<b>`run`</b> \xff\n# title";
  const std::map<std::string, EventLog> runs = ExportRuns(profile);
  ASSERT_EQ(runs.size(), 1U);
  const std::map<std::string, std::string>& texts = runs.begin()->second.texts;
  ASSERT_EQ(texts.size(), 2U);
  const std::string& screen = texts.at("Warpsight/one screen");
  const RangeSummary range = SummarizeRange(profile);
  std::string expected = "    ";
  for (const char c : OneScreen({profile, range}, {})) {
    expected += c;
    if (c == '\n') expected += "    ";
  }
  expected.resize(expected.size() - 4);
  EXPECT_EQ(screen, expected);
  const std::string& advice = texts.at("Warpsight/advice");
  EXPECT_EQ(advice, RenderAdviceMarkdown(profile, LoadAdvice(profile), {}));
  for (const char* part : {"host-sync", "**Change.**", "faster, ", "\n- ", "&lt;b&gt;"}) {
    EXPECT_NE(advice.find(part), std::string::npos) << part << "\n" << advice;
  }
  EXPECT_EQ(advice.find("<b>"), std::string::npos);
  for (const auto& [tag, text] : texts) {
    EXPECT_TRUE(IsUtf8(text)) << tag;
    EXPECT_EQ(text.find("\n# title"), std::string::npos) << tag;
  }
}

TEST(ExportTensorboard, OnlyItsOwnFilesAreRecognized) {
  const TemporaryFolder folder;
  const Profile& profile = ImportOnce({BundledTracePath("resnet18_cuda_graph_inference")});
  ExportForTest("tensorboard", profile, folder.path());
  const std::vector<Exporter> all = AllExporters();
  const auto exporter = std::find_if(all.begin(), all.end(),
                                     [](const Exporter& e) { return e.name == "tensorboard"; });
  ASSERT_NE(exporter, all.end());
  const OutputKind kind = exporter->kind();
  std::string file;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) file = entry.path().string();
  }
  EXPECT_TRUE(kind.matches(file));
  // Like PyTorch's SummaryWriter: the time, then the version.
  const std::string event =
      "\x09\x01\x02\x03\x04\x05\x06\x07\x08\x1a\x0d"
      "brain.Event:2";
  const std::string length = std::string(1, static_cast<char>(event.size())) + std::string(7, '\0');
  const auto checksum = [](const std::string& bytes) {
    const uint32_t crc = MaskedCrc(bytes);
    return std::string(reinterpret_cast<const char*>(&crc), sizeof crc);
  };
  const std::string foreign = length + checksum(length) + event + checksum(event);
  EXPECT_EQ(Records(foreign).size(), 1U);
  EXPECT_FALSE(kind.matches(Write(folder, "foreign", foreign)));
}

}  // namespace
}  // namespace warpsight::testing
