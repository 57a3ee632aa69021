#include "importers/nvprof/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "importers/nvprof/csv_lines.h"
#include "importers/nvprof/rows.h"

namespace warpsight::importers::nvprof {
namespace {

enum Field : size_t {
  kStart,
  kDuration,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kSize,
  kSourceMemory,
  kTargetMemory,
  kDevice,
  kContext,
  kStream,
  kName,
  kCorrelation,
  kFields,
};

constexpr std::array<std::string_view, kFields> kHeaders = {
    "Start",         "Duration",     "Grid X",
    "Grid Y",        "Grid Z",       "Block X",
    "Block Y",       "Block Z",      "Registers Per Thread",
    "Static SMem",   "Dynamic SMem", "Size",
    "SrcMemType",    "DstMemType",   "Device",
    "Context",       "Stream",       "Name",
    "Correlation_ID"};

bool IsRemark(std::string_view line) { return line.starts_with("=="); }

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Splits "Tesla V100-SXM2-16GB (0)" into the name and 0.
int64_t SplitDevice(std::string_view text, std::string_view& name) {
  name = text;
  const size_t open = text.rfind(" (");
  if (open == text.npos || !text.ends_with(')')) return 0;
  int64_t number = 0;
  const std::string_view digits = text.substr(open + 2, text.size() - open - 3);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return 0;
  name = text.substr(0, open);
  return number;
}

// Splits "kernel(int) [123]" into the name and 123.
int64_t SplitCorrelation(std::string_view& name) {
  const size_t open = name.rfind(" [");
  if (open == name.npos || !name.ends_with(']')) return kMissing;
  int64_t number = 0;
  const std::string_view digits = name.substr(open + 2, name.size() - open - 3);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return kMissing;
  name = name.substr(0, open);
  return number;
}

// The length of the part of a line that is quoted in messages.
constexpr size_t kLongestQuote = 200;

class CsvReader {
 public:
  explicit CsvReader(ImportContext& context) : context_(context), part_(context.source) {}

  Status Read(std::string_view text) {
    const std::string_view whole = text;
    while (!text.empty()) {
      const auto offset = static_cast<int64_t>(text.data() - whole.data());
      const std::string_view line = TakeLine(text);
      if (++lines_ % 4096 == 0 && context_.MustStop()) break;
      if (IsRemark(line)) {
        ReadRemark(line);
      } else if (!line.empty()) {
        ReadLine(RepairUtf8(line), offset);
      }
    }
    if (Status status = context_.CheckStopped(); !status.ok()) return status;
    if (!has_header_) {
      return Error{
          fmt::format("{}: no nvprof trace header (\"Start\",\"Duration\",…)", context_.path)};
    }
    context_.builder.AddEvents(context_.source, records_);
    context_.builder.Add(std::move(part_));
    return {};
  }

 private:
  // Reads lines such as "==123== NVPROF is profiling process 123, command: ./program".
  void ReadRemark(std::string_view line) {
    const std::string_view digits = line.substr(2, line.find('=', 2) - 2);
    if (!digits.empty() && digits.find_first_not_of("0123456789") == digits.npos) pid_ = digits;
    if (const size_t at = line.find("command: "); at != line.npos) {
      const ProcessId process = part_.Process(pid_);
      part_.tables.processes.name[Index(process)] =
          part_.Intern(RepairUtf8(line.substr(at + std::string_view("command: ").size())));
    }
    if (line.find("dropped") != line.npos) {
      part_.Log("records_dropped", kMissing, RepairUtf8(line));
    }
  }

  void ReadLine(std::string_view line, int64_t offset) {
    cells_ = SplitCsv(line);
    if (IsHeader()) {
      places_.fill(cells_.size());
      for (size_t i = 0; i < cells_.size(); ++i) {
        const auto at = std::find(kHeaders.begin(), kHeaders.end(), cells_[i]);
        if (at != kHeaders.end()) places_[static_cast<size_t>(at - kHeaders.begin())] = i;
      }
      units_.clear();
      has_header_ = true;
      return;
    }
    if (!has_header_) return;
    if (units_.empty()) {
      units_ = cells_;
      return;
    }
    ++records_;
    const auto start = Number(kStart);
    const auto duration = Number(kDuration);
    if (!start || !duration || *duration < 0 || *duration > kLongestSlice || Cell(kName).empty()) {
      // The truncation may split a UTF-8 character.
      part_.Log("bad_line", offset,
                fmt::format("not a record: {}", RepairUtf8(line.substr(0, kLongestQuote))));
      return;
    }
    // The first event may start at 0, which is a valid time here.
    if (Cell(kDevice).empty()) {
      AddCall(*start, *duration);
    } else {
      AddGpuWork(*start, *duration);
    }
  }

  bool IsHeader() const {
    return cells_.size() > 2 && cells_[0] == "Start" && cells_[1] == "Duration";
  }

  std::string_view Cell(Field field) const {
    const size_t at = places_[field];
    return at < cells_.size() ? std::string_view(cells_[at]) : std::string_view();
  }
  std::optional<int64_t> Number(Field field) const {
    const size_t at = places_[field];
    return Scaled(Cell(field), at < units_.size() ? std::string_view(units_[at]) : "");
  }
  int64_t NumberOr(Field field, int64_t missing) const { return Number(field).value_or(missing); }

  std::string_view TakeName(int64_t& correlation) const {
    std::string_view name = Cell(kName);
    const int64_t in_name = SplitCorrelation(name);
    correlation = NumberOr(kCorrelation, in_name);
    return name;
  }

  void AddCall(TimeNs start, DurationNs duration) {
    ApiRow api;
    api.start = start;
    api.duration = duration;
    api.name = part_.Intern(TakeName(api.correlation));
    api.thread = part_.Thread(pid_, "0");
    Add(api, part_);
  }

  void AddGpuWork(TimeNs start, DurationNs duration) {
    GpuRow gpu;
    gpu.start = start;
    gpu.duration = duration;
    const std::string_view name = TakeName(gpu.correlation);
    gpu.stream = StreamOfRow();
    gpu.bytes = NumberOr(kSize, kMissing);
    if (name.starts_with("[CUDA memcpy ") && name.ends_with(']')) {
      const std::string_view letters = name.substr(13, name.size() - 14);
      gpu.kind = GpuKind::kCopy;
      gpu.direction = CopyDirectionOf(letters);
      gpu.host_memory = HostMemoryOf(gpu.direction);
      gpu.name = part_.Intern(Cell(kSourceMemory).empty()
                                  ? fmt::format("Memcpy {}", letters)
                                  : fmt::format("Memcpy {} ({} -> {})", letters,
                                                Cell(kSourceMemory), Cell(kTargetMemory)));
    } else if (name.starts_with("[CUDA memset")) {
      gpu.kind = GpuKind::kMemset;
      gpu.name = part_.Intern("Memset (Device)");
    } else {
      gpu.name = part_.Intern(name);
      gpu.launch = LaunchOfRow();
    }
    Add(gpu, part_);
  }

  StreamId StreamOfRow() {
    std::string_view name;
    const int64_t ordinal = SplitDevice(Cell(kDevice), name);
    const DeviceId device = part_.Device(ordinal);
    part_.tables.devices.name[Index(device)] = part_.Intern(name);
    return part_.Stream(ordinal, NumberOr(kContext, kMissing), NumberOr(kStream, kMissing));
  }

  LaunchConfigId LaunchOfRow() {
    TracePart::LaunchConfig launch;
    constexpr std::array<Field, 3> kGrid = {kGridX, kGridY, kGridZ};
    constexpr std::array<Field, 3> kBlock = {kBlockX, kBlockY, kBlockZ};
    for (size_t i = 0; i < 3; ++i) {
      launch.grid[i] = NumberOr(kGrid[i], kMissing);
      launch.block[i] = NumberOr(kBlock[i], kMissing);
    }
    launch.registers = NumberOr(kRegisters, kMissing);
    return AddLaunch(launch, NumberOr(kStaticShared, kMissing), NumberOr(kDynamicShared, kMissing),
                     part_);
  }

  static CopyDirection CopyDirectionOf(std::string_view letters) {
    for (int64_t kind = 1; kind <= 10; ++kind) {
      const CopyKind known = CopyKindOf(kind, 0, 0);
      if (known.letters == letters) return known.direction;
    }
    return CopyDirection::kUnknown;
  }

  HostMemory HostMemoryOf(CopyDirection direction) const {
    const bool from_host =
        direction == CopyDirection::kHostToDevice || direction == CopyDirection::kHostToHost;
    if (!from_host && direction != CopyDirection::kDeviceToHost) return HostMemory::kNone;
    const std::string_view memory = Cell(from_host ? kSourceMemory : kTargetMemory);
    if (memory == "Pageable") return HostMemory::kPageable;
    return memory == "Pinned" ? HostMemory::kPinned : HostMemory::kUnknown;
  }

  ImportContext& context_;
  TracePart part_;
  std::string pid_ = "0";
  std::vector<std::string> cells_, units_;
  std::array<size_t, kFields> places_{};
  bool has_header_ = false;
  int64_t records_ = 0;
  int64_t lines_ = 0;
};

}  // namespace

bool LooksLikeCsvTrace(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = TakeLine(head);
    if (line.empty() || IsRemark(line)) continue;
    return line.starts_with("\"Start\",\"Duration\",") || line.starts_with("Start,Duration,");
  }
  return false;
}

Status ReadCsv(ImportContext& context) {
  auto bytes = context.whole.Bytes();
  if (!bytes.ok()) return bytes.error();
  return CsvReader(context).Read({bytes->data(), bytes->size()});
}

}  // namespace warpsight::importers::nvprof
