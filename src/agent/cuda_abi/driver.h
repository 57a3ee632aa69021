#pragma once

// The CUDA driver's interface, as documented for CUDA 13.0 (README.md).
namespace warpsight::agent {

enum CUresult : unsigned int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
};

enum CUstreamCaptureStatus : unsigned int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
};

struct CUctx_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUlaunchAttribute_st;
struct CUstream_st;
using CUcontext = CUctx_st*;
using CUfunction = CUfunc_st*;
using CUgraph = CUgraph_st*;
using CUgraphExec = CUgraphExec_st*;
using CUgraphNode = CUgraphNode_st*;
using CUstream = CUstream_st*;

CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext* context);
CUresult cuCtxSynchronize();
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status);

struct CUlaunchConfig {
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute_st* attrs;
  unsigned int numAttrs;
};

// The arguments of launches, as callbacks get them.
struct cuLaunchKernel_params {
  CUfunction f;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  void** kernelParams;
  void** extra;
};

struct cuLaunchCooperativeKernel_params {
  CUfunction f;
  unsigned int gridDimX;
  unsigned int gridDimY;
  unsigned int gridDimZ;
  unsigned int blockDimX;
  unsigned int blockDimY;
  unsigned int blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  void** kernelParams;
};

struct cuLaunchKernelEx_params {
  const CUlaunchConfig* config;
  CUfunction f;
  void** kernelParams;
  void** extra;
};

}  // namespace warpsight::agent
