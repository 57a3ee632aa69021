"""A PyTorch program for torch_program_test that needs no GPU and does typical things.

Without an argument, it only checks that it can run.
"""

import sys
import threading

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def train(workers):
    data = torch.utils.data.TensorDataset(torch.randn(40, 16), torch.randint(0, 4, (40,)))
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in torch.utils.data.DataLoader(data, batch_size=8, num_workers=workers):
        optimizer.zero_grad(set_to_none=False)  # the default of older versions: gradients are added up
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def train_long():
    """Long enough for several stretches."""
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(8, 16), torch.randint(0, 4, (8,))
    for _ in range(2000):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def fail_inside_an_op():
    try:
        torch.mm(torch.ones(2, 3), torch.ones(2, 3))
    except RuntimeError:
        torch.ones(2).cumsum(0)


def trace():
    """Ranges of modules must not disturb torch.jit.trace."""
    model = Net()
    x = torch.randn(8, 16)
    traced = torch.jit.trace(model, x)
    assert torch.allclose(traced(x), model(x))


def many_inside():
    """Runs an op with many inner ops, which the agent stops recording once it has counted them."""
    x, weight = torch.randn(4, 8, 5, 5), torch.randn(8)

    def norm(times, weight=weight):
        for _ in range(times):
            nn.functional.batch_norm(x, None, None, weight, weight, True)

    norm(30)
    try:
        norm(1, weight=torch.ones(3))
    except RuntimeError:
        torch.ones(2).cumsum(0)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiled:
        norm(2)
    names = [event.name for event in profiled.events()]
    assert names.count("aten::native_batch_norm") == 2, names
    norm(3)


def kinds():
    """Inputs of every kind, and ranges of every scope."""
    a = torch.ones(3, 4, requires_grad=True)
    image = torch.ones(1, 2, 8, 8, requires_grad=True)
    kernel = torch.ones(3, 2, 3, 3, requires_grad=True)
    with torch.autograd.profiler.record_function("by hand"):
        (nn.functional.conv2d(image, kernel).sum() + nn.functional.linear(a, a).sum()).backward()
    nn.functional.interpolate(image.detach(), scale_factor=2.0, mode="nearest")
    a = a.detach()
    for dtype in (torch.uint8, torch.int64, torch.bool, torch.float16, torch.bfloat16,
                  torch.float64, torch.complex64):
        torch.zeros(2, dtype=dtype).view(1, 2).clone()
    torch.zeros(1, 2, 1, 2, 1, 2, 3).transpose(0, 6).sum((1, 3))
    torch.zeros(0, 3).t().contiguous()
    (torch.tensor(3.0) * 2 + 1j).abs()
    torch.ones(1, 4).expand(3, 4).add(a, alpha=2.5)
    torch.cat([a, a.t().reshape(3, 4)])
    torch.stack((a, a), -1)
    a[:, torch.tensor([0, 2])]
    a.roll(-1, 0).cumsum(-1)
    torch.einsum("ij,kj->ik", a, a)
    torch.searchsorted(torch.arange(5), torch.tensor([2]), side="right")
    (torch.eye(3).to_sparse() @ a).clone()
    (torch.eye(3).to_sparse_csr() @ a).clone()
    if torch.backends.mkldnn.is_available():
        a.to_mkldnn().to_dense()
    if hasattr(torch, "nested"):
        torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)]).clone()
    torch.jit.script(scripted)(a, 3)
    nn.functional.multi_head_attention_forward(
        torch.ones(2, 1, 4), torch.ones(2, 1, 4), torch.ones(2, 1, 4), 4, 2, torch.ones(12, 4),
        None, None, None, False, 0.0, torch.ones(4, 4), None)
    worker = threading.Thread(target=lambda: a.exp().log())
    worker.start()
    worker.join()


def scripted(x, times: int):
    for _ in range(times):
        x = x.neg()
    return x


def fork_before_cuda():
    """Records in a forked child as soon as CUDA starts; here, the agent's start stands for that."""
    import ctypes
    import os

    model = Net()
    model(torch.randn(8, 16)).sum().backward()
    torch.ones(4).cumsum(0)
    child = os.fork()
    if child == 0:
        model(torch.randn(8, 16))  # before: not recorded
        ctypes.CDLL(os.environ["WARPSIGHT_AGENT"]).warpsight_attach()
        torch.ones(4).exp()
        torch.ones(4).cumsum(0)
        model(torch.randn(8, 16))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


if len(sys.argv) > 1:
    {"train": lambda: train(0), "train_long": train_long, "workers": lambda: train(2),
     "fail": fail_inside_an_op, "trace": trace, "many_inside": many_inside, "kinds": kinds,
     "fork": fork_before_cuda}[sys.argv[1]]()
