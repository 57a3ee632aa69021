"""A PyTorch program for torch_program_test that needs no GPU and does typical things.

Without an argument, it only checks that it can run.
"""

import sys

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
    {"train": lambda: train(0), "workers": lambda: train(2), "fail": fail_inside_an_op,
     "trace": trace, "many_inside": many_inside, "fork": fork_before_cuda}[sys.argv[1]]()
