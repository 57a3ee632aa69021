#!/usr/bin/env python3
"""Measures the cost of each part of recording, on a machine with a GPU: one table.

    parts.py --warpsight PATH [--python PATH] [--rounds N] [--workloads mlp,item,resnet50]

Every workload of workloads.py runs without recording, with kernels and CUDA calls only, with PyTorch's
ops and modules only, with everything but modules, and with everything, one after the other in each
round. The agent is loaded as by `warpsight profile`, without an import at the end.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

from overhead import HERE, STEPS, last_json, print_table, run

# Runs workloads.py in a process that has removed a part of the recording.
WITHOUT_MODULES = """
import runpy, sys, torch
from warpsight import _module_ranges
_module_ranges.remove()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

PARTS = ["none", "kernels and calls", "ops and modules", "all but modules", "all"]


def environment(part, library, folder):
    variables = dict(os.environ)
    if part == "none":
        return variables
    agent = str(library / "libwarpsight_agent.so")
    variables.update(WARPSIGHT_CAPTURE=str(folder), WARPSIGHT_RUN="1", WARPSIGHT_AGENT=agent,
                     WARPSIGHT_OPTIONS="shapes")
    if part != "ops and modules":
        variables.update(CUDA_INJECTION64_PATH=agent, NVTX_INJECTION64_PATH=agent)
    if part != "kernels and calls":
        variables["PYTHONPATH"] = str(library / "python")
    return variables


def measure(options, part, workload):
    """The median time and the CPU time of a step, in ms."""
    library = pathlib.Path(options.warpsight).resolve().parent / "lib"
    script = [str(HERE / "workloads.py"), workload, "--steps", str(STEPS[workload])]
    if part == "all but modules":
        script = ["-c", WITHOUT_MODULES] + script
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        result = last_json(run([options.python, *script],
                               env=environment(part, library, folder)).stdout)
    finally:
        shutil.rmtree(folder)
    return statistics.median(result["steps"]), result["cpu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpsight", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workloads", default="mlp,item,resnet50,gpt2_batch8")
    options = parser.parse_args()
    rows = []
    for workload in options.workloads.split(","):
        measured = {part: [] for part in PARTS}
        for _ in range(options.rounds):
            for part in PARTS:
                measured[part].append(measure(options, part, workload))
                print("# %s, %s: %.2f ms, CPU %.2f ms" % (workload, part, *measured[part][-1]),
                      file=sys.stderr, flush=True)
        rows.append([workload] + ["%.2f (%.2f to %.2f), CPU %.2f" % (
            statistics.median(steps), min(steps), max(steps), statistics.median(cpu))
            for steps, cpu in (zip(*measured[part]) for part in PARTS)])
    print_table(["workload, ms a step"] + PARTS, rows)


if __name__ == "__main__":
    main()
