#pragma once

#include "base/intervals.h"
#include "model/ids.h"

namespace warpsight {

// The place on the timeline that shows a row: an event, or a time interval.
struct RowLink {
  HostId host = kNone<HostId>;
  GpuId gpu = kNone<GpuId>;
  Interval stretch{};
  ApiId api = kNone<ApiId>;

  static RowLink To(HostId id) { return {id, kNone<GpuId>, {}, kNone<ApiId>}; }
  static RowLink To(GpuId id) { return {kNone<HostId>, id, {}, kNone<ApiId>}; }
  static RowLink To(ApiId id) { return {kNone<HostId>, kNone<GpuId>, {}, id}; }
  static RowLink To(Interval stretch) {
    return {kNone<HostId>, kNone<GpuId>, stretch, kNone<ApiId>};
  }
};

}  // namespace warpsight
