#!/usr/bin/env python3
"""Measures how fast Warpsight turns a trace into a saved profile, and checks what it computed.

A real trace is grown to several sizes (grow_trace); each is imported several times on two cores,
the sizes in turns. The largest is also read by Python's json.load, imported from gzip, opened
again and reported. Every result is compared with that of the trace it was grown from. Ends with a
line per requirement, and exit code 1 if one failed. Described in docs/benchmarks.md.
"""

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRACE = ROOT / "tests/data/h200/gpt2_bf16.pt.trace.json.gz"
SIZES = [10, 30, 100, 300, 1000]
QUICK_SIZES = [10, 100]
CORES = 2
GZIP_LEVEL = 6
JSON_LOAD = "import json, sys; json.load(open(sys.argv[1]))"
# Values of `warpsight info` that must be k times as large for k copies. Idle time is not among
# them: there is a gap between two copies.
MULTIPLIED = ["kernels", "kernel_sum_ns", "copies", "ops", "api_calls", "gpu_busy_ns", "iterations",
              "unassociated_gpu_ns"]
UNCHANGED = ["iteration_source", "verdict", "problems"]
# Above this number of cores used by other processes, a measurement is not reliable.
BUSY = 0.15


@dataclass
class Run:
    """One run of a program."""
    wall: float  # s
    cpu: float  # s, user and system
    peak: int  # bytes of resident memory
    load: float  # 1-minute load average before the run
    others: float  # cores that other processes used during the run


@dataclass
class Runs:
    runs: list = field(default_factory=list)

    @property
    def best(self):
        return min(run.wall for run in self.runs)

    @property
    def median(self):
        return statistics.median(run.wall for run in self.runs)

    @property
    def cpu(self):
        return min(run.cpu for run in self.runs)

    @property
    def peak(self):
        return max(run.peak for run in self.runs)

    @property
    def others(self):
        return max(run.others for run in self.runs)

    def to_json(self):
        return {"best_s": self.best, "median_s": self.median, "cpu_s": self.cpu,
                "peak_bytes": self.peak, "runs": [asdict(run) for run in self.runs]}


@dataclass
class Grown:
    """A grown trace and its measurements."""
    path: Path
    profile: Path
    copies: int
    events: int
    bytes: int
    runs: Runs = field(default_factory=Runs)
    phases: list = field(default_factory=list)  # of each run: seconds by phase

    @property
    def megabytes(self):
        return self.bytes / 1e6


def fail(message):
    sys.exit(f"bench: {message}")


def say(message):
    """Prints progress, which is not part of the result."""
    print(f"[bench] {message}", file=sys.stderr, flush=True)


def use_two_cores():
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    os.sched_setaffinity(0, cores)
    return cores


def busy_seconds(cores):
    """The CPU time that all processes have used on these cores so far."""
    names = {f"cpu{core}" for core in cores}
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *values = line.split()
        if name in names:
            user, nice, system, _idle, _iowait, irq, softirq, *steal = map(int, values)
            ticks += user + nice + system + irq + softirq + (steal[0] if steal else 0)
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(command, cores, log):
    """Runs a command to its end; its output goes to the log."""
    load = os.getloadavg()[0]
    with open(log, "wb") as output:
        busy = busy_seconds(cores)
        begin = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        busy = busy_seconds(cores) - busy
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        text = log.read_text(errors="replace").strip()
        fail(f"exit code {process.returncode} from: {' '.join(map(str, command))}\n{text}")
    cpu = usage.ru_utime + usage.ru_stime
    return Run(wall, cpu, usage.ru_maxrss * 1024, load, max(0.0, (busy - cpu) / wall))


def output_of(command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(f"exit code {result.returncode} from: {' '.join(map(str, command))}\n"
             f"{(result.stdout + result.stderr).strip()}")
    return result.stdout


def grow(options, megabytes):
    """The trace grown to a size, made now or in an earlier run."""
    stem = f"{options.trace.name.split('.')[0]}_{megabytes}mb"
    path = options.data / f"{stem}.json"
    facts_path = options.data / f"{stem}.facts"
    stamp = [str(options.trace), options.trace.stat().st_mtime_ns, options.grow.stat().st_mtime_ns]
    try:
        facts = json.loads(facts_path.read_text())
        made = facts["stamp"] == stamp and path.stat().st_size == facts["bytes"]
    except (OSError, ValueError, KeyError):
        made = False
    if not made:
        say(f"growing {options.trace.name} to {megabytes} MB")
        path.with_suffix(".json.gz").unlink(missing_ok=True)
        facts = json.loads(output_of([options.grow, options.trace, "-o", path, "--mb", megabytes]))
        facts_path.write_text(json.dumps(facts | {"stamp": stamp}))
    profile = options.data / f"{stem}.warpsight"
    return Grown(path, profile, facts["copies"], facts["events"], facts["bytes"])


def compress(path):
    target = path.with_suffix(".json.gz")
    if not target.exists():
        say(f"compressing {path.name}")
        part = target.with_suffix(".part")
        with open(path, "rb") as plain, gzip.open(part, "wb", GZIP_LEVEL) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)
        part.rename(target)
    return target


def read_once(path):
    """Loads a file into the page cache, so that the disk is not measured."""
    with open(path, "rb", buffering=0) as file:
        block = bytearray(1 << 22)
        while file.readinto(block):
            pass


def info_of(options, path):
    return json.loads(output_of([options.program, "info", path, "--format", "json"]))


def wrong_results(grown, info, seed):
    """The differences from the trace that was repeated."""
    wanted = {"events": grown.events}
    wanted |= {key: seed[key] * grown.copies for key in MULTIPLIED}
    wanted |= {key: seed[key] for key in UNCHANGED}
    return [f"{key} is {info[key]}, not {value}" for key, value in wanted.items()
            if info[key] != value]


def check_grown(options, traces):
    """Compares the smallest grown trace with several copies with its original, event by event.
    Returns it and a description of the difference, if any; None if there is no such trace."""
    candidates = [grown for grown in traces if grown.copies > 1]
    if not candidates:
        return None, ""
    grown = min(candidates, key=lambda g: g.bytes)
    say(f"checking {grown.path.name} against {options.trace.name}")
    result = subprocess.run(
        [sys.executable, ROOT / "bench/check_grown_trace.py", options.trace, grown.path,
         str(grown.copies)], capture_output=True, text=True, check=False)
    return grown, "" if result.returncode == 0 else (result.stdout + result.stderr).strip()


def import_command(options, trace, profile):
    return [options.program, "import", trace, "-o", profile, "--timings"]


def phases_of(log):
    """Seconds of each phase, from what `import --timings` printed."""
    for line in log.read_text().splitlines():
        if line.startswith("reading "):
            return {part.split()[0]: float(part.split()[1]) for part in line.split(", ")}
    return {}


def measure_all(options, traces, cores):
    """Measures in rounds, so that other load on the machine affects all measurements alike."""
    largest = traces[-1]
    packed = compress(largest.path)
    packed_profile = options.data / "from_gzip.warpsight"
    log = options.data / "last_output.txt"
    extra = {name: Runs() for name in ("gzip", "open", "info", "report", "advise", "json_load")}

    def take(name, command):
        say(f"round {number + 1}: {name}")
        return measure(command, cores, log)

    for grown in traces:
        read_once(grown.path)
    for number in range(options.rounds):
        for grown in traces:
            grown.profile.unlink(missing_ok=True)
            command = import_command(options, grown.path, grown.profile)
            grown.runs.runs.append(take(f"import {grown.path.name}", command))
            grown.phases.append(phases_of(log))
        packed_profile.unlink(missing_ok=True)
        for name, command in (
                ("gzip", import_command(options, packed, packed_profile)),
                ("open", [options.program, "report", largest.profile, "--report", "trust"]),
                ("info", [options.program, "info", largest.profile]),
                ("report", [options.program, "report", largest.profile]),
                ("advise", [options.program, "advise", largest.profile])):
            extra[name].runs.append(take(name, command))
        # json.load is slow and steady: the first and the last round are enough.
        if not options.no_json_load and number in (0, options.rounds - 1):
            command = [sys.executable, "-c", JSON_LOAD, largest.path]
            extra["json_load"].runs.append(take("json.load", command))
    return extra, packed, packed_profile


def table(header, rows):
    cells = [header] + [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for row in cells:
        first, *rest = (cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths)))
        lines.append("  ".join([first, *rest]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def row(name, megabytes, events, runs, profile_bytes=None):
    return [name, f"{runs.best:.2f}", f"{runs.median:.2f}", f"{runs.cpu:.2f}",
            f"{megabytes / runs.best:.0f}", f"{events / runs.best / 1e6:.2f}",
            f"{runs.peak / 1e6:.0f}",
            "" if profile_bytes is None else f"{profile_bytes / events:.1f}",
            f"{max(run.load for run in runs.runs):.1f}", f"{runs.others:.2f}"]


def print_table(traces, extra, packed):
    largest = traces[-1]
    rows = [row(f"import {grown.megabytes:,.1f} MB, {grown.events:,} events", grown.megabytes,
                grown.events, grown.runs, grown.profile.stat().st_size) for grown in traces]
    names = {"gzip": f"import the largest from gzip, {packed.stat().st_size / 1e6:,.1f} MB",
             "json_load": "json.load of the largest in Python",
             "open": "loading all of the largest profile", "info": "info on the largest profile",
             "report": "report on the largest profile", "advise": "advise on the largest profile"}
    rows += [row(name, largest.megabytes, largest.events, extra[key])
             for key, name in names.items() if extra[key].runs]
    print(table(["", "best s", "median s", "CPU s", "MB/s", "M events/s", "peak MB", "B/event",
                 "load", "others"], rows))
    print("MB is 10^6 bytes of uncompressed trace; MB/s and events/s are of the best run. B/event: "
          "bytes of the profile.\nload: highest 1-minute load average before a run (it includes "
          "this benchmark). others: most cores\nthat other processes kept busy during a run.")


def requirements(traces, extra, checked, problem, wrong):
    """(what, measured, wanted, passed) of each requirement; times are those of the best runs."""
    largest = traces[-1]
    name = f"{largest.megabytes:,.0f} MB"
    base = largest.runs.best
    found = []

    def at_least(what, value, wanted):
        found.append((what, f"{value:.1f}x", f">= {wanted}x", value >= wanted))

    def at_most(what, value, wanted, unit="x"):
        found.append((what, f"{value:.2f}{unit}", f"<= {wanted}{unit}", value <= wanted))

    def right(what, is_right):
        found.append((what, "yes" if is_right else "NO", "yes", is_right))

    if extra["json_load"].runs:
        at_least(f"import of {name} faster than json.load", extra["json_load"].best / base, 12)
    at_most(f"peak memory of importing {name}, plain or gzipped",
            max(largest.runs.peak, extra["gzip"].peak) / 1e9, 2, " GB")
    at_most("analysis and advice against reading and saving",
            min((phases["analyzing"] + phases["advising"]) / (phases["reading"] + phases["saving"])
                for phases in largest.phases), 0.5)
    at_most("import of gzipped against plain", extra["gzip"].best / base, 1.5)
    at_least("loading all of the profile faster than importing", base / extra["open"].best, 5)
    for command in ("info", "report", "advise"):
        at_most(f"{command} on the profile of {name}", extra[command].best, 0.3, " s")
    if len(traces) > 1:
        per_mb = {grown.runs.best / grown.megabytes: grown for grown in traces[:-1]}
        cheapest = per_mb[min(per_mb)]
        at_most(f"linear: time per MB at {name} against {cheapest.megabytes:,.0f} MB",
                base / largest.megabytes / min(per_mb), 1.3)
    if checked:
        right(f"grown trace ({checked.megabytes:,.0f} MB) repeats the original event by event",
              not problem)
    right("every profile has the original's numbers times the copies", not any(wrong.values()))
    return found


def print_requirements(found):
    print(table(["requirement", "measured", "wanted", "result"],
                [[what, value, wanted, "PASS" if passed else "FAIL"]
                 for what, value, wanted, passed in found]))


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def parse_arguments():
    build = ROOT / os.environ.get("WARPSIGHT_BUILD_DIR", "build")
    parser = argparse.ArgumentParser(description="Measures Warpsight on large traces.")
    parser.add_argument("--quick", action="store_true", help="only 10 and 100 MB")
    parser.add_argument("--size", type=int, action="append", metavar="MB",
                        help="only this size; may be given several times")
    parser.add_argument("--rounds", type=int, default=3, help="times to measure each (default 3)")
    parser.add_argument("--trace", type=Path, default=TRACE, help="Kineto trace to grow")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers, too")
    parser.add_argument("--no-json-load", action="store_true", help="leave json.load out")
    parser.add_argument("--program", type=Path, default=build / "warpsight", help=argparse.SUPPRESS)
    parser.add_argument("--grow", type=Path, default=build / "bench/grow_trace",
                        help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, default=build / "bench-data", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for path in (options.program, options.grow, options.trace):
        if not path.exists():
            fail(f"{path} is missing; ./dev bench builds what it needs")
    if options.rounds < 1 or any(size < 1 for size in options.size or []):
        fail("--rounds and --size are at least 1")
    return options


def write_json(path, options, traces, extra, found):
    numbers = {
        "trace": options.trace.name, "cpu": cpu_name(), "python": platform.python_version(),
        "imports": [{"file": grown.path.name, "bytes": grown.bytes, "events": grown.events,
                     "copies": grown.copies, "profile_bytes": grown.profile.stat().st_size}
                    | grown.runs.to_json() for grown in traces],
        "largest": {name: runs.to_json() for name, runs in extra.items() if runs.runs},
        "requirements": [dict(zip(("what", "measured", "wanted", "passed"), entry))
                         for entry in found],
    }
    path.write_text(json.dumps(numbers, indent=2) + "\n")


def main():
    options = parse_arguments()
    options.data.mkdir(parents=True, exist_ok=True)
    cores = use_two_cores()
    load = os.getloadavg()
    sizes = sorted(set(options.size or (QUICK_SIZES if options.quick else SIZES)))
    traces = [grow(options, size) for size in sizes]
    checked, problem = check_grown(options, traces)
    seed = info_of(options, options.trace)
    extra, packed, packed_profile = measure_all(options, traces, cores)
    wrong = {grown.path.name: wrong_results(grown, info_of(options, grown.profile), seed)
             for grown in traces}
    wrong[packed.name] = wrong_results(traces[-1], info_of(options, packed_profile), seed)

    print(f"{options.trace.name}, grown; {cpu_name()}, {len(cores)} of {os.cpu_count()} cores; "
          f"Python {platform.python_version()}; load at start {load[0]:.1f}\n")
    print_table(traces, extra, packed)
    print()
    found = requirements(traces, extra, checked, problem, wrong)
    print_requirements(found)
    if problem:
        print(problem)
    for name, differences in wrong.items():
        for difference in differences:
            print(f"{name}: {difference}")
    others = max(runs.others for runs in [grown.runs for grown in traces] + list(extra.values())
                 if runs.runs)
    if others > BUSY:
        print(f"The machine was busy: up to {others:.1f} of {len(cores)} cores were used by other "
              "processes during a run. These times are too long; measure again when it is idle.")
    if options.json:
        write_json(options.json, options, traces, extra, found)
    return 0 if all(passed for *_, passed in found) else 1


if __name__ == "__main__":
    sys.exit(main())
