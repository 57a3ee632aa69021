#include "agent/core/alternation.h"

#include <algorithm>
#include <utility>

namespace warpsight::agent {
namespace {

constexpr DurationNs kMillisecond = 1'000'000;
constexpr DurationNs kSecond = 1000 * kMillisecond;

// A source is used after so many boundaries; another one, which is not better, if so many came
// since the last boundary of the one in use, and none of that one for a while, or very many came.
constexpr int64_t kRepeats = 3;
constexpr int64_t kRepeatsAlone = 10;
constexpr int64_t kStepsOfSilence = 5;
constexpr int64_t kManyAlone = 100;

// What recording may add to a run, and the number of steps for which that is to hold.
constexpr double kMostAdded = 0.02;
constexpr double kShortRun = 200;
// The cost of a record until it has been measured: of a launch, with its kernel's, about 2 us.
constexpr double kRecordCost = 1200;

// Steps of a recorded stretch.
constexpr int64_t kFewestFirst = 2;
constexpr int64_t kFewestRecorded = 3;
constexpr int64_t kMostFirstRecorded = 20;
constexpr int64_t kLaterRecorded = 10;
constexpr DurationNs kShortestRecorded = 5 * kMillisecond;
constexpr DurationNs kLongestRecorded = 2 * kSecond;
// Steps of a clean stretch.
constexpr int64_t kFirstClean = 5;
constexpr int64_t kMostClean = 100;
constexpr DurationNs kShortestClean = 50 * kMillisecond;
constexpr DurationNs kLongestClean = 5 * kSecond;
constexpr int64_t kFewestClean = 3;

// Steps of stretches in a distributed job: clean ones fill up the rest of a hundred.
constexpr int64_t kFixedRecorded = 10;
constexpr int64_t kFixedPeriod = 100;

}  // namespace

Alternation::Source* Alternation::Find(const Boundary& boundary) {
  const auto found = std::ranges::find_if(sources_, [&](const Source& source) {
    return source.name == boundary.name && source.thread == boundary.thread &&
           source.source == boundary.source;
  });
  if (found != sources_.end()) return &*found;
  if (sources_.size() >= kMostSources) return nullptr;
  return &sources_.emplace_back(Source{boundary.source, boundary.name, boundary.thread});
}

bool Alternation::IsBetter(const Source& source, TimeNs now) const {
  if (used_ >= sources_.size()) return source.boundaries >= kRepeats;
  const Source& used = sources_[used_];
  if (source.source < used.source) return source.boundaries >= kRepeats;
  if (source.boundaries_alone >= kManyAlone) return true;
  const DurationNs silence = now - used.last;
  return source.boundaries_alone >= kRepeatsAlone &&
         silence > std::max(kSecond, kStepsOfSilence * used.typical);
}

void Alternation::Use(const Source& source, const Boundary& boundary) {
  const bool recorded_before = recording_;
  RecordNow(boundary.time);
  // The other one is asked again only after it has repeated again.
  if (used_ < sources_.size()) sources_[used_].boundaries = 0;
  used_ = static_cast<size_t>(&source - sources_.data());
  first_boundary_ = boundary.time;
  first_records_ = boundary.records;
  steps_ = recorded_ = clean_ = {};
  added_ = 0;
  stretch_ = 0;
  stretch_start_ = boundary.time;
  switched_ = !recorded_before;
}

std::optional<wire::StepTimeRecord> Alternation::Add(const Boundary& boundary) {
  if (!alternates()) return std::nullopt;
  Source* source = Find(boundary);
  if (source == nullptr) return std::nullopt;
  const TimeNs before = std::exchange(source->last, boundary.time);
  const DurationNs length = boundary.time - before;
  ++source->boundaries;
  ++source->boundaries_alone;
  if (source->boundaries > 1) {
    source->typical = source->typical == 0 ? length : (3 * source->typical + length) / 4;
  }
  const bool in_use = used_ < sources_.size() && source == &sources_[used_];
  if (!in_use) {
    if (IsBetter(*source, boundary.time)) {
      Use(*source, boundary);
    }
    return std::nullopt;
  }
  for (Source& other : sources_) other.boundaries_alone = 0;
  records_ = boundary.records;
  wire::StepState state = recording_ ? wire::StepState::kRecorded : wire::StepState::kClean;
  if (switched_ || boundary.paused) state = wire::StepState::kNeither;
  switched_ = boundary.paused;
  const wire::StepTimeRecord step{before, boundary.time, boundary.thread, boundary.name,
                                  static_cast<int64_t>(state)};
  if (state != wire::StepState::kNeither) {
    ++steps_.count;
    steps_.time += length;
    if (recording_) {
      added_ += AddedPerStep();
    } else {
      ++clean_steps_;
    }
  }
  if (!boundary.paused && StretchIsOver(boundary.time)) Switch(!recording_, boundary.time);
  return step;
}

void Alternation::Switch(bool recording, TimeNs now) {
  (recording_ ? recorded_ : clean_) = steps_;
  if (stretch_ == 0) first_recorded_ = steps_.count;
  recording_ = recording;
  steps_ = {};
  switched_ = true;
  stretch_start_ = now;
  ++stretch_;
}

bool Alternation::StretchIsOver(TimeNs now) const {
  if (pattern_ == Pattern::kFixed) {
    if (recording_) return steps_.count >= kFixedRecorded;
    const int64_t steps = stretch_ == 1 ? kFirstClean : kFixedPeriod - kFixedRecorded;
    return steps_.count >= steps;
  }
  return recording_ ? RecordedStretchIsOver(now) : CleanStretchIsOver(now);
}

// What recording adds to a step: as measured, or else from the number of records.
double Alternation::AddedPerStep() const {
  const double measured =
      (recording_ && steps_.count >= kFewestRecorded ? steps_ : recorded_).mean();
  if (clean_.count >= kFewestClean && stretch_ > 1 && measured > 0) {
    return std::max(0.0, measured - clean_.mean());
  }
  const auto steps =
      static_cast<double>(std::max<int64_t>(1, (stretch_ == 0 ? steps_ : recorded_).count));
  return static_cast<double>(records_ - first_records_) * kRecordCost / steps;
}

int64_t Alternation::RecordedSteps() const {
  if (stretch_ > 2) return kLaterRecorded;
  // What a short run may record in its first two stretches, including the steps before the first
  // one and the one in which the second one begins.
  const double step = (stretch_ == 0 ? steps_ : clean_).mean();
  const double share = std::max(AddedPerStep() / std::max(1.0, step), 1e-3);
  const auto most = static_cast<int64_t>(kMostAdded * kShortRun / share);
  if (stretch_ == 0) return std::clamp(most / 2 - kRepeats, kFewestFirst, kMostFirstRecorded);
  return std::clamp(most - kRepeats - first_recorded_ - 1, kFewestRecorded, kLaterRecorded);
}

bool Alternation::RecordedStretchIsOver(TimeNs now) const {
  if (steps_.count < (stretch_ == 0 ? kFewestFirst : kFewestRecorded)) return false;
  const DurationNs time = now - stretch_start_;
  if (time >= kLongestRecorded) return true;
  return time >= kShortestRecorded && steps_.count >= RecordedSteps();
}

bool Alternation::CleanStretchIsOver(TimeNs now) const {
  const DurationNs time = now - stretch_start_;
  if (steps_.count < kFewestClean || time < kShortestClean) return false;
  const bool long_enough = time >= kLongestClean;
  if (stretch_ == 1) return steps_.count >= kFirstClean || long_enough;
  // Longer from time to time, since a long run needs no larger profile.
  const int64_t wanted = std::min(kMostClean, kFirstClean << std::min<int64_t>(stretch_ / 2, 5));
  if (steps_.count < wanted && !long_enough) return false;
  const double next = AddedPerStep() * static_cast<double>(kLaterRecorded + 1);
  return added_ + next <= kMostAdded * static_cast<double>(now - first_boundary_);
}

void Alternation::Tick(TimeNs now) {
  if (recording_ || pattern_ == Pattern::kFixed || used_ >= sources_.size()) return;
  const Source& used = sources_[used_];
  if (now - used.last > std::max(2 * kSecond, 20 * used.typical)) Switch(true, now);
}

void Alternation::RecordNow(TimeNs now) {
  if (!recording_) Switch(true, now);
}

void Alternation::RecordAll(std::string why, TimeNs now) {
  if (!alternates()) return;
  RecordNow(now);
  pattern_ = Pattern::kNone;
  why_all_ = std::move(why);
}

std::string Alternation::Missing() const {
  const std::string why = clean_steps_ >= kFewestClean ? "" : WhyMissing();
  return why.empty() ? why : "The step without the profiler was not measured: " + why + ".";
}

std::string Alternation::WhyMissing() const {
  if (!why_all_.empty()) return why_all_;
  if (!alternates()) return "everything was recorded, as requested";
  if (used_ >= sources_.size()) {
    return sources_.empty() ? "the program's steps cannot be told"
                            : "the program ended before its fourth step";
  }
  return "the program ended before its third step without recording";
}

}  // namespace warpsight::agent
