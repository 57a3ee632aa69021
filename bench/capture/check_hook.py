#!/usr/bin/env python3
"""The two hooks on PyTorch's ops, prebuilt and compiled, with the PyTorch of this machine.

    check_hook.py --warpsight PATH [--python PATH] [--only layout,probe,ops,cost] [--rounds N]

Needs PyTorch with its headers, a C++ compiler, and this repository's sources around this file; a GPU is
used where there is one.
  layout: compiles tests/torch_abi/layout_check.cc against PyTorch's headers: every size and offset
  probe:  the check that the prebuilt hook makes before it is used, some of its time, and which hook
          `warpsight profile` takes by itself
  ops:    records programs with each hook and compares the ops one by one
  cost:   a CPU-bound step without recording and with each hook in turn
Prints tables; exits with 1 where something differs.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from overhead import HERE, last_json, print_table, run

SOURCES = HERE.parents[1]
HOOKS = ("compiled", "prebuilt")

# A CPU-bound step of 24 small layers. The fastest twentieth is what the machine's noise leaves alone.
STEP = """
import json, sys, time, torch
torch.set_num_threads(1)
torch.manual_seed(0)
layers = [part for _ in range(24) for part in (torch.nn.Linear(64, 64), torch.nn.ReLU())]
model = torch.nn.Sequential(*layers)
optimizer = torch.optim.Adam(model.parameters(), foreach=False)
x, y = torch.randn(32, 64), torch.randn(32, 64)
times = []
for i in range(int(sys.argv[1])):
    begin = time.perf_counter()
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    times.append(1e3 * (time.perf_counter() - begin))
fastest = sorted(times)[:max(1, len(times) // 20)]
print(json.dumps({"fastest": sum(fastest) / len(fastest), "median": sorted(times)[len(times) // 2]}))
"""

PROBE = """
import ctypes, json, os, sys, time
import torch
sys.path.insert(0, os.environ["LIBRARY"] + "/python")
from warpsight import _prebuilt_hook as prebuilt
hook = ctypes.CDLL(os.environ["LIBRARY"] + "/libwarpsight_torch.so")
times, problem = [], None
try:
    for _ in range(5):
        begin = time.perf_counter()
        prebuilt._open(torch, hook)
        prebuilt._compare(prebuilt._probe(torch, hook))
        times.append(1e3 * (time.perf_counter() - begin))
except Exception as error:
    problem = str(error)
print(json.dumps({"version": torch.__version__, "problem": problem, "times": times,
                  "cxx11": bool(torch._C._GLIBCXX_USE_CXX11_ABI),
                  "cuda_was_started": torch.cuda.is_initialized()}))
"""

# Everything but times. Rows are numbered on their threads, since threads are not in step.
OPS = """
WITH r AS (SELECT *, rowid AS id, row_number() OVER (PARTITION BY thread_id ORDER BY rowid) AS n,
                  dense_rank() OVER (ORDER BY thread_id) AS thread,
                  dense_rank() OVER (ORDER BY forward_thread) AS other FROM host_ranges)
SELECT r.thread, r.n, name.text AS name, r.kind, r.direction, r.sequence, r.other,
       p.n AS parent, o.n AS op, f.thread AS forward_on, f.n AS forward,
       dims.text AS dims, types.text AS types, strides.text AS strides, inputs.text AS inputs
FROM r JOIN strings name ON name.id = r.name_id
LEFT JOIN r p ON p.id = r.parent_id LEFT JOIN r o ON o.id = r.op_id
LEFT JOIN r f ON f.id = r.forward_id LEFT JOIN signatures g ON g.rowid = r.signature_id
LEFT JOIN strings dims ON dims.id = g.input_dims_id
LEFT JOIN strings types ON types.id = g.input_types_id
LEFT JOIN strings strides ON strides.id = g.input_strides_id
LEFT JOIN strings inputs ON inputs.id = g.concrete_inputs_id ORDER BY r.thread, r.n
"""


def python(options, code, *arguments, **variables):
    return run([options.python, "-c", code, *arguments], env=dict(os.environ, **variables)).stdout


def torch_facts(options):
    """Where PyTorch is, how it was compiled, and whether it has a GPU."""
    return json.loads(python(options, """
import json, os, torch
print(json.dumps({"folder": os.path.dirname(os.path.abspath(torch.__file__)),
                  "cxx11": int(torch._C._GLIBCXX_USE_CXX11_ABI), "gpu": torch.cuda.is_available()}))
""").splitlines()[-1])


def check_layout(options, facts, folder):
    include = pathlib.Path(facts["folder"]) / "include"
    library = pathlib.Path(facts["folder"]) / "lib"
    program = folder / "layout_check"
    for standard in ("c++20", "c++17"):
        result = subprocess.run(
            [os.environ.get("CXX", "c++"), "-std=" + standard, "-O1", "-w", "-DNDEBUG",
             "-fno-access-control", "-D_GLIBCXX_USE_CXX11_ABI=%d" % facts["cxx11"],
             "-I", SOURCES / "python", "-isystem", include,
             "-isystem", include / "torch" / "csrc" / "api" / "include",
             "-isystem", "/usr/include/torch/csrc/api/include",
             SOURCES / "tests" / "torch_abi" / "layout_check.cc",
             SOURCES / "python" / "torch_abi" / "layout.cc", "-o", program, "-L", library,
             "-ltorch_cpu", "-lc10", "-Wl,-rpath," + str(library), "-Wl,--allow-shlib-undefined"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode == 0:
            break
    else:
        print(result.stdout[-4000:])
        return False
    result = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    print(result.stdout)
    return result.returncode == 0


def check_probe(options, folder):
    found = last_json(python(options, PROBE, LIBRARY=str(options.library)))
    print("probe: PyTorch %s, strings of the %s ABI: %s; %s ms; CUDA %s" % (
        found["version"], "new" if found["cxx11"] else "old", found["problem"] or "passed",
        ", ".join("%.1f" % time for time in found["times"]),
        "was started" if found["cuda_was_started"] else "was not started"))
    _, hook = record(options, folder, None, [SOURCES / "tests" / "torch_program.py", "fail"])
    print("hook that is taken: %s\n" % hook)
    return found["problem"] is None and not found["cuda_was_started"] and hook == "prebuilt"


def record(options, folder, hook, arguments):
    """The profile of a Python program, recorded with a hook, and the hook that was used."""
    profile = folder / "run.warpsight"
    variables = dict(os.environ)
    variables.pop("WARPSIGHT_TORCH_HOOK", None)
    if hook:
        variables["WARPSIGHT_TORCH_HOOK"] = hook
    run([options.warpsight, "profile", "--quiet", "--force", "-o", profile, "--", options.python,
         *arguments], env=variables)
    rows = query(options, profile, "SELECT DISTINCT v.text AS hook FROM metadata JOIN strings k ON "
                 "k.id = key_id JOIN strings v ON v.id = value_id WHERE k.text = 'torch_ops'")
    return profile, " ".join(row["hook"].strip('"') for row in rows)


def query(options, profile, sql):
    return json.loads(run([options.warpsight, "query", profile, sql, "--format", "json"]).stdout)


def programs(facts):
    for what in ("kinds", "train", "many_inside"):
        yield what, [SOURCES / "tests" / "torch_program.py", what]
    if facts["gpu"]:
        for name in ("gpt2", "mlp", "graph"):
            yield name + " on the GPU", [HERE / "workloads.py", name, "--steps", "3", "--warmup", "2"]


def check_ops(options, facts, folder):
    rows = []
    for name, arguments in programs(facts):
        recorded = {}
        for hook in HOOKS:
            profile, used = record(options, folder, hook, arguments)
            recorded[hook] = query(options, profile, OPS) if used == hook else []
        first, second = (recorded[hook] for hook in HOOKS)
        different = [pair for pair in zip(first, second) if pair[0] != pair[1]]
        good = bool(first) and len(first) == len(second) and not different
        rows.append([name, len(first), len(second), len(different), "yes" if good else "NO"])
        for pair in different[:5]:
            for hook, row in zip(HOOKS, pair):
                print("%s: %s" % (hook, json.dumps(row)))
    print_table(["program", "records, compiled", "records, prebuilt", "different", "same"],
                [list(map(str, row)) for row in rows])
    print()
    return all(row[-1] == "yes" for row in rows)


def one_cost(options, hook):
    """The step's times, and without an import of what was recorded."""
    variables = dict(os.environ)
    recording = pathlib.Path(tempfile.mkdtemp())
    if hook is not None:
        variables.update(WARPSIGHT_CAPTURE=str(recording), WARPSIGHT_RUN="1",
                         WARPSIGHT_AGENT=str(options.library / "libwarpsight_agent.so"),
                         WARPSIGHT_OPTIONS="shapes", WARPSIGHT_TORCH_HOOK=hook,
                         PYTHONPATH=str(options.library / "python"))
    try:
        return last_json(run([options.python, "-c", STEP, str(options.steps)], env=variables).stdout)
    finally:
        shutil.rmtree(recording)


def measure_cost(options, folder):
    script = folder / "step.py"
    script.write_text(STEP)
    profile, _ = record(options, folder, "prebuilt", [script, "20"])
    ops = query(options, profile, "SELECT count(*) // 20 AS n FROM host_ranges WHERE kind = 0")[0]["n"]
    results = {hook: [] for hook in (None, *HOOKS)}
    for _ in range(options.rounds):
        for hook, measured in results.items():
            measured.append(one_cost(options, hook))
    base = min(result["fastest"] for result in results[None])
    rows = []
    for hook, measured in results.items():
        fastest = min(result["fastest"] for result in measured)
        median = statistics.median(result["median"] for result in measured)
        rows.append([hook or "not recorded", "%.3f" % fastest,
                     " ".join("%.3f" % result["fastest"] for result in measured), "%.3f" % median,
                     "%.0f" % (1e6 * (fastest - base) / ops) if hook else "-"])
    print("cost: %d recorded ops per step, %d steps" % (ops, options.steps))
    print_table(["hook", "fastest twentieth, ms", "each round", "median, ms", "ns per op"], rows)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpsight", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="layout,probe,ops,cost")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    options = parser.parse_args()
    options.library = pathlib.Path(options.warpsight).resolve().parent / "lib"
    facts = torch_facts(options)
    folder = pathlib.Path(tempfile.mkdtemp())
    checks = {"layout": lambda: check_layout(options, facts, folder),
              "probe": lambda: check_probe(options, folder),
              "ops": lambda: check_ops(options, facts, folder),
              "cost": lambda: measure_cost(options, folder)}
    failed = [name for name in options.only.split(",") if not checks[name]()]
    shutil.rmtree(folder)
    print("\nfailed: %s" % ", ".join(failed) if failed else "\nall good")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
