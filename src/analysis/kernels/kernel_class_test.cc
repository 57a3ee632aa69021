#include "analysis/kernels/kernel_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/kernels/kernel_patterns.h"

#ifndef WARPSIGHT_SOURCE_DIR
#define WARPSIGHT_SOURCE_DIR "."
#endif

namespace warpsight {
namespace {

struct Expected {
  const char* name;
  const char* library;
  const char* family;
  const char* precision;
  const char* tensor_cores;
};

void ExpectClasses(const std::vector<Expected>& table) {
  for (const Expected& expected : table) {
    SCOPED_TRACE(expected.name);
    const KernelClass kernel = ClassifyKernel(expected.name);
    EXPECT_EQ(ToString(kernel.library), expected.library);
    EXPECT_EQ(ToString(kernel.family), expected.family);
    EXPECT_EQ(ToString(kernel.precision), expected.precision);
    EXPECT_EQ(ToString(kernel.tensor_cores), expected.tensor_cores);
    EXPECT_FALSE(kernel.reason.empty());
  }
}

TEST(KernelClassTest, MatrixProducts) {
  ExpectClasses({
      {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_NNT", "cuBLAS", "gemm", "bf16", "yes"},
      {"nvjet_sm90_hss_256x128_64x4_1x2_h_bz_coopA_TNT", "cuBLAS", "gemm", "fp16", "yes"},
      {"nvjet_sm90_qqtst_128x64_128x8_1x2_h_bz_algo2_TNT", "cuBLAS", "gemm", "fp8", "yes"},
      {"nvjet_tst_96x64_64x10_1x2_h_bz_bias_TNN", "cuBLAS", "gemm", "bf16", "yes"},
      {"nvjet_sm100_ootst_128x128_256x7_4x1_2cta_v_bz_Avec16UE4M3_Bvec16UE4M3_TNT", "cuBLAS",
       "gemm", "fp4", "yes"},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
       "segment_k_off_kernel__5x_cublas",
       "cuBLAS", "gemm", "bf16", "yes"},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_"
       "alignc4_execute_kernel__5x_cublas",
       "cuBLAS", "gemm", "fp32", "no"},
      {"sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize64x64x16_stage4_warpsize2x2x1_tensor16x8x8_"
       "execute_kernel__5x_cublas",
       "cuBLAS", "gemm", "fp64", "yes"},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_warpgroupsize1x1x1_execute_"
       "segment_k_off_kernel__5x_cublas",
       "cuBLAS", "gemm", "fp8", "yes"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x256_32x3_nn_align1>"
       "(cutlass_80_tensorop_s1688gemm_128x256_32x3_nn_align1::Params)",
       "CUTLASS", "gemm", "tf32", "yes"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_32x32_16x5_nn_align1>(T1::Params)",
       "CUTLASS", "gemm", "fp64", "yes"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_256x128_64x3_tn_align16>"
       "(T1::Params)",
       "CUTLASS", "gemm", "int8", "yes"},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(T1::Params)", "CUTLASS",
       "gemm", "fp32", "no"},
      {"void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::"
       "kernel::GemmUniversal<cute::tuple<int, int, int>, cutlass::gemm::collective::CollectiveMma<"
       "cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<4>, "
       "cutlass::float_e4m3_t>>>>(T1::Params)",
       "CUTLASS", "gemm", "fp8", "yes"},
      {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "cuBLAS", "gemm", "fp16", "yes"},
      {"volta_sgemm_128x64_nn", "cuBLAS", "gemm", "fp32", "no"},
      {"volta_dgemm_64x64_nn", "cuBLAS", "gemm", "fp64", "no"},
      {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn", "cuBLAS", "gemm", "bf16",
       "yes"},
      {"ampere_sgemm_32x32_sliced1x4_nt", "cuBLAS", "gemm", "fp32", "no"},
      {"void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 128, "
       "16, 4, 4, false, false, cublasGemvParamsEx<int>>(T1)",
       "cuBLAS", "gemm", "bf16", "no"},
      {"std::enable_if<!T7, void>::type internal::kernel<int, int, double, double, double, double, "
       "0, 1, 0, 0, 7, 0, cublasGemvParamsEx<int, double>>(T13)",
       "cuBLAS", "gemm", "fp64", "no"},
      {"void sgemm_largek_lds64<true, false, 5, 5, 4, 4, 4, 34>(float*, float const*, int)",
       "cuBLAS", "gemm", "fp32", "no"},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256_MI16x16x1_SN_LDSB1", "rocBLAS",
       "gemm", "bf16", "yes"},
      {"Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN_LDSB0", "rocBLAS", "gemm",
       "fp32", "yes"},
      {"Cijk_Ailk_Bljk_SB_MT128x64x16_SE_K1", "rocBLAS", "gemm", "fp32", "no"},
  });
}

TEST(KernelClassTest, HelpersOfMatrixProductsUseNoTensorCores) {
  ExpectClasses({
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __half, float, __half, 0, float>"
       "(cublasLt::cublasSplitKParams<T6>, const T4 *)",
       "cuBLAS", "reduction", "fp32", "no"},
      {"sm90_xmma_wgrad_indexed_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_"
       "warpgroupsize1x1x1_g1_execute_split_k_kernel__5x_cudnn",
       "cuDNN", "reduction", "fp16", "no"},
      {"void cutlass__5x_cudnn::Kernel<reduction::ReduceSplitK<cutlass__5x_cudnn::MatrixShape<4, "
       "256>, epilogue::LinearCombination<cutlass__5x_cudnn::half_t, 8, float>>>(T1::Params)",
       "cuDNN", "reduction", "fp16", "no"},
      {"void cask_plugin__5x_cudnn::xmma__5x_cudnn::init_device_workspace_kernel<int>(T1, bool)",
       "cuDNN", "other", "unknown", "no"},
      {"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, "
       "8, cutlass::bfloat16_t>>(pytorch_flash::Flash_bwd_params)",
       "FlashAttention", "attention", "bf16", "no"},
      {"void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(void const*, float)", "cuDNN",
       "attention", "unknown", "no"},
      {"void cutlass::device_kernel<flash::enable_sm80_to_sm89<flash::"
       "FlashAttnBwdPostprocessConvertdQ<cutlass::half_t, cute::TiledMMA<cute::MMA_Atom<cute::"
       "SM80_16x8x16_F32F16F16F32_TN>>>>>(T1::Params)",
       "FlashAttention", "attention", "fp16", "no"},
  });
}

TEST(KernelClassTest, Convolutions) {
  ExpectClasses({
      {"sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x32_"
       "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
       "cuDNN", "convolution", "tf32", "yes"},
      {"sm90_xmma_fprop_image_first_layer_f16f16_f32_f16_nhwckrsc_nhwc_hmma_k64c4r7s7_stride2x2_"
       "tile16x64x64_tensor1688_execute_kernel_kernel__5x_cudnn",
       "cuDNN", "convolution", "fp16", "yes"},
      {"sm90_xmma_depthwise_convolution_wgrad_tiling_f32f32_f32f32_f32_nhwckrsc_nhwc_tilesize1x8x8_"
       "1x3x3_1x1x1_1x1x1_stage3_warpsize4x1x1_g32_betaTrue_execute_kernel__5x_cudnn",
       "cuDNN", "convolution", "fp32", "no"},
      {"void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688fprop_optimized_tf32_128x128_16x4_"
       "nhwc_align4>(T1::Params)",
       "cuDNN", "convolution", "tf32", "yes"},
      {"_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_11threadblock"
       "22ImplicitGemmMultistageINS_4gemm9GemmShapeILi128ELi128ELi32EEENS_10tfloat32_tE",
       "cuDNN", "convolution", "tf32", "yes"},
      {"volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1", "cuDNN",
       "convolution", "fp16", "yes"},
      {"volta_scudnn_128x64_relu_interior_nn_v1", "cuDNN", "convolution", "fp32", "no"},
      {"cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1", "cuDNN", "convolution", "fp32",
       "no"},
      {"trt_turing_int8_i8816cudnn_int8_256x128_ldg16_relu_singleBuffer_small_nt_v1", "TensorRT",
       "convolution", "int8", "yes"},
      {"void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false, true, true>(int)",
       "cuDNN", "convolution", "fp32", "no"},
      {"void cnn::wgrad2d_grouped_direct_kernel<0, 1, int, __half, float, float>(T1)", "cuDNN",
       "convolution", "fp16", "no"},
      {"wgrad2d_c1_k1_nhwc_reduce", "cuDNN", "convolution", "unknown", "no"},
      {"void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(T1)", "cuDNN",
       "convolution", "fp32", "no"},
      {"void at::<unnamed>::conv_depthwise2d_forward_kernel<3, c10::BFloat16, int>(T1)", "PyTorch",
       "convolution", "bf16", "no"},
      {"igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2", "MIOpen",
       "convolution", "bf16", "yes"},
      {"void cudnn::engines_precompiled::nchwToNhwcKernel<__half, __half, float, false, true, "
       "(cudnnKernelDataType_t)0>(T1)",
       "cuDNN", "layout transform", "fp16", "no"},
  });
}

TEST(KernelClassTest, AttentionAndRecurrentLayers) {
  ExpectClasses({
      {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
       "false, "
       "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t>>, false>"
       "(pytorch_flash::Flash_fwd_params)",
       "FlashAttention", "attention", "bf16", "yes"},
      {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::"
       "CollectiveMainloopFwdSm90<2, cutlass::half_t, float>>>>(T1::Params)",
       "FlashAttention", "attention", "fp16", "yes"},
      {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, "
       "cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)",
       "xFormers", "attention", "tf32", "yes"},
      {"fmha_cutlassF_f32_aligned_64x64_rf_sm75(PyTorchMemEffAttention::AttentionKernel<float, "
       "cutlass::arch::Sm75, true, 64, 64, 64, true, true>::Params)",
       "xFormers", "attention", "fp32", "no"},
      // Also used for bf16 data, so f16 does not mean fp16.
      {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1_"
       "cga1x1x1_kernel0_0",
       "cuDNN", "attention", "unknown", "yes"},
      {"void RNN_blockPersist_fp_LSTM_HMMA<__half, __half, __half, 64, 2>(int)", "cuDNN",
       "recurrent", "fp16", "yes"},
      {"void RNN_blockPersist_fp_GRU<float, float, float, 128>(int)", "cuDNN", "recurrent", "fp32",
       "no"},
      {"void ampere_lstm_tile16<16, 1>(params_t)", "cuDNN", "recurrent", "unknown", "yes"},
      {"void elemWiseRNNcell<float, float, float, 2, 2>(int)", "cuDNN", "recurrent", "fp32", "no"},
      {"kernel_unified_attention_3d", "Triton", "attention", "unknown", "unknown"},
  });
}

TEST(KernelClassTest, PytorchKernels) {
  ExpectClasses({
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
       "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
       "PyTorch", "elementwise", "fp32", "no"},
      {"void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda("
       "at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int)",
       "PyTorch", "copy", "bf16", "no"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, "
       "c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, "
       "std::array<char*, 3ul> >(int)",
       "PyTorch", "elementwise", "bf16", "no"},
      // The double parameters belong to the function around the lambda.
      {"void at::native::(anonymous namespace)::unrolled_elementwise_kernel_for_multi_outputs<3, "
       "at::native::(anonymous namespace)::batch_norm_update_stats_and_invert(at::Tensor const&, "
       "double, double, long)::{lambda()#1}::operator()() const::{lambda(float, float)#1}>(int)",
       "PyTorch", "elementwise", "fp32", "no"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, at::native::MeanOps<"
       "c10::Half, float, float, c10::Half>, unsigned int, c10::Half, 4, 8> >(T3)",
       "PyTorch", "reduction", "fp16", "no"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>("
       "int, float, float const*)",
       "PyTorch", "normalization", "fp32", "no"},
      {"void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 7, false, "
       "false>(c10::Half*, c10::Half const*, int)",
       "PyTorch", "softmax", "fp16", "no"},
      {"void at::native::(anonymous namespace)::max_pool_forward_nhwc<float, int>(float const*)",
       "PyTorch", "pooling", "fp32", "no"},
      {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float, float, "
       "long>(long const*)",
       "PyTorch", "embedding", "fp32", "no"},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::"
       "FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*>(T1)",
       "PyTorch", "optimizer", "fp32", "no"},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
       "namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::LpNormFunctor<float, "
       "(at::native::NormType)1, float, 1, 1, 0>>(T1)",
       "PyTorch", "reduction", "fp32", "no"},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
       "namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(T1)",
       "PyTorch", "copy", "unknown", "no"},
      {"void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<int>>(int)",
       "PyTorch", "indexing", "unknown", "no"},
      {"void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, "
       "4, void>(long)",
       "PyTorch", "random", "fp32", "no"},
      {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, "
       "float,"
       " long>(float*)",
       "PyTorch", "loss", "fp32", "no"},
      {"void at_cuda_detail::cub::DeviceRadixSortSingleTileKernel<int, false, long>(long const*)",
       "CUB", "sort", "unknown", "no"},
  });
}

TEST(KernelClassTest, GeneratedKernels) {
  ExpectClasses({
      {"triton_poi_fused_gelu_view_10", "Triton", "elementwise", "unknown", "no"},
      {"triton_poi_fused__to_copy_t_15", "Triton", "copy", "unknown", "no"},
      {"triton_red_fused_gelu_gelu_backward_sum_view_6", "Triton", "reduction", "unknown", "no"},
      {"triton_per_fused__to_copy_add_native_layer_norm_backward_view_8", "Triton", "normalization",
       "unknown", "no"},
      {"triton_per_fused__softmax_add_3", "Triton", "softmax", "unknown", "no"},
      {"triton_tem_fused_addmm_relu_0", "Triton", "gemm", "unknown", "unknown"},
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu", "Triton", "gemm", "bf16", "yes"},
      {"gemm_fusion_dot_general_11", "XLA", "gemm", "unknown", "unknown"},
      {"input_reduce_fusion_2", "XLA", "reduction", "unknown", "no"},
      {"loop_select_fusion", "XLA", "elementwise", "unknown", "no"},
      {"wrapped_subtract_1", "XLA", "elementwise", "unknown", "no"},
      {"wrapped_transpose", "XLA", "layout transform", "unknown", "no"},
      // Of two such fusions in one program, one was a matrix product and one a softmax.
      {"fusion_44", "XLA", "other", "unknown", "unknown"},
  });
}

TEST(KernelClassTest, Collectives) {
  ExpectClasses({
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "NCCL",
       "collective", "bf16", "no"},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "NCCL", "collective", "fp32", "no"},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "NCCL", "collective", "unknown",
       "no"},
      {"void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<(unsigned char)4, "
       "__nv_bfloat16, true, float4>(float4*)",
       "FlashInfer", "collective", "bf16", "no"},
      {"twoshotAllreduceKernel", "unknown", "collective", "unknown", "no"},
      {"void (anonymous namespace)::all_reduce_one_shot_push_kernel<__nv_bfloat16, 8u, true>(int)",
       "unknown", "collective", "bf16", "no"},
      {"allToAllV(void*, void*, long*)", "unknown", "collective", "unknown", "no"},
      {"EpDispatchIntraNodeKernel_bf16", "unknown", "collective", "bf16", "no"},
      {"void mori::moe::EpCombineIntraNodeKernel<__hip_bfloat16>(int)", "unknown", "collective",
       "bf16", "no"},
      {"void hybrid_ep::combine_kernel<8, 128>(hybrid_ep::combine_kernel_param_t)", "DeepEP",
       "collective", "unknown", "no"},
      {"void hybrid_ep::scan<256, 8>(bool const*, int*)", "DeepEP", "indexing", "unknown", "no"},
      {"void uccl::internode_ll::dispatch<true, false, 7168>(void*)", "unknown", "collective",
       "unknown", "no"},
      {"moeA2ADispatchKernel", "TensorRT", "collective", "unknown", "no"},
      {"void tensorrt_llm::kernels::moe_alltoall::moeA2ACombineKernel<__nv_bfloat16, 8>(int)",
       "TensorRT", "collective", "bf16", "no"},
      {"tensorrt_llm::kernels::moe_alltoall::moeA2ASanitizeExpertIdsKernel(int*)", "TensorRT",
       "indexing", "unknown", "no"},
  });
}

TEST(KernelClassTest, ServingOfLanguageModels) {
  ExpectClasses({
      {"void vllm::moe::moe_align_block_size_kernel<int>(int const*, int*, int*, int*, int)",
       "vLLM", "indexing", "unknown", "no"},
      {"void vllm::merge_attn_states_kernel<__nv_bfloat16, 128u>(__nv_bfloat16*, float*)", "vLLM",
       "attention", "bf16", "no"},
      {"void marlin::Marlin<__nv_bfloat16, 1125899906843648l, 256, 1, 8, 8>(int4 const*)",
       "unknown", "gemm", "bf16", "yes"},
      {"void marlin::gptq_marlin_repack_kernel<256, 4, true>(unsigned int const*)", "unknown",
       "layout transform", "unknown", "no"},
      {"void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(int)", "unknown", "copy",
       "unknown", "no"},
      {"void flashinfer::mla::BatchMLAPagedAttentionKernel<flashinfer::mla::KernelTraits<true, 2u, "
       "__nv_bfloat16, __nv_bfloat16, int>, Params>(Params)",
       "FlashInfer", "attention", "bf16", "yes"},
      {"void flashinfer::AppendPagedKVCacheKernel<128u, 8u, __nv_bfloat16, int>(int)", "FlashInfer",
       "copy", "bf16", "no"},
      {"void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel<false, 128u, "
       "__nv_bfloat16>(int)",
       "FlashInfer", "elementwise", "bf16", "no"},
      {"void flash_fwd_splitkv_mla_combine_kernel<float, cutlass::bfloat16_t>(Params)",
       "FlashAttention", "attention", "fp32", "no"},
      {"void sm90::flash_fwd_splitkv_mla_kernel<sm90::T<cutlass::bfloat16_t>, CUtensorMap>(int)",
       "FlashMLA", "attention", "bf16", "yes"},
      {"void sm100::fwd_for_small_topk::sparse_attn_fwd_kernel<int>(SparsePrefillParams)",
       "FlashMLA", "attention", "unknown", "yes"},
      {"void tensorrt_llm::kernels::dsv3MinLatencyKernels::router_gemm_kernel<__nv_bfloat16>(int)",
       "TensorRT", "gemm", "bf16", "no"},
      {"void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128, c10::BFloat16> >(int)",
       "Mamba", "recurrent", "bf16", "no"},
      {"void causal_conv1d_fwd_kernel<Causal_conv1d_fwd_kernel_traits<128, c10::BFloat16> >(int)",
       "Mamba", "convolution", "bf16", "no"},
      {"void kgemm_4bit_inference_naive<__nv_bfloat16, 128, 16>(int, int)", "bitsandbytes", "gemm",
       "bf16", "no"},
      {"void kOptimizer32bit2State<float, 0>(float*)", "bitsandbytes", "optimizer", "fp32", "no"},
      {"void ladder_int8xint2_kernel<1, 3840, 2560, 3, 8, 16>(signed char*)", "unknown", "gemm",
       "int8", "no"},
  });
}

// Names of generators and of libraries that multiply in 8 bits and fewer.
TEST(KernelClassTest, ProductsOfEightBitsAndFewer) {
  ExpectClasses({
      {"void cutlass::device_kernel<vllm::cutlass_3x_gemm_fp8_blockwise<cutlass::bfloat16_t, 1, "
       "128, "
       "128> >(int)",
       "CUTLASS", "gemm", "fp8", "yes"},
      {"void cutlass::device_kernel<vllm::cutlass_3x_gemm_sm90_fp8<cutlass::float_e4m3_t, "
       "cutlass::bfloat16_t>::GemmKernel>(int)",
       "CUTLASS", "gemm", "fp8", "yes"},
      {"void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u, 7168u, "
       "cutlass::bfloat16_t>(float*, int*, CUtensorMap_st)",
       "DeepGEMM", "gemm", "fp8", "yes"},
      {"void deep_gemm::sm90_bf16_gemm_impl<0u, 7168u, cutlass::bfloat16_t>(float*)", "DeepGEMM",
       "gemm", "bf16", "yes"},
      {"bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s8_et64x8_m64x8x32_c1x1x1_rM_TN_transOut_noShfl_dsFp8_"
       "schPd4x2x2x3_bN_tma_tmaSf_rgTma_clmp_lbW2_dynB_sm100f",
       "TensorRT", "gemm", "fp8", "yes"},
      {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_Ab32_Bb32_Cb32_t128x32x256_s5_et128x32_m256x32x32", "TensorRT",
       "gemm", "fp8", "yes"},
      {"bmm_Bfloat16_MxInt4Bfloat16_castBfloat16_Fp32_Ab32_t128x32x256u2_s3_et128x32", "TensorRT",
       "gemm", "bf16", "yes"},
      {"fmhaSm100fKernel_QkvE4m3OBfloat16H512PagedKvDenseVarSeqQ16Kv128PersistentSwapsAbForGen",
       "TensorRT", "attention", "fp8", "yes"},
      {"fmhaSm100fKernel_QkvBfloat16OE4m3H128PagedKvCausalP64VarSeqQ128Kv128PersistentContext",
       "TensorRT", "attention", "bf16", "yes"},
      {"fmhaReductionKernel", "TensorRT", "attention", "unknown", "no"},
      {"void "
       "cutlass::device_kernel<cutlass::fmha::kernel::Sm100FmhaFwdKernelTmaWarpspecialized<int> "
       ">(int)",
       "CUTLASS", "attention", "unknown", "yes"},
  });
}

TEST(KernelClassTest, KernelsThatTensorRtFuses) {
  ExpectClasses({
      {"__myl_FcCast_myl0_12", "TensorRT", "gemm", "unknown", "unknown"},
      {"__myl_SiluMul_myl0_4", "TensorRT", "elementwise", "unknown", "no"},
      {"__myl_CastMulMeanAddSqrtDivMulCastMul_myl0_1", "TensorRT", "reduction", "unknown", "no"},
      {"__myl_TranReshMove_myl0_1", "TensorRT", "copy", "unknown", "no"},
  });
}

TEST(KernelClassTest, RoutingToExperts) {
  for (const char* name :
       {"_fwd_kernel_ep_scatter_1", "_fwd_kernel_ep_gather", "post_reorder_triton_kernel",
        "compute_src2dst_triton_kernel", "void moe_fused_gate_kernel<__nv_bfloat16>(int)"}) {
    const KernelClass kernel = ClassifyKernel(name);
    EXPECT_EQ(kernel.family, KernelFamily::kIndexing) << name;
    EXPECT_EQ(kernel.tensor_cores, TensorCoreUse::kNo) << name;
  }
}

TEST(KernelClassTest, HandWrittenTriton) {
  ExpectClasses({
      // The result, the activations and the weights; Triton widens 4-bit weights.
      {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1", "Triton", "gemm", "bf16", "yes"},
      {"_p_matmul_ogs_NTT_bf16xfp8e4nvxmxfp4_128x256x128x1", "Triton", "gemm", "fp8", "yes"},
      {"_matmul_ogs_TTT_fp32xfp32xfp32_16x128x64x1", "Triton", "gemm", "fp32", "unknown"},
      {"fused_moe_kernel", "Triton", "gemm", "unknown", "unknown"},
      {"kernel_unified_attention_3d", "Triton", "attention", "unknown", "unknown"},
      {"_fwd_grouped_kernel_stage1", "Triton", "attention", "unknown", "unknown"},
      // One query per head: sums of products, and a kernel that merges them.
      {"_fwd_kernel_stage1", "Triton", "attention", "unknown", "no"},
      {"_fwd_kernel_stage2", "Triton", "attention", "unknown", "no"},
      {"_chunk_scan_fwd_kernel", "Triton", "recurrent", "unknown", "unknown"},
      {"_state_passing_fwd_kernel", "Triton", "recurrent", "unknown", "no"},
      {"_rms_norm_kernel", "Triton", "normalization", "unknown", "no"},
      // The name of a C++ function has arguments.
      {"matmul_kernel(float*, float*, int)", "unknown", "gemm", "fp32", "unknown"},
  });
}

TEST(KernelClassTest, CutlassInPython) {
  ExpectClasses({
      {"kernel_cutlass_kernel___main__HopperWgmmaGemmKernel_object_at__CopyAtom_ThrID10", "CUTLASS",
       "gemm", "unknown", "yes"},
      {"kernel_cutlass_kernel_ampere_sgemmSGemm_object_at__TiledMMA_ThrLayoutVMNK16161_"
       "MMAAtom_ThrID10_ShapeMNK111_TVLayoutA",
       "CUTLASS", "gemm", "fp32", "no"},
      {"kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at_",
       "FlashAttention", "attention", "unknown", "yes"},
      {"kernel_cutlass_elementwise_add_kernel_tensorptrf16gmem", "CUTLASS", "elementwise",
       "unknown", "no"},
  });
}

TEST(KernelClassTest, KernelsForAmd) {
  ExpectClasses({
      {"Custom_Cijk_Alik_Bljk_F8BS_BH_Bias_AS_SAB_SAV_UserArgs_shortname0_gfx942", "rocBLAS",
       "gemm", "fp8", "yes"},
      {"Cijk_B_Bias_GA_BetaOnly", "rocBLAS", "elementwise", "unknown", "no"},
      {"void paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16>(int)", "vLLM", "attention",
       "bf16", "yes"},
      {"void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16>(int)", "vLLM", "attention", "bf16",
       "no"},
      {"_ZN5aiter33fmha_fwd_hd128_bf16_causal_groupE", "AITER", "attention", "bf16", "yes"},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16EEEvPT0_PT_", "AITER",
       "normalization", "bf16", "no"},
      {"_ZN2ck15kernel_moe_gemmINS_25GridwiseMoeGemmBlockScaleINS_13tensor_layout4gemm",
       "Composable Kernel", "gemm", "unknown", "yes"},
      {"void ck_tile::kentry<256, 1, ck_tile::MoeSortingMultiPhaseKernel_P0<int>>(Kargs)",
       "Composable Kernel", "indexing", "unknown", "no"},
      // The symbol of a kernel's descriptor.
      {"wrapped_broadcast.kd", "XLA", "elementwise", "unknown", "no"},
      {"_ZN12_GLOBAL__N_113store_kvcacheILl256EEEvNS_6ParamsE", "unknown", "copy", "unknown", "no"},
  });
}

// Properties that rules need in addition; no other code interprets kernel names.
TEST(KernelClassTest, GeneratorLayoutAndElements) {
  EXPECT_EQ(ClassifyKernel("triton_poi_fused_gelu_view_10").generator, KernelGenerator::kInductor);
  EXPECT_EQ(ClassifyKernel("triton_softmax_2").generator, KernelGenerator::kUnknown);
  EXPECT_EQ(ClassifyKernel("loop_select_fusion").generator, KernelGenerator::kXla);
  EXPECT_EQ(ClassifyKernel("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)")
                .generator,
            KernelGenerator::kCutlass);
  EXPECT_EQ(ClassifyKernel("void cutlass::Kernel<MyGemm>(MyGemm::Params)").generator,
            KernelGenerator::kUnknown);
  EXPECT_EQ(ClassifyKernel("void cudnn::bn_fw_tr_1C11_kernel_nhwc<float>(int)").layout,
            DataLayout::kChannelsLast);
  EXPECT_EQ(ClassifyKernel("void cudnn::ops::nchwToNhwcKernel<float>(int)").layout,
            DataLayout::kUnknown);
  EXPECT_EQ(ClassifyKernel("void at::native::CatArrayBatchedCopy<at::native::OpaqueType<2u>>(int)")
                .element_bytes,
            2);
  EXPECT_EQ(ClassifyKernel("saxpy").element_bytes, kMissing);
  EXPECT_EQ(ClassifyKernel("ncclDevKernel_SendRecv(int)").collective, CollectiveKind::kSendReceive);
  EXPECT_EQ(ClassifyKernel("void reduce_kernel<float>(int)").collective, CollectiveKind::kUnknown)
      << "no collective";
}

TEST(KernelClassTest, OpaqueNamesStayUnknown) {
  const KernelClass kernel = ClassifyKernel("my_kernel(float*, int)");
  EXPECT_EQ(kernel.library, KernelLibrary::kUnknown);
  EXPECT_EQ(kernel.family, KernelFamily::kUnknown);
  EXPECT_EQ(kernel.tensor_cores, TensorCoreUse::kUnknown);
  EXPECT_EQ(kernel.precision, Precision::kFp32);
  EXPECT_EQ(kernel.reason, "No pattern matches this name.");
  // The words show what is computed, but not on which units.
  EXPECT_EQ(ClassifyKernel("matrixMulCUDA").family, KernelFamily::kGemm);
  EXPECT_EQ(ClassifyKernel("matrixMulCUDA").tensor_cores, TensorCoreUse::kUnknown);
}

TEST(KernelClassTest, AcceptsAnyText) {
  const char* const names[] = {"",
                               "<",
                               "(",
                               "void ",
                               "std::enable_if<",
                               "std::enable_if<a>",
                               "(anonymous namespace)::",
                               "f<g<h",
                               "f(lambda(",
                               "f<)>",
                               "_Z"};
  for (const char* name : names) {
    SCOPED_TRACE(name);
    ClassifyKernel(name);
    ShortKernelName(name);
  }
}

// ncu omits the outer namespaces: `native::` is `at::native::`, `for_each::` is `cub::…`.
TEST(KernelClassTest, NamesShortenedByNcu) {
  ExpectClasses({
      {"void "
       "native::<unnamed>::multi_tensor_apply_kernel<native::<unnamed>::TensorListMetadata<1>, "
       "native::<unnamed>::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, float>(T1, T2)",
       "PyTorch", "elementwise", "fp32", "no"},
      {"void native::<unnamed>::max_pool_forward_nchw<float, int>(T2, const T1 *)", "PyTorch",
       "pooling", "fp32", "no"},
      {"void native::roll_cuda_kernel<double>(const T1 *, T1 *, long)", "PyTorch", "copy", "fp64",
       "no"},
      {"void native::<unnamed>::write_indices<long>(long *)", "PyTorch", "indexing", "unknown",
       "no"},
      {"void for_each::static_kernel<for_each::policy_500_t, long>(T2, T3)", "CUB", "elementwise",
       "unknown", "no"},
      {"void pytorch_flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<96, 64, 128, 8, 2, "
       "4, 4, 1, 0, cutlass::half_t>>(Flash_bwd_params, int)",
       "FlashAttention", "attention", "fp16", "no"},
      {"void fusion::convert_dq_to_16bits<0>(const void *, void *, unsigned int)", "cuDNN",
       "attention", "unknown", "no"},
  });
}

TEST(KernelClassTest, HelpersOfTransformsAndSparseProducts) {
  ExpectClasses({
      {"void prime_fft<127, EPT<2>, 1, 32, 1, 14, 0, 2, 0, unsigned int, "
       "float>(kernel_arguments_t<T10>)",
       "cuFFT", "fft", "fp32", "no"},
      {"void postprocess_kernel<double, unsigned int, 2>(real_complex_args_t<T2>)", "cuFFT", "fft",
       "fp64", "no"},
      {"void convert_CooToCsr_kernel<0>(const int *, int, int, int *)", "cuSPARSE", "other",
       "unknown", "no"},
      {"triton_tem_fused_flex_attention_backward_1", "Triton", "attention", "unknown", "unknown"},
      {"triton_per_fused_flex_attention_backward_0", "Triton", "reduction", "unknown", "no"},
      {"triton_poi_fused_convolution_0", "Triton", "elementwise", "unknown", "no"},
  });
}

TEST(KernelClassTest, Fp8MatrixProducts) {
  ExpectClasses({
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, "
       "int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::"
       "MainloopSm90TmaGmmaWarpSpecializedFP8<4, cute::tuple<cute::C<2>, cute::C<1>, "
       "cute::C<1>>, cutlass::gemm::KernelTmaWarpSpecializedPingpongFP8FastAccum>, "
       "cute::tuple<cute::C<64>, cute::C<128>, cute::C<128>>, cutlass::float_e4m3_t, "
       "cute::tuple<long, cute::C<1>, long>, cutlass::float_e4m3_t>>>(T1::Params)",
       "CUTLASS", "gemm", "fp8", "yes"},
      {"_ZN7cutlass13device_kernelIN4vllm25enable_sm90_or_later_gemmINS_4gemm6kernel13GemmUniversal"
       "IN4cute5tupleIJiiiiEEENS2_10collective13CollectiveMmaINS2_37"
       "MainloopSm90TmaGmmaWarpSpecializedFP8ILi4EEENS_12float_e4m3_tE",
       "CUTLASS", "gemm", "fp8", "yes"},
      {"nvjet_qqtst_128x256_128x4_2x1_v_bz_coopA_NNN", "cuBLAS", "gemm", "fp8", "yes"},
      {"nvjet_sm90_qqtst_128x256_128x4_2x1_v_bz_coopA_NNN", "cuBLAS", "gemm", "fp8", "yes"},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_warpgroupsize2x1x1_bias_bf16_"
       "execute_segment_k_off_kernel__5x_cublas",
       "cuBLAS", "gemm", "fp8", "yes"},
      {"void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 128u, 128u, 1u, 8u, 2u, 128u, 1u, "
       "(deep_gemm::GemmType)0>(__nv_bfloat16*, float*, int*, unsigned int, CUtensorMap_st)",
       "DeepGEMM", "gemm", "fp8", "yes"},
      {"void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 2112u, 7168u>(float*, int*)", "DeepGEMM",
       "gemm", "fp8", "yes"},
      {"fp8_gemm_kernel", "DeepGEMM", "gemm", "fp8", "yes"},
      {"void deep_gemm::transpose_fp32<512u, 128u>(float const*, float*)", "DeepGEMM",
       "layout transform", "fp32", "no"},
      {"void deep_gemm::smxx_paged_mqa_logits_metadata<32u, 256u, 132u, false>(unsigned int)",
       "DeepGEMM", "indexing", "unknown", "no"},
      {"bmm_E4m3_E4m3E4m3_Fp32_t128x16x128u2_s6_et128x16_m64x16x32_cga1x1x1_16dp256b_TN_transOut_"
       "schedS_sm100f",
       "TensorRT", "gemm", "fp8", "yes"},
  });
}

TEST(KernelClassTest, AttentionOfServers) {
  ExpectClasses({
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
       "CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1>>, "
       "cute::tuple<cute::C<128>, cute::C<176>, cute::C<128>>, 128, cutlass::bfloat16_t, "
       "float>>>>(T1::Params)",
       "FlashAttention", "attention", "bf16", "yes"},
      {"void flash::compute_attn_ws<Flash_fwd_kernel_traits<128, 128, 128, 12, 2, false, 1, "
       "cutlass::half_t, cutlass::half_t>, true>(flash::CollectiveMainloopFwd<int>::Params)",
       "FlashAttention", "attention", "fp16", "yes"},
      {"fmha_v2_flash_attention_fp16_fp32_128_128_S_qkv_128_causal_sm90_kernel", "TensorRT",
       "attention", "fp16", "yes"},
      {"fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP32VarSeqQ8Kv128Persistent",
       "TensorRT", "attention", "bf16", "yes"},
      {"void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<unsigned short, "
       "unsigned short, tensorrt_llm::kernels::KVBlockArray>(int)",
       "TensorRT", "attention", "unknown", "no"},
  });
}

TEST(KernelClassTest, TensorRtLlm) {
  ExpectClasses({
      {"void tensorrt_llm::kernels::generalRmsNorm<__nv_bfloat16, __nv_bfloat16>(int)", "TensorRT",
       "normalization", "bf16", "no"},
      {"void tensorrt_llm::kernels::applyBiasRopeUpdateKVCacheV2<__nv_bfloat16>(int)", "TensorRT",
       "elementwise", "bf16", "no"},
      {"void tensorrt_llm::kernels::quantizedKernel<half>(int)", "TensorRT", "elementwise", "fp16",
       "no"},
      {"void tensorrt_llm::kernels::cuda_core_gemm::cudaCoreGemm<__nv_fp8_e4m3, float>(int)",
       "TensorRT", "gemm", "fp8", "no"},
      {"void tensorrt_llm::kernels::doActivationKernel<half>(int)", "TensorRT", "elementwise",
       "fp16", "no"},
      {"void tensorrt_llm::kernels::lamportStyleAllReduce<half>(int)", "TensorRT", "collective",
       "fp16", "no"},
  });
}

TEST(KernelClassTest, Exchanges) {
  ExpectClasses({
      {"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*, int*)", "DeepEP",
       "collective", "unknown", "no"},
      {"void deep_ep::internode_ll::combine<true, 3, 7168, 9>(void*, void*)", "DeepEP",
       "collective", "unknown", "no"},
      {"void dpsk::ep::intranode::dispatch<8>(int4*)", "DeepEP", "collective", "unknown", "no"},
      {"void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)", "DeepEP",
       "indexing", "unknown", "no"},
      {"void mscclpp::executionKernel<__half, mscclpp::LL16Packet>(int)", "MSCCL++", "collective",
       "fp16", "no"},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, int)", "vLLM",
       "collective", "bf16", "no"},
      {"ncclSymkDevKernel_AllReduce_AGxLLMC_R_add_bf16(ncclSymkDevWorkArgs)", "NCCL", "collective",
       "unknown", "no"},
      {"multimem_all_reduce", "unknown", "collective", "unknown", "no"},
      {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
       "PyTorch", "collective", "bf16", "no"},
  });
}

// The name of the library does not show what its kernels compute.
TEST(KernelClassTest, FbgemmKernelsAreNotAllMatrixProducts) {
  ExpectClasses({
      {"void fbgemm_gpu::quantize_fp8_per_row_kernel<__nv_bfloat16>(int)", "FBGEMM", "elementwise",
       "bf16", "no"},
      {"void fbgemm_gpu::_float_to_fused8bitrowwise_cuda_kernel<float>(int)", "FBGEMM",
       "elementwise", "fp32", "no"},
      {"void fbgemm_gpu::scaleMatrixRowwise<__nv_bfloat16, __nv_fp8_e4m3>(int)", "FBGEMM",
       "elementwise", "bf16", "no"},
      {"_kernel_quantize_fp8_row", "Triton", "elementwise", "fp8", "no"},
  });
}

TEST(KernelClassTest, CopiesOfTheRuntime) {
  ExpectClasses({
      {"CopyDeviceToDevice", "unknown", "copy", "unknown", "no"},
      {"MemcpyD2D", "unknown", "copy", "unknown", "no"},
  });
}

TEST(KernelClassTest, ShortNames) {
  const std::vector<std::pair<const char*, const char*>> table = {
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>(int)",
       "CatArrayBatchedCopy"},
      {"void at::<unnamed>::vectorized_layer_norm_kernel<float>(int)",
       "vectorized_layer_norm_kernel"},
      {"void (anonymous namespace)::softmax_warp_forward<float>(float*)", "softmax_warp_forward"},
      {"at::native::amp_update_scale_cuda_kernel(float*, int*)", "amp_update_scale_cuda_kernel"},
      {"void at::cuda::(anonymous namespace)::kernelPointwiseApply3<int>(int)",
       "kernelPointwiseApply3"},
      {"void cudnn::ops::nchwToNhwcKernel<float>(float*)", "nchwToNhwcKernel"},
      {"void at_cuda_detail::cub::DeviceScanKernel<int>(int)", "DeviceScanKernel"},
      {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int>(T13)", "kernel"},
      {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128>>(flash::Flash_fwd_params)",
       "flash_fwd_kernel"},
      {"void Policy<int, a::b<float>>::run<4>(int)", "run"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_tn_align4>(T1::Params)",
       "Kernel2"},
      {"volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn"},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
       "ncclKernel_AllReduce_RING_LL_Sum_float"},
  };
  for (const auto& [name, expected] : table) EXPECT_EQ(ShortKernelName(name), expected);
}

TEST(KernelPatternsTest, EveryRowSaysSomething) {
  for (const KernelPattern& row : KernelPatterns()) {
    SCOPED_TRACE(row.words);
    EXPECT_FALSE(row.words.empty());
    EXPECT_NE(row.words.back(), ' ');
    std::istringstream words{std::string(row.words)};
    for (std::string word; words >> word;) EXPECT_GE(word.size(), 2u) << "too short to be matched";
    EXPECT_EQ(row.reason.back(), '.');
    EXPECT_TRUE(row.library != KernelLibrary::kUnknown || row.family != KernelFamily::kUnknown ||
                row.tensor_cores != TensorCoreUse::kUnknown);
  }
}

// Splits one CSV line; a quoted field may contain commas and doubled quotes.
std::vector<std::string> CsvFields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) fields.back().push_back(line[i++]);
      if (!doubled) quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else if (line[i] != '\r') {
      fields.back().push_back(line[i]);
    }
  }
  return fields;
}

// Compares with a table of kernel names for which the hardware counted matrix instructions.
void ExpectAgreement(const std::filesystem::path& path) {
  SCOPED_TRACE(path.string());
  std::ifstream file(path);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const std::vector<std::string> header = CsvFields(line);
  const auto column = [&](std::string_view name) {
    return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const size_t uses = column("uses_tensor_cores");
  const size_t time = column("time_ns");
  const size_t kernel_name = column("kernel_name");
  size_t right = 0;
  size_t total = 0;
  double right_ns = 0;
  double total_ns = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = CsvFields(line);
    ASSERT_EQ(fields.size(), header.size()) << line;
    const auto expected = fields[uses] == "1" ? TensorCoreUse::kYes : TensorCoreUse::kNo;
    const KernelClass kernel = ClassifyKernel(fields[kernel_name]);
    const double ns = std::stod(fields[time]);
    const bool agrees = kernel.tensor_cores == expected;
    if (!agrees) {
      std::cout << "  expected " << ToString(expected) << ", got " << ToString(kernel.tensor_cores)
                << ": " << fields[kernel_name] << "\n";
    }
    total += 1;
    total_ns += ns;
    if (agrees) right += 1;
    if (agrees) right_ns += ns;
  }
  std::cout << path.filename().string() << ": " << right << " of " << total << " names, "
            << 100 * right_ns / total_ns << " % of the time\n";
  EXPECT_GE(right, 0.99 * total);
  EXPECT_GE(right_ns, 0.99 * total_ns);
}

// Checks every table in tests/data/truth, and in $WARPSIGHT_SHARED/truth if that is set.
TEST(KernelClassTest, AgreesWithHardwareCounters) {
  std::vector<std::filesystem::path> folders = {std::filesystem::path(WARPSIGHT_SOURCE_DIR) /
                                                "tests/data/truth"};
  if (const char* shared = std::getenv("WARPSIGHT_SHARED")) {
    folders.push_back(std::filesystem::path(shared) / "truth");
  }
  size_t tables = 0;
  for (const auto& folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("tensor_cores_") || !name.ends_with(".csv")) continue;
      ExpectAgreement(entry.path());
      ++tables;
    }
  }
  if (tables == 0) GTEST_SKIP() << "no tensor_cores_*.csv in tests/data/truth";
}

}  // namespace
}  // namespace warpsight
