// Which intervals count as host synchronizations, on hand-made traces.
#include "analysis/accounting/waiting_calls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/accounting/host_work.h"
#include "chrome_text.h"
#include "importers/api/byte_source.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

Profile Import(const ChromeText& text) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("trace.json");
  std::ofstream(path, std::ios::binary) << text.Text();
  return ImportForTest({path});
}

std::vector<HostWait> WaitsIn(const ChromeText& text) {
  const Profile profile = Import(text);
  return FindHostWaits(profile.trace, profile.facts);
}

// The time of an activity in the host's view.
DurationNs HostTime(const Profile& profile, HostActivity activity) {
  return CollectHostWork(profile.trace, profile.facts)[0][static_cast<size_t>(activity)].Length();
}

constexpr const char* kToPageable = "Memcpy DtoH (Device -> Pageable)";
constexpr const char* kToPinned = "Memcpy DtoH (Device -> Pinned)";

TEST(HostWaits, CallsThatSynchronize) {
  ChromeText text;
  text.Call("cudaLaunchKernel", 0, 5, 1).Kernel("k", 10, 100, 1);
  text.Call("cudaStreamSynchronize", 20, 95, 0);
  text.Call("cudaLaunchKernel", 120, 5, 2).Kernel("k", 130, 100, 2);
  text.Call("cudaEventQuery", 140, 5, 0);
  text.Call("cudaDeviceSynchronize", 150, 90, 0);
  // Nothing was launched on that thread, so no launch is delayed.
  text.Call("cudaDeviceSynchronize", 150, 90, 0, 2);
  EXPECT_EQ(WaitsIn(text).size(), 2u);
}

TEST(HostWaits, CopiesThatBlock) {
  ChromeText text;
  text.Call("cudaMemcpyAsync", 0, 50, 1).Copy(kToPageable, 10, 20, 1);
  text.Call("cudaMemcpyAsync", 100, 50, 2).Copy(kToPinned, 160, 20, 2);
  text.Call("cudaMemcpy", 200, 50, 3).Copy(kToPinned, 210, 20, 3);
  text.Call("cudaMemcpy", 300, 50, 4).Copy("Memcpy DtoD (Device -> Device)", 310, 20, 4);
  text.Call("cudaMemcpyAsync", 400, 50, 5).Copy("Memcpy HtoD (Pageable -> Device)", 410, 20, 5);
  const std::vector<HostWait> waits = WaitsIn(text);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].end - waits[0].start, 50'000);
  EXPECT_EQ(waits[1].start - waits[0].start, 200'000);
}

// item() of older PyTorch: the copy blocks, so the stream has nothing left to wait for.
TEST(HostWaits, CopyAndWaitForItsStreamAreOne) {
  ChromeText text;
  text.Call("cudaMemcpyAsync", 0, 50, 1).Copy(kToPageable, 10, 20, 1);
  text.Call("cudaStreamSynchronize", 60, 3, 0);
  EXPECT_EQ(WaitsIn(text).size(), 1u);
  text.Call("cudaLaunchKernel", 100, 5, 2).Kernel("k", 110, 100, 2);
  text.Call("cudaStreamSynchronize", 120, 95, 0);
  EXPECT_EQ(WaitsIn(text).size(), 2u) << "work was launched between";
  text.Call("cudaMemcpyAsync", 300, 50, 3).Copy(kToPageable, 310, 20, 3);
  text.Call("cudaDeviceSynchronize", 360, 3, 0);
  EXPECT_EQ(WaitsIn(text).size(), 4u) << "other streams may have work";
}

TEST(HostWaits, NestedCallsAreOne) {
  ChromeText text;
  text.Call("cudaLaunchKernel", 0, 5, 1).Kernel("k", 10, 100, 1);
  text.Call("cudaDeviceSynchronize", 20, 95, 0);
  text.Call("cuCtxSynchronize", 22, 90, 0);
  const Profile profile = Import(text);
  EXPECT_EQ(FindHostWaits(profile.trace, profile.facts).size(), 1u);
  // All of the time is a wait.
  EXPECT_EQ(HostTime(profile, HostActivity::kWaiting), 95'000);
  EXPECT_EQ(HostTime(profile, HostActivity::kOtherCalls), 0);
}

// Steps of 1 ms that launch until 200 us; the GPU works until 800 us. The thread continues at
// `resumes`.
ChromeText StepsWithCallback(const std::string& callback, double resumes) {
  ChromeText text;
  for (int step = 0; step < 5; ++step) {
    const double t = 2000 * step;
    text.Slice("user_annotation", "step " + std::to_string(step), t, resumes + 20);
    text.Slice("user_annotation", "dispatch", t + 1, 210);
    text.Call("cudaLaunchKernel", t + 190, 10, step + 1);
    if (!callback.empty()) text.Call(callback, t + 202, 5, 0);
    text.Kernel("k", t + 205, 595, step + 1);
    text.Slice("user_annotation", "look at results", t + resumes, 10);
  }
  return text;
}

TEST(HostWaits, WaitsWithoutACall) {
  const Profile profile = Import(StepsWithCallback("cuLaunchHostFunc", 900));
  const std::vector<HostWait> waits = FindHostWaits(profile.trace, profile.facts);
  ASSERT_EQ(waits.size(), 5u);
  for (const HostWait& wait : waits) {
    EXPECT_FALSE(IsSet(wait.call));
    EXPECT_TRUE(IsSet(wait.launch));
    EXPECT_EQ(wait.end - wait.start, (900 - 211) * 1000);
  }
  EXPECT_EQ(HostTime(profile, HostActivity::kWaiting), 5 * (900 - 211) * 1000);
  // They are host synchronizations of the steps, and why the GPU then is idle.
  for (const int64_t count : profile.facts.iterations.synchronizations) EXPECT_EQ(count, 1);
  DurationNs synced = 0;
  for (size_t i = 0; i < profile.facts.gaps.start.size(); ++i) {
    if (profile.facts.gaps.cause[i] == IdleCause::kSync) {
      synced += profile.facts.gaps.end[i] - profile.facts.gaps.start[i];
    }
  }
  EXPECT_EQ(synced, 4 * (900 - 211) * 1000 + (920 - 800) * 1000);
}

TEST(HostWaits, WithoutAHostFunctionIdleThreadsDoNotCount) {
  EXPECT_TRUE(WaitsIn(StepsWithCallback("", 900)).empty());
}

TEST(HostWaits, AThreadThatContinuesMuchLaterDidNotWait) {
  EXPECT_TRUE(WaitsIn(StepsWithCallback("cuLaunchHostFunc", 1600)).empty());
}

}  // namespace
}  // namespace warpsight::testing
