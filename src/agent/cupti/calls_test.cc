#include "agent/cupti/calls.h"

#include <gtest/gtest.h>

namespace warpsight::agent {
namespace {

TEST(Calls, NamesLoseTheirVersions) {
  EXPECT_EQ(WithoutVersion("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(WithoutVersion("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(WithoutVersion("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(WithoutVersion("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(WithoutVersion("cudaLaunchKernelExC_v11060"), "cudaLaunchKernelExC");
  EXPECT_EQ(WithoutVersion("cudaDeviceSynchronize"), "cudaDeviceSynchronize");
}

TEST(Calls, WhatStartsWorkWaitsAllocatesOrLoadsIsRecorded) {
  for (const char* launch : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",
                             "cuLaunchKernelEx", "cudaLaunchCooperativeKernel"}) {
    EXPECT_EQ(UseOf(launch), CallUse::kLaunch) << launch;
  }
  for (const char* recorded : {"cudaMemcpyAsync", "cudaMemsetAsync", "cudaDeviceSynchronize",
                               "cudaStreamSynchronize", "cuEventSynchronize", "cudaMalloc",
                               "cudaFree", "cudaHostAlloc", "cudaGraphInstantiateWithFlags",
                               "cudaStreamWaitEvent", "cuModuleLoadData", "cudaLaunchHostFunc"}) {
    EXPECT_EQ(UseOf(recorded), CallUse::kRecorded) << recorded;
  }
  EXPECT_EQ(UseOf("cudaGraphLaunch"), CallUse::kGraphLaunch);
  EXPECT_EQ(UseOf("cuGraphLaunch"), CallUse::kGraphLaunch);
  EXPECT_EQ(UseOf("cudaStreamBeginCapture"), CallUse::kCapture);
  for (const char* ignored : {"cudaGetDevice", "cudaStreamIsCapturing", "cudaPeekAtLastError",
                              "cudaEventQuery", "cuCtxGetCurrent", "cudaFuncGetAttributes"}) {
    EXPECT_EQ(UseOf(ignored), CallUse::kIgnored) << ignored;
  }
  EXPECT_EQ(UseOf("cudaProfilerStart"), CallUse::kProfilerStart);
  EXPECT_EQ(UseOf("cuProfilerStop"), CallUse::kProfilerStop);
}

}  // namespace
}  // namespace warpsight::agent
