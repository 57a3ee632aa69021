#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "wire/records.h"

namespace warpsight::agent {

// What tells where a step ends, the best first.
enum class StepSource {
  kProgram,    // warpsight.step()
  kOptimizer,  // an optimizer's step
  kModule,     // a call of an outermost module
  kRange,      // an outermost NVTX range
  kLoader,     // a data loader's next batch
};

// Decides which steps are recorded and which are not, so that a recording contains the times of
// steps as they are without it, and takes little of a long run. Boundaries between steps come from
// several sources; the best one that repeats is used. Not thread-safe.
class Alternation {
 public:
  // What the recording follows.
  enum class Pattern {
    kNone,     // everything is recorded
    kAdapted,  // to the length of steps and to what recording them adds
    kFixed,    // numbers of steps: the same in all processes of a distributed job
  };

  Alternation(Pattern pattern, TimeNs now) : pattern_(pattern), stretch_start_(now) {}

  // Whether steps are recorded now, rather than in a clean stretch.
  bool recording() const { return recording_; }
  bool alternates() const { return pattern_ != Pattern::kNone; }

  struct Boundary {
    StepSource source;
    int64_t name;    // a text
    int64_t thread;  // which came to the boundary
    TimeNs time;
    int64_t records;  // written by the process so far
    bool paused;      // the program or the user wants nothing recorded
  };
  // The step that ended there; nullopt if the boundary is not one of the source in use.
  std::optional<wire::StepTimeRecord> Add(const Boundary& boundary);
  // Time passes. A program that no longer comes to a boundary does something else, which is
  // recorded.
  void Tick(TimeNs now);
  // What happens now must be recorded.
  void RecordNow(TimeNs now);
  // From here on everything is recorded, and why.
  void RecordAll(std::string why, TimeNs now);
  // The clean steps so far are not like those that follow.
  void ForgetCleanSteps() { clean_steps_ = 0; }

  // Why there is no time of clean steps, as a sentence; empty if there is.
  std::string Missing() const;

 private:
  struct Source {
    StepSource source;
    int64_t name, thread;
    int64_t boundaries = 0;
    int64_t boundaries_alone = 0;  // since the last one of the source in use
    TimeNs last = 0;
    DurationNs typical = 0;
  };
  // Times of steps in a stretch.
  struct Steps {
    int64_t count = 0;
    DurationNs time = 0;
    double mean() const {
      return count == 0 ? 0.0 : static_cast<double>(time) / static_cast<double>(count);
    }
  };

  std::string WhyMissing() const;
  Source* Find(const Boundary& boundary);
  bool IsBetter(const Source& source, TimeNs now) const;
  void Use(const Source& source, const Boundary& boundary);
  void Switch(bool recording, TimeNs now);
  bool StretchIsOver(TimeNs now) const;
  bool RecordedStretchIsOver(TimeNs now) const;
  bool CleanStretchIsOver(TimeNs now) const;
  int64_t RecordedSteps() const;
  double AddedPerStep() const;

  static constexpr size_t kMostSources = 256;

  Pattern pattern_;
  bool recording_ = true;
  std::vector<Source> sources_;
  size_t used_ = kMostSources;  // index in sources_
  TimeNs first_boundary_ = 0;   // of the source in use
  int64_t first_records_ = 0;   // records written at that time
  int64_t records_ = 0;

  // The current stretch, and the last ones that are over.
  int64_t stretch_ = 0;  // recorded and clean ones, counted together
  TimeNs stretch_start_;
  bool switched_ = false;  // in the current step
  Steps steps_;            // of the current stretch, without the one in which it began
  Steps recorded_, clean_;
  int64_t first_recorded_ = 0;  // steps of the first stretch
  double added_ = 0;            // ns that recording has added since the first boundary, estimated
  int64_t clean_steps_ = 0;
  std::string why_all_;
};

}  // namespace warpsight::agent
