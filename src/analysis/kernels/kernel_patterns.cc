#include "analysis/kernels/kernel_patterns.h"

namespace warpsight {
namespace {

using P = NamePart;
using L = KernelLibrary;
using F = KernelFamily;

// A row that leaves a fact to later rows.
constexpr L kAnyLibrary = L::kUnknown;
constexpr F kAnyFamily = F::kUnknown;
constexpr TensorCoreUse kUnsaid = TensorCoreUse::kUnknown;
constexpr TensorCoreUse kNo = TensorCoreUse::kNo;
constexpr TensorCoreUse kYes = TensorCoreUse::kYes;

constexpr KernelPattern kPatterns[] = {
    // TorchInductor writes the kind of kernel and the fused operations into the name, and emits
    // matrix products only from templates.
    {P::kStart, "triton_tem_ triton_flex_ triton_sdpa", "attention|sdpa", L::kTriton, F::kAttention,
     kUnsaid, "Inductor attention template: the name does not say how it was compiled."},
    {P::kStart, "triton_tem_ triton_convolution triton_conv", "conv", L::kTriton, F::kConvolution,
     kUnsaid, "Inductor convolution template: the name does not say how it was compiled."},
    {P::kStart,
     "triton_tem_ triton_mm triton_bmm triton_addmm triton_baddbmm triton_scaled_mm triton_gemm",
     "", L::kTriton, F::kGemm, kUnsaid,
     "Triton matrix product template: the name does not say how it was compiled."},
    {P::kStart, "triton_softmax", "", L::kTriton, F::kSoftmax, kNo, "XLA softmax in Triton."},
    {P::kStart, "triton_red_ triton_per_", "nll_loss|cross_entropy", L::kTriton, F::kLoss, kNo,
     "Inductor reduction: the generator emits no matrix product."},
    {P::kStart, "triton_red_ triton_per_", "softmax", L::kTriton, F::kSoftmax, kNo,
     "Inductor reduction: the generator emits no matrix product."},
    {P::kStart, "triton_red_ triton_per_", "_norm|rsqrt|var_mean", L::kTriton, F::kNormalization,
     kNo, "Inductor reduction: the generator emits no matrix product."},
    {P::kStart, "triton_red_ triton_per_ triton_spl_ triton_mix_", "", L::kTriton, F::kReduction,
     kNo, "Inductor reduction: the generator emits no matrix product."},
    {P::kStart, "triton_poi_", "_pool\\d?d", L::kTriton, F::kPooling, kNo,
     "Inductor pointwise kernel: the generator emits no matrix product."},
    {P::kStart, "triton_poi_", "embedding", L::kTriton, F::kEmbedding, kNo,
     "Inductor pointwise kernel: the generator emits no matrix product."},
    {P::kStart, "triton_poi_",
     "^triton_poi_fused(?:_(?:_to_copy|_unsafe_view|clone|copy_?|view|t|permute|transpose|cat|stack"
     "|slice|expand|select|squeeze|unsqueeze))+_\\d+$",
     L::kTriton, F::kCopy, kNo, "Inductor pointwise kernel that only moves or casts values."},
    {P::kStart, "triton_poi_ triton_for_ triton_unk_", "", L::kTriton, F::kElementwise, kNo,
     "Inductor pointwise kernel: the generator emits no matrix product."},
    {P::kStart, "triton_ _triton_", "", L::kTriton, kAnyFamily, kUnsaid,
     "Triton kernel: the name does not say whether it multiplies matrices."},

    // Communication.
    {P::kStart,
     "ncclKernel ncclDevKernel ncclDevFunc ncclSymDevKernel ncclSymkDevKernel mscclKernel rccl", "",
     L::kNccl, F::kCollective, kNo,
     "NCCL or RCCL device kernel: communication, no matrix product."},
    {P::kFunction, "nvshmem barrier_on_stream_kernel", "", L::kNvshmem, F::kCollective, kNo,
     "NVSHMEM: communication, no matrix product."},
    {P::kFunction, "mscclpp:: mscclpp_", "", L::kMscclpp, F::kCollective, kNo,
     "MSCCL++: communication, no matrix product."},
    {P::kFunction, "deep_ep:: dpsk::ep::", "layout::", L::kDeepEp, F::kIndexing, kNo,
     "DeepEP: counts the tokens of each expert."},
    {P::kFunction, "deep_ep:: dpsk::ep::", "", L::kDeepEp, F::kCollective, kNo,
     "DeepEP: exchange of tokens between experts."},
    {P::kFunction, "hybrid_ep::", "hybrid_ep::(?:scan|permute|unpermute|get_)", L::kDeepEp,
     F::kIndexing, kNo, "DeepEP: where tokens go, on one GPU."},
    {P::kFunction, "hybrid_ep::", "", L::kDeepEp, F::kCollective, kNo,
     "DeepEP: exchange of tokens between experts."},
    {P::kFunction, "A2APrepare A2ASanitize", "moe_?[aA]2A", L::kTensorrt, F::kIndexing, kNo,
     "TensorRT-LLM: prepares the exchange of tokens, on one GPU."},
    {P::kFunction, "moeA2A", "", L::kTensorrt, F::kCollective, kNo,
     "TensorRT-LLM: exchange of tokens between experts."},
    {P::kFunction, "EpDispatch EpCombine mori:: uccl:: pplx:: a2a_dispatch_ a2a_combine_",
     "Ep(?:Dispatch|Combine)|uccl::|pplx::|dispatch|combine", kAnyLibrary, F::kCollective, kNo,
     "Exchange of tokens between experts."},
    {P::kFunction,
     "nccl all_reduce allreduce AllReduce Allreduce allReduce all_gather allgather AllGather "
     "Allgather allGather reduce_scatter ReduceScatter reduceScatter all_to_all alltoall AllToAll "
     "Alltoall allToAll moe_comm:: cross_device_reduce cross_device_store cross_device_load "
     "multimem_ userbuffers",
     "", kAnyLibrary, F::kCollective, kNo, "Collective communication written as a kernel."},
    {P::kFunction, "barrier_kernel put_signal_kernel wait_signal_kernel",
     "(?:^|::)(?:barrier|put_signal|wait_signal)_kernel", kAnyLibrary, F::kCollective, kNo,
     "Waits for other GPUs through memory that they share."},

    // FBGEMM has "gemm" in the name of everything it does.
    {P::kFunction, "fbgemm_gpu:: fbgemm:: scaleMatrix",
     "[qQ]uantiz|_to_\\w*(?:fused|quantized|fp8|FP8|HFP8|hfp8|msfp)|(?:fused|quantized|fp8|FP8)\\w*"
     "_to_|"
     "FP8Quantize|scaleMatrix",
     L::kFbgemm, F::kElementwise, kNo,
     "FBGEMM's conversion to or from fewer bits: no matrix product."},

    // PyTorch kernels that take the operation as a template argument: decided before any pattern
    // that looks at the whole name, as the argument may contain any word.
    {P::kFunction, "distribution_elementwise distribution_nullary", "", L::kPytorch, F::kRandom,
     kNo, "PyTorch random number kernel: no matrix product."},
    {P::kFunction, "index_elementwise_kernel scatter_gather_elementwise_kernel gpu_index_kernel",
     "", L::kPytorch, F::kIndexing, kNo, "PyTorch gather, scatter or index kernel."},
    {P::kFunction, "elementwise_kernel", "direct_copy_kernel|float\\w*_copy_kernel|copy_device_to",
     L::kPytorch, F::kCopy, kNo, "PyTorch copy or cast through the elementwise kernel."},
    {P::kFunction, "elementwise_kernel", "", L::kPytorch, F::kElementwise, kNo,
     "PyTorch elementwise kernel: one value per thread, no matrix product."},
    {P::kFunction, "kernelPointwiseApply", "", L::kPytorch, F::kElementwise, kNo,
     "PyTorch elementwise kernel: one value per thread, no matrix product."},
    {P::kFunction, "kernelReduceAll kernelReduceNoncontig kernelReduceContig", "", L::kPytorch,
     F::kReduction, kNo, "PyTorch reduction kernel."},
    {P::kFunction, "multi_tensor_apply_kernel",
     "Adam|adam|SGD|Sgd|LAMB|Lamb|Adagrad|NovoGrad|Lion|RMSprop|LARS|Optim", kAnyLibrary,
     F::kOptimizer, kNo, "Optimizer step over a list of tensors."},
    {P::kFunction, "multi_tensor_apply_kernel", "Norm", kAnyLibrary, F::kReduction, kNo,
     "Norm over a list of tensors."},
    {P::kFunction, "multi_tensor_apply_kernel", "Copy", kAnyLibrary, F::kCopy, kNo,
     "Copy over a list of tensors."},
    {P::kFunction, "multi_tensor_apply_kernel", "", kAnyLibrary, F::kElementwise, kNo,
     "Elementwise operation over a list of tensors."},
    {P::kFunction, "native::reduce_kernel at::reduce_kernel", "", L::kPytorch, F::kReduction, kNo,
     "PyTorch reduction kernel."},
    {P::kFunction, "Eigen::internal:: tensorflow::", "TensorReduction|ReductionKernel|BiasGrad",
     L::kTensorflow, F::kReduction, kNo, "TensorFlow reduction."},
    {P::kFunction, "Eigen::internal:: tensorflow::",
     "TensorShufflingOp|SwapDimension|ShuffleInTensor|Transpose|PadInput", L::kTensorflow,
     F::kLayoutTransform, kNo, "TensorFlow transposition."},
    {P::kFunction, "Eigen::internal:: tensorflow::", "Random", L::kTensorflow, F::kRandom, kNo,
     "TensorFlow random numbers."},
    {P::kFunction, "Eigen::internal::", "ContractionKernel", L::kTensorflow, F::kGemm, kNo,
     "Eigen matrix product on ordinary cores."},
    {P::kFunction, "Eigen::internal::EigenMetaKernel", "", L::kTensorflow, F::kElementwise, kNo,
     "Eigen expression: one value per thread, no matrix product."},

    // Hand-written Triton kernels of well-known projects. A Triton kernel is known by its
    // function's
    // name alone, without arguments, which says what it computes and not in which number format.
    {P::kStart, "_fwd_kernel_ep_", "", L::kTriton, F::kIndexing, kNo,
     "Routing of tokens to experts."},
    {P::kStart, "_attn_bwd_preprocess _bwd_preprocess", "", L::kTriton, F::kAttention, kNo,
     "Preparation of the attention backward pass: elementwise products and sums."},
    {P::kStart, "_fwd_kernel_stage1", "", L::kTriton, F::kAttention, kNo,
     "Decoding attention of one query per head: sums of products on ordinary cores."},
    {P::kStart, "_fwd_kernel_stage2 reduce_segments merge_attn_states_kernel merge_state_kernel",
     "^\\w+$", L::kTriton, F::kAttention, kNo, "Merges partial attention results."},
    {P::kStart,
     "kernel_unified_attention _attn_fwd _attn_bwd _fwd_kernel _bwd_kernel _fwd_grouped_kernel", "",
     L::kTriton, F::kAttention, kUnsaid,
     "Triton attention kernel: the name does not say how it was compiled."},
    {P::kStart, "_finalize_matmul", "", L::kTriton, F::kIndexing, kNo,
     "Scatters the results of a grouped matrix product."},
    {P::kStart, "_matmul_ _p_matmul_",
     "_(?:[bf]+p?\\d\\w*?|[iu]\\d+|mxfp\\d)x(?:bf16|fp16|fp8\\w*?|i8|u8|mxfp\\d)x"
     "(?:bf16|fp16|fp8\\w*?|i8|u8|mxfp\\d)_\\d+x\\d+x\\d+",
     L::kTriton, F::kGemm, kYes,
     "Triton product of operands of 16 bits or fewer, as its name says: compiled to matrix "
     "instructions."},
    {P::kStart,
     "_matmul_ogs _p_matmul_ogs fused_moe_kernel _matmul_kernel matmul_kernel bmm_kernel "
     "_w8a8_block _w8a8_triton_block _scaled_mm_kernel awq_gemm_kernel grouped_gemm_kernel "
     "_grouped_gemm "
     "batched_triton_kernel _lora_shrink _lora_expand _sgmv_shrink _sgmv_expand _bgmv_shrink "
     "_bgmv_expand",
     "^\\w+$", L::kTriton, F::kGemm, kUnsaid,
     "Triton matrix product: the name does not say how it was compiled."},
    {P::kStart, "_selective_scan_update _state_passing _chunk_cumsum fused_recurrent_", "^\\w+$",
     L::kTriton, F::kRecurrent, kNo, "Scan of a state-space layer: sums and elementwise work."},
    {P::kStart,
     "_chunk_scan_ _chunk_state_ _bmm_chunk_ chunk_gated_delta chunk_delta_rule chunk_fwd_kernel "
     "chunk_bwd_kernel chunk_scaled_dot_kkt recompute_w_u solve_tril merge_16x16_to",
     "^\\w+$", L::kTriton, F::kRecurrent, kUnsaid,
     "Products of a state-space layer in Triton: the name does not say how they were compiled."},
    {P::kStart, "_combined_routing _routing_", "", kAnyLibrary, F::kIndexing, kNo,
     "Routing of tokens to experts."},
    {P::kFunction,
     "moe_align_block_size count_and_sort_expert moe_permute moe_unpermute expandInputRows "
     "finalizeMoeRouting moe::dev::routing moe::dev::finalize sort_expert shuffleInputRows "
     "shuffle_rows compute_expert_offsets compute_problem_sizes get_group_gemm_starts expert_map "
     "expert_offsets customMoeRouting moe_fused_gate reorder_triton_kernel src2dst_triton_kernel "
     "computeStridesTmaWarpSpecialized",
     "", kAnyLibrary, F::kIndexing, kNo, "Routing of tokens to experts."},
    {P::kWhole, "MoeSortingKernel MoeSortingMultiPhase MoeSortingClear", "", L::kComposableKernel,
     F::kIndexing, kNo, "Routing of tokens to experts."},

    // XLA names a fusion after its kind and its root operation.
    {P::kStart, "gemm_fusion", "", L::kXla, F::kGemm, kUnsaid,
     "XLA matrix product fusion: the name does not say how it was compiled."},
    {P::kFunction, "fusion wrapped_",
     "^(?:input_|loop_|wrapped_)(?:[a-z]+_)*reduce(?:_|$)|^(?:[a-z]+_)*reduce(?:_[a-z]+)*_fusion",
     L::kXla, F::kReduction, kNo, "XLA reduction."},
    {P::kFunction, "fusion wrapped_", "^(?:input_|loop_|wrapped_)?(?:[a-z]+_)*transpose", L::kXla,
     F::kLayoutTransform, kNo, "XLA transposition."},
    {P::kFunction, "fusion wrapped_", "^(?:input_|loop_|wrapped_)(?:[a-z]+_)*(?:scatter|gather)",
     L::kXla, F::kIndexing, kNo, "XLA gather or scatter."},
    {P::kFunction, "wrapped_", "^wrapped_sort", L::kXla, F::kSort, kNo, "XLA sort."},
    {P::kFunction, "fusion wrapped_",
     "^copy_fusion|^(?:loop_|wrapped_)(?:copy|concatenate|slice|dynamic_slice|dynamic_update_slice|"
     "pad)(?:_|$)",
     L::kXla, F::kCopy, kNo, "XLA copy."},
    {P::kFunction, "fusion wrapped_",
     "^(?:loop|input)_(?:[a-z0-9]+_)*fusion(?:[._]\\d+)*$|^wrapped_[a-z0-9_]+$", L::kXla,
     F::kElementwise, kNo, "XLA loop: one value per thread, no matrix product."},
    {P::kFunction, "fusion", "^(?:block_)?fusion(?:[._]\\d+)*$", L::kXla, F::kOther, kUnsaid,
     "XLA fusion known by its number: it may hold a matrix product or none."},
    {P::kFunction, "reduce", "^reduce(?:_window)?(?:[._]\\d+)+$", L::kXla, F::kReduction, kNo,
     "XLA reduction."},
    {P::kFunction, "copy transpose concatenate", "^(?:copy|transpose|concatenate)(?:[._]\\d+)+$",
     L::kXla, F::kCopy, kNo, "XLA copy."},
    {P::kFunction, "RepeatBufferKernel redzone_checker RedzoneChecker", "", L::kXla, F::kOther, kNo,
     "XLA's search for the fastest kernel: prepares or checks memory."},

    // AMD matrix products and convolutions.
    {P::kStart, "Cijk_", "BetaOnly", L::kRocblas, F::kElementwise, kNo,
     "Tensile: scales the result before a split matrix product adds to it."},
    {P::kStart, "Custom_Cijk_", "", L::kRocblas, F::kGemm, kYes,
     "Tensile's hand-written kernels are written for matrix instructions."},
    {P::kStart, "Cijk_", "PostGSU", L::kRocblas, F::kReduction, kNo,
     "Tensile: adds up the parts of a split matrix product."},
    {P::kStart, "Cijk_", "_MI\\d+x\\d+", L::kRocblas, F::kGemm, kYes,
     "Tensile names the matrix instruction (MI) it was built with."},
    {P::kStart, "Cijk_", "", L::kRocblas, F::kGemm, kNo,
     "Tensile kernel without a matrix instruction in its name."},
    {P::kStart, "igemm_", "_gtcx", L::kMiopen, F::kConvolution, kYes,
     "MIOpen implicit GEMM built for matrix instructions (gtcx)."},
    {P::kStart, "igemm_fwd igemm_bwd igemm_wrw igemm_v4r1", "", L::kMiopen, F::kConvolution, kNo,
     "MIOpen implicit GEMM without matrix instructions."},
    {P::kStart, "naive_conv miopenSp3AsmConv miopenGcnAsm gfx9_ gfx90a_", "", L::kMiopen,
     F::kConvolution, kNo, "MIOpen direct or Winograd convolution."},
    {P::kStart, "batched_transpose_ transpose_NCHW transpose_CNHW", "", L::kMiopen,
     F::kLayoutTransform, kNo, "MIOpen transposition."},
    {P::kStart, "SubTensorOpWithCast Op1dTensor Op2dTensor Op4dTensor Op5dTensor", "", L::kMiopen,
     F::kCopy, kNo, "MIOpen copy or cast of a tensor."},
    {P::kStart, "SubTensorOp OpTensor", "", L::kMiopen, F::kElementwise, kNo,
     "MIOpen elementwise operation."},
    {P::kStart, "MIOpen miopen", "", L::kMiopen, kAnyFamily, kNo,
     "MIOpen helper kernel: no matrix product."},
    {P::kStart, "__amd_rocclr_", "", L::kRocm, F::kCopy, kNo, "Copy or fill of the HIP runtime."},
    {P::kWhole, "cutlass::fmha::", "", L::kCutlass, F::kAttention, kYes,
     "CUTLASS attention runs on Tensor Cores."},
    {P::kWhole, "FmhaBwdOGradDotO FmhaBwdConvertQGrad FmhaFwdSplitKVCombine", "",
     L::kComposableKernel, F::kAttention, kNo, "Helper of the attention kernel."},
    {P::kWhole, "FmhaFwd FmhaBwd", "", L::kComposableKernel, F::kAttention, kYes,
     "Composable Kernel attention runs on matrix cores."},
    {P::kFunction, "paged_attention_ll4mi_reduce", "", L::kVllm, F::kAttention, kNo,
     "Merges partial attention results."},
    {P::kFunction, "paged_attention_ll4mi_QKV", "", L::kVllm, F::kAttention, kYes,
     "vLLM's paged attention for AMD GPUs is written for matrix instructions."},
    {P::kFunction, "fmha_bwd_hd", "_odo_|_dq_convert|_dq_shuffle", L::kAiter, F::kAttention, kNo,
     "Helper of the attention backward pass."},
    {P::kFunction, "kn_mla_reduce mla_reduce_v1", "", L::kAiter, F::kAttention, kNo,
     "Merges partial attention results."},
    {P::kFunction, "mla_metadata", "", kAnyLibrary, F::kIndexing, kNo,
     "Plans how attention is divided."},
    {P::kFunction, "aiter::fmha_fwd_hd aiter::fmha_bwd_hd aiter::mla_ aiter::pa_",
     "^aiter::(?:fmha_(?:fwd|bwd)_hd|mla_(?:a\\d|dec|pfl|pre)|pa_(?:bf16|fp16|a16w|ps_|noquant))",
     L::kAiter, F::kAttention, kYes,
     "AITER's attention in assembly is written for matrix instructions."},
    {P::kFunction, "aiter:: flatmm_uk_gfx9",
     "^aiter::(?:fmoe_|(?:bf16|fp16|f4|f8|i8|fp8|a8w8)gemm)|flatmm_uk_gfx9", L::kAiter, F::kGemm,
     kYes, "AITER's matrix products in assembly are written for matrix instructions."},
    {P::kFunction, "kn_entry_", "_sbhd|_thd|_2d", L::kAiter, F::kElementwise, kNo,
     "Rotary position embedding: elementwise."},
    {P::kWhole, "kernel_gemm_dl DeviceGemmDl GridwiseGemmDl kernel_gemm_dpp GridwiseGemm_dl", "",
     L::kComposableKernel, F::kGemm, kNo, "Composable Kernel product on ordinary cores."},
    {P::kStart, "ck::kernel_moe_gemm ck::kernel_moe_mxgemm", "", L::kComposableKernel, F::kGemm,
     kYes, "Composable Kernel's products for experts run on matrix cores."},
    {P::kWhole, "mfma MFMA Mfma xdlops _xdl Xdl", "", kAnyLibrary, kAnyFamily, kYes,
     "Named after AMD's matrix instructions."},
    {P::kWhole,
     "ck_tile::GemmKernel ck_tile::Flatmm ck_tile::FusedMoeGemm ck_tile::GroupedGemm "
     "ck_tile::BatchedGemm ck_tile::StreamK 10GemmKernel 13FlatmmKernel 18FusedMoeGemmKernel "
     "17GroupedGemmKernel",
     "", L::kComposableKernel, F::kGemm, kYes,
     "Composable Kernel's tiles are multiplied on matrix cores."},

    // Attention. The helpers around the attention kernel come first: they share its words.
    {P::kWhole,
     "flash_bwd_dot_do_o flash_bwd_convert flash_bwd_clear flash_fwd_splitkv_combine "
     "fmha_bwd_dot_do_o FlashAttnBwdPreprocess FlashAttnBwdPostprocess FlashAttnFwdCombine "
     "prepare_varlen_num_blocks flash_attn_combine FlashAttentionBackwardPreprocess "
     "FlashAttentionBackwardPostprocess FlashAttentionForwardCombine",
     "", L::kFlashAttention, F::kAttention, kNo,
     "Helper around the FlashAttention kernel: sums and conversions, no matrix product."},
    {P::kFunction, "flash_fwd flash_mla flash_bwd", "combine", L::kFlashAttention, F::kAttention,
     kNo, "Merges partial attention results."},
    {P::kFunction, "splitkv_mla sparse_attn_fwd sparse_attn_decode sparse_fwd_kernel", "",
     L::kFlashMla, F::kAttention, kYes, "FlashMLA runs on Tensor Cores."},
    // ggml compiles attention in several ways and names them.
    {P::kFunction, "flash_attn_vec flash_attn_tile flash_attn_stream_k flash_attn_mask", "",
     L::kGgml, F::kAttention, kNo, "ggml's attention on ordinary cores, or a helper of it."},
    {P::kFunction, "flash_attn_ext", "", L::kGgml, F::kAttention, kYes,
     "ggml's attention on Tensor Cores."},
    {P::kFunction, "compute_dot_do_o convert_dq convert_dkv", "", L::kCudnn, F::kAttention, kNo,
     "Helper of cuDNN's attention backward pass: no matrix product."},
    {P::kStart, "fmha_cutlassF fmha_cutlassB", "_f32_\\w*_sm(?:50|60|70|75)|_sm(?:50|60)",
     L::kXformers, F::kAttention, kNo,
     "Memory-efficient attention built for a GPU without Tensor Cores for this type."},
    {P::kStart, "fmha_cutlassF fmha_cutlassB", "", L::kXformers, F::kAttention, kYes,
     "Memory-efficient attention runs on Tensor Cores, with TF32 for float."},
    {P::kWhole, "AttentionKernel< AttentionBackwardKernel<", "PyTorchMemEffAttention", L::kXformers,
     F::kAttention, kYes, "Memory-efficient attention runs on Tensor Cores."},
    {P::kFunction, "sdpa", "sdpa_sm\\d+_flash_[fb]prop", L::kCudnn, F::kAttention, kYes,
     "cuDNN's fused attention runs on Tensor Cores."},
    {P::kWhole,
     "flash_fwd flash_bwd FlashAttnFwd FlashAttnBwd FlashAttentionForward FlashAttentionBackward "
     "flash_attn flash_mla fmha_fprop fmha_dgrad fmha_fwd_loop fmha_bwd_dq_dk_dv fmha_block "
     "flash::compute_attn flash::compute_dq_dk_dv",
     "", L::kFlashAttention, F::kAttention, kYes, "FlashAttention runs on Tensor Cores."},
    {P::kFunction, "fmhaReductionKernel", "", L::kTensorrt, F::kAttention, kNo,
     "Merges partial attention results."},
    {P::kFunction, "fmha_v2_ fmhaSm _gemm_mha kernel_mha xqa_kernel", "", L::kTensorrt,
     F::kAttention, kYes, "TensorRT's fused attention runs on Tensor Cores."},
    {P::kFunction,
     "cuda_core_gemm cudaCoreGemm weight_only::kernel fpA_intB_gemv router_gemm_kernel", "",
     L::kTensorrt, F::kGemm, kNo, "TensorRT-LLM's product with few rows, on ordinary cores."},
    {P::kFunction, "fused_a_gemm_kernel", "", L::kTensorrt, F::kGemm, kYes,
     "TensorRT-LLM's product for low latency is written for Tensor Cores."},
    {P::kFunction, "fp8_blockscale_gemm::", "::scale_", L::kTensorrt, F::kElementwise, kNo,
     "Conversion to fewer bits."},
    {P::kStart, "bmm_ gemm_",
     "^(?:bmm|gemm)_\\w*(?:E4m3|E2m1|Bfloat16|Fp16)\\w*_Fp32_(?:\\w*_)?(?:sm\\d+|t\\d+x\\d+x\\d+)",
     L::kTensorrt, F::kGemm, kYes, "TensorRT-LLM's generated matrix product runs on Tensor Cores."},
    {P::kFunction, "masked_multihead_attention mmha::", "", L::kTensorrt, F::kAttention, kNo,
     "Decoding attention on ordinary cores."},
    {P::kFunction, "MergeState VariableLengthMergeStates", "", L::kFlashInfer, F::kAttention, kNo,
     "Merges partial attention results."},
    {P::kFunction, "merge_attn_states merge_state", "", kAnyLibrary, F::kAttention, kNo,
     "Merges partial attention results."},
    {P::kFunction, "PrefillWithPagedKV PrefillWithRaggedKV PrefillWithKVCache BatchPrefill", "",
     L::kFlashInfer, F::kAttention, kYes, "FlashInfer prefill runs on Tensor Cores."},
    {P::kFunction, "MLAPagedAttention PODWithKVCacheTensor", "", L::kFlashInfer, F::kAttention,
     kYes, "FlashInfer's attention for several queries at a time runs on Tensor Cores."},
    {P::kFunction, "BatchDecode", "MLACuteSM80", L::kFlashInfer, F::kAttention, kYes,
     "FlashInfer decoding built on Tensor Core instructions."},
    {P::kFunction, "DecodeWithPagedKV DecodeWithKVCache BatchDecode", "", L::kFlashInfer,
     F::kAttention, kNo, "FlashInfer decoding runs on ordinary cores."},
    {P::kFunction, "paged_attention_v1 paged_attention_v2", "", L::kVllm, F::kAttention, kNo,
     "vLLM paged attention runs on ordinary cores."},
    {P::kFunction, "reshape_and_cache concat_and_cache", "", L::kVllm, F::kCopy, kNo,
     "Writes keys and values into the cache."},
    {P::kFunction,
     "AppendPagedKV store_kvcache store_kv_cache store_cache set_kv_buffer set_mla_kv transfer_kv "
     "cp_gather_cache gather_cache copy_blocks swap_blocks updateKVCache",
     "", kAnyLibrary, F::kCopy, kNo, "Moves keys and values to or from the cache."},
    {P::kFunction, "rotary_embedding rotary rope_ Rope RoPE Rotary", "", kAnyLibrary,
     F::kElementwise, kNo, "Rotary position embedding: elementwise."},

    // Helpers of matrix products and convolutions: they carry the name of the main kernel, or its
    // template arguments, and do none of its products.
    {P::kFunction, "epilogue::globalKernel cublasLt::epilogue", "", L::kCublas, F::kElementwise,
     kNo, "Applies bias or activation to the result of a matrix product."},
    {P::kWhole, "splitKreduce", "", L::kCublas, F::kReduction, kNo,
     "Adds up the parts of a split matrix product."},
    {P::kWhole, "ReduceSplitK", "", kAnyLibrary, F::kReduction, kNo,
     "Adds up the parts of a split matrix product."},
    {P::kFunction, "_xmma_", "_split_k_kernel|_post_execute_kernel", kAnyLibrary, F::kReduction,
     kNo, "Second pass of an xmma kernel: adds up the parts, no matrix product."},
    {P::kFunction,
     "computeOffsetsKernel computeBOffsetsKernel computeWgrad init_device_workspace_kernel "
     "compute_gemm_pointers",
     "", L::kCudnn, F::kOther, kNo, "Prepares addresses or workspace for a cuDNN kernel."},
    {P::kFunction, "epilogue::impl::globalKernel", "", L::kCublas, F::kElementwise, kNo,
     "cuBLASLt epilogue applied in its own kernel."},

    // xmma: the kernel generator behind cuBLAS, cuDNN and TensorRT.
    {P::kFunction, "_xmma_", "cudnn", L::kCudnn, kAnyFamily, kUnsaid, "xmma kernel of cuDNN."},
    {P::kFunction, "_xmma_", "cublas", L::kCublas, kAnyFamily, kUnsaid, "xmma kernel of cuBLAS."},
    {P::kFunction, "_xmma_", "_trt", L::kTensorrt, kAnyFamily, kUnsaid, "xmma kernel of TensorRT."},
    {P::kFunction, "_xmma_", "_xmma_pooling", kAnyLibrary, F::kPooling, kNo, "xmma pooling."},
    {P::kFunction, "_xmma_", "fprop|dgrad|wgrad|conv", kAnyLibrary, F::kConvolution, kUnsaid,
     "xmma convolution."},
    {P::kFunction, "_xmma_", "", kAnyLibrary, F::kGemm, kUnsaid, "xmma matrix product."},
    {P::kFunction, "_xmma_", "_[a-z]{0,2}fma\\d?_|_simt|_dp4a|depthwise", kAnyLibrary, kAnyFamily,
     kNo, "xmma kernel built on ordinary multiply-add (ffma, simt, depthwise)."},
    {P::kFunction, "_xmma_", "tensor\\d+x\\d+|warpgroupsize|cgasize|utcmma|[a-z]mma_", kAnyLibrary,
     kAnyFamily, kYes, "xmma kernel named after a matrix instruction or a warp group."},
    {P::kFunction, "_xmma_", "_(?:bf16|f16|tf32|e4m3|e5m2|e2m1|fp8|fp4|i8|u8)", kAnyLibrary,
     kAnyFamily, kYes, "xmma kernel in a number format of the Tensor Cores."},
    {P::kFunction, "_xmma_", "_c?f(?:32|64)c?f(?:32|64)_c?f(?:32|64)", kAnyLibrary, kAnyFamily, kNo,
     "xmma kernel in fp32 or fp64 without a matrix instruction."},

    // cuDNN recurrent layers.
    {P::kFunction, "_lstm _gru _rnn", "^(?:volta|turing|ampere|hopper|blackwell)_(?:lstm|gru|rnn)",
     L::kCudnn, F::kRecurrent, kYes,
     "cuDNN recurrent kernel that keeps the weights in Tensor Core tiles."},
    {P::kFunction, "RNN_blockPersist", "HMMA", L::kCudnn, F::kRecurrent, kYes,
     "cuDNN persistent recurrent kernel built on HMMA."},
    {P::kFunction,
     "RNN_blockPersist persistRNN elemWiseRNNcell LSTM_elementWise GRU_elementWise "
     "GENERIC_elementWise RNN_elementWise RNNcell",
     "", L::kCudnn, F::kRecurrent, kNo, "cuDNN recurrent helper: elementwise, no matrix product."},
    {P::kFunction, "selective_scan", "", L::kMamba, F::kRecurrent, kNo,
     "Scan of a state-space layer: sums and elementwise work."},
    {P::kFunction, "causal_conv1d", "", L::kMamba, F::kConvolution, kNo,
     "Convolution of a few taps in each channel, on ordinary cores."},
    {P::kFunction, "lstm_cell gru_cell", "", kAnyLibrary, F::kRecurrent, kNo,
     "Gates of a recurrent cell: elementwise."},

    // cuBLAS.
    {P::kStart, "nvjet_", "", L::kCublas, F::kGemm, kYes,
     "nvjet is cuBLAS's Tensor Core matrix product for Hopper and later."},
    {P::kFunction, "gemv gemmSN_ gemmk1_ gemmMN_", "(?:^|::)gemv(?:x|2|N|T)|^gemm[SM]N_|^gemmk1_",
     L::kCublas, F::kGemm, kNo,
     "cuBLAS product with a vector or a thin matrix, on ordinary cores."},
    {P::kFunction, "gemv", "", kAnyLibrary, F::kGemm, kNo, "Product with a vector."},
    {P::kFunction, "dot_kernel reduce_1Block_kernel asum_kernel nrm2_kernel iamax_kernel",
     "(?:^|::)(?:dot|reduce_1Block|asum|nrm2|iamax|iamin)_kernel", L::kCublas, F::kReduction, kNo,
     "cuBLAS vector reduction."},
    {P::kFunction, "axpy scal_kernel swap_kernel rot_kernel geam_kernel dgmm_kernel",
     "(?:^|::)(?:axpy|scal|swap|rot|geam|dgmm)", L::kCublas, F::kElementwise, kNo,
     "cuBLAS vector operation."},
    {P::kFunction, "trsm trsv trmm getrf getri getrs potrf geqrf matinv", "", kAnyLibrary,
     F::kLinearAlgebra, kNo,
     "Triangular solve or factorization: its matrix products run in kernels of their own."},
    {P::kWhole, "cublasGemv", "", L::kCublas, F::kGemm, kNo,
     "cuBLAS product with a vector, on ordinary cores."},
    {P::kFunction, "sgemm_largek gemm_kernel1x1 gemm_kernel2x2 fermiPlus sgemm_32x32x32", "",
     L::kCublas, F::kGemm, kNo, "Old cuBLAS matrix product on ordinary cores."},
    {P::kStart, "sgemm_ dgemm_ cgemm_ zgemm_ hgemm_", "^[sdczh]gemm_\\d+x\\d+x\\d+_[NT][NTC]",
     L::kCublas, F::kGemm, kNo, "Old cuBLAS matrix product on ordinary cores."},
    {P::kStart, "magma_ magmablas_", "gemm", L::kMagma, F::kGemm, kNo,
     "MAGMA runs on ordinary cores."},
    {P::kStart, "magma_ magmablas_", "", L::kMagma, F::kLinearAlgebra, kNo,
     "MAGMA runs on ordinary cores."},

    // Written in CUTLASS's Python: the module's path and the function, then the arguments.
    {P::kStart, "kernel_cutlass_", "(?i)flash_?(?:attn|attention|mla|fwd|bwd)|fmha|attention",
     L::kCutlass, F::kAttention, kYes, "CUTLASS attention runs on Tensor Cores."},
    {P::kStart, "kernel_cutlass_", "ShapeMNK111(?:\\D|$)|(?i)simt", L::kCutlass, kAnyFamily, kNo,
     "CUTLASS kernel built on ordinary multiply-add."},
    {P::kStart, "kernel_cutlass_",
     "(?i)(?:gemm|matmul).*(?:wgmma|umma|tcgen05|sm90|sm100|sm103|sm120|hopper|blackwell|tensorop|"
     "ShapeMNK(?:8|16|32|64|128|256))|(?:wgmma|umma|tcgen05|sm90|sm100|sm103|sm120|hopper|"
     "blackwell|tensorop).*(?:gemm|matmul)",
     L::kCutlass, F::kGemm, kYes, "CUTLASS matrix product built on Tensor Core instructions."},
    {P::kStart, "kernel_cutlass_", "", L::kCutlass, kAnyFamily, kUnsaid, "CUTLASS kernel."},

    // Kernels named after a GPU generation: volta_fp16_s884gemm_…, ampere_scudnn_…. The letters and
    // digits before gemm or cudnn are the accumulator and the shape of the matrix instruction;
    // without digits the kernel runs on ordinary cores.
    {P::kStart, "trt_", "", L::kTensorrt, kAnyFamily, kUnsaid, "TensorRT kernel."},
    // TensorRT's compiler lists what it fused: Fc is a fully connected layer, the others shorten
    // the
    // names of ops.
    {P::kStart, "__myl_", "^__myl_\\w*?(?:Fc|Gemm|Bmm|MatMul|Dot)", L::kTensorrt, F::kGemm, kUnsaid,
     "TensorRT's fused matrix product: the name does not say on which units it runs."},
    {P::kStart, "__myl_", "^__myl_\\w*?(?:Conv|Mha|Attn)", L::kTensorrt, F::kOther, kUnsaid,
     "TensorRT's fused kernel: it may hold a convolution or attention."},
    {P::kStart, "__myl_", "^__myl_\\w*?(?:Sum|Mean|Max|Min|Norm|Soft|Red)", L::kTensorrt,
     F::kReduction, kNo, "TensorRT's fused kernel around a reduction: no matrix product."},
    {P::kStart, "__myl_", "^__myl_(?:(?:Move|Conc|Tran|Resh|Slic|Repl|Cast|Gath|Pad|Shuf)+)(?:_|$)",
     L::kTensorrt, F::kCopy, kNo, "TensorRT's fused kernel that only moves values."},
    {P::kStart, "__myl_", "", L::kTensorrt, F::kElementwise, kNo,
     "TensorRT's fused elementwise kernel: no matrix product."},
    {P::kFunction,
     "volta_ turing_ ampere_ Volta_ Turing_ Ampere_ ada_ hopper_ blackwell_ maxwell_ pascal_ "
     "kepler_",
     "cudnn_|fprop|dgrad|wgrad", L::kCudnn, F::kConvolution, kUnsaid, "cuDNN convolution."},
    {P::kFunction,
     "volta_ turing_ ampere_ Volta_ Turing_ Ampere_ ada_ hopper_ blackwell_ maxwell_ pascal_ "
     "kepler_",
     "gemm", L::kCublas, F::kGemm, kUnsaid, "cuBLAS matrix product."},
    {P::kWhole,
     "884 1684 1688 16816 16832 16864 8816 8832 161616 32816 83216 x8gemm x16gemm x32gemm x64gemm",
     "(?:^|[_ <])[a-z]{1,2}(?:884|1684|1688|16816|16832|16864|168128|8816|8832|161616|32816|83216|"
     "\\d+x\\d+x\\d+)(?:tf32|bf16|f16|fp16|fast\\w*?)?(?:sp)?(?:gemm|cudnn|fprop|dgrad|wgrad|conv|"
     "rank|syr|her|symm|hemm|trmm|_)",
     kAnyLibrary, kAnyFamily, kYes, "Named after the shape of a Tensor Core instruction."},
    {P::kWhole, "hmma HMMA imma IMMA dmma DMMA wmma WMMA wgmma utcmma", "", kAnyLibrary, kAnyFamily,
     kYes, "Named after a Tensor Core instruction."},
    {P::kFunction, "scudnn hcudnn dcudnn icudnn", "", L::kCudnn, kAnyFamily, kNo,
     "cuDNN convolution on ordinary cores (no matrix instruction in the name)."},
    {P::kFunction, "volta_ turing_ ampere_ ada_ hopper_ blackwell_ maxwell_ pascal_ kepler_",
     "_(?:g?[sdchzi]|sp)gemm", kAnyLibrary, kAnyFamily, kNo,
     "cuBLAS matrix product on ordinary cores (sgemm, dgemm, …)."},

    // cuDNN convolutions on ordinary cores, and what surrounds them. Before the words of CUTLASS:
    // older public lists count some of these as Tensor Core kernels; hardware counters do not.
    {P::kFunction, "dgrad_1x1_stride_2x2 first_layer_wgrad first_layer_fwd", "", L::kCudnn,
     F::kConvolution, kYes, "Volta half-precision convolution of NVIDIA's PyProf list."},
    {P::kFunction,
     "implicit_convolve explicit_convolve precomputed_convolve convolve_common_engine convolveNd "
     "convolve_sgemm dgrad_engine wgrad_alg dgrad_alg dgrad2d_alg conv2d_c1_k1 dgrad2d_c1_k1 "
     "wgrad2d_c1_k1 conv3d_c1_k1 dgrad3d_c1_k1 wgrad3d_c1_k1 grouped_direct shmem_tiling "
     "im2col4d reduce_wgrad cudnn::cnn:: cnn::conv cnn::dgrad cnn::wgrad",
     "", L::kCudnn, F::kConvolution, kNo,
     "cuDNN direct or implicit convolution on ordinary cores."},
    {P::kFunction, "winograd Winograd", "", L::kCudnn, F::kConvolution, kNo,
     "Winograd convolution or one of its transforms, on ordinary cores."},
    {P::kFunction, "fft2d_r2c fft2d_c2r fft1d_r2c fft1d_c2r flip_filter fft2d_ fft3d_", "",
     L::kCudnn, F::kConvolution, kNo, "Transform of cuDNN's FFT convolution."},
    {P::kFunction,
     "nchwTo nhwcTo nchw2 nhwc2 ncdhwTo ndhwcTo nchwSlice nhwcSlice nchwPad nhwcPad AddPadding "
     "RemovePadding foldedNhwc FoldedNhwc ToNchwV kern_precompute_indices tensorTransform "
     "genericTranspose",
     "", L::kCudnn, F::kLayoutTransform, kNo, "Changes the layout of a tensor."},
    {P::kFunction, "convertTensor", "", L::kCudnn, F::kCopy, kNo, "Converts a tensor."},
    {P::kFunction,
     "scalePackedTensor scaleTensor op_generic_tensor op_tensor addTensor add_tensor activation_fw "
     "activation_bw setTensor",
     "", L::kCudnn, F::kElementwise, kNo, "cuDNN elementwise operation on a tensor."},
    {P::kFunction, "cudnn_generated_", "[Nn]orm", L::kCudnn, F::kNormalization, kNo,
     "cuDNN generated normalization."},
    {P::kFunction, "cudnn_generated_", "conv", L::kCudnn, F::kConvolution, kYes,
     "cuDNN generated convolution: its engine is built for Tensor Cores."},
    {P::kFunction, "cudnn_generated_", "matmul|gemm", L::kCudnn, F::kGemm, kYes,
     "cuDNN generated matrix product: its engine is built for Tensor Cores."},

    // Family of kernels that name their operation in the template argument (cutlass::Kernel<…>).
    {P::kWhole, "xmma_cudnn:: xmma_new:: xmma__5x", "implicit_gemm|fprop|dgrad|wgrad", kAnyLibrary,
     F::kConvolution, kUnsaid, "xmma convolution."},
    {P::kFunction, "deep_gemm::", "metadata", L::kDeepGemm, F::kIndexing, kNo,
     "Plans how DeepGEMM's work is divided."},
    {P::kFunction, "deep_gemm::", "transpose|pack_fp32|clean_logits", L::kDeepGemm,
     F::kLayoutTransform, kNo, "Prepares the scales of DeepGEMM's matrix product."},
    {P::kFunction, "deep_gemm::", "", L::kDeepGemm, F::kGemm, kYes,
     "DeepGEMM is written for Tensor Cores."},
    {P::kStart,
     "fp8_gemm_kernel sm90_fp8_gemm sm100_fp8_gemm sm90_bf16_gemm sm100_bf16_gemm "
     "sm90_fp8_mqa_logits sm100_fp8_mqa_logits",
     "", L::kDeepGemm, F::kGemm, kYes, "DeepGEMM is written for Tensor Cores."},
    {P::kWhole, "marlin:: marlin_moe Marlin machete::", "repack|prepack|permute_cols", kAnyLibrary,
     F::kLayoutTransform, kNo, "Brings weights into the order of a matrix product's tiles."},
    {P::kFunction, "marlin:: Marlin machete:: tinygemm_m16n8k16 gemm_forward_4bit_cuda_m16", "",
     kAnyLibrary, F::kGemm, kYes, "Matrix product library written for Tensor Cores."},
    {P::kFunction, "gptq::gemm_half_q_half gemm_half_q_half gptq::gemm", "", kAnyLibrary, F::kGemm,
     kNo, "Product with packed weights on ordinary cores."},
    {P::kFunction, "ladder_int8xint2", "", kAnyLibrary, F::kGemm, kNo,
     "BitNet's product of 8-bit and 2-bit integers on ordinary cores (dp4a)."},
    {P::kFunction, "mul_mat_vec mul_mat_p021 mul_mat_vec_nc", "", L::kGgml, F::kGemm, kNo,
     "ggml's product with a vector, on ordinary cores."},
    {P::kFunction, "mul_mat_q mul_mat_id", "", L::kGgml, F::kGemm, kUnsaid,
     "ggml's product of packed weights: compiled for Tensor Cores or not."},
    {P::kStart, "kgemm_4bit_inference_naive", "", L::kBitsandbytes, F::kGemm, kNo,
     "bitsandbytes' product with a vector, on ordinary cores."},
    {P::kStart, "kOptimizer kPreconditionOptimizer", "", L::kBitsandbytes, F::kOptimizer, kNo,
     "bitsandbytes' optimizer step."},
    {P::kStart,
     "kDequantize kQuantize kInt8VectorQuant kdequant_mm kPercentileClipping kDoubleRowColQuant "
     "kgetColRowStats",
     "", L::kBitsandbytes, F::kElementwise, kNo, "bitsandbytes' conversion to or from fewer bits."},
    {P::kWhole, "cutlass",
     "fprop|dgrad|wgrad|ImplicitGemmConvolution|DirectConv|implicit_gemm|conv[23]d|conv::kernel|"
     "4conv6kernel",
     kAnyLibrary, F::kConvolution, kUnsaid, "CUTLASS convolution."},
    {P::kWhole, "cutlass", "gemm|Gemm|GEMM|syrk|herk|symm|trmm|Mma", kAnyLibrary, F::kGemm, kUnsaid,
     "CUTLASS matrix product."},

    // What arithmetic a matrix product or convolution was built on.
    {P::kWhole, "_simt_ MmaSimt DepthwiseSimt OpClassSimt UniversalFMA", "", kAnyLibrary,
     kAnyFamily, kNo, "CUTLASS kernel built on ordinary multiply-add (SIMT)."},
    {P::kWhole,
     "_tensorop bstensorop sptensorop MmaTensorOp OpClassTensorOp TensorOpMultiplicand "
     "WmmaTensorOp",
     "", kAnyLibrary, kAnyFamily, kYes, "CUTLASS kernel built on Tensor Core instructions."},
    {P::kWhole,
     "MainloopSm90 MainloopSm100 MainloopSm103 MainloopSm120 KernelTma Gmma GMMA Umma UMMA "
     "SM90_64x "
     "SM80_16x8x SM75_16x8x SM70_8x8x4 SM89_16x8x SM100_MMA SM120_16x8x",
     "", kAnyLibrary, kAnyFamily, kYes, "CUTLASS 3 kernel built on Tensor Core instructions."},
    {P::kWhole, "cutlass_2x_gemm cutlass_3x_gemm cutlass_3x_group_gemm cutlass_group_gemm", "",
     kAnyLibrary, kAnyFamily, kYes,
     "vLLM's CUTLASS products are built on Tensor Core instructions."},
    {P::kWhole, "ImplicitGemmConvolution ImplicitGemmMultistage", "", kAnyLibrary, kAnyFamily, kYes,
     "CUTLASS implicit GEMM without the SIMT mark."},

    // FBGEMM and recommendation models.
    {P::kFunction, "split_embedding_backward dense_embedding_backward",
     "adagrad|adam|sgd|lamb|_dense_", L::kFbgemm, F::kEmbedding, kNo,
     "Embedding table backward pass, with its optimizer."},
    {P::kFunction, "permute_pooled_embs fbgemm_gpu::permute permute_2D permute_1D recat_", "",
     L::kFbgemm, F::kLayoutTransform, kNo, "Permutes embedding inputs or outputs."},
    {P::kFunction, "bounds_check_indices linearize_index fbgemm_gpu::_offsets_range", "",
     L::kFbgemm, F::kIndexing, kNo, "Index arithmetic of embedding tables."},

    // Any library, by the words of the function's own name.
    {P::kFunction, "DeviceRadixSort DeviceMergeSort DeviceSegmentedSort BlockSort", "", L::kCub,
     F::kSort, kNo, "Sorting."},
    {P::kFunction, "DeviceScan DeviceReduce DeviceSegmentedReduce", "", L::kCub, F::kReduction, kNo,
     "Reduction or prefix sum."},
    {P::kFunction, "DeviceSelect DeviceUnique DeviceCompact DevicePartition DeviceRunLength", "",
     L::kCub, F::kIndexing, kNo, "Selection of elements."},
    {P::kFunction, "cub:: thrust:: rocprim:: hipcub::", "_transform|for_each|parallel_for", L::kCub,
     F::kElementwise, kNo, "Elementwise loop of a parallel algorithm library."},
    {P::kFunction, "for_each:: parallel_for:: transform::",
     "(?:^|::)(?:for_each|parallel_for|transform)::\\w*kernel", L::kCub, F::kElementwise, kNo,
     "Elementwise loop of a parallel algorithm library."},
    {P::kFunction, "cusparse csrmv csrmm csr2 spmm_ spmv_", "spmm|spmv|csrmm|csrmv|mm_|mv_",
     L::kCusparse, F::kGemm, kNo, "Sparse matrix product on ordinary cores."},
    {P::kFunction, "cusparse csr2 CooToCsr CsrToCoo", "", L::kCusparse, F::kOther, kNo,
     "Sparse matrix helper."},
    {P::kFunction, "cusolver syevj gesvdj larft larfg", "", L::kCusolver, F::kLinearAlgebra, kNo,
     "Factorization: its matrix products run in kernels of their own."},
    {P::kFunction,
     "regular_fft vector_fft composite_2way_fft multi_bluestein spRadix dpRadix "
     "spVector dpVector regular_bluestein real_complex bluestein",
     "", L::kCufft, F::kFft, kNo, "cuFFT transform."},
    {P::kWhole, "EPT<", "_fft\\w*<\\d+, EPT<", L::kCufft, F::kFft, kNo, "cuFFT transform."},
    {P::kWhole, "real_complex_args_t RealComplex_st chirp_signal scale_conjugate", "", L::kCufft,
     F::kFft, kNo, "cuFFT step before or after a transform: elementwise."},
    {P::kFunction, "curand generate_seed_pseudo gen_sequenced", "", L::kCurand, F::kRandom, kNo,
     "Random numbers."},
    {P::kFunction, "conv_depthwise DepthwiseConv depthwise", "", kAnyLibrary, F::kConvolution, kNo,
     "Depthwise convolution on ordinary cores."},
    {P::kFunction, "im2col col2im vol2col col2vol Im2d2Col Im2Col Col2Im", "", kAnyLibrary,
     F::kLayoutTransform, kNo, "Rearranges a tensor for a convolution by matrix product."},
    {P::kFunction, "genericReformat reformat CUTENSOR_NAMESPACE::permutation cast_transpose", "",
     kAnyLibrary, F::kLayoutTransform, kNo, "Changes the layout of a tensor."},
    {P::kFunction,
     "layer_norm LayerNorm layernorm rms_norm rmsnorm RMSNorm RmsNorm batch_norm batchnorm "
     "BatchNorm group_norm GroupNorm groupnorm instance_norm InstanceNorm GammaBeta "
     "cuComputeGradInput RowwiseMoments "
     "ComputeInternalGradients FusedParamsCUDAKernel bn_fw_ bn_bw_ ln_fwd "
     "ln_bwd _norm_fwd _norm_bwd weight_norm",
     "", kAnyLibrary, F::kNormalization, kNo, "Normalization: sums and elementwise work."},
    {P::kWhole, "Rmsnorm2d Layernorm2d", "", kAnyLibrary, F::kNormalization, kNo,
     "Normalization: sums and elementwise work."},
    {P::kFunction, "XEntropy xentropy", "", kAnyLibrary, F::kLoss, kNo,
     "Loss function: sums and elementwise work."},
    {P::kFunction,
     "nll_loss ClassNLL cross_entropy CrossEntropy ctc_loss MultiMargin SoftMarginCriterion", "",
     kAnyLibrary, F::kLoss, kNo, "Loss function: sums and elementwise work."},
    {P::kFunction, "softmax SoftMax Softmax soft_max", "", kAnyLibrary, F::kSoftmax, kNo,
     "Softmax: sums and elementwise work."},
    {P::kFunction,
     "max_pool avg_pool MaxPool AvgPool adaptive_average adaptiveaverage adaptivemax pooling "
     "Pooling roi_align RoIAlign",
     "", kAnyLibrary, F::kPooling, kNo, "Pooling: comparisons and sums."},
    {P::kFunction,
     "embedding Embedding lookup_kernel sum_and_scatter compute_grad_weight krn_partial "
     "compute_num_of_partial_segments renorm_kernel",
     "", kAnyLibrary, F::kEmbedding, kNo, "Embedding lookup or its backward pass."},
    {P::kFunction, "adam_ Adam fused_adam sgd_ FusedSGD lamb_ Lamb amp_update_scale", "",
     kAnyLibrary, F::kOptimizer, kNo, "Optimizer step."},
    {P::kFunction, "dropout Dropout masked_scale", "", kAnyLibrary, F::kElementwise, kNo,
     "Dropout: elementwise."},
    {P::kFunction,
     "philox Philox random Random bernoulli randperm multinomial SamplingFrom topPSampling "
     "TopPSampling topKSampling",
     "", kAnyLibrary, F::kRandom, kNo, "Random numbers."},
    {P::kFunction, "searchsorted bucketize", "", kAnyLibrary, F::kIndexing, kNo,
     "Search in a sorted tensor."},
    {P::kFunction, "topk TopK Topk topK sbtopk mbtopk bitonicSort Sort sort kthvalue gatherMedian",
     "", kAnyLibrary, F::kSort, kNo, "Sorting or selection."},
    {P::kFunction,
     "index Index Indices gather Gather scatter Scatter masked_select nonzero take_put get_rows "
     "set_rows token_ids req_to_token kv_indices block_table page_table slot_mapping "
     "position_kernel last_loc alloc_extend_kernel alloc_decode_kernel",
     "", kAnyLibrary, F::kIndexing, kNo, "Gather, scatter or index arithmetic."},
    {P::kFunction, "CatArray copy Copy memcpy Memcpy memset Memset roll_cuda", "", kAnyLibrary,
     F::kCopy, kNo, "Copies or fills memory."},
    {P::kFunction, "upsample Upsample interp_ Resize grid_sampler reflection_pad replication_pad",
     "", kAnyLibrary, F::kOther, kNo, "Resampling or padding of images."},

    // Words of the matrix products, for kernels of unknown origin: they say what is computed and
    // not on which units.
    {P::kFunction, "attention Attention attn fmha mha_", "", kAnyLibrary, F::kAttention, kUnsaid,
     "Attention by its name, which does not say on which units it runs."},
    {P::kFunction, "conv2d conv3d conv1d convolution Convolution fprop dgrad wgrad", "",
     kAnyLibrary, F::kConvolution, kUnsaid,
     "Convolution by its name, which does not say on which units it runs."},
    {P::kFunction,
     "gemm Gemm GEMM matmul Matmul MatMul matrixMul mul_mat wvSplitK fused_moe FusedMoe "
     "FullyConnected fully_connected",
     "(?:^|[^b]|[^f]b)gemm|Gemm|GEMM|matmul|Matmul|MatMul|matrixMul|mul_mat|wvSplitK|fused_moe|"
     "FusedMoe|FullyConnected|fully_connected",
     kAnyLibrary, F::kGemm, kUnsaid,
     "Matrix product by its name, which does not say on which units it runs."},
    {P::kFunction, "lstm LSTM gru_ GRU rnn_ RNN", "", kAnyLibrary, F::kRecurrent, kUnsaid,
     "Recurrent layer by its name, which does not say on which units it runs."},

    {P::kFunction, "region_transform_ABC", "", L::kCublas, F::kLayoutTransform, kNo,
     "Rearranges the operands of a matrix product."},
    {P::kFunction, "transpose Transpose permute Permute transform_0213 transform4d_0213", "",
     kAnyLibrary, F::kLayoutTransform, kNo, "Transposition."},
    {P::kFunction,
     "reduce Reduce reduction Reduction cumsum cumprod prefix_scan scan_ _sum_ _sum argmax argmin "
     "norm_",
     "", kAnyLibrary, F::kReduction, kNo, "Reduction or prefix sum."},
    {P::kFunction,
     "elementwise Elementwise ElementWise pointwise Pointwise saxpy triu_tril vectorAdd vector_add "
     "vecAdd "
     "act_and_mul silu gelu relu glu_ swiglu sigmoid cvt_ quant Quant cast Cast fill Fill "
     "Activation "
     "reconstruct_gptq reconstruct_exllama bias_residual delayed_scaling clamp_ add_kernel "
     "mul_kernel k_bin_bcast hadamard",
     "", kAnyLibrary, F::kElementwise, kNo, "Elementwise work."},
    {P::kFunction, "indices", "", kAnyLibrary, F::kIndexing, kNo, "Index arithmetic."},
    {P::kFunction, "to_dense_representation", "", L::kPytorch, F::kLayoutTransform, kNo,
     "Conversion to a dense tensor."},
    {P::kFunction, "find_long_segments", "", L::kFbgemm, F::kEmbedding, kNo,
     "Embedding lookup or its backward pass."},

    // Libraries, by marks anywhere in the name. A CUTLASS kernel inside cuDNN belongs to cuDNN.
    {P::kFunction, "fbgemm split_embedding dense_embedding_codegen", "", L::kFbgemm, kAnyFamily,
     kUnsaid, "FBGEMM kernel."},
    {P::kFunction, "aiter:: kn_entry_", "", L::kAiter, kAnyFamily, kUnsaid, "AITER kernel."},
    {P::kFunction, "vllm::", "", L::kVllm, kAnyFamily, kUnsaid, "vLLM kernel."},
    {P::kFunction, "sgl_kernel sgl_hip:: sgl::", "", L::kSglang, kAnyFamily, kUnsaid,
     "SGLang kernel."},
    {P::kWhole, "ggml_type", "", L::kGgml, kAnyFamily, kUnsaid, "ggml kernel."},
    {P::kFunction, "deepspeed", "", L::kDeepSpeed, kAnyFamily, kUnsaid, "DeepSpeed kernel."},
    {P::kFunction, "flashinfer::", "", L::kFlashInfer, kAnyFamily, kUnsaid, "FlashInfer kernel."},
    {P::kFunction, "transformer_engine::", "", L::kTransformerEngine, kAnyFamily, kUnsaid,
     "Transformer Engine kernel."},
    {P::kFunction, "trt_ _trt nvinfer1 tensorrt_llm genericReformat __myl_ cuResizeLayer",
     "^trt_|_trt|nvinfer1|tensorrt_llm|genericReformat|__myl_|cuResizeLayer", L::kTensorrt,
     kAnyFamily, kUnsaid, "TensorRT kernel."},
    {P::kFunction, "tensorflow:: Eigen::", "", L::kTensorflow, F::kOther, kNo,
     "TensorFlow kernel: its matrix products come from libraries."},
    // ncu leaves out `at::` where it shortens a name.
    {P::kStart, "at::native at::cuda at:: c10:: c10d:: torch:: native:: sbtopk:: mbtopk::", "",
     L::kPytorch, F::kOther, kNo, "PyTorch kernel: its matrix products come from libraries."},
    {P::kStart, "softmax_warp_ cunn_ indexing_backward indexSelect elementwise_kernel", "",
     L::kPytorch, kAnyFamily, kUnsaid, "PyTorch kernel."},
    {P::kFunction, "cub:: thrust:: rocprim:: hipcub::", "", L::kCub, F::kOther, kNo,
     "Kernel of a parallel algorithm library: sorts, scans and reductions, no matrix product."},
    {P::kWhole, "at::native c10::BFloat16 c10::Half", "", L::kPytorch, kAnyFamily, kUnsaid,
     "PyTorch kernel."},
    {P::kFunction, "ck_tile ck:: 2ck", "ck_tile|(?:^|_ZN)2ck|^ck::", L::kComposableKernel,
     kAnyFamily, kUnsaid, "Composable Kernel."},
    // The Tensor Core kernels of these two carry marks that earlier rows know: all of those among
    // the 882 names counted by hardware (tests/data/truth).
    {P::kWhole, "cudnn engines_precompiled::", "", L::kCudnn, F::kOther, kNo,
     "cuDNN kernel without any mark of a matrix product."},
    {P::kWhole, "cublas", "", L::kCublas, F::kOther, kNo,
     "cuBLAS kernel without any mark of a matrix product."},
    {P::kFunction, "multi_tensor_apply_kernel", "", L::kApex, kAnyFamily, kUnsaid, "Apex kernel."},
    // Functions of Python whose names begin with an underscore; those of C++ have arguments.
    {P::kStart, "_a _b _c _d _e _f _g _h _i _j _k _l _m _n _o _p _q _r _s _t _u _v _w _x _y _z",
     "^_[a-z]\\w*$", L::kTriton, kAnyFamily, kUnsaid,
     "Triton kernel: the function has no arguments in its name."},
    {P::kWhole, "cutlass cute::", "", L::kCutlass, kAnyFamily, kUnsaid, "CUTLASS kernel."},
};

}  // namespace

std::span<const KernelPattern> KernelPatterns() { return kPatterns; }

}  // namespace warpsight
