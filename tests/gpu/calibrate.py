"""Measures what a GPU and its host reach in single operations, to calibrate predictions.

Products, convolutions, memory-bound kernels, attention, optimizers, the cost of operations and of
whole steps on the host with and without torch.profiler, gaps between kernels, CUDA graphs and
copies. Each section runs in a process of its own. Times are in microseconds and, except where plain
and profiled runs are compared, measured before the profiler is first used. `us` is measured with
events behind a delay that fills the queue, the median of many calls on the same random data (no
cache is flushed); `kernels` are the kernels of one call with their median durations as
torch.profiler records them.

Needs a GPU, PyTorch and torchvision. Writes calibration.json, rewritten after every section.
Usage: calibrate.py --out FOLDER [--only SECTION,…] [--quick]
"""

import argparse
import itertools
import json
import os
import statistics
import tempfile
import time

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile, record_function

from make_pairs import PAIRS, prepare, run_isolated, set_tf32, write_json

HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}
SECTIONS = {}
REPEATS = 20
SECTION_SECONDS = 150


def section(measure):
    SECTIONS[measure.__name__] = measure
    return measure


# Timing


def delay(microseconds):
    """Keeps the GPU busy while the host fills the queue."""
    torch.cuda._sleep(int(microseconds * 1900))


def host_us(function):
    """About how long a call keeps the host."""
    for _ in range(3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        function()
        took = (time.perf_counter() - start) * 1e6
    torch.cuda.synchronize()
    return took


def median_us(function, repeats):
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
    delay(repeats * min(50 + 2 * host_us(function), 2000))
    for start, end in pairs:
        start.record()
        function()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in pairs) * 1e3


def wall_us(function, calls, loops=5):
    """The median time of a call, from loops that each end with a wait for the GPU."""
    for _ in range(min(calls, 100)):
        function()
    return loops_us(function, calls, loops)


def loops_us(function, calls, loops):
    times = []
    for _ in range(loops):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            function()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e6 / calls)
    return statistics.median(times)


def traced(cases, calls, loops=1, shapes=False, cuda=True):
    """Runs (label, function) cases under the profiler, each in loops of calls.

    Returns by label the wall time of a call and the trace's events as (category, name, start,
    duration): those that began, and the kernels that were launched, while the case ran.
    """
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * cuda
    walls = {}
    with profile(activities=activities, record_shapes=shapes) as profiler:
        torch.cuda.synchronize()
        for label, function in cases:
            function()
            torch.cuda.synchronize()
            with record_function("case " + label):
                walls[label] = loops_us(function, calls, loops)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path) as file:
            events = json.load(file)["traceEvents"]
    return walls, events_by_case(events)


DEVICE_CATEGORIES = {"kernel", "gpu_memcpy", "gpu_memset"}


def events_by_case(events):
    spans = [e for e in events if e.get("ph") == "X"]
    cases = [(e["ts"], e["ts"] + e["dur"], e["name"][5:]) for e in spans
             if e.get("cat") == "user_annotation" and e["name"].startswith("case ")]
    launched = {e["args"]["correlation"]: e["ts"] for e in spans
                if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e["args"]}
    result = {label: [] for _, _, label in cases}
    cases.sort()
    spans.sort(key=lambda e: begin(e, launched))
    position = 0
    for event in spans:
        while position < len(cases) and cases[position][1] < begin(event, launched):
            position += 1
        if position == len(cases):
            break
        if cases[position][0] < begin(event, launched):
            row = event.get("cat"), event["name"], event["ts"], event["dur"]
            result[cases[position][2]].append(row)
    return result


def begin(event, launched):
    if event.get("cat") in DEVICE_CATEGORIES:
        return launched.get(event["args"].get("correlation"), event["ts"])
    return event["ts"]


def kernels_of_call(events, calls):
    """Name and median duration of each kernel of one call, where all calls launched the same."""
    kernels = sorted((e for e in events if e[0] in DEVICE_CATEGORIES), key=lambda e: e[2])
    count, rest = divmod(len(kernels), calls)
    if rest:
        return None
    return [[kernels[i][1][:160], round(statistics.median(k[3] for k in kernels[i::count]), 3)]
            for i in range(count)]


def measure_cases(cases, calls=5, repeats=REPEATS):
    """Times each case (a row's fields and what builds the call) and names its kernels."""
    rows = []
    labeled = []
    for index, (fields, make) in enumerate(cases):
        try:
            function = make()
            us = median_us(function, repeats)
        except RuntimeError as error:
            rows.append(fields | {"error": str(error)[:100]})
            continue
        rows.append(fields | {"us": round(us, 3)})
        labeled.append((str(index), make))
        function = None
    _, events = traced([(label, Lazy(make)) for label, make in labeled], calls)
    for label, found in events.items():
        rows[int(label)]["kernels"] = kernels_of_call(found, calls)
    return rows


class Lazy:
    """Builds a case at its first call and drops the one built before it, to bound the memory."""

    built = None

    def __init__(self, make):
        self.make = make

    def __call__(self):
        if Lazy.built is None or Lazy.built[0] is not self:
            Lazy.built = None
            Lazy.built = self, self.make()
        Lazy.built[1]()


# Products


def gemm_shapes():
    """Shapes with the layout of their operands, as in a layer's forward pass or its gradients."""
    squares = [("forward", n, n, n) for n in
               (128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192)]
    layers = [(768, 768), (2304, 768), (3072, 768), (768, 3072), (50304, 768), (4096, 1024),
              (1024, 4096), (4096, 4096)]
    training = [shape for n, k in layers for shape in
                [("forward", 8192, n, k), ("dgrad", 8192, k, n), ("wgrad", n, k, 8192)]]
    tokens = [("forward", m, 3072, 768) for m in (256, 512, 1024, 2048, 4096, 16384, 32768)]
    skinny = [("forward", m, n, 4096) for m in (1, 2, 4, 8, 16, 32, 64, 128) for n in (4096, 16384)]
    return squares + training + tokens + skinny


def odd_gemm_shapes():
    bases = [(4096, 4096, 4096), (8192, 3072, 768), (1024, 1024, 1024)]
    for base, layout in itertools.product(bases, ("forward", "dgrad", "wgrad")):
        yield layout, *base
        for axis, less in itertools.product(range(3), (1, 2, 4)):
            yield layout, *(size - less * (axis == i) for i, size in enumerate(base))
        yield layout, *(size - 1 for size in base)
    for vocab in (50256, 50257, 50258, 50260, 50264, 50304):
        yield "forward", 8192, vocab, 768
        yield "dgrad", 8192, 768, vocab
        yield "wgrad", vocab, 768, 8192


def stored(shape, transposed, options):
    if transposed:
        return torch.randn(*shape[::-1], **options).t()
    return torch.randn(*shape, **options)


def gemm_case(precision, layout, m, n, k):
    def make():
        set_tf32(precision == "tf32", precision == "tf32")
        options = {"device": "cuda", "dtype": HALF.get(precision, torch.float32)}
        a = stored((m, k), layout == "wgrad", options)
        b = stored((k, n), layout == "forward", options)
        return lambda: torch.mm(a, b)

    return {"precision": precision, "layout": layout, "m": m, "n": n, "k": k}, make


@section
def gemm(quick):
    cases = [gemm_case(precision, *shape) for precision in ("bf16", "fp16", "tf32", "fp32")
             for shape in gemm_shapes()]
    return measure_cases(cases[::40] if quick else cases)


@section
def gemm_odd(quick):
    cases = [gemm_case(precision, *shape) for precision in ("bf16", "tf32")
             for shape in odd_gemm_shapes()]
    return measure_cases(cases[::40] if quick else cases)


# Convolutions


RESNET50_CONVOLUTIONS = [  # inputs, outputs, kernel, stride, height and width of the input
    (3, 64, 7, 2, 224), (64, 64, 1, 1, 56), (64, 64, 3, 1, 56), (64, 256, 1, 1, 56),
    (256, 64, 1, 1, 56), (128, 128, 3, 2, 56), (256, 512, 1, 2, 56), (128, 512, 1, 1, 28),
    (512, 128, 1, 1, 28), (128, 128, 3, 1, 28), (256, 256, 3, 1, 14), (256, 1024, 1, 1, 14),
    (1024, 256, 1, 1, 14), (512, 512, 3, 1, 7), (2048, 512, 1, 1, 7)]
PASSES = {"forward": None, "dgrad": (True, False, False), "wgrad": (False, True, False)}


def conv_case(precision, layout, shape, name, batch=64):
    inputs, outputs, kernel, stride, size = shape
    memory_format = torch.channels_last if layout == "nhwc" else torch.contiguous_format

    def make():
        set_tf32(precision == "tf32", precision == "tf32")
        options = {"device": "cuda", "dtype": HALF.get(precision, torch.float32)}
        x = torch.randn(batch, inputs, size, size, **options).to(memory_format=memory_format)
        w = torch.randn(outputs, inputs, kernel, kernel, **options).to(memory_format=memory_format)
        geometry = [stride] * 2, [kernel // 2] * 2, [1, 1], False, [0, 0], 1
        if name == "forward":
            return lambda: torch.ops.aten.convolution(x, w, None, *geometry)
        y = torch.randn_like(torch.ops.aten.convolution(x, w, None, *geometry))
        backward = torch.ops.aten.convolution_backward
        return lambda: backward(y, x, w, None, *geometry, PASSES[name])

    fields = {"precision": precision, "layout": layout, "pass": name, "batch": batch,
              "inputs": inputs, "outputs": outputs, "kernel": kernel, "stride": stride,
              "size": size}
    return fields, make


@section
def convolution(quick):
    cases = [conv_case(precision, layout, shape, name)
             for precision, layout, shape, name in itertools.product(
                 ("fp32", "tf32", "fp16"), ("nchw", "nhwc"), RESNET50_CONVOLUTIONS, PASSES)]
    return measure_cases(cases[::40] if quick else cases, repeats=10)


# Memory-bound kernels


def memory_functions(count, dtype):
    """By name: bytes that must move, and a function that makes the call."""
    width = min(count, 1024)
    size = torch.empty(0, dtype=dtype).element_size()
    scale = torch.ones(64, device="cuda")
    weight = torch.ones(width, device="cuda", dtype=dtype)
    other = torch.bfloat16 if dtype == torch.float32 else torch.float32

    def tensor(*shape):
        return torch.randn(*shape, device="cuda", dtype=dtype)

    def rows():
        return tensor(count // width, width)

    def maps(memory_format):
        return tensor(max(count // 50176, 1), 64, 28, 28).to(memory_format=memory_format)

    def on(make, function, arguments=1):
        def build():
            values = [make() for _ in range(arguments)]
            return lambda: function(*values)

        return build

    def flat():
        return tensor(count)

    def norm(x):
        return F.layer_norm(x, (width,), weight, weight)

    def batch_norm(x):
        return F.batch_norm(x, None, None, scale, scale, training=True)

    return {
        "copy": (2 * size, on(flat, lambda x, y: y.copy_(x), 2)),
        "add": (3 * size, on(flat, torch.add, 2)),
        "add_in_place": (2 * size, on(flat, lambda x: x.add_(1))),
        "relu": (2 * size, on(flat, torch.relu)),
        "gelu": (2 * size, on(flat, F.gelu)),
        "sum": (size, on(flat, torch.sum)),
        "cast": (6, on(flat, lambda x: x.to(other))),
        "softmax": (2 * size, on(rows, lambda x: x.softmax(-1))),
        "layer_norm": (2 * size, on(rows, norm)),
        "batch_norm_nchw": (3 * size, on(lambda: maps(torch.contiguous_format), batch_norm)),
        "batch_norm_nhwc": (3 * size, on(lambda: maps(torch.channels_last), batch_norm)),
    }


@section
def memory(quick):
    cases = []
    sizes = (1e3, 1e4, 1e5, 1e6, 4e6, 1.6e7, 6.4e7, 2.56e8, 1e9)
    for dtype, total in itertools.product((torch.float32, *HALF.values()), sizes):
        count = int(total) // (4 if dtype == torch.float32 else 2)
        count = count // 1024 * 1024 or count
        for name, (per_element, make) in memory_functions(count, dtype).items():
            elements = max(count // 50176, 1) * 50176 if name.startswith("batch_norm") else count
            fields = {"op": name, "dtype": str(dtype)[6:], "elements": elements,
                      "bytes": elements * per_element}
            cases.append((fields, make))
    return measure_cases(cases[::40] if quick else cases)


# Attention and optimizers


def attention_case(name, batch, heads, length, width, causal):
    def make():
        q, k, v = (torch.randn(batch, heads, length, width, device="cuda", dtype=torch.bfloat16,
                               requires_grad=True) for _ in range(3))

        def forward():
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        def both():
            torch.autograd.grad(forward(), (q, k, v), gradient)

        gradient = torch.randn_like(q)
        return both if name == "forward_backward" else forward

    fields = {"pass": name, "batch": batch, "heads": heads, "length": length, "width": width,
              "causal": causal}
    return fields, make


@section
def attention(quick):
    shapes = [(8, 12, 1024, 64), (1, 12, 1024, 64), (8, 12, 256, 64), (32, 12, 128, 64),
              (4, 16, 2048, 64), (2, 16, 4096, 128), (8, 16, 1024, 128), (1, 8, 64, 64)]
    cases = [attention_case(name, *shape, causal) for name, shape, causal in itertools.product(
        ("forward", "forward_backward"), shapes, (True, False))]
    return measure_cases(cases[::20] if quick else cases)


def optimizer_case(kind, count, size):
    def make():
        parameters = [torch.randn(size, device="cuda", requires_grad=True) for _ in range(count)]
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        options = {"foreach": kind == "foreach", "fused": kind == "fused"}
        return torch.optim.AdamW(parameters, lr=1e-4, **options).step

    return {"kind": kind, "tensors": count, "elements_each": size}, make


@section
def optimizer(quick):
    """`wall_us` is what a step of AdamW takes, `kernel_us` what its kernels take."""
    sizes = [(60, 1000), (150, 1000), (150, 100_000), (150, 1_000_000), (20, 10_000_000)]
    cases = [optimizer_case(kind, *size) for kind, size in itertools.product(
        ("loop", "foreach", "fused"), sizes)]
    cases = cases[::6] if quick else cases
    rows = [fields | {"wall_us": round(wall_us(make(), 5), 2)} for fields, make in cases]
    _, events = traced([(str(i), Lazy(make)) for i, (_, make) in enumerate(cases)], 1)
    for label, found in events.items():
        kernels = [e for e in found if e[0] in DEVICE_CATEGORIES]
        rows[int(label)] |= {"kernels": len(kernels),
                             "kernel_us": round(sum(e[3] for e in kernels), 2)}
    return rows


# The host


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 2


def host_cases():
    def tensor(*shape, **options):
        return torch.randn(*shape, device="cuda", **options)

    one, row, square = tensor(1), tensor(8, 64), tensor(64, 64)
    bias, picture, filters = tensor(64), tensor(1, 8, 8, 8), tensor(8, 8, 3, 3)
    leaf, weight = tensor(8, 64, requires_grad=True), tensor(64, 64, requires_grad=True)
    many = [tensor(64) for _ in range(100)]
    pinned = torch.randn(64, pin_memory=True)

    def chain(length):
        x = leaf
        for _ in range(length):
            x = x.sin()
        return x

    def linear_backward():
        torch.autograd.grad(F.linear(leaf, weight).sum(), (leaf, weight))

    fixed = chain(50).sum()
    return {
        "python_call": lambda: None,
        "view": lambda: row.view(-1),
        "t": row.t,
        "transpose_reshape": lambda: row.transpose(0, 1).reshape(-1),
        "empty": lambda: torch.empty(64, device="cuda"),
        "add_": lambda: one.add_(1),
        "add": lambda: torch.add(row, row),
        "zero_": row.zero_,
        "zeros": lambda: torch.zeros(64, device="cuda"),
        "sum": row.sum,
        "softmax": lambda: row.softmax(-1),
        "linear": lambda: F.linear(row, square, bias),
        "matmul": lambda: row @ square,
        "layer_norm": lambda: F.layer_norm(row, (64,)),
        "gelu": lambda: F.gelu(row),
        "conv2d": lambda: F.conv2d(picture, filters),
        "cat": lambda: torch.cat([row, row]),
        "foreach_add_100": lambda: torch._foreach_add_(many, 1),
        "pinned_copy": lambda: bias.copy_(pinned, non_blocking=True),
        "item": one.item,
        "synchronize": torch.cuda.synchronize,
        "sin_50_forward": lambda: chain(50),
        "sin_50_backward": lambda: torch.autograd.grad(fixed, leaf, retain_graph=True),
        "linear_forward_backward": linear_backward,
        "autograd_function": lambda: Scale.apply(leaf),
        "record_function": empty_range,
    }


def empty_range():
    with record_function("range"):
        pass


def counts(events, calls):
    """How many records of each kind one call left, and the median time of those of the CUDA API."""
    kinds = [e[0] for e in events]
    api = {}
    for category, name, _, duration in events:
        if category in ("cuda_runtime", "cuda_driver"):
            api.setdefault(name, []).append(duration)
    per_call = {kind: round(kinds.count(kind) / calls, 3) for kind in sorted(set(kinds))}
    times = {name: [round(len(found) / calls, 3), round(statistics.median(found), 3)]
             for name, found in api.items()}
    return {"records": per_call, "api": times}


# MODES: whether the profiler records shapes, and whether it records the GPU.
MODES = {"cpu": (False, False), "cpu_shapes": (True, False), "cuda": (False, True),
         "cuda_shapes": (True, True)}


@section
def host(quick):
    """What a call costs on the host, plainly and under the profiler, with what it recorded.

    The host's speed drifts: `plain_us` is measured first and again after each mode.
    """
    calls, loops = (4 if quick else 40), 5
    cases = host_cases()
    rows = {name: {"plain_us": [round(wall_us(function, calls), 3)]}
            for name, function in cases.items()}
    for mode, (shapes, cuda) in MODES.items():
        traced([("start", cases["add_"])], 10)  # pays for the profiler's start
        walls, events = traced(cases.items(), calls, loops, shapes, cuda)
        for name, function in cases.items():
            rows[name][mode + "_us"] = round(walls[name], 3)
            rows[name][mode] = counts(events[name], calls * loops)
            rows[name]["plain_us"].append(round(wall_us(function, calls), 3))
    return rows


STEPS = {"transformer_inference": ("eager_to_cuda_graph_inference", False),
         "mlp_training": ("eager_to_reduce_overhead_mlp", False),
         "lm_training_adam_loop": ("adam_loop_to_foreach", False),
         "lm_training": ("small_batch", False),
         "resnet18_training": ("adam_loop_to_fused_resnet18", True)}


def profiled_us(step, calls, shapes, cuda):
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * cuda
    with profile(activities=activities, record_shapes=shapes):
        step()
        return loops_us(step, calls, 1)


@section
def profiler(quick):
    """What the profiler adds to steps that the host bounds: plain and profiled runs alternately."""
    calls, rounds = (2, 1) if quick else (8, 3)
    rows = {}
    for name, (pair, after) in STEPS.items():
        step = prepare(PAIRS[pair][0], after)
        row = {"plain_us": []} | {mode + "_us": [] for mode in MODES}
        for mode in list(MODES) * rounds:
            row["plain_us"].append(round(loops_us(step, calls, 1), 1))
            row[mode + "_us"].append(round(profiled_us(step, calls, *MODES[mode]), 1))
        _, events = traced([("step", step)], 2, shapes=True)
        rows[name] = row | counts(events["step"], 2)
        step = None
    return rows


# Gaps between kernels, and graphs


def capture(function, count):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            function()
    return graph.replay


def gap_cases():
    def tensor(*shape):
        return torch.randn(*shape, device="cuda")

    tiny, small, large = tensor(1), tensor(1 << 20), tensor(1 << 22)
    a, b, c = (tensor(1024, 1024).bfloat16() for _ in range(3))
    wide = tensor(8, 1024, 1024).bfloat16()

    def product():
        torch.mm(a, b, out=c)

    def mixed():
        torch.mm(a, b, out=c)
        c.add_(1)

    def forward():
        F.layer_norm(F.gelu(wide), (1024,))

    return {"tiny": (1, lambda: tiny.add_(1)), "add_4MB": (1, lambda: small.add_(1)),
            "add_16MB": (1, lambda: large.add_(1)), "gemm_1024": (1, product),
            "gemm_add": (2, mixed), "gelu_layer_norm": (2, forward)}


def gaps(events):
    kernels = sorted((e[2], e[3]) for e in events if e[0] == "kernel")
    between = [second[0] - first[0] - first[1] for first, second in zip(kernels, kernels[1:])]
    if not between:
        return None
    tenths = statistics.quantiles(between, n=10)
    return {"kernels": len(kernels), "kernel_us": round(statistics.fmean(k[1] for k in kernels), 3),
            "gap_median_us": round(statistics.median(between), 3),
            "gap_mean_us": round(statistics.fmean(between), 3),
            "gap_tenth_us": round(tenths[0], 3), "gap_ninetieth_us": round(tenths[-1], 3)}


@section
def graphs(quick):
    """Kernels in a row: in a graph, queued ahead of the GPU, and launched as the host can."""
    rows, cases = {}, []
    for name, (per_call, function) in gap_cases().items():
        count = 500 // per_call
        replay = capture(function, 2 * count)

        def queued(function=function, count=count):
            delay(8000)
            for _ in range(count):
                function()

        def burst(function=function, count=count):
            for _ in range(count):
                function()

        total = per_call * count
        rows[name] = {
            "graph_us": round(median_us(replay, 10) / total / 2, 4),
            "queued_us": round(queued_us(burst) / total, 4),
            "eager_us": round(wall_us(burst, 3) / total, 4),
        }
        cases += [(name + ".graph", replay), (name + ".queued", queued)]
        if name == "tiny":
            rows[name]["graph_of_one_us"] = round(wall_us(capture(function, 1), 100), 3)
    _, events = traced(cases, 1)
    for label, found in events.items():
        name, kind = label.split(".")
        without_delay = [e for e in found if "spin_kernel" not in e[1]]
        rows[name][kind + "_trace"] = gaps(without_delay)
    return rows


def queued_us(burst):
    """Time of a burst of kernels that were all in the queue before the first could start."""
    times = []
    for _ in range(5):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        delay(8000)
        start.record()
        burst()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


# Copies


def copy_us(copy, repeats):
    times = []
    for _ in range(repeats + 2):
        torch.cuda.synchronize()
        start = time.perf_counter()
        copy()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e6)
    return round(statistics.median(times[2:]), 3)


@section
def copies(quick):
    """`us` with waits before and after a copy; `queued_us` is what it takes the GPU, for pinned."""
    rows = []
    for power, pinned in itertools.product(range(10, 18 if quick else 29, 2), (False, True)):
        host_side = torch.empty(1 << power, dtype=torch.uint8, pin_memory=pinned).fill_(1)
        device_side = torch.zeros(1 << power, dtype=torch.uint8, device="cuda")

        def to_device(host_side=host_side, device_side=device_side, pinned=pinned):
            device_side.copy_(host_side, non_blocking=pinned)

        def to_host(host_side=host_side, device_side=device_side, pinned=pinned):
            host_side.copy_(device_side, non_blocking=pinned)

        for direction, copy in (("h2d", to_device), ("d2h", to_host)):
            row = {"direction": direction, "pinned": pinned, "bytes": 1 << power,
                   "us": copy_us(copy, 10)}
            if pinned:
                row["queued_us"] = round(median_us(copy, 10), 3)
            rows.append(row)
    return {"copies": rows, "latency_us": latencies()}


def latencies():
    one = torch.ones(1, device="cuda")
    return {"item": copy_us(one.item, 200), "synchronize": copy_us(lambda: None, 200),
            "add_and_wait": copy_us(lambda: one.add_(1), 200),
            "add_and_item": copy_us(lambda: one.add_(1).item(), 200),
            "to_cpu_4_bytes": copy_us(one.cpu, 200)}


def measure(name, quick):
    properties = torch.cuda.get_device_properties(0)
    return {"torch": torch.__version__, "gpu": properties.name,
            "multiprocessors": properties.multi_processor_count, name: SECTIONS[name](quick)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", help="sections, separated by commas")
    parser.add_argument("--quick", action="store_true", help="a few cases of each, to try it out")
    options = parser.parse_args()
    results = {}
    for name in options.only.split(",") if options.only else SECTIONS:
        start = time.perf_counter()
        measured = run_isolated(measure, (name, options.quick), SECTION_SECONDS)
        results |= measured or {name: None}
        write_json(results, os.path.join(options.out, "calibration.json"))
        state = "done" if measured else "FAILED"
        print(f"{name:12} {state} in {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
