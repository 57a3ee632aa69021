#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/counters/api.h"

namespace warpsight::agent {

// Reads the hardware counters of one kernel at a time in one context, by CUPTI's Range Profiler:
// each launch between Begin and End is a range of its own, and CUPTI runs it again where the
// metrics need several passes. All calls are made with the context current, one at a time.
//
// One kernel at a time, since ranges are only numbers: of several kernels between Begin and End, a
// memset that the driver turns into a kernel would move all values behind it to a wrong one.
class RangeProfiler {
 public:
  RangeProfiler(const CounterApi& api, CUcontext context) : api_(api), context_(context) {}

  // Chooses metrics for the context's GPU and takes its counters. False: see failure.
  bool Open();
  // Counts from here on.
  bool Begin();
  struct Counted {
    size_t ranges = 0;           // kernels that were counted
    size_t dropped = 0;          // and those for which there was no room
    std::vector<double> values;  // of the first one, in the order of metrics()
  };
  bool End(Counted& counted);
  // Gives the counters back.
  void Close();

  const std::string& chip() const { return chip_; }
  const std::vector<std::string>& metrics() const { return metrics_; }
  size_t passes() const { return passes_; }
  // How counting is begun again after the first time, for diagnosis.
  std::string RestartWay() const;

  // What failed last.
  const char* failed_step() const { return failed_step_; }
  CUptiResult failure() const { return failure_; }

 private:
  bool Ok(CUptiResult result, const char* step);
  bool ChooseMetrics();
  CUpti_Profiler_Host_Object* MakeHost();
  bool MakeConfig();
  bool Enable();
  bool ClearImage();
  bool Configure();
  bool StartCounting();

  const CounterApi& api_;
  const CUcontext context_;
  std::string chip_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<const char*> metric_names_;  // the same
  std::vector<uint8_t> config_;
  std::vector<uint8_t> image_;  // of the counters' values
  size_t passes_ = 0;
  bool started_before_ = false;
  bool configure_again_ = true;
  bool push_ranges_ = false;
  size_t reopened_ = 0;
  const char* failed_step_ = "";
  CUptiResult failure_ = CUPTI_SUCCESS;
};

}  // namespace warpsight::agent
