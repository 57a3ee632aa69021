"""Launches many different kernels, to be counted by ncu: see collect_tensor_core_truth.sh.

GEMMs, convolutions, attention, recurrent cells, normalisations, reductions, indexing and optimizers in
the number formats that the GPU has, in shapes that make the libraries choose different kernels.
A workload that a library refuses is passed over and named on standard error.
"""

import itertools
import os
import sys

import torch
import torch.nn.functional as F

DEVICE = "cuda"
HALF = [torch.bfloat16, torch.float16]
FLOATS = [torch.float32, *HALF]
workloads = []


def workload(function):
    workloads.append(function)
    return function


def rand(*shape, dtype=torch.float32, grad=False):
    return torch.randn(*shape, device=DEVICE).to(dtype).requires_grad_(grad)


@workload
def gemm():
    sizes = [(64, 64, 64), (17, 33, 65), (128, 1000, 512), (1, 4096, 4096), (4096, 1, 512),
             (2048, 2048, 2048), (333, 777, 555), (8192, 128, 64), (32, 32000, 1024), (5, 6, 7)]
    for (m, n, k), dtype in itertools.product(sizes, [torch.float64, *FLOATS]):
        a, b = rand(m, k, dtype=dtype), rand(k, n, dtype=dtype)
        a @ b
        a.t().contiguous().t() @ b
        torch.addmm(rand(n, dtype=dtype), a, b.t().contiguous().t())
        F.linear(a, rand(n, k, dtype=dtype), rand(n, dtype=dtype))


@workload
def gemm_tf32():
    torch.backends.cuda.matmul.allow_tf32 = True
    for m, n, k in [(64, 64, 64), (129, 65, 33), (1024, 1024, 1024), (4096, 256, 512), (100, 3000, 200)]:
        rand(m, k) @ rand(k, n)
        rand(4, m, k) @ rand(4, k, n)
    torch.backends.cuda.matmul.allow_tf32 = False


@workload
def batched():
    for dtype, shape in itertools.product([torch.float64, *FLOATS],
                                          [(8, 64, 64, 32), (96, 128, 128, 64), (3, 7, 9, 11), (16, 512, 1, 64)]):
        b, m, n, k = shape
        torch.bmm(rand(b, m, k, dtype=dtype), rand(b, k, n, dtype=dtype))
        torch.bmm(rand(b, k, m, dtype=dtype).transpose(1, 2), rand(b, k, n, dtype=dtype))


@workload
def complex_gemm():
    for dtype in (torch.complex64, torch.complex128):
        a = torch.randn(256, 192, device=DEVICE, dtype=dtype)
        a @ a.t()


@workload
def fp8():
    for m, n, k in [(256, 512, 256), (1024, 1024, 2048), (16, 256, 64)]:
        a = rand(m, k).to(torch.float8_e4m3fn)
        b = rand(n, k).to(torch.float8_e4m3fn).t()
        one = torch.ones((), device=DEVICE)
        for out in (torch.bfloat16, torch.float16, torch.float32):
            torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=out)
        torch._scaled_mm(a, b, scale_a=torch.ones(m, 1, device=DEVICE), scale_b=torch.ones(1, n, device=DEVICE),
                         out_dtype=torch.bfloat16)


@workload
def int8():
    for m, n, k in [(64, 128, 256), (1024, 512, 512), (32, 4096, 1024)]:
        a = torch.randint(-8, 8, (m, k), device=DEVICE, dtype=torch.int8)
        b = torch.randint(-8, 8, (n, k), device=DEVICE, dtype=torch.int8)
        torch._int_mm(a, b.t())


def convolutions(dtypes, layouts):
    shapes2d = [(4, 3, 64, 7, 2, 64, 1), (8, 64, 64, 3, 1, 56, 1), (2, 128, 256, 1, 1, 28, 1), (2, 96, 96, 5, 1, 20, 96),
                (2, 32, 64, 3, 2, 33, 4), (3, 17, 19, 3, 1, 15, 1), (1, 512, 512, 3, 1, 7, 1), (2, 64, 64, 3, 1, 40, 2)]
    for dtype, layout, (n, c, k, r, stride, size, groups) in itertools.product(dtypes, layouts, shapes2d):
        x = rand(n, c, size, size, dtype=dtype).to(memory_format=layout).requires_grad_()
        w = rand(k, c // groups, r, r, dtype=dtype).to(memory_format=layout).requires_grad_()
        F.conv2d(x, w, stride=stride, padding=r // 2, groups=groups).sum().backward()


@workload
def conv2d_half():
    convolutions(HALF, [torch.contiguous_format, torch.channels_last])


@workload
def conv2d_fp32():
    torch.backends.cudnn.allow_tf32 = False
    convolutions([torch.float32, torch.float64], [torch.contiguous_format])
    torch.backends.cudnn.allow_tf32 = True


@workload
def conv2d_tf32():
    convolutions([torch.float32], [torch.contiguous_format, torch.channels_last])


@workload
def conv2d_benchmark():
    torch.backends.cudnn.benchmark = True
    for dtype in FLOATS:
        x = rand(8, 32, 32, 32, dtype=dtype, grad=True)
        w = rand(48, 32, 3, 3, dtype=dtype, grad=True)
        F.conv2d(x, w, padding=1).sum().backward()
    torch.backends.cudnn.benchmark = False


@workload
def conv_other():
    for dtype in FLOATS:
        x1, w1 = rand(4, 32, 500, dtype=dtype, grad=True), rand(64, 32, 9, dtype=dtype, grad=True)
        F.conv1d(x1, w1, dilation=2).sum().backward()
        x3, w3 = rand(2, 16, 12, 20, 20, dtype=dtype, grad=True), rand(24, 16, 3, 3, 3, dtype=dtype, grad=True)
        F.conv3d(x3, w3).sum().backward()
        xt, wt = rand(4, 64, 16, 16, dtype=dtype, grad=True), rand(64, 32, 4, 4, dtype=dtype, grad=True)
        F.conv_transpose2d(xt, wt, stride=2).sum().backward()


@workload
def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.MATH]
    for backend, dtype, (heads, length, dim), causal in itertools.product(
            backends, FLOATS, [(4, 128, 64), (8, 511, 32), (2, 1024, 128), (2, 200, 256)], [False, True]):
        q, k, v = (rand(2, heads, length, dim, dtype=dtype, grad=True) for _ in range(3))
        try:
            with sdpa_kernel(backend):
                F.scaled_dot_product_attention(q, k, v, is_causal=causal).sum().backward()
        except RuntimeError:
            continue


@workload
def recurrent():
    for kind, dtype, hidden in itertools.product([torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN], FLOATS, [64, 200, 512]):
        net = kind(hidden, hidden, num_layers=2).to(DEVICE, dtype)
        net(rand(20, 8, hidden, dtype=dtype, grad=True))[0].sum().backward()


@workload
def normalisation_and_pooling():
    for dtype in FLOATS:
        x = rand(8, 64, 28, 28, dtype=dtype, grad=True)
        for layer in (torch.nn.BatchNorm2d(64), torch.nn.GroupNorm(8, 64), torch.nn.InstanceNorm2d(64)):
            layer.to(DEVICE, dtype)(x).sum().backward()
        F.max_pool2d(x, 3, 2).sum().backward()
        F.avg_pool2d(x, 2).sum().backward()
        F.adaptive_avg_pool2d(x, 1).sum().backward()
        F.interpolate(x, scale_factor=2, mode="bilinear").sum().backward()
        y = rand(64, 1024, dtype=dtype, grad=True)
        F.layer_norm(y, (1024,)).sum().backward()
        F.rms_norm(y, (1024,)).sum().backward()
        F.softmax(y, -1).sum().backward()
        F.cross_entropy(y, torch.arange(64, device=DEVICE)).backward()


@workload
def elementwise_and_indexing():
    for dtype in (torch.float64, *FLOATS):
        x = rand(512, 768, dtype=dtype, grad=True)
        F.gelu(x).sum().backward()
        F.dropout(x, 0.1).sum().backward()
        (x * torch.sigmoid(x) + 1).tanh().sum().backward()
        torch.cat([x, x]).sum().backward()
        x[torch.randint(0, 512, (300,), device=DEVICE)].sum().backward()
        torch.sort(x.detach())
        torch.topk(x.detach(), 10)
        x.detach().cumsum(0)
        x.detach().float().argmax(1)
        torch.where(x.detach() > 0, 1, 0).nonzero()
        F.embedding(torch.randint(0, 512, (64, 16), device=DEVICE), x).sum().backward()
        F.one_hot(torch.randint(0, 9, (64,), device=DEVICE))
        x.detach().to(torch.float16).to(torch.float32)
        x.detach().t().contiguous()
        torch.einsum("ij,kj->ik", x, x).sum().backward()


@workload
def optimizers():
    for kind, options in [(torch.optim.SGD, {"momentum": 0.9}), (torch.optim.AdamW, {"fused": True}),
                          (torch.optim.AdamW, {"foreach": True}), (torch.optim.AdamW, {"foreach": False}),
                          (torch.optim.Adagrad, {}), (torch.optim.RMSprop, {})]:
        parameters = [rand(100, 100, grad=True) for _ in range(3)]
        sum(p.square().sum() for p in parameters).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        kind(parameters, **options).step()


@workload
def linear_algebra():
    a = rand(64, 64)
    spd = a @ a.t() + 64 * torch.eye(64, device=DEVICE)
    torch.linalg.cholesky(spd)
    torch.linalg.inv(spd)
    torch.linalg.qr(a)
    torch.linalg.svd(a)
    torch.fft.rfft2(rand(64, 128, 128))
    torch.sparse.mm(a.to_sparse(), a)


@workload
def compiled():
    @torch.compile(dynamic=False)
    def block(x, w1, w2):
        return F.layer_norm(F.gelu(x @ w1) @ w2 + x, (256,)).softmax(-1)

    for dtype in FLOATS:
        block(rand(128, 256, dtype=dtype), rand(256, 512, dtype=dtype), rand(512, 256, dtype=dtype))


def main():
    chosen = set(sys.argv[1:])
    for function in workloads:
        if chosen and function.__name__ not in chosen:
            continue
        try:
            function()
            torch.cuda.synchronize()
        except Exception as error:  # a build of PyTorch may lack one of them
            print(f"{function.__name__}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "8")
    torch.manual_seed(0)
    main()
