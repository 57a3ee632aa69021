// Many threads send the agent more than it can write: nothing may be lost without being counted, be
// reordered, or refer to a missing text. With "stretches", steps are recorded in stretches
// meanwhile, and nothing may be recorded between them, until the program uses a graph: from then
// on, everything is. Also built with ThreadSanitizer.

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/core/session.h"
#include "agent/interface.h"
#include "wire/frame.h"
#include "wire/rows.h"

namespace {

namespace fs = std::filesystem;
namespace wire = warpsight::wire;

void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "agent_load: %s\n", what.c_str());
  std::_Exit(1);
}

struct Read {
  std::map<uint64_t, std::string> texts;
  std::vector<wire::RangeRecord> ranges;
  std::vector<wire::OpRecord> ops;
  std::vector<wire::GapRecord> gaps;
  std::vector<wire::StepTimeRecord> steps;
  std::vector<wire::CleanStretchRecord> stretches;
  bool ended = false;
};

template <typename Record>
void AddRows(const wire::Frame& frame, std::string_view payload, std::vector<Record>& rows) {
  if (frame.header.record != static_cast<uint16_t>(Record::kType)) return;
  const auto decoded = wire::DecodeRows<Record>(payload, frame.header.rows);
  Require(decoded.has_value(), "a frame is damaged");
  rows.insert(rows.end(), decoded->begin(), decoded->end());
}

Read ReadBack(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Require(bytes.size() > sizeof(wire::FileHeader), "the file is empty");
  Read read;
  wire::FrameReader frames(std::string_view(bytes).substr(sizeof(wire::FileHeader)));
  while (const auto frame = frames.Next()) {
    std::string unpacked;
    std::string_view payload = frame->payload;
    if ((frame->header.type & wire::kCompressed) != 0) {
      unpacked.resize(ZSTD_getFrameContentSize(payload.data(), payload.size()));
      ZSTD_decompress(unpacked.data(), unpacked.size(), payload.data(), payload.size());
      payload = unpacked;
    }
    const auto type = static_cast<wire::FrameType>(frame->header.type & ~wire::kCompressed);
    if (type == wire::FrameType::kEnd) read.ended = true;
    if (type == wire::FrameType::kStrings) {
      const auto strings = wire::DecodeStrings(payload, frame->header.rows);
      Require(strings.has_value(), "texts are damaged");
      for (size_t i = 0; i < strings->texts.size(); ++i) {
        read.texts[strings->first + i] = strings->texts[i];
      }
    }
    if (type == wire::FrameType::kRecords) {
      AddRows(*frame, payload, read.ranges);
      AddRows(*frame, payload, read.ops);
      AddRows(*frame, payload, read.gaps);
      AddRows(*frame, payload, read.steps);
      AddRows(*frame, payload, read.stretches);
    }
  }
  Require(frames.missing() == 0 && frames.passed_over() == 0, "the file has gaps");
  return read;
}

// The work of one thread: ops in ranges, with private and shared names.
void Work(int number, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const std::string range = "range " + std::to_string(number) + " " + std::to_string(i % 100);
    warpsight_range_push(3, range.c_str());
    const std::string name = "op " + std::to_string(i);
    WarpsightOp op{};
    op.name = warpsight_text(name.c_str());
    op.sequence = i;
    op.token = static_cast<uint64_t>(i) + 1;
    warpsight_op_begin(&op);
    warpsight_op_end(op.token);
    warpsight_range_pop(3);
    if (i % 1000 == 0) warpsight_fact("round", range.c_str());
  }
}

void Check(const Read& read, int64_t ranges, int64_t ops) {
  int64_t lost = 0;
  for (const auto& gap : read.gaps) lost += gap.lost;
  int64_t closed = 0;
  for (const auto& range : read.ranges) {
    closed += range.end != 0 ? 1 : 0;
    Require(range.name == 0 || read.texts.count(static_cast<uint64_t>(range.name)) == 1,
            "a range has a name that is not in the file");
    Require(range.end == 0 || range.start <= range.end, "a range ends before it begins");
  }
  std::map<int64_t, int64_t> last;
  for (const auto& op : read.ops) {
    if (op.name != 0) {
      const auto text = read.texts.find(static_cast<uint64_t>(op.name));
      Require(text != read.texts.end(), "an op has a name that is not in the file");
      Require(text->second == "op " + std::to_string(op.sequence), "an op has the wrong name");
    }
    // The number of a thread that ended may be reused by another thread, which starts from the
    // beginning.
    const auto [it, added] = last.try_emplace(op.thread, op.sequence);
    Require(added || op.sequence > it->second || op.sequence < 1000, "ops are out of order");
    it->second = op.sequence;
  }
  const int64_t seen = closed + static_cast<int64_t>(read.ops.size());
  std::printf("sent %ld, written %ld, lost and counted %ld\n", static_cast<long>(ranges + ops),
              static_cast<long>(seen), static_cast<long>(lost));
  // Open ranges that did not fit also count as lost, and are not among the reported records.
  // What is not recorded in clean stretches is not lost.
  Require(seen + lost >= ranges + ops || !read.stretches.empty(),
          "records are missing without being counted");
  Require(seen <= ranges + ops, "there are more records than were sent");
  Require(seen > (ranges + ops) / 100, "almost nothing was written");
  Require(read.ended, "the file has no end");
}

// Steps, until the others have finished, in three stretches at least.
void Step(const std::atomic<bool>& finished) {
  for (int i = 0; i < 250 || !finished; ++i) {
    warpsight_boundary(static_cast<int>(warpsight::agent::StepSource::kModule), "calls of a model");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    warpsight_boundary(static_cast<int>(warpsight::agent::StepSource::kOptimizer), "a step");
  }
}

// A graph is launched in a clean stretch. Returns a time after which everything must be recorded.
int64_t UseGraph() {
  using warpsight::agent::Session;
  const auto step = [] {
    warpsight_boundary(static_cast<int>(warpsight::agent::StepSource::kOptimizer), "a step");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  Session& session = *Session::Live();
  for (int i = 0; i < 1000 && session.recording(); ++i) step();
  Require(!session.recording(), "no clean stretch begins");
  session.RecordGraphs();
  for (int i = 0; i < 10'000 && !session.recording(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Require(session.recording(), "the graph is not recorded");
  const int64_t now = warpsight::agent::Now();
  for (int i = 0; i < 250; ++i) step();
  return now;
}

void CheckGraph(const Read& read, int64_t recorded_from) {
  for (const auto& stretch : read.stretches) {
    Require(stretch.end <= recorded_from, "a clean stretch ends after a graph was launched");
  }
  const auto is_reason = [](const auto& text) {
    return text.second.find("the program uses CUDA graphs") != std::string::npos;
  };
  Require(std::ranges::any_of(read.texts, is_reason), "the reason for no clean steps is missing");
}

// The clean stretches; that without an end is the last one, or was written again with its end.
std::map<int64_t, int64_t> Stretches(const Read& read) {
  std::map<int64_t, int64_t> ends;
  for (const auto& stretch : read.stretches) {
    int64_t& end = ends.try_emplace(stretch.start, 0).first->second;
    end = stretch.end == 0 && end == 0 ? INT64_MAX
                                       : std::max(end == INT64_MAX ? 0 : end, stretch.end);
  }
  return ends;
}

void CheckStretches(const Read& read) {
  const std::map<int64_t, int64_t> stretches = Stretches(read);
  Require(stretches.size() >= 3, "there are no clean stretches");
  const auto overlap = [&](int64_t start, int64_t end) {
    int64_t sum = 0;
    for (const auto& [first, last] : stretches) {
      sum += std::max<int64_t>(0, std::min(end, last) - std::max(start, first));
    }
    return sum;
  };
  std::map<int64_t, int64_t> counts;
  for (const auto& step : read.steps) {
    ++counts[step.state];
    const int64_t clean = overlap(step.start, step.end);
    if (step.state == static_cast<int64_t>(wire::StepState::kClean)) {
      Require(clean == step.end - step.start, "a clean step is not in a clean stretch");
    }
    if (step.state == static_cast<int64_t>(wire::StepState::kRecorded)) {
      Require(clean == 0, "a recorded step is in a clean stretch");
    }
  }
  Require(counts[0] >= 10 && counts[1] >= 5, "there are few clean or recorded steps");
  // One may have been about to begin when the stretch began, on a thread that then had to wait.
  int64_t inside = 0;
  for (const auto& op : read.ops) inside += overlap(op.start, op.start + 1);
  Require(inside <= static_cast<int64_t>(16 * stretches.size()),
          "ops are recorded in clean stretches");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20000;
  std::string folder = (fs::temp_directory_path() / "agent_load.XXXXXX").string();
  Require(mkdtemp(folder.data()) != nullptr, "no folder");
  setenv("WARPSIGHT_CAPTURE", folder.c_str(), 1);
  setenv("WARPSIGHT_RUN", "1f", 1);
  const bool stretches = argc > 2 && std::string_view(argv[2]) == "stretches";
  if (stretches) {
    setenv("WARPSIGHT_OPTIONS", "stretches", 1);
    setenv("WORLD_SIZE", "2", 1);  // the same stretches, however long recording takes
  }
  Require(warpsight_attach() == 1, "the agent does not attach");

  std::atomic<bool> finished = false;
  std::thread steps;
  if (stretches) steps = std::thread(Step, std::cref(finished));
  constexpr int kThreads = 16;
  constexpr int kGenerations = 3;  // threads end, and others start
  for (int generation = 0; generation < kGenerations; ++generation) {
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(Work, t, rounds);
    for (int i = 0; i < 10; ++i) warpsight_flush(0);
    for (std::thread& thread : threads) thread.join();
  }
  finished = true;
  if (stretches) steps.join();
  int64_t recorded_from = 0;
  if (stretches) std::thread([&] { recorded_from = UseGraph(); }).join();
  warpsight_flush(1);
  const int64_t each = int64_t{kThreads} * kGenerations * rounds;
  const Read read = ReadBack(fs::path(folder) / (std::to_string(getpid()) + ".wscap"));
  Check(read, each, each);
  if (stretches) CheckStretches(read);
  if (stretches) CheckGraph(read, recorded_from);
  fs::remove_all(folder);
}
