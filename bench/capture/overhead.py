#!/usr/bin/env python3
"""Measures the cost of recording and checks that nothing is missing: one table, on a machine with a GPU.

    overhead.py --warpsight PATH [--python PATH] [--rounds N] [--workloads gpt2,mlp] [--launches PATH]

Each round runs every workload without a profiler and then under torch.profiler (record_shapes=True) in
one process, and recorded by `warpsight profile` in the next, so that a change in the
machine's speed affects all of them.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STEPS = {"gpt2": 30, "gpt2_batch8": 30, "resnet50": 30, "mlp": 60, "item": 40, "graph": 200, "decode": 60,
         "encoder": 60}


def run(command, **kwargs):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            timeout=300, **kwargs)
    if result.returncode != 0:
        sys.exit("%s failed with %d\n%s%s" % (" ".join(map(str, command)), result.returncode,
                                             result.stdout, result.stderr))
    return result


def last_json(text):
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    sys.exit("no result in: " + text)


class Recorder:
    def __init__(self, options, folder):
        self.warpsight, self.folder, self.count = options.warpsight, folder, 0

    def record(self, command, *flags):
        """Records a command; returns its output and the path of the profile."""
        self.count += 1
        profile = self.folder / ("%d.warpsight" % self.count)
        result = run([self.warpsight, "profile", "--quiet", "--record", "all", "-o", profile, *flags,
                      "--", *command])
        return result.stdout, profile

    def query(self, profile, sql):
        text = run([self.warpsight, "query", profile, sql, "--format", "json"]).stdout
        return list(json.loads(text)[0].values())

    def facts(self, profile):
        names = ("launches", "kernels", "graph_kernels", "dropped")
        sql = "SELECT " + ", ".join(
            "(SELECT max(value) FROM properties WHERE key = '%s') AS %s" % (name, name)
            for name in names)
        return {name: int(str(value).strip('"')) for name, value in zip(names, self.query(profile, sql))}

    def attribution(self, profile):
        """The share of GPU time with a known op, and the numbers of kernels and iterations."""
        return self.query(profile, """
            SELECT sum(CASE WHEN g.op_id IS NOT NULL OR e.op_name_id <> 0 THEN g.duration_ns
                       ELSE 0 END) / sum(g.duration_ns),
                   count(*) FILTER (g.kind = 0),
                   (SELECT count(*) FROM iterations)
            FROM gpu_activities g LEFT JOIN gpu_extras e ON e.rowid = g.extra_id""")

    def per_step(self, profile):
        """The median number of kernels and their median time in ms per iteration, without warm-up."""
        return self.query(profile, """
            SELECT median(n), median(ms) FROM (
              SELECT count(*) AS n, sum(duration_ns) / 1e6 AS ms FROM kernels
              WHERE iteration >= 5 GROUP BY iteration)""")


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def workloads(options, recorder):
    rows = []
    for name in options.workloads.split(","):
        script = [options.python, str(HERE / "workloads.py"), name, "--steps", str(STEPS[name])]
        plain, torch_profiler, ours, kernels, kernel_ms = [], [], [], [], []
        cpu, cpu_torch, cpu_ours = [], [], []
        for _ in range(options.rounds):
            base = last_json(run(script + ["--profiler", "torch-shapes"]).stdout)
            plain += base["steps"]
            torch_profiler += base["profiled"]
            kernels.append(base["kernels"])
            kernel_ms.append(base["kernel_ms"])
            cpu.append(base["cpu"])
            cpu_torch.append(base["profiled_cpu"])
            output, profile = recorder.record(script)
            recorded = last_json(output)
            ours += recorded["steps"]
            cpu_ours.append(recorded["cpu"])
            print("# %s: %.2f, recorded %.2f, torch.profiler %.2f; CPU %.2f, %.2f, %.2f" %
                  (name, *map(statistics.median, (base["steps"], recorded["steps"], base["profiled"])),
                   base["cpu"], recorded["cpu"], base["profiled_cpu"]), file=sys.stderr, flush=True)
        off = statistics.median(plain)
        added = statistics.median(ours) - off
        added_torch = statistics.median(torch_profiler) - off
        facts = recorder.facts(profile)
        share, recorded, iterations = recorder.attribution(profile)
        own_kernels, own_ms = recorder.per_step(profile)
        rows.append([name, "%.2f" % off, "%+.2f (%+.1f %%)" % (added, percent(added, off)),
                     "%+.2f (%+.1f %%)" % (added_torch, percent(added_torch, off)),
                     "%.2f" % (added / added_torch) if added_torch > 0 else "-",
                     "%.1f / %.1f / %.1f" % tuple(map(statistics.median, (cpu, cpu_ours, cpu_torch))),
                     "%d / %d" % (facts["kernels"] + facts["graph_kernels"], recorded),
                     "%d" % facts["launches"], "%d" % facts["dropped"],
                     "%.2f %%" % (100 * share), "%d" % iterations,
                     "%.1f / %.1f" % (own_kernels, statistics.median(kernels)),
                     "%.3f / %.3f" % (own_ms, statistics.median(kernel_ms))])
        print("# " + " | ".join(rows[-1]), file=sys.stderr, flush=True)
        shutil.copy(profile, recorder.folder / (name + ".warpsight"))
    print_table(["workload", "step, ms", "recorded", "torch.profiler", "ratio",
                 "CPU ms a step: none / ours / torch.profiler", "kernels sent / in profile",
                 "launches", "dropped", "GPU time with an op", "iterations", "kernels a step: ours / torch.profiler",
                 "kernel ms a step: ours / torch.profiler"],
                rows)


def launches(options, recorder):
    rows = []
    for arguments in (["plain", "1000000"], ["plain", "640000", "64"]):
        off, on = [], []
        for _ in range(min(options.rounds, 2)):
            off.append(float(run([options.launches, *arguments]).stdout.split()[-1]))
            output, profile = recorder.record([options.launches, *arguments])
            on.append(float(output.split()[-1]))
        facts = recorder.facts(profile)
        made = int(output.split()[1])
        recorded = recorder.attribution(profile)[1]
        rows.append([" ".join(arguments), "%.0f" % min(off), "%.0f" % min(on), "%d" % made,
                     "%d" % recorded, "%d" % facts["dropped"]])
    for arguments in (["graph", "5000"], ["nosync", "20000"]):
        output, profile = recorder.record([options.launches, *arguments])
        rows.append([" ".join(arguments), "-", "-", output.split()[1],
                     "%d" % recorder.attribution(profile)[1],
                     "%d" % recorder.facts(profile)["dropped"]])
    print_table(["launches", "ns each", "ns each, recorded", "made", "in profile", "dropped"], rows)


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpsight", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workloads", default="gpt2,gpt2_batch8,resnet50,mlp,item,graph")
    parser.add_argument("--launches", help="the program built from launches.cu")
    parser.add_argument("--keep", help="folder for the profiles")
    options = parser.parse_args()
    folder = pathlib.Path(options.keep or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    recorder = Recorder(options, folder)
    gpu = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]).stdout
    print("%s, %s, %d rounds\n" % (datetime.date.today(), gpu.strip(), options.rounds))
    workloads(options, recorder)
    if options.launches:
        launches(options, recorder)
    if not options.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
