#!/usr/bin/env python3
"""Measures how fast Warpsight imports traces that are not JSON, and checks what it computed.

Real files are grown (grow_nsys.py, grow_xplane.py); each is imported several times on two cores,
taking turns. Ends with a line per requirement, and exit code 1 if one failed. Described in
docs/benchmarks.md.
"""

import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import grow_nsys  # noqa: E402
import grow_xplane  # noqa: E402
import run  # noqa: E402

MEGABYTES = 250
OURS = run.ROOT / "tests/data/h200"
OTHERS = Path(os.environ.get("WARPSIGHT_SHARED", run.ROOT.parent / "shared")) / "traces/public"
MULTIPLIED = ["kernels", "kernel_sum_ns", "copies", "api_calls"]


@dataclass
class Input:
    seed: Path
    grower: object  # module
    wanted: int  # MB/s
    path: Path = None
    copies: int = 0
    runs: run.Runs = field(default_factory=run.Runs)
    reading: list = field(default_factory=list)  # s

    @property
    def name(self):
        return self.seed.name.split(".")[0]

    @property
    def megabytes(self):
        return self.path.stat().st_size / 1e6


def inputs():
    """The existing files; those of other projects are not part of the repository."""
    found = []
    for seed, grower, wanted in ((OTHERS / "nsys_2026_2gpu_nccl.sqlite.gz", grow_nsys, 150),
                                 (OTHERS / "tf_v100_multi_worker.xplane.pb.gz", grow_xplane, 200),
                                 (OURS / "jax_mlp.xplane.pb", grow_xplane, 200)):
        if seed.exists():
            found.append(Input(seed, grower, wanted))
        else:
            run.say(f"skipped, since it does not exist: {seed.name}")
    return found


def prepare(options, source):
    """Grows a file, now or in an earlier run."""
    stem = options.data / f"{source.name}_{options.size}mb"
    source.path, facts = stem.with_suffix(".grown"), stem.with_suffix(".copies")
    stamp = f"{source.seed.stat().st_mtime_ns} {Path(source.grower.__file__).stat().st_mtime_ns}"
    if not facts.exists() or facts.read_text().split("\n")[0] != stamp:
        run.say(f"growing {source.seed.name} to {options.size} MB")
        copies = source.grower.grow(source.seed, source.path, options.size)
        facts.write_text(f"{stamp}\n{copies}\n")
    source.copies = int(facts.read_text().split("\n")[1])
    run.read_once(source.path)


def wrong_results(options, source, profile):
    seed, grown = run.info_of(options, source.seed), run.info_of(options, profile)
    return [f"{source.name}: {key} is {grown[key]}, not {seed[key] * source.copies}"
            for key in MULTIPLIED if grown[key] != seed[key] * source.copies]


def main():
    build = run.ROOT / os.environ.get("WARPSIGHT_BUILD_DIR", "build")
    parser = argparse.ArgumentParser(description="Measures imports of traces that are not JSON.")
    parser.add_argument("--size", type=int, default=MEGABYTES, metavar="MB")
    parser.add_argument("--rounds", type=int, default=3, help="times to measure each (default 3)")
    parser.add_argument("--program", type=Path, default=build / "warpsight", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, default=build / "bench-data", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    cores = run.use_two_cores()
    sources = inputs()
    for source in sources:
        prepare(options, source)
    log, wrong = options.data / "last_output.txt", []
    for number in range(options.rounds):
        for source in sources:
            run.say(f"round {number + 1}: import {source.path.name}")
            profile = options.data / "from_format.warpsight"
            command = run.import_command(options, source.path, profile)
            source.runs.runs.append(run.measure(command, cores, log))
            source.reading.append(run.phases_of(log)["reading"])
            if number == 0:
                wrong += wrong_results(options, source, profile)

    rows, found = [], []
    for source in sources:
        events = run.info_of(options, source.path)["events"]
        reading = source.megabytes / min(source.reading)
        rows.append([source.name, f"{source.megabytes:.0f}", f"{events / 1e6:.2f}",
                     f"{min(source.reading):.2f}", f"{reading:.0f}", f"{source.runs.best:.2f}",
                     f"{source.megabytes / source.runs.best:.0f}",
                     f"{events / source.runs.best / 1e6:.2f}", f"{source.runs.peak / 1e6:.0f}",
                     f"{source.runs.others:.2f}"])
        found.append((f"{source.name}: reading", f"{reading:.0f} MB/s",
                      f">= {source.wanted} MB/s", reading >= source.wanted))
    found.append(("kernels, their time, copies and API calls are the original's times the copies",
                  "NO" if wrong else "yes", "yes", not wrong))
    print(run.table(["", "MB", "M events", "reading s", "MB/s", "import s", "MB/s", "M events/s",
                     "peak MB", "others"], rows))
    print("Reading makes the model; import also analyses, advises and saves.\n")
    run.print_requirements(found)
    print("\n".join(wrong))
    return 0 if all(passed for *_, passed in found) else 1


if __name__ == "__main__":
    sys.exit(main())
