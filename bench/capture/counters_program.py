#!/usr/bin/env python3
"""Runs kernels of many kinds, for comparing hardware counters: python counters_program.py

Matrix products, convolutions, attention, elementwise work and reductions, in several precisions,
each a few times, with and without Tensor Cores. The same kernels in the same order in every run.
"""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

REPEATS = 4
DEVICE = "cuda"


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE, dtype=torch.float32).to(dtype)


def repeat(name, operation):
    """Repeats an operation; it is skipped in every run if this build or GPU does not support it."""
    for _ in range(REPEATS):
        try:
            operation()
        except (RuntimeError, NotImplementedError, AttributeError) as error:
            print(f"{name}: left out ({str(error).splitlines()[0][:80]})")
            return


def matrix_products():
    n = 2048
    for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.float64):
        a, b = random(n, n, dtype=dtype), random(n, n, dtype=dtype)
        repeat(f"mm {dtype}", lambda a=a, b=b: a @ b)
        c = random(8, 512, 512, dtype=dtype)
        repeat(f"bmm {dtype}", lambda c=c: c @ c)
        narrow = random(n, 1, dtype=dtype)
        repeat(f"mv {dtype}", lambda a=a, v=narrow: a @ v)
    a, b = random(n, n), random(n, n)
    torch.backends.cuda.matmul.allow_tf32 = True
    repeat("mm tf32", lambda: a @ b)
    torch.backends.cuda.matmul.allow_tf32 = False
    i8 = torch.randint(-8, 8, (n, n), device=DEVICE, dtype=torch.int8)
    repeat("mm int8", lambda: torch._int_mm(i8, i8.t()))
    f8 = torch.float8_e4m3fn
    a8, b8 = random(n, n).to(f8), random(n, n).to(f8).t()
    one = torch.ones((), device=DEVICE)
    repeat("mm fp8", lambda: torch._scaled_mm(a8, b8, one, one, out_dtype=torch.bfloat16))


def convolutions():
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = False
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for layout in (torch.contiguous_format, torch.channels_last):
            x = random(16, 64, 56, 56, dtype=dtype).to(memory_format=layout)
            w = random(128, 64, 3, 3, dtype=dtype).to(memory_format=layout)
            repeat(f"conv {dtype} {layout}", lambda x=x, w=w: F.conv2d(x, w, padding=1))
            d = random(64, 1, 3, 3, dtype=dtype).to(memory_format=layout)
            repeat(f"depthwise {dtype} {layout}",
                   lambda x=x, d=d: F.conv2d(x, d, padding=1, groups=64))
    x, w = random(16, 64, 56, 56).requires_grad_(), random(128, 64, 3, 3).requires_grad_()
    torch.backends.cudnn.allow_tf32 = True
    repeat("conv tf32 backward", lambda: F.conv2d(x, w, padding=1).sum().backward())


def attention():
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        q, k, v = (random(4, 16, 1024, 64, dtype=dtype) for _ in range(3))
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION,
                        SDPBackend.MATH):
            def run(q=q, k=k, v=v, backend=backend):
                with sdpa_kernel(backend):
                    F.scaled_dot_product_attention(q, k, v, is_causal=True)
            repeat(f"attention {dtype} {backend}", run)


def elementwise():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x, y = random(64, 1024, 1024, dtype=dtype), random(64, 1024, 1024, dtype=dtype)
        repeat(f"add {dtype}", lambda x=x, y=y: x + y)
        repeat(f"addcmul {dtype}", lambda x=x, y=y: torch.addcmul(x, x, y))
        repeat(f"gelu {dtype}", lambda x=x: F.gelu(x))
        repeat(f"lerp {dtype}", lambda x=x, y=y: torch.lerp(x, y, 0.5))
        repeat(f"sum {dtype}", lambda x=x: x.sum())
        repeat(f"row sum {dtype}", lambda x=x: x.sum(-1))
        repeat(f"softmax {dtype}", lambda x=x: torch.softmax(x, -1))
        repeat(f"layer norm {dtype}", lambda x=x: F.layer_norm(x, (1024,)))
        repeat(f"transpose {dtype}", lambda x=x: x.transpose(1, 2).contiguous())
        del x, y
    image = random(32, 128, 64, 64, dtype=torch.float16)
    repeat("batch norm half", lambda: F.batch_norm(image, None, None, training=True))
    repeat("max pool half", lambda: F.max_pool2d(image, 2))
    table = random(50000, 512)
    ids = torch.randint(0, 50000, (64, 512), device=DEVICE)
    repeat("embedding", lambda: F.embedding(ids, table))


# Two halves at a time: fused multiply-adds that Hopper runs in the pipe of the Tensor Cores
# (HFMA2), although they are not matrix instructions.
HALVES = r"""
#include <cuda_fp16.h>
extern "C" __global__ void half2_polynomial(__half2* data, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  __half2 x = data[i], sum = __float2half2_rn(0.5f);
  for (int k = 0; k < 64; ++k) sum = __hfma2(sum, x, __float2half2_rn(0.25f));
  data[i] = sum;
}
"""


def halves():
    x = random(1 << 20, 2, dtype=torch.float16)

    def run():
        kernel = torch.cuda._compile_kernel(HALVES, "half2_polynomial")
        kernel((4096, 1, 1), (256, 1, 1), (x, 1 << 20))

    repeat("half2", run)


def main():
    torch.manual_seed(0)
    with torch.no_grad():
        matrix_products()
        attention()
        elementwise()
        halves()
    convolutions()
    torch.cuda.synchronize()
    print("done")


if __name__ == "__main__":
    main()
