#!/usr/bin/env python3
"""Shows that the first SIGINT, SIGTERM or SIGHUP ends every command within a second.

Usage: interrupt.py PROGRAM [SECONDS]. Every command that opens files meets every kind of input on which it could
wait or work for long: a pipe without writer, a pipe whose writer is slow, a large import, a saved profile, an endless
query; and the viewer with open connections, a running query, an import
and aggregations. It must end within SECONDS (default 1.0), with 128 + the signal's number (the viewer: 0), and leave
neither files nor processes.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
TOKEN = "torture-interrupt-0123456789abcdef0123456789"
ENDLESS = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))"


def commands(program, path, out):
    """The commands that open `path`, by name."""
    return {
        "import": [program, "import", path, "-o", out],
        "report": [program, "report", path],
        "advise": [program, "advise", path],
        "whatif": [program, "whatif", path, "--no-syncs"],
        "info": [program, "info", path],
        "export": [program, "export", path, "-o", out],
        "export chrome": [program, "export", path, "--to", "chrome", "-o", out],
        "export parquet": [program, "export", path, "--to", "parquet", "-o", out],
        "query": [program, "query", path, ENDLESS],
    }


def make_trace(path, events):
    """A Chrome trace that takes a while to import."""
    with open(path, "w", encoding="ascii") as file:
        file.write('{"traceEvents": [\n')
        for i in range(events):
            file.write('{"ph": "X", "cat": "cpu_op", "name": "op%d", "pid": 1, "tid": %d, "ts": %d, "dur": 5},\n'
                       % (i % 1000, i % 4, i * 10))
        file.write('{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 5}]}\n')


def children_of(process):
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            pass
    return found


def running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_start(process):
    """Waits until the program handles signals; before that, the system ends it."""
    for _ in range(2000):
        try:
            masks = [line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines()
                     if line.startswith("SigBlk:")]
        except OSError:
            return
        if not masks or int(masks[0].split()[1], 16) >> (signal.SIGINT - 1) & 1 or process.poll() is not None:
            return
        time.sleep(0.005)


class Torture:
    def __init__(self, program, seconds):
        self.program, self.seconds = program, seconds
        self.folder = Path(tempfile.mkdtemp(prefix="warpsight-interrupt-"))
        self.temporary = self.folder / "tmp"
        self.outputs = self.folder / "out"
        self.failures, self.longest, self.runs = [], 0.0, 0
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), WARPSIGHT_TOKEN=TOKEN)

    def start(self, command, **streams):
        shutil.rmtree(self.temporary, ignore_errors=True)
        shutil.rmtree(self.outputs, ignore_errors=True)
        self.temporary.mkdir()
        self.outputs.mkdir()
        streams.setdefault("stdout", subprocess.DEVNULL)
        # A shell ignores these signals in background processes.
        reset = lambda: [signal.signal(number, signal.SIG_DFL) for number in SIGNALS]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=self.environment, preexec_fn=reset, **streams)

    def check_end(self, name, process, number, expected):
        """Sends the signal and checks how the program ends and what it leaves behind."""
        workers = children_of(process.pid)
        begin = time.monotonic()
        process.send_signal(number)
        try:
            code = process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        took = time.monotonic() - begin
        time.sleep(0.05)
        self.runs += 1
        self.longest = max(self.longest, took)
        problems = []
        if took > self.seconds:
            problems.append(f"took {took:.2f} s")
        if code not in expected:
            problems.append(f"exit code {code}")
        # A program that ended before the signal has written its output.
        folders = [self.temporary] if code == 0 else [self.temporary, self.outputs]
        left = [str(path) for folder in folders for path in folder.rglob("*")]
        if left:
            problems.append(f"left {left}")
        if any(running(worker) for worker in workers):
            problems.append("a child process still runs")
        print(f"{name:58} {took * 1000:5.0f} ms, exit code {code}{'; ' if problems else ''}{'; '.join(problems)}")
        if problems:
            self.failures.append(name)

    def commands_on(self, what, path, delay, expected=lambda number: [128 + number]):
        for name, command in commands(self.program, str(path), str(self.outputs / "o")).items():
            for number in SIGNALS:
                if not os.path.exists(path):
                    raise SystemExit(f"{path} is gone")
                process = self.start(command)
                wait_for_start(process)
                time.sleep(delay)
                self.check_end(f"{name}, {what}, {number.name}", process, number, expected(number))

    def pipes(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        # If pipes are rejected immediately, there is nothing to interrupt.
        self.commands_on("a pipe without writer", pipe, 0.3, lambda number: [128 + number, 1])
        writer = os.open(pipe, os.O_RDWR)
        stop = threading.Event()

        def write_slowly():
            os.write(writer, b'{"traceEvents": [')
            while not stop.wait(0.1):
                os.write(writer, b" ")

        thread = threading.Thread(target=write_slowly)
        thread.start()
        self.commands_on("a pipe with a slow writer", pipe, 0.3, lambda number: [128 + number, 1])
        stop.set()
        thread.join()
        os.close(writer)

    def large_import(self):
        trace = self.folder / "large.json"
        make_trace(trace, 2_000_000)
        begin = time.monotonic()
        subprocess.run([self.program, "info", trace], stdout=subprocess.DEVNULL, check=True)
        whole = time.monotonic() - begin
        # query takes profiles only
        for share in (0.1, 0.5, 0.9):
            self.commands_on(f"a large import at {share:.0%}", trace, whole * share,
                             lambda number: [128 + number, 0, 1])

    def saved_profile(self, profile):
        # import rejects saved profiles.
        self.commands_on("a saved profile", profile, 0.02, lambda number: [128 + number, 0, 1])
        process = self.start([self.program, "query", profile, ENDLESS])
        for number in SIGNALS:
            time.sleep(0.5)
            if process.poll() is not None:
                self.failures.append("an endless query ended")
            self.check_end(f"query, endless, {number.name}", process, number, [128 + number])
            process = self.start([self.program, "query", profile, ENDLESS])
        process.kill()
        process.wait()

    def ask(self, address, path, body=None, timeout=5):
        base = address.partition("?")[0]
        headers = {"Authorization": f"Bearer {TOKEN}"}
        if body is not None:
            headers["Content-Type"] = "text/plain"
        request = urllib.request.Request(base.rstrip("/") + path, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)

    def viewer(self, profile):
        large = self.folder / "large.json"
        for number in SIGNALS:
            process = self.start([self.program, "view", str(profile), str(large), "-p", str(20000 + os.getpid() % 20000)],
                                 stdout=subprocess.PIPE, text=True)
            address = ""
            while not address.startswith("http"):
                address = process.stdout.readline().strip()
                if not address:
                    raise SystemExit("the viewer did not start")
            threads = []
            for _ in range(100):
                if self.ask(address, "/api/profiles")["profiles"][0]["state"] == "ready":
                    break
                time.sleep(0.05)

            def query():
                try:
                    self.ask(address, f"/api/profiles/{Path(profile).stem}/sql", ENDLESS.encode())
                except OSError:
                    pass

            for _ in range(2):
                threads.append(threading.Thread(target=query))
                threads[-1].start()
            time.sleep(0.5)
            self.check_end(f"view, two queries and an import, {number.name}", process, number, [0])
            for thread in threads:
                thread.join()
            process.stdout.close()


def main():
    program = os.path.abspath(sys.argv[1])
    torture = Torture(program, float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
    try:
        small = torture.folder / "small.json"
        make_trace(small, 1000)
        profile = torture.folder / "small.warpsight"
        subprocess.run([program, "import", small, "-o", profile], stdout=subprocess.DEVNULL, check=True)
        torture.pipes()
        torture.large_import()
        torture.saved_profile(profile)
        torture.viewer(profile)
    finally:
        shutil.rmtree(torture.folder, ignore_errors=True)
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{torture.runs} interruptions, the longest took {torture.longest * 1000:.0f} ms; "
          f"{len(torture.failures)} failed")
    return 1 if torture.failures else 0


if __name__ == "__main__":
    sys.exit(main())
