"""Launches many different kernels, to be counted by ncu: see collect_tensor_core_truth.sh.

GEMMs, convolutions, attention, recurrent cells, normalizations, reductions, indexing and optimizers in
the number formats that the GPU has, in shapes that make the libraries choose different kernels.
A workload that a library rejects is skipped and named on standard error; so is the rest of one that
takes longer than $WORKLOAD_SECONDS. Shapes are few and small: ncu needs 25 to 200 ms for a launch.
"""

import itertools
import os
import signal
import sys
import time

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


def each(*functions):
    """Runs them all, also after one that this build of PyTorch refuses."""
    for function in functions:
        try:
            function()
        except (RuntimeError, NotImplementedError) as error:
            print(f"line {function.__code__.co_firstlineno}: {str(error)[:120]}", file=sys.stderr)


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
    backends = [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION]
    shapes = [(4, 96, 80), (2, 320, 96), (2, 64, 192), (2, 50, 36), (4, 128, 64), (8, 511, 32), (2, 1024, 128),
              (2, 200, 256)]
    for (heads, length, dim), backend, dtype in itertools.product(shapes, backends, FLOATS):
        causal = (dim // 4 + (dtype == torch.float16)) % 2 == 0
        q, k, v = (rand(2, heads, length, dim, dtype=dtype, grad=True) for _ in range(3))
        try:
            with sdpa_kernel(backend):
                F.scaled_dot_product_attention(q, k, v, is_causal=causal).sum().backward()
        except RuntimeError:
            continue


@workload
def recurrent():
    for kind, dtype in itertools.product([torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN], FLOATS):
        for hidden, layers, length, batch in [(512, 1, 40, 64), (200, 2, 4, 8), (64, 1, 4, 8)]:
            net = kind(hidden, hidden, num_layers=layers).to(DEVICE, dtype)
            net(rand(length, batch, hidden, dtype=dtype, grad=True))[0].sum().backward()
    for kind in (torch.nn.LSTMCell, torch.nn.GRUCell):
        out = kind(96, 96).to(DEVICE)(rand(16, 96, grad=True))
        (out[0] if isinstance(out, tuple) else out).sum().backward()


@workload
def normalization_and_pooling():
    for dtype in FLOATS:
        x = rand(8, 64, 28, 28, dtype=dtype, grad=True)
        for layer in (torch.nn.BatchNorm2d(64), torch.nn.GroupNorm(8, 64), torch.nn.InstanceNorm2d(64)):
            layer.to(DEVICE, dtype)(x).sum().backward()
        F.max_pool2d(x, 3, 2).sum().backward()
        F.avg_pool2d(x, 2).sum().backward()
        F.adaptive_avg_pool2d(x, 1).sum().backward()
        each(lambda: F.interpolate(x, scale_factor=2, mode="bilinear").sum().backward(),
             lambda: F.interpolate(x, scale_factor=2, mode="nearest").sum().backward(),
             lambda: F.interpolate(x, scale_factor=2, mode="bicubic").sum().backward(),
             lambda: F.adaptive_max_pool2d(x, 4).sum().backward(),
             lambda: F.pad(x, (1, 2, 1, 2), mode="reflect").sum().backward(),
             lambda: F.pixel_shuffle(x, 2).sum().backward(), lambda: F.unfold(x, 3).sum().backward(),
             lambda: F.grid_sample(x, rand(8, 9, 9, 2, dtype=dtype), align_corners=False).sum().backward())
        torch.nn.BatchNorm2d(64).to(DEVICE, dtype)(x.to(memory_format=torch.channels_last)).sum().backward()
        torch.nn.BatchNorm2d(64).to(DEVICE, dtype).eval()(x).sum().backward()
        y = rand(64, 1024, dtype=dtype, grad=True)
        F.layer_norm(y, (1024,)).sum().backward()
        F.rms_norm(y, (1024,)).sum().backward()
        F.softmax(y, -1).sum().backward()
        F.softmax(rand(64, 5000, dtype=dtype, grad=True), -1).sum().backward()
        F.log_softmax(x, 1).sum().backward()
        F.cross_entropy(y, torch.arange(64, device=DEVICE)).backward()
        F.mse_loss(y, y.detach() + 1).backward()
        F.binary_cross_entropy_with_logits(y, torch.ones_like(y)).backward()
        F.multi_margin_loss(y.float(), torch.arange(64, device=DEVICE)).backward()
    scores = rand(50, 4, 20, grad=True)
    F.ctc_loss(F.log_softmax(scores, -1), torch.randint(1, 20, (4, 10), device=DEVICE),
               torch.full((4,), 50), torch.full((4,), 10)).backward()
    F.max_pool3d(rand(2, 8, 12, 12, 12, grad=True), 2).sum().backward()
    F.avg_pool3d(rand(2, 8, 12, 12, 12, grad=True), 2).sum().backward()


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
        y = x.detach()
        rows = torch.randint(0, 512, (64,), device=DEVICE)
        each(lambda: y.scatter_add(0, rows[:, None].expand(64, 768), y[:64]), lambda: y.index_add(0, rows, y[:64]),
             lambda: y.gather(1, torch.randint(0, 768, (512, 5), device=DEVICE)), lambda: y.kthvalue(5),
             lambda: y.median(1), lambda: y.cumprod(1), lambda: y.logcumsumexp(1), lambda: y.cummax(1),
             lambda: y.flip(0), lambda: y.roll(3, 1), lambda: y.tril(), lambda: y.norm(), lambda: y.var(),
             lambda: y.amax(1), lambda: y.masked_fill(y > 0, 0), lambda: y[y > 0], lambda: torch.stack([y, y], 1),
             lambda: torch.isfinite(y).all(), lambda: torch.normal(y, 1.0), lambda: torch.empty_like(y).uniform_(),
             lambda: torch.empty_like(y).exponential_(), lambda: F.glu(x).sum().backward(),
             lambda: F.prelu(x, rand(1, dtype=dtype, grad=True)).sum().backward(),
             lambda: F.embedding_bag(rows[:, None], x, mode="sum").sum().backward(),
             lambda: F.embedding_bag(rows[:, None], x, mode="max").sum().backward())
    x = rand(400, 96)
    each(lambda: torch.multinomial(x.abs(), 3), lambda: torch.randperm(100000, device=DEVICE),
         lambda: torch.bernoulli(x.sigmoid()), lambda: torch.histc(x), lambda: torch.unique((x * 4).int()),
         lambda: torch.bincount((x * 4).int().abs().flatten()), lambda: torch.searchsorted(x.sort(-1).values, x),
         lambda: torch.bucketize(x, torch.linspace(-2, 2, 9, device=DEVICE)), lambda: torch.mode(x),
         lambda: torch.cdist(rand(2, 40, 8), rand(2, 40, 8)), lambda: torch.pdist(x), lambda: torch.poisson(x.abs()),
         lambda: torch.distributions.Gamma(x.abs() + 1, x.abs() + 1).sample(),
         lambda: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127),
         lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8), lambda: torch.trace(x),
         lambda: torch.cross(rand(50, 3), rand(50, 3), dim=1), lambda: torch.vander(x[0]))


@workload
def optimizers():
    for kind, options in [(torch.optim.SGD, {"momentum": 0.9}), (torch.optim.AdamW, {"fused": True}),
                          (torch.optim.AdamW, {"foreach": True}), (torch.optim.AdamW, {"foreach": False}),
                          (torch.optim.Adagrad, {}), (torch.optim.RMSprop, {}), (torch.optim.SGD, {"fused": True}),
                          (torch.optim.Adagrad, {"fused": True}), (torch.optim.NAdam, {}), (torch.optim.Adadelta, {}),
                          (torch.optim.Adamax, {})]:
        parameters = [rand(100, 100, grad=True) for _ in range(3)]
        sum(p.square().sum() for p in parameters).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        kind(parameters, **options).step()
    scaler, weight = torch.amp.GradScaler(), rand(64, 64, grad=True)
    sgd = torch.optim.SGD([weight], 0.1)
    scaler.scale(weight.square().sum()).backward()
    scaler.step(sgd)
    scaler.update()


@workload
def linear_algebra():
    for shape in [(64, 128, 128), (5, 77, 131), (3, 4096, 8), (2, 1009, 6)]:
        each(lambda: torch.fft.rfft2(rand(*shape)), lambda: torch.fft.fft(rand(*shape, dtype=torch.float64), dim=1),
             lambda: torch.fft.irfft(rand(*shape)))
    sparse = (rand(200, 200) * (rand(200, 200) > 1)).to_sparse()
    each(lambda: torch.sparse.mm(sparse, rand(200, 64)), lambda: torch.sparse.mm(sparse.to_sparse_csr(), rand(200, 64)),
         lambda: torch.sparse.mm(sparse, sparse), lambda: sparse.to_sparse_csr() @ rand(200), lambda: sparse.to_dense(),
         lambda: torch.addmv(rand(50), rand(50, 60), rand(60)), lambda: torch.dot(rand(5000), rand(5000)),
         lambda: torch.outer(rand(50), rand(60)))
    for size, dtype in [(64, torch.float32), (300, torch.float32), (300, torch.float64)]:
        for batch in ((), (6,)):
            a = rand(*batch, size, size, dtype=dtype)
            spd = a @ a.mT + size * torch.eye(size, device=DEVICE, dtype=dtype)
            each(lambda: torch.linalg.cholesky(spd), lambda: torch.linalg.inv(spd), lambda: torch.linalg.solve(spd, a),
                 lambda: torch.linalg.solve_triangular(spd.triu(), a, upper=True), lambda: torch.linalg.det(spd),
                 lambda: torch.cholesky_solve(a, torch.linalg.cholesky(spd)))
    each(lambda: torch.linalg.qr(rand(64, 64)), lambda: torch.linalg.qr(rand(6, 48, 32)),
         lambda: torch.linalg.eigh(spd[0, :32, :32]), lambda: torch.linalg.svd(rand(24, 24)))


@workload
def compiled():
    @torch.compile(dynamic=False)
    def block(x, w1, w2):
        return F.layer_norm(F.gelu(x @ w1) @ w2 + x, (256,)).softmax(-1)

    @torch.compile(dynamic=False)
    def train(x, table, w, target):
        h = F.embedding(x, table)
        h = F.rms_norm(F.dropout(F.silu(h @ w), 0.1), (64,)).flatten(1)
        return F.cross_entropy(h, target)

    @torch.compile(dynamic=False)
    def image(x, w):
        return F.max_pool2d(F.relu(F.batch_norm(F.conv2d(x, w), None, None, training=True)), 2).mean((2, 3)).cumsum(1)

    def count(function, *arguments):  # without the kernels that are launched while it compiles
        torch.cuda.profiler.stop()
        try:
            function(*arguments)
            torch.cuda.synchronize()
        finally:
            torch.cuda.profiler.start()
        function(*arguments)

    for dtype in FLOATS:
        count(block, rand(128, 256, dtype=dtype), rand(256, 512, dtype=dtype), rand(512, 256, dtype=dtype))
        table, w = rand(500, 64, dtype=dtype, grad=True), rand(64, 64, dtype=dtype, grad=True)
        x, target = torch.randint(0, 500, (16, 8), device=DEVICE), torch.arange(16, device=DEVICE)
        count(lambda *a: train(*a).backward(), x, table, w, target)
        count(image, rand(4, 8, 20, 20, dtype=dtype), rand(16, 8, 3, 3, dtype=dtype))

    from torch.nn.attention.flex_attention import flex_attention
    q = rand(2, 4, 256, 64, dtype=torch.bfloat16, grad=True)
    count(lambda q: torch.compile(flex_attention)(q, q, q).sum().backward(), q)

    # Templates of matrix products: with and without Tensor Cores, the names are alike.
    import torch._inductor.config as inductor
    inductor.max_autotune_gemm_backends = "TRITON"
    product = torch.compile(lambda x, w: F.gelu(x @ w), mode="max-autotune-no-cudagraphs", dynamic=False)
    count(product, rand(256, 256, dtype=torch.bfloat16), rand(256, 512, dtype=torch.bfloat16))
    batched_product = torch.compile(lambda x, w: torch.bmm(x, w), mode="max-autotune-no-cudagraphs", dynamic=False)
    count(batched_product, rand(4, 128, 128), rand(4, 128, 256))


def out_of_time(*_):
    raise TimeoutError("cut off")


def main():
    chosen = set(sys.argv[1:])
    seconds = int(os.environ.get("WORKLOAD_SECONDS", 0))
    signal.signal(signal.SIGALRM, out_of_time)
    for function in workloads:
        if chosen and function.__name__ not in chosen:
            continue
        start = time.monotonic()
        try:
            signal.alarm(seconds)
            function()
            torch.cuda.synchronize()
        except Exception as error:  # a build of PyTorch may lack one of them
            place = error.__traceback__.tb_next.tb_lineno if error.__traceback__.tb_next else 0
            print(f"{function.__name__}, line {place}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        finally:
            signal.alarm(0)
        print(f"{function.__name__}: {time.monotonic() - start:.0f} s", file=sys.stderr)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "8")
    torch.manual_seed(0)
    main()
