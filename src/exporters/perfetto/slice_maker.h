#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exporters/perfetto/packet_writer.h"
#include "model/profile.h"

namespace warpsight::exporters::perfetto {

// Converts rows of a profile to slices with arguments, and to arrows from launches to GPU work.
class SliceMaker {
 public:
  explicit SliceMaker(const Profile& profile);

  // The result is valid until the next call.
  SliceBegin& Host(size_t row);
  SliceBegin& Api(size_t row);
  SliceBegin& Gpu(size_t row);
  SliceBegin& GpuAnnotation(size_t row);
  SliceBegin& Sync(size_t row);

 private:
  SliceBegin& New(TimeNs time, StringId name, Category category);
  void Integer(Arg arg, int64_t value);
  void Real(Arg arg, double value);
  void Text(Arg arg, StringId text);
  void Triple(Arg arg, int64_t x, int64_t y, int64_t z);
  void Launch(LaunchConfigId launch);

  const Trace& trace_;
  const Column<ApiId>& launched_by_;  // by GPU activity
  // GPU activities grouped by the call that launched them: those of call i are [first_[i], first_[i
  // + 1]).
  std::vector<uint32_t> started_, first_;
  SliceBegin slice_;
};

}  // namespace warpsight::exporters::perfetto
