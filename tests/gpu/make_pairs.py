"""Makes before/after pairs: one change that advice may name, measured and traced on both sides.

Each pair is a training or inference step that is built twice, without and with the change. A side
is timed without a profiler (three runs, the median of their mean step times is `step_ms`) and then
traced with torch.profiler, shapes recorded, for four steps. Steps do not wait for the GPU unless
that is what the pair is about.

Every side runs in a process of its own: libraries remember choices (cuDNN's algorithms, for one),
the profiler leaves its mark on later times, and a side that fails or takes too long costs only its
pair. Results are written after every pair: measured.json, and the traces in traces-1.tar,
traces-2.tar … of at most about 11 MB.

Needs a GPU, PyTorch and torchvision.
Usage: make_pairs.py --out FOLDER [--only NAME,…] [--steps N] [--seconds N] [--side-seconds N]
"""

import argparse
import itertools
import json
import multiprocessing
import os
import statistics
import sys
import tarfile
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

WARM_UP_STEPS = 12
RUNS = 3
PART_BYTES = 11 << 20
PAIRS = {}


def pair(samples=None):
    """Registers a builder: called with False or True (after), it returns the step of that side.

    `samples` gives how many samples a step of each side handles, for pairs where they differ.
    """

    def register(build):
        PAIRS[build.__name__] = (build, samples)
        return build

    return register


# Models


class Attention(nn.Module):
    def __init__(self, width, causal, naive):
        super().__init__()
        self.heads = width // 64
        self.causal = causal
        self.naive = naive
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def naive_attention(self, q, k, v):
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if self.causal:
            length = q.shape[-2]
            mask = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(mask, float("-inf"))
        return scores.softmax(-1) @ v

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.naive:
            y = self.naive_attention(*qkv)
        else:
            y = F.scaled_dot_product_attention(*qkv, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, causal=True, naive=False):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, causal, naive)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self, layers, width, vocab, length, naive):
        super().__init__()
        self.tokens = nn.Embedding(vocab, width)
        self.positions = nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.Sequential(*(Block(width, naive=naive) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab, bias=False)

    def forward(self, tokens):
        return self.head(self.norm(self.blocks(self.tokens(tokens) + self.positions)))


class PointwiseBlock(nn.Module):
    """One product and a long chain of elementwise operations."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        y = F.dropout(F.gelu(self.linear(x) + self.bias), 0.1, self.training)
        return self.norm(x + y)


def conv(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


def classifier(*layers, width, classes=10):
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))


def small_convnet():
    return classifier(conv(3, 64, 7, 4), conv(64, 128, 3), conv(128, 128, 3), conv(128, 256, 3, 2),
                      conv(256, 256, 3), width=256)


# Training steps


def set_tf32(matmul, convolution):
    torch.backends.cuda.matmul.allow_tf32 = matmul
    torch.backends.cudnn.allow_tf32 = convolution


def nothing():
    pass


def trainer(loss_of, optimizer, dtype=None, scaler=None, after_phase=nothing):
    """A step of forward, backward and optimizer, under autocast where a dtype is given."""
    scale = scaler.scale if scaler else lambda loss: loss

    def step():
        with torch.autocast("cuda", dtype=dtype or torch.bfloat16, enabled=dtype is not None):
            loss = loss_of()
        after_phase()
        scale(loss).backward()
        after_phase()
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        after_phase()
        optimizer.zero_grad(set_to_none=True)
        return loss

    return step


def train_lm(layers=6, width=768, batch=8, length=1024, vocab=50304, dtype=None, naive=False,
             after_phase=nothing, **adam):
    model = LanguageModel(layers, width, vocab, length, naive).cuda()
    inputs, targets = torch.randint(vocab, (2, batch, length), device="cuda")

    def loss_of():
        return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())

    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, **adam)
    return trainer(loss_of, optimizer, dtype, after_phase=after_phase)


def train_classifier(model, inputs, optimizer, classes=1000, **options):
    """`inputs` is a tensor, or a function that returns the next batch."""
    next_batch = inputs if callable(inputs) else lambda: inputs
    targets = torch.randint(classes, (4096,), device="cuda")

    def loss_of():
        outputs = model(next_batch())
        return F.cross_entropy(outputs, targets[:len(outputs)])

    return trainer(loss_of, optimizer, **options)


def train_resnet50(batch, memory_format, compiled=False, **options):
    model = torchvision.models.resnet50().cuda().to(memory_format=memory_format)
    inputs = torch.randn(batch, 3, 224, 224, device="cuda").to(memory_format=memory_format)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    if compiled:
        model = torch.compile(model)
    return train_classifier(model, inputs, optimizer, **options)


# Pairs of number formats and layouts


@pair()
def tf32_off_to_on_lm(after):
    set_tf32(matmul=after, convolution=after)
    return train_lm()


@pair()
def tf32_off_to_on_resnet50(after):
    set_tf32(matmul=after, convolution=after)
    return train_resnet50(64, torch.contiguous_format)


def fp32_or_amp_resnet50(batch, amp):
    options = {"dtype": torch.float16, "scaler": torch.amp.GradScaler("cuda")} if amp else {}
    return train_resnet50(batch, torch.channels_last, **options)


@pair()
def fp32_to_fp16_amp_resnet50(after):
    """PyTorch's defaults before: convolutions in TF32, other products in FP32."""
    return fp32_or_amp_resnet50(64, after)


@pair()
def fp32_to_fp16_amp_resnet50_large(after):
    """The same with a batch that keeps the GPU busy on both sides."""
    return fp32_or_amp_resnet50(256, after)


@pair()
def tf32_to_bf16_lm(after):
    set_tf32(matmul=True, convolution=True)
    return train_lm(dtype=torch.bfloat16 if after else None)


@pair()
def nchw_to_channels_last_tf32(after):
    set_tf32(matmul=True, convolution=True)
    return train_resnet50(64, torch.channels_last if after else torch.contiguous_format)


@pair()
def odd_vocab_only(after):
    return train_lm(vocab=50304 if after else 50257, dtype=torch.bfloat16)


@pair()
def odd_hidden_mlp(after):
    batch, width, hidden = (8192, 1024, 4096) if after else (8191, 1023, 4095)
    layers = itertools.chain(*((nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
                               for _ in range(4)))
    model = nn.Sequential(*layers).cuda().bfloat16()
    inputs = torch.randn(batch, width, device="cuda", dtype=torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    return trainer(lambda: model(inputs).square().mean(), optimizer)


# Pairs of kernels and their launches


@pair()
def naive_attention_to_sdpa(after):
    return train_lm(dtype=torch.bfloat16, naive=not after)


@pair()
def adam_loop_to_foreach(after):
    set_tf32(matmul=True, convolution=True)
    return train_lm(layers=10, width=256, batch=2, length=128, vocab=1024, foreach=after)


@pair()
def adamw_foreach_to_fused(after):
    options = {"fused": True} if after else {"foreach": True}
    return train_lm(width=1536, batch=4, length=512, dtype=torch.bfloat16, **options)


@pair()
def adam_loop_to_fused_resnet18(after):
    model = torchvision.models.resnet18().cuda().to(memory_format=torch.channels_last)
    inputs = torch.randn(16, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False, fused=after)
    return train_classifier(model, inputs, optimizer, dtype=torch.bfloat16)


@pair()
def eager_to_compile_pointwise(after):
    model = nn.Sequential(*(PointwiseBlock(1024) for _ in range(8))).cuda().bfloat16()
    inputs = torch.randn(32768, 1024, device="cuda", dtype=torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    if after:
        model = torch.compile(model)
    return trainer(lambda: model(inputs).square().mean(), optimizer)


@pair()
def eager_to_compile_resnet50(after):
    return train_resnet50(128, torch.channels_last, compiled=after, dtype=torch.bfloat16)


@pair()
def eager_to_reduce_overhead_mlp(after):
    set_tf32(matmul=True, convolution=True)
    layers = itertools.chain(*((nn.Linear(512, 512), nn.LayerNorm(512), nn.GELU())
                               for _ in range(12)))
    model = nn.Sequential(*layers).cuda()
    inputs = torch.randn(32, 512, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    if after:
        model = torch.compile(model, mode="reduce-overhead")
    return trainer(lambda: model(inputs).square().mean(), optimizer)


@pair()
def eager_to_cuda_graph_inference(after):
    model = nn.Sequential(*(Block(512, causal=False) for _ in range(12))).cuda().bfloat16().eval()
    new, inputs = torch.randn(2, 1, 64, 512, device="cuda", dtype=torch.bfloat16)

    @torch.no_grad()
    def run():
        return model(inputs)

    advance = replay_of(run) if after else run

    def step():
        inputs.copy_(new)
        advance()

    return step


def replay_of(run):
    """A function that replays the kernels of `run`."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()

    def replay(_keep=run):  # the graph does not keep alive what it reads
        graph.replay()

    return replay


@pair()
def cudnn_benchmark_off_to_on(after):
    set_tf32(matmul=True, convolution=True)
    torch.backends.cudnn.benchmark = after
    model = classifier(conv(3, 48, 7, 2), conv(48, 96, 5), conv(96, 96, 7, groups=4),
                       conv(96, 192, 5, 2), conv(192, 192, 5, groups=8), conv(192, 192, 7),
                       width=192).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    inputs = torch.randn(64, 3, 128, 128, device="cuda")
    return train_classifier(model, inputs, optimizer, classes=10)


@pair()
def cudnn_benchmark_fp32_resnet50(after):
    set_tf32(matmul=False, convolution=False)
    torch.backends.cudnn.benchmark = after
    return train_resnet50(64, torch.contiguous_format)


@pair(samples=(1, 8))
def small_batch(after):
    return train_lm(batch=8 if after else 1, dtype=torch.bfloat16)


# Pairs of the host, its memory and its input


@pair()
def host_sync_few(after):
    """Waits for the GPU after every phase and reads the loss, in a step that the GPU bounds."""
    if after:
        return train_lm(dtype=torch.bfloat16)
    train = train_lm(dtype=torch.bfloat16, after_phase=torch.cuda.synchronize)
    return lambda: train().item()


@pair()
def empty_cache_each_step(after):
    train = train_lm(dtype=torch.bfloat16)
    if after:
        return train

    def step():
        train()
        torch.cuda.empty_cache()

    return step


class Prefetcher:
    """Copies the next pinned batch on a stream of its own while the current one is used."""

    def __init__(self, batches):
        self.batches = itertools.cycle(batches)
        self.stream = torch.cuda.Stream()
        self.fetch()

    def fetch(self):
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            self.batch = next(self.batches).to("cuda", non_blocking=True)

    def __call__(self):
        current = torch.cuda.current_stream()
        current.wait_stream(self.stream)
        batch = self.batch
        batch.record_stream(current)
        self.fetch()
        return batch


@pair()
def pageable_to_pinned_async(after):
    model = small_convnet().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batches = [torch.randn(128, 3, 224, 224, pin_memory=after) for _ in range(4)]
    endless = itertools.cycle(batches)
    source = Prefetcher(batches) if after else lambda: next(endless).to("cuda")
    return train_classifier(model, source, optimizer, classes=10, dtype=torch.bfloat16)


class Pictures(torch.utils.data.Dataset):
    """Decoded pictures that are cropped, flipped, brightened and normalized one by one."""

    MEAN = np.array([0.485, 0.456, 0.406], np.float32)
    DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)

    def __init__(self):
        self.pictures = np.random.default_rng(0).integers(0, 256, (64, 256, 256, 3), np.uint8)

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        top, left = np.random.randint(0, 33, 2)
        picture = self.pictures[index % len(self.pictures), top:top + 224, left:left + 224]
        if np.random.rand() < 0.5:
            picture = picture[:, ::-1]
        picture = picture.astype(np.float32) / 255
        picture = np.clip(picture * np.random.uniform(0.8, 1.2), 0, 1).astype(np.float32)
        picture = (picture - self.MEAN) / self.DEVIATION
        return torch.from_numpy(np.ascontiguousarray(picture.transpose(2, 0, 1)))


@pair()
def input_bound_cheap(after):
    model = small_convnet().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = iter(torch.utils.data.DataLoader(Pictures(), batch_size=24, pin_memory=after,
                                              num_workers=8 if after else 0))
    return train_classifier(model, lambda: next(loader).to("cuda", non_blocking=after), optimizer,
                            classes=10, dtype=torch.bfloat16)


# Measuring


def prepare(build, after):
    """The step of a side after warm-up; flags that no pair sets have PyTorch's defaults."""
    torch.manual_seed(0)
    set_tf32(matmul=False, convolution=True)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = False
    step = build(after)
    for _ in range(WARM_UP_STEPS):
        step()
    torch.cuda.synchronize()
    return step


def run_ms(step, steps):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) * 1e3 / steps


def timed(step, steps):
    runs = [run_ms(step, steps) for _ in range(RUNS)]
    return {"step_ms": statistics.median(runs), "runs_ms": runs}


def trace(step, path):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                 schedule=schedule(wait=1, warmup=2, active=4, repeat=1),
                 on_trace_ready=lambda done: done.export_chrome_trace(path)) as profiler:
        for _ in range(7):
            step()
            profiler.step()


def measure_side(name, side, steps, folder):
    build, samples = PAIRS[name]
    after = side == "after"
    step = prepare(build, after)
    measured = timed(step, steps) | ({"samples": samples[after]} if samples else {})
    trace(step, os.path.join(folder, f"{name}.{side}.pt.trace.json.gz"))
    return {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(),
            "pairs": {f"{name}.{side}": measured}}


# Running


def write_json(value, path):
    with open(path, "w") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def child(function, arguments, path):
    write_json(function(*arguments), path)


def run_isolated(function, arguments, seconds):
    """The result of a function in a separate process, or None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        process = multiprocessing.get_context("fork").Process(
            target=child, args=(function, arguments, path))
        process.start()
        process.join(seconds)
        if process.is_alive():
            process.kill()
            process.join()
            print(f"stopped after {seconds:.0f} s", file=sys.stderr, flush=True)
            return None
        if process.exitcode != 0:
            return None
        with open(path) as file:
            return json.load(file)


class Results:
    """Writes measured.json and the tar files of a folder; both are complete after every pair."""

    def __init__(self, folder):
        self.folder = folder
        self.measured = {"pairs": {}}
        self.part = 1

    def add(self, sides, traces):
        for side in sides:
            self.measured = side | {"pairs": self.measured["pairs"] | side["pairs"]}
        write_json(self.measured, os.path.join(self.folder, "measured.json"))
        for name in sorted(os.listdir(traces)):
            self.pack(os.path.join(traces, name))

    def pack(self, trace_path):
        tar = self.tar()
        if os.path.exists(tar) and os.path.getsize(tar) + os.path.getsize(trace_path) > PART_BYTES:
            self.part += 1
            tar = self.tar()
        with tarfile.open(tar, "a") as file:
            file.add(trace_path, os.path.basename(trace_path))

    def tar(self):
        return os.path.join(self.folder, f"traces-{self.part}.tar")


def make_pair(name, steps, seconds, results):
    """Whether both sides succeeded."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as traces:
        sides = []
        for side in ("before", "after"):
            sides.append(run_isolated(measure_side, (name, side, steps, traces), seconds))
            if not sides[-1]:
                print(f"{name:32} FAILED {side}", flush=True)
                return False
        results.add(sides, traces)
        sizes = [os.path.getsize(os.path.join(traces, file)) // 1000
                 for file in sorted(os.listdir(traces), reverse=True)]
    before, after = (side["pairs"].popitem()[1]["step_ms"] for side in sides)
    print(f"{name:32} {before:9.3f} -> {after:9.3f} ms  {before / after:6.3f}x  "
          f"traces {sizes} KB  took {time.perf_counter() - start:.0f} s", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--steps", type=int, default=20, help="steps of a timed run")
    parser.add_argument("--seconds", type=float, default=3600, help="start no pair after this time")
    parser.add_argument("--side-seconds", type=float, default=120, help="the most for one side")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    results = Results(options.out)
    names = options.only.split(",") if options.only else list(PAIRS)
    deadline = time.perf_counter() + options.seconds
    failed = []
    for name in names:
        left = deadline - time.perf_counter()
        if left < 0 or not make_pair(name, options.steps, min(left, options.side_seconds), results):
            failed.append(name)
    print("failed or not started:", ", ".join(failed) or "none", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
