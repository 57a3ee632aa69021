#!/usr/bin/env python3
"""Checks what a profile says of the program without recording, on a machine with a GPU.

    stretches.py --warpsight PATH [--python PATH] [--rounds N] [--steps N] [--workloads mlp,decode]

Each round runs every workload without a profiler, then under torch.profiler in the same process, and then recorded by
`warpsight profile` with its defaults. The table compares the clean step of the profile with the steps
of the run without a profiler, the whole recorded run with that run, and what recording adds to a step
with what torch.profiler (record_shapes=True) adds.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import statistics
import sys
import tempfile

from overhead import HERE, last_json, percent, print_table, run

STEPS = {"gpt2": 200, "gpt2_batch8": 200, "resnet50": 200, "mlp": 300, "item": 300, "graph": 3000, "decode": 400,
         "encoder": 400}


def record(options, profile, script):
    """The result of the program, and what the profile says."""
    output = run([options.warpsight, "profile", "--quiet", "-o", profile, "--", *script]).stdout
    info = json.loads(run([options.warpsight, "info", profile, "--format", "json"]).stdout)
    share = json.loads(run([options.warpsight, "query", profile, """
        SELECT sum(duration_ns) FILTER (op_id IS NOT NULL) / sum(duration_ns) AS share,
               count(DISTINCT iteration) AS iterations
        FROM kernels WHERE iteration IS NOT NULL""", "--format", "json"]).stdout)[0]
    return last_json(output), info, share


def measure(options, name, folder):
    steps = options.steps or STEPS[name]
    script = [options.python, str(HERE / "workloads.py"), name, "--steps", str(steps)]
    plain, whole, clean, added, added_torch, recorded_steps = [], [], [], [], [], []
    for number in range(options.rounds):
        base = last_json(run(script + ["--profiler", "torch-shapes"]).stdout)
        profile = folder / ("%s-%d.warpsight" % (name, number))
        result, info, share = record(options, profile, script)
        plain.append(statistics.mean(base["steps"]))
        whole.append(statistics.mean(result["steps"]))
        added_torch.append(statistics.median(base["profiled"]) - statistics.median(base["steps"]))
        if info["clean_step_ns"] is not None:
            clean.append(info["clean_step_ns"] / 1e6)
        if info["recording_added_ns"] is not None:
            added.append(info["recording_added_ns"] / 1e6)
        recorded_steps.append(share["iterations"])
        print("# %s: plain %.3f (median %.3f), whole %.3f, clean %s, recorded %s, torch %.3f, clean steps %s, %s" %
              (name, plain[-1], statistics.median(base["steps"]), whole[-1], info["clean_step_ns"],
               info["recorded_step_ns"], statistics.median(base["profiled"]), info["clean_steps"], share),
              file=sys.stderr, flush=True)
    median = statistics.median
    off = median(plain)
    return [name, "%d" % steps, "%.3f" % off,
            "%.3f (%+.1f %%)" % (median(clean), percent(median(clean) - off, off)) if clean else "-",
            "%.3f (%+.1f %%)" % (median(whole), percent(median(whole) - off, off)),
            "%+.3f" % median(added) if added else "-", "%+.3f" % median(added_torch),
            "%.2f" % (median(added) / median(added_torch)) if added and median(added_torch) > 0 else "-",
            "%d" % median(recorded_steps), "%.2f %%" % (100 * (share["share"] or 0))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpsight", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, help="of each workload")
    parser.add_argument("--workloads", default=",".join(STEPS))
    parser.add_argument("--keep", help="folder for the profiles")
    options = parser.parse_args()
    folder = pathlib.Path(options.keep or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    gpu = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).stdout
    print("%s, %s, %d rounds\n" % (datetime.date.today(), gpu.strip(), options.rounds), flush=True)
    rows = []
    for name in options.workloads.split(","):
        try:
            rows.append(measure(options, name, folder))
        except (Exception, SystemExit) as problem:  # the other rows are still wanted
            print("# %s: %s" % (name, problem), file=sys.stderr, flush=True)
    print_table(["workload", "steps", "plain step, ms", "clean step in the profile", "step of the whole recorded run",
                 "added by recording", "by torch.profiler", "ratio", "recorded iterations", "GPU time with an op"], rows)
    if not options.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
