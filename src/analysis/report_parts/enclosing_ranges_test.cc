#include "analysis/report_parts/enclosing_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace warpsight {
namespace {

// A trace of one thread, filled in timeline order.
class ThreadOfRanges {
 public:
  ThreadOfRanges() {
    profile_.trace.tables.sources.path.push_back(StringId::kEmpty);
    profile_.trace.tables.processes.source.push_back(MakeId<SourceId>(0));
    profile_.trace.tables.threads.process.push_back(MakeId<ProcessId>(0));
    profile_.trace.tables.threads.tid.push_back(StringId::kEmpty);
    profile_.trace.tables.threads.name.push_back(StringId::kEmpty);
  }

  void Range(std::string_view name, HostKind kind, TimeNs start, TimeNs end) {
    HostRangesTable& host = profile_.trace.tables.host;
    host.start.push_back(start);
    host.duration.push_back(end - start);
    host.name.push_back(profile_.trace.strings.Intern(name));
    host.thread.push_back(MakeId<ThreadId>(0));
    host.kind.push_back(kind);
    profile_.trace.end = std::max(profile_.trace.end, end);
  }

  void Nvtx(std::string_view text, TimeNs start, TimeNs end, NvtxStyle style) {
    NvtxRangesTable& nvtx = profile_.trace.tables.nvtx;
    nvtx.start.push_back(start);
    nvtx.duration.push_back(end - start);
    nvtx.text.push_back(profile_.trace.strings.Intern(text));
    nvtx.domain.push_back(StringId::kEmpty);
    nvtx.thread.push_back(MakeId<ThreadId>(0));
    nvtx.style.push_back(style);
    profile_.trace.end = std::max(profile_.trace.end, end);
  }

  void Call(TimeNs start, DurationNs duration = 1) {
    ApiCallsTable& api = profile_.trace.tables.api;
    api.start.push_back(start);
    api.duration.push_back(duration);
    api.thread.push_back(MakeId<ThreadId>(0));
  }

  // The names of the ranges around each call, innermost first.
  std::vector<std::string> AroundCalls() const {
    const EnclosingRanges ranges(profile_);
    std::vector<std::string> result;
    for (size_t a = 0; a < profile_.trace.tables.api.start.size(); ++a) {
      std::string names;
      ranges.ForEachAroundCall(MakeId<ApiId>(a), [&](size_t range) {
        names += profile_.trace.Text(ranges.ranges()[range].text);
      });
      result.push_back(names);
    }
    return result;
  }

 private:
  Profile profile_;
};

TEST(EnclosingRangesTest, NestedRangesInnermostFirst) {
  ThreadOfRanges thread;
  thread.Range("a", HostKind::kAnnotation, 0, 100);
  thread.Range("b", HostKind::kModule, 0, 50);
  thread.Range("op", HostKind::kOp, 10, 20);
  thread.Range("c", HostKind::kAnnotation, 60, 70);
  for (const TimeNs time : {0, 15, 50, 65, 100}) thread.Call(time);
  EXPECT_EQ(thread.AroundCalls(), (std::vector<std::string>{"ba", "ba", "a", "ca", ""}));
}

TEST(EnclosingRangesTest, FramesThatOutliveAnAnnotationDoNotExtendIt) {
  ThreadOfRanges thread;
  thread.Range("1", HostKind::kAnnotation, 0, 50);
  thread.Range("step()", HostKind::kPythonFunction, 40, 90);
  thread.Range("2", HostKind::kAnnotation, 60, 100);
  for (const TimeNs time : {45, 55, 65}) thread.Call(time);
  EXPECT_EQ(thread.AroundCalls(), (std::vector<std::string>{"1", "", "2"}));
}

TEST(EnclosingRangesTest, RangesThatOnlyOverlap) {
  ThreadOfRanges thread;
  thread.Range("a", HostKind::kAnnotation, 0, 50);
  thread.Range("b", HostKind::kAnnotation, 40, 90);
  for (const TimeNs time : {45, 60, 95}) thread.Call(time);
  EXPECT_EQ(thread.AroundCalls(), (std::vector<std::string>{"ba", "b", ""}));
}

TEST(EnclosingRangesTest, ACallThatOutlastsARangeIsNotInside) {
  ThreadOfRanges thread;
  thread.Range("a", HostKind::kAnnotation, 0, 100);
  thread.Range("b", HostKind::kAnnotation, 10, 50);
  thread.Call(20, 30);
  thread.Call(30, 21);
  EXPECT_EQ(thread.AroundCalls(), (std::vector<std::string>{"ba", "a"}));
}

TEST(EnclosingRangesTest, NvtxRangesReplaceTheirInterpretation) {
  ThreadOfRanges thread;
  thread.Range("add", HostKind::kOp, 10, 50);
  thread.Range("step", HostKind::kAnnotation, 0, 100);
  thread.Nvtx("step", 0, 100, NvtxStyle::kPushPop);
  thread.Nvtx("aten::add, op_id = 5", 10, 50, NvtxStyle::kPushPop);
  thread.Nvtx("batch", 15, 120, NvtxStyle::kStartEnd);
  thread.Call(20);
  thread.Call(110);
  EXPECT_EQ(thread.AroundCalls(),
            (std::vector<std::string>{"batchaten::add, op_id = 5step", "batch"}));
}

}  // namespace
}  // namespace warpsight
