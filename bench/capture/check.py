#!/usr/bin/env python3
"""Records difficult cases on a machine with a GPU, and compares the program with the profile.

    check.py --warpsight PATH --launches PATH [--python PATH] [--jax PATH] [--only NAME,…]

Each case writes a profile, which must contain the expected data. Prints one table; exits with 1 if a
case failed.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from overhead import Recorder, print_table

MATRIX = """
import torch
x = torch.randn(1000, 1000, device="cuda")
for i in range(20):
    x = x @ x
    x = x / x.norm()
torch.cuda.synchronize()
"""

DISTRIBUTED = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256).cuda(0))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for i in range(20):
    optimizer.zero_grad()
    model(torch.randn(64, 256, device="cuda")).sum().backward()
    optimizer.step()
torch.cuda.synchronize()
dist.destroy_process_group()
"""

SPAWN = """
import torch
def work(i):
    x = torch.randn(500, 500, device="cuda")
    for _ in range(10): x = x @ x / 500
    torch.cuda.synchronize()
if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=2)
"""

FORK = """
import multiprocessing, torch
(torch.ones(8, 8) @ torch.ones(8, 8)).cumsum(0).exp()
def work():
    x = torch.randn(512, 512, device="cuda")
    for _ in range(10): x = x @ x / 500
    torch.cuda.synchronize()
if __name__ == "__main__":
    children = [multiprocessing.get_context("fork").Process(target=work) for _ in range(2)]
    for child in children: child.start()
    for child in children: child.join()
    assert all(child.exitcode == 0 for child in children)
"""

JAX = """
import jax, jax.numpy as jnp
def loss(weights, x, y):
    for w in weights:
        x = jnp.tanh(x @ w)
    return ((x - y) ** 2).mean()
@jax.jit
def step(weights, x, y):
    value, gradients = jax.value_and_grad(loss)(weights, x, y)
    return [w - 0.1 * g for w, g in zip(weights, gradients)], value
weights = [jax.random.normal(jax.random.key(i), (512, 512)) * 0.05 for i in range(4)]
x = jax.random.normal(jax.random.key(9), (256, 512))
for i in range(50):
    weights, value = step(weights, x, x * 0.5)
print(float(value))
"""

DESCRIPTORS = """
import os, sys, time, torch
time.sleep(0.5)
os.closerange(3, 65536)
files = [os.open("%s-%d" % (sys.argv[1], i), os.O_RDWR | os.O_CREAT | os.O_TRUNC) for i in range(30)]
assert files == list(range(3, 33)), files
if sys.argv[1] == "dropped":
    os.setgid(65534)
    os.setuid(65534)
x = torch.randn(1000, 1000, device="cuda")
for i in range(30):
    x = x @ x
    x = x / x.norm()
    torch.cuda.synchronize()
    os.write(files[i], b"line %d" % i)
    time.sleep(0.03)
"""

PROFILED_TWICE = """
import torch
from torch.profiler import ProfilerActivity, profile
x = torch.randn(256, 256, device="cuda")
def work():
    for i in range(10): x @ x
    torch.cuda.synchronize()
work()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
    work()
work()
"""


class Checks:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.recorder = Recorder(options, self.folder)
        self.rows = []

    def start(self, command, name, *flags):
        """Starts recording a program; returns the process and the path of its future profile."""
        profile = self.folder / (name + ".warpsight")
        process = subprocess.Popen(
            [self.options.warpsight, "profile", "-o", profile, *flags, "--", *command],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
            preexec_fn=os.setpgrp)
        return process, profile

    def script(self, name, text):
        path = self.folder / (name + ".py")
        path.write_text(text)
        return str(path)

    def kernels(self, profile):
        return self.recorder.query(profile, "SELECT count(*) FROM kernels")[0]

    def row(self, name, done, found, good):
        self.rows.append([name, done, found, "yes" if good else "NO"])
        print("# " + " | ".join(self.rows[-1]), file=sys.stderr, flush=True)

    def run(self, name, command, *flags):
        process, profile = self.start(command, name, *flags)
        output, errors = process.communicate(timeout=150)
        return process.returncode, output, errors, profile

    def sigkill(self):
        process, profile = self.start([self.options.launches, "forever"], "sigkill")
        lines = []
        end = time.monotonic() + 4
        while time.monotonic() < end:
            lines.append(process.stdout.readline().split())
        subprocess.run(["pkill", "-KILL", "-P", str(process.pid)], check=False)
        killed = time.monotonic()
        process.communicate(timeout=60)
        before = [int(line[2]) for line in lines if line and float(line[0]) < killed - 1]
        found = self.kernels(profile)
        self.row("SIGKILL", "%d launched 1 s before" % before[-1], "%d kernels" % found,
                 found >= before[-1] and process.returncode == 128 + signal.SIGKILL)

    def exception(self):
        script = self.script("exception", MATRIX + "raise RuntimeError('broken')\n")
        code, _, _, profile = self.run("exception", [self.options.python, script])
        found = self.kernels(profile)
        self.row("exception", "20 matrix products, exit code %d" % code, "%d kernels" % found,
                 code == 1 and found >= 40)

    def ctrl_c(self):
        script = self.script("forever", MATRIX.replace("range(20)", "range(10**9)"))
        process, profile = self.start([self.options.python, script], "ctrl_c")
        time.sleep(15)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        found = self.kernels(profile)
        self.row("Ctrl-C", "exit code %d" % process.returncode, "%d kernels" % found,
                 found > 1000)

    def loader_workers(self):
        command = [self.options.python, str(pathlib.Path(__file__).parent / "workloads.py"),
                   "resnet50", "--steps", "5", "--warmup", "3"]
        code, _, _, profile = self.run("loader", command)
        facts = self.recorder.facts(profile)
        found = self.kernels(profile)
        self.row("8 forked loader workers", "%d launches" % facts["launches"],
                 "%d kernels" % found, code == 0 and found == facts["launches"])

    def spawned(self):
        code, _, _, profile = self.run(
            "spawn", [self.options.python, self.script("spawned", SPAWN)])
        sources = self.recorder.query(
            profile, "SELECT count(DISTINCT process_id) FROM streams WHERE process_id IS NOT NULL")[0]
        self.row("2 spawned processes", "exit code %d" % code, "%d processes with GPU work" % sources,
                 code == 0 and sources == 2)

    def forked(self):
        code, _, _, profile = self.run(
            "fork", [self.options.python, self.script("forked", FORK)])
        ops, processes = self.recorder.query(profile, """
            SELECT string_agg(DISTINCT coalesce(op, '?'), ' ' ORDER BY coalesce(op, '?')),
                   count(DISTINCT s.process_id)
            FROM kernels k JOIN gpu_activities g ON g.rowid = k.id
            JOIN streams s ON s.rowid = g.stream_id""")
        known = {"aten::randn", "aten::normal_", "aten::mm", "aten::div"}
        self.row("2 children forked before CUDA starts", "exit code %d" % code,
                 "%d processes with GPU work of %s" % (processes, ops),
                 code == 0 and processes == 2 and {"aten::mm", "aten::div"} <= set(ops.split()) <= known)

    def torchrun(self):
        torchrun = str(pathlib.Path(self.options.python).parent / "torchrun")
        script = self.script("distributed", DISTRIBUTED)
        code, _, _, profile = self.run(
            "torchrun", [torchrun, "--standalone", "--nproc_per_node", "2", script])
        ranks = self.recorder.query(
            profile, "SELECT string_agg(DISTINCT rank::VARCHAR, ',' ORDER BY rank::VARCHAR) "
            "FROM sources WHERE rank IS NOT NULL")[0]
        self.row("torchrun, 2 processes", "exit code %d" % code, "ranks %s" % ranks,
                 code == 0 and ranks == "0,1")

    def jax(self):
        command = [self.options.jax or self.options.python, self.script("jax_step", JAX)]
        code, _, _, profile = self.run("jax", command)
        # Before the first step, XLA tries out kernels that belong to no op.
        share, kernels = self.recorder.query(profile, """
            WITH steps AS (SELECT k.*, e.op_name_id AS named FROM kernels k
                           JOIN gpu_activities g ON g.rowid = k.id
                           LEFT JOIN gpu_extras e ON e.rowid = g.extra_id
                           WHERE k.start_ns > (SELECT max(start_ns) FROM kernels) - 2000000)
            SELECT sum(CASE WHEN op IS NOT NULL OR named <> 0 THEN duration_ns ELSE 0 END)
                   / sum(duration_ns), count(*) FROM steps""")
        self.row("JAX, last steps", "exit code %d, %d kernels" % (code, kernels),
                 "%.1f %% of their time has an HLO op" % (100 * share), code == 0 and share > 0.99)

    def descriptors(self, name="closed"):
        script = self.script("descriptors", DESCRIPTORS)
        code, _, errors, profile = self.run(name, [self.options.python, script, name])
        same = sum((self.folder / ("%s-%d" % (name, i))).read_bytes() == b"line %d" % i
                   for i in range(30))
        found = self.kernels(profile)
        self.row("descriptors closed before CUDA starts, " + name, "exit code %d" % code,
                 "%d kernels, %d of 30 files as written" % (found, same),
                 code == 0 and found >= 60 and same == 30)

    def dropped_rights(self):
        self.descriptors("dropped")

    def other_profiler(self):
        code, _, _, profile = self.run(
            "other", [self.options.python, self.script("twice", PROFILED_TWICE)])
        facts, found = self.recorder.facts(profile), self.kernels(profile)
        self.row("torch.profiler in the program", "%d launches" % facts["launches"],
                 "%d kernels" % found, code == 0 and found == facts["launches"])

    def no_gpu(self):
        environment = os.environ.get("CUDA_VISIBLE_DEVICES")
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        code, _, errors, profile = self.run("none", [self.options.launches, "plain", "10"])
        del os.environ["CUDA_VISIBLE_DEVICES"]
        if environment is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = environment
        said = errors.strip().splitlines()[-1] if errors.strip() else ""
        self.row("no GPU", "exit code %d" % code, said[:70], code == 1 and not profile.exists())


CASES = ["sigkill", "exception", "ctrl_c", "loader_workers", "spawned", "forked", "torchrun", "jax",
         "descriptors", "dropped_rights", "other_profiler", "no_gpu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpsight", required=True)
    parser.add_argument("--launches", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jax")
    parser.add_argument("--only", default=",".join(CASES))
    checks = Checks(parser.parse_args())
    for name in checks.options.only.split(","):
        try:
            getattr(checks, name)()
        except Exception as error:  # the other cases still run
            checks.row(name, "-", "%s: %s" % (type(error).__name__, str(error)[:200]), False)
    print_table(["case", "done", "in the profile", "good"], checks.rows)
    sys.exit(0 if all(row[-1] == "yes" for row in checks.rows) else 1)


if __name__ == "__main__":
    main()
