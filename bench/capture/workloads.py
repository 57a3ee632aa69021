"""Training workloads to record: `python workloads.py NAME [--steps N] [--profiler torch|torch-shapes]`.

Prints one line of JSON: the time of each step in milliseconds, each of which ends with a wait for
the GPU, and the process's CPU time per step for all threads. With --profiler, the same steps follow again
under torch.profiler, and the line contains its number of kernels.

  gpt2         GPT-2 (124 M parameters), bf16, batch 32, fused AdamW: the GPU is busy throughout
  gpt2_batch8  the same with a batch of 8, for which a slow CPU is the limit
  resnet50     ResNet-50, mixed precision, channels last, 8 loader workers
  mlp          24 layers of 64 units and an optimizer that loops over parameters: the CPU is the limit
  item         a small GPT that reads 60 numbers from the GPU in every step
  graph        inference of a small convolutional network by replaying a CUDA graph
  decode       text generation, one token a step, with a cache of keys and values, eager
  encoder      inference of a transformer of 12 layers with a batch of 1, eager
"""

import argparse
import json
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.attention(self.norm1(x)).split(width, dim=2)
        query, key, value = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in parts
        )
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, length, vocabulary):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Bottleneck(nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        after = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(before, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width),
            nn.ReLU(inplace=True), nn.Conv2d(width, after, 1, bias=False), nn.BatchNorm2d(after))
        self.shortcut = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False),
                                          nn.BatchNorm2d(after))

    def forward(self, x):
        return functional.relu(self.body(x) + self.shortcut(x))


def resnet(blocks):
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
              nn.MaxPool2d(3, 2, 1)]
    before = 64
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for i in range(count):
            layers.append(Bottleneck(before, width, 2 if stage > 0 and i == 0 else 1))
            before = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 1000))


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, index):
        noise = torch.Generator().manual_seed(index)
        image = torch.randint(0, 256, (3, 224, 224), generator=noise, dtype=torch.uint8)
        return image, index % 1000


def gpt2(batch=32):
    model = Gpt(layers=12, width=768, heads=12, length=1024, vocabulary=50304).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = torch.randint(0, 50304, (batch, 1025), device="cuda")

    def step():
        with torch.autocast("cuda", torch.bfloat16):
            scores = model(tokens[:, :-1])
            loss = functional.cross_entropy(scores.view(-1, scores.size(-1)),
                                            tokens[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def gpt2_batch8():
    return gpt2(batch=8)


def resnet50():
    model = resnet([3, 4, 6, 3]).cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda")
    loader = torch.utils.data.DataLoader(Images(), batch_size=64, num_workers=8, pin_memory=True)
    batches = iter(loader)

    def step():
        images, labels = next(batches)
        images = images.cuda(non_blocking=True).to(memory_format=torch.channels_last)
        labels = labels.cuda(non_blocking=True)
        with torch.autocast("cuda", torch.float16):
            loss = functional.cross_entropy(model(images.float().div(255)), labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def mlp():
    layers = []
    for _ in range(24):
        layers += [nn.Linear(64, 64), nn.ReLU()]
    model = nn.Sequential(*layers).cuda()
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    x, y = torch.randn(32, 64, device="cuda"), torch.randn(32, 64, device="cuda")

    def step():
        optimizer.zero_grad()
        functional.mse_loss(model(x), y).backward()
        optimizer.step()

    return step


def item():
    model = Gpt(layers=4, width=256, heads=4, length=128, vocabulary=4096).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = torch.randint(0, 4096, (8, 129), device="cuda")

    def step():
        scores = model(tokens[:, :-1])
        loss = functional.cross_entropy(scores.view(-1, scores.size(-1)),
                                        tokens[:, 1:].reshape(-1))
        loss.backward()
        total = 0.0
        for parameter in list(model.parameters())[:60]:
            total += parameter.grad.norm().item()
        optimizer.step()
        optimizer.zero_grad()

    return step


def graph():
    model = nn.Sequential(
        nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(8), nn.Flatten(), nn.Linear(128 * 64, 512), nn.ReLU(),
        nn.Linear(512, 10)).cuda().eval()
    images = torch.randn(64, 3, 32, 32, device="cuda")
    with torch.no_grad():
        for _ in range(3):
            model(images)
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            model(images)
    return captured.replay


class Layer(nn.Module):
    """A transformer layer with a cache for as many tokens as there will be."""

    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("cache", torch.zeros(2, 1, heads, length, width // heads))

    def forward(self, x, place):
        parts = self.attention(self.norm1(x)).view(1, 1, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        self.cache[:, :, :, place:place + 1] = parts[1:]
        key, value = self.cache[:, :, :, :place + 1]
        mixed = functional.scaled_dot_product_attention(parts[0], key, value)
        x = x + self.project(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self, layers, width, heads, length, vocabulary):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Layer(width, heads, length) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, token, place):
        x = self.tokens(token)
        for layer in self.layers:
            x = layer(x, place)
        return self.head(x)


def decode():
    length = 1024
    model = Decoder(layers=12, width=768, heads=12, length=length, vocabulary=50304).cuda().eval()
    state = {"token": torch.zeros(1, 1, dtype=torch.long, device="cuda"), "place": 0}

    @torch.no_grad()
    def step():
        state["token"] = model(state["token"], state["place"] % length)[:, -1:].argmax(-1)
        state["place"] += 1

    return step


def encoder():
    layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
    model = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda().train()
    x = torch.randn(1, 128, 768, device="cuda")

    @torch.no_grad()
    def step():
        model(x)

    return step


WORKLOADS = {f.__name__: f for f in (gpt2, gpt2_batch8, resnet50, mlp, item, graph, decode,
                                    encoder)}


def timed(step, count):
    """The milliseconds of each step, and the mean CPU time."""
    times = []
    torch.cuda.synchronize()
    cpu = time.process_time()
    for _ in range(count):
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return times, 1e3 * (time.process_time() - cpu) / max(count, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--profiled-steps", type=int, default=20)
    parser.add_argument("--profiler", choices=["torch", "torch-shapes"])
    options = parser.parse_args()
    torch.manual_seed(0)
    step = WORKLOADS[options.workload]()
    timed(step, options.warmup)
    result = {"workload": options.workload}
    result["steps"], result["cpu"] = timed(step, options.steps)
    if options.profiler:
        from torch.profiler import ProfilerActivity, profile

        shapes = options.profiler == "torch-shapes"
        both = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
        with profile(activities=both, record_shapes=shapes):
            timed(step, 2)  # do not measure its start
        with profile(activities=both, record_shapes=shapes) as recorded:
            result["profiled"], result["profiled_cpu"] = timed(step, options.profiled_steps)
        gpu = [e for e in recorded.events() if e.device_type == torch.autograd.DeviceType.CUDA]
        kernels = [e for e in gpu if not e.name.startswith(("Memcpy", "Memset"))
                   and not getattr(e, "is_user_annotation", False)]
        result["kernels"] = len(kernels) / options.profiled_steps
        result["kernel_ms"] = sum(e.time_range.elapsed_us() for e in kernels) / options.profiled_steps / 1e3
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
