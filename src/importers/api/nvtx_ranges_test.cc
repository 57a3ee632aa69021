#include "importers/api/nvtx_ranges.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(NvtxRangesTest, ACallGetsTheEnclosingPlace) {
  TracePart part(MakeId<SourceId>(0));
  const ThreadId thread = part.Thread("1", "2");
  const ThreadId other = part.Thread("1", "3");
  NvtxRanges ranges(part);
  ranges.Add({0, 100, thread, "step"});
  ranges.Add({10, 60, thread, "{'traceMarker': ['a.py:1'], 'funcStack': '/<module>/linear'}"});
  ranges.Add({12, 50, thread, "{'mod': 'm', 'op': 'linear', 'args': []}"});
  ranges.Add({15, 40, thread, "{'traceMarker': ['b.py:2'], 'funcStack': '/<module>/linear/mm'}"});
  ranges.Add({16, 30, thread, "{'mod': 'm', 'op': 'mm', 'args': []}"});
  ranges.Add({17, 20, thread, "aten::mm, seq = 5, sizes = [[1, 2]]"});
  ranges.Add({41, 45, thread, "{'mod': 'm', 'op': 'add', 'args': []}"});
  ranges.Add({42, 44, other, "{'mod': 'm', 'op': 'mul', 'args': []}"});

  const HostRangesTable& host = part.tables.host;
  ASSERT_EQ(host.name.size(), 6U);
  const auto text = [&](StringId id) { return part.strings.View(id); };
  const auto path = [&](size_t row) {
    return IsSet(host.extra[row])
               ? text(part.tables.host_extras.module_hierarchy[Index(host.extra[row])])
               : "none";
  };
  EXPECT_EQ(host.kind[0], HostKind::kAnnotation);
  EXPECT_EQ(text(host.name[1]), "linear");
  EXPECT_EQ(host.duration[1], 38);
  EXPECT_EQ(path(1), "/module/linear");
  EXPECT_EQ(path(2), "/module/linear/mm");
  EXPECT_EQ(text(host.name[3]), "aten::mm");
  EXPECT_EQ(host.sequence[3], 5);
  EXPECT_TRUE(IsSet(host.signature[3]));
  EXPECT_EQ(path(4), "/module/linear");  // the inner place has ended
  EXPECT_EQ(path(5), "none");            // another thread's
}

}  // namespace
}  // namespace warpsight
