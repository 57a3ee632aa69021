#!/usr/bin/env python3
"""Shows that writers never share temporary files and that killed ones leave nothing half-written or behind.

Usage: outputs.py PROGRAM
1. Rounds of 8 imports at once, each in its own namespace of process ids, so that all have the same id, into one
   folder: every profile must hold its own trace, and nothing else may be left there.
2. 50 imports, exports and folders of reports that are killed at random moments, by SIGKILL and SIGHUP in turns: the
   output from before must be whole, or the new one; after the next save nothing may be left but the outputs.
Prints what it measured. Exit code 0: all good; 1: something was lost or left; 77: namespaces are not permitted here
(then only the second part runs).
"""

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

IMPORTS_AT_ONCE = 8
ROUNDS = 5
KILLS = 50
EVENTS = 150_000
MOST_PROBLEMS = 20  # that are printed
ISOLATED = ["unshare", "-p", "-f", "--mount-proc"]


def write_trace(path, name, events):
    """A trace with one GPU and `events` kernels that carry the name."""
    records = [{"ph": "X", "cat": "kernel", "name": f"{name}_{i % 50}", "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
                "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(events)]
    path.write_text(json.dumps({"traceEvents": records}), encoding="utf-8")


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def kernel_of(program, profile):
    """The name of all kernels of the profile, or a description of the problem."""
    result = run([program, "query", str(profile), "--format", "csv",
                  "SELECT DISTINCT regexp_replace(name, '_[0-9]+$', '') FROM kernels"])
    return result.stdout.splitlines()[1:] if result.returncode == 0 else [result.stderr.strip()]


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def namespaces_permitted():
    try:
        return run(ISOLATED + ["true"]).returncode == 0
    except FileNotFoundError:
        return False


def import_at_once(program, folder):
    """Returns a list of problems."""
    problems = []
    traces = folder / "traces"
    shared = folder / "shared"
    traces.mkdir()
    shared.mkdir()
    for i in range(IMPORTS_AT_ONCE):
        write_trace(traces / f"t{i}.json", f"kernel{i}", 5_000 + 1_000 * i)
    for _ in range(ROUNDS):
        writers = [subprocess.Popen(ISOLATED + [program, "import", str(traces / f"t{i}.json"), "-o",
                                                str(shared / f"{i}.warpsight")],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                   for i in range(IMPORTS_AT_ONCE)]
        for i, writer in enumerate(writers):
            _, errors = writer.communicate(timeout=300)
            if writer.returncode != 0:
                problems.append(f"import {i} ended with {writer.returncode}: {errors.strip()}")
        for i in range(IMPORTS_AT_ONCE):
            held = kernel_of(program, shared / f"{i}.warpsight")
            if held != [f"kernel{i}"]:
                problems.append(f"{i}.warpsight holds {held}")
        expected = sorted(f"{i}.warpsight" for i in range(IMPORTS_AT_ONCE))
        if names_in(shared) != expected:
            problems.append(f"left behind: {set(names_in(shared)) - set(expected)}")
    print(f"{ROUNDS} rounds of {IMPORTS_AT_ONCE} imports with equal process ids: {len(problems)} problems")
    return problems


def commands(program, trace, folder):
    """The commands to kill: (command, output, check that the output is complete)."""
    profile, page, reports = folder / "run.warpsight", folder / "run.json", folder / "reports"

    def profile_is_whole():
        return run([program, "info", str(profile)]).returncode == 0

    def json_is_whole():
        json.loads(page.read_text(encoding="utf-8"))
        return True

    def reports_are_whole():
        return all(json.loads(file.read_text(encoding="utf-8"))["report"] == file.stem
                   for file in reports.iterdir() if not file.name.startswith("."))

    return [
        ([program, "import", str(trace), "-o", str(profile)], profile, profile_is_whole),
        ([program, "export", str(trace), "--to", "chrome", "-o", str(page)], page, json_is_whole),
        ([program, "report", str(trace), "--format", "json", "-o", str(reports)], reports, reports_are_whole),
    ]


def leftovers(folder):
    return [str(path.relative_to(folder)) for path in folder.rglob(".warpsight-*")]


def kill_writers(program, folder):
    """Returns a list of problems."""
    problems = []
    chooser = random.Random(16)
    out = folder / "killed"
    out.mkdir()
    trace = folder / "long.json"
    write_trace(trace, "kernel", EVENTS)
    targets = commands(program, str(trace), out)
    durations = []
    for command, _, is_whole in targets:
        begin = time.monotonic()
        result = run(command)
        durations.append(time.monotonic() - begin)
        if result.returncode != 0 or not is_whole():
            return [f"{command} failed: {result.stderr.strip()}"]
    killed = left = 0
    for i in range(KILLS):
        which = i % len(targets)
        command, output, is_whole = targets[which]
        death = signal.SIGKILL if i % 2 == 0 else signal.SIGHUP
        writer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chooser.uniform(0.3, 1.0) * durations[which])
        if writer.poll() is None:
            killed += 1
            writer.send_signal(death)
        writer.wait(timeout=300)
        left += len(leftovers(out))
        try:
            whole = is_whole()
        except (OSError, ValueError, KeyError) as error:
            whole = False
            print(error)
        if not whole:
            problems.append(f"kill {i} ({death.name}) of {command[1]}: {output.name} is not whole")
    for command, _, _ in targets:
        result = run(command)
        if result.returncode != 0:
            problems.append(f"after the kills {command[1]} failed: {result.stderr.strip()}")
    if leftovers(out):
        problems.append(f"left behind after the next save: {leftovers(out)}")
    expected = sorted(output.name for _, output, _ in targets)
    if names_in(out) != expected:
        problems.append(f"the folder holds {names_in(out)}, not {expected}")
    print(f"{KILLS} kills, {killed} of them before the end, {left} times something was left until the next save: "
          f"{len(problems)} problems")
    return problems


def main():
    program = str(Path(sys.argv[1]).resolve())
    folder = Path(tempfile.mkdtemp(prefix="warpsight-outputs-"))
    try:
        isolated = namespaces_permitted()
        problems = import_at_once(program, folder) if isolated else []
        problems += kill_writers(program, folder)
    finally:
        shutil.rmtree(folder)
    for problem in problems[:MOST_PROBLEMS]:
        print(f"BAD: {problem}")
    if problems:
        return 1
    if not isolated:
        print("skipped the imports with equal process ids: namespaces of process ids are not permitted here")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
