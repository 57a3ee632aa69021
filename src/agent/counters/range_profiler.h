#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/counters/api.h"
#include "agent/counters/metric_set.h"

namespace warpsight::agent {

// Reads the hardware counters of one kernel at a time in one context, by CUPTI's Range Profiler:
// each launch between Begin and End is a range of its own, and CUPTI runs it again where the
// metrics need several passes. All calls are made with the context current, one at a time.
//
// One kernel at a time, since ranges are only numbers: of several kernels between Begin and End, a
// memset that the driver turns into a kernel would move all values behind it to a wrong one.
class RangeProfiler {
 public:
  RangeProfiler(const CounterApi& api, CUcontext context)
      : api_(api), context_(context), everything_(api, failure_), brief_(api, failure_) {}

  // Chooses metrics for the context's GPU and takes its counters. False: see failure.
  bool Open();
  // Counts from here on: everything, or what one pass does where that is less.
  bool Begin(bool everything);
  struct Counted {
    size_t ranges = 0;           // kernels that were counted
    size_t dropped = 0;          // and those for which there was no room
    std::vector<double> values;  // of the first one, in the order of counting().metrics()
    bool complete = false;       // all of them are numbers
  };
  bool End(Counted& counted);
  // Gives the counters back.
  void Close();

  const std::string& chip() const { return chip_; }
  // What is being counted, or was last.
  const MetricSet& counting() const { return current_->metrics; }
  // What can be: "2 passes: NAME NAME; then 1 pass: NAME".
  std::string Sets() const;
  // How counting is restarted after the first time, for diagnosis.
  std::string RestartWay() const;

  const CounterFailure& failure() const { return failure_; }

 private:
  bool ChooseMetrics();
  bool Enable();
  bool MakeImage();
  bool ClearImage();
  bool Configure();
  bool StartCounting();

  const CounterApi& api_;
  const CUcontext context_;
  std::string chip_;
  CounterFailure failure_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  struct Set {
    Set(const CounterApi& api, CounterFailure& failure) : metrics(api, failure) {}
    MetricSet metrics;
    std::vector<uint8_t> image;  // of the counters' values
  };
  Set everything_, brief_;
  bool brief_helps_ = false;     // fewer passes
  Set* current_ = &everything_;  // set up last
  bool started_before_ = false;
  bool configure_again_ = true;
  bool push_ranges_ = false;
  size_t reopened_ = 0;
};

}  // namespace warpsight::agent
