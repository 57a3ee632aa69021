#!/usr/bin/env python3
"""Checks that no SQL statement can end, block or fill up the viewer.

Usage: sql.py PROGRAM. Sends statements to a viewer that crash DuckDB, take gigabytes, never end or print, two at a
time, and asks it for a profile's dashboard meanwhile. Every statement must be answered within its limits, honest
answers must come within a second (p99), the viewer and its processes together must stay below a memory limit, its
terminal must stay clean, and Ctrl-C must end it within a second while two endless statements run.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

TOKEN = "torture-sql-0123456789abcdef0123456789abcdef"
# The viewer itself stays below 200 MB; each of two statements may take 576 MB.
MOST_MEMORY = 1400 << 20
LONGEST_STATEMENT = 12.0

HOSTILE = {
    "deep JSON": "SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))",
    "deep JSON in the statement": "SELECT json_structure('" + "[" * 30000 + "]" * 30000 + "')",
    "deep JSON objects": "SELECT json_keys(repeat('{\"a\":', 500000) || '1' || repeat('}', 500000))",
    "deep lists": "SELECT " + "[" * 20000 + "1" + "]" * 20000,
    "deep parentheses": "SELECT " + "(" * 30000 + "1" + ")" * 30000,
    "deep unary": "SELECT " + "- " * 30000 + "1",
    "deep CASE": "SELECT " + "CASE WHEN true THEN " * 2000 + "1" + " END" * 2000,
    "auto complete": "SELECT * FROM sql_auto_complete(repeat('SELECT (', 3000))",
    "auto complete, parentheses": "SELECT * FROM sql_auto_complete('SELECT ' || repeat('(', 100000))",
    "levenshtein": "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))",
    "damerau levenshtein": "SELECT damerau_levenshtein(repeat('ab', 100000), repeat('ba', 100000))",
    "jaro winkler": "SELECT jaro_winkler_similarity(repeat('ab', 1000000), repeat('ba', 1000000))",
    "list_transform": "SELECT list_transform(range(100000000), x -> x + 1)[1]",
    "list_transform, lists": "SELECT list_transform(range(10000000), x -> range(100))[1]",
    "range": "SELECT range(10000000000)",
    "repeat": "SELECT length(repeat('x', 4000000000))",
    "string_agg": "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(10000000)",
    "list": "SELECT list(range) FROM range(1000000000)",
    "distinct": "SELECT count(*) FROM (SELECT DISTINCT hash(range)::VARCHAR || repeat('x', 100) FROM range(100000000))",
    "sort": "SELECT * FROM range(1000000000) ORDER BY hash(range) LIMIT 1 OFFSET 900000000",
    "endless recursion": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n % 2 FROM t) SELECT max(n) FROM t",
    "growing recursion": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t, range(2)) SELECT max(n) FROM t",
    "cross product": "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
    "regular expression": "SELECT regexp_matches(repeat('a', 1000000), '(a?){1000}(a){1000}')",
    "profiling": "PRAGMA enable_profiling; SELECT 'printed-by-profiling'",
    "profiling tree": "PRAGMA enable_profiling='query_tree_optimizer'; SELECT 'printed-by-profiling'",
    "progress bar": "PRAGMA enable_print_progress_bar; SELECT 'printed-by-bar'",
    "logging": "CALL enable_logging(storage = 'stdout'); SELECT 'printed-by-log'",
    "logging, all": "CALL enable_logging(level = 'trace', storage = 'stdout'); SELECT 'printed-by-log'",
}
ALLOWED = {200, 400, 408, 503}


class Viewer:
    def __init__(self, program, profile, folder):
        self.terminal = open(Path(folder) / "terminal", "w+b")
        port = 20000 + os.getpid() % 20000
        self.process = subprocess.Popen(
            [program, "view", str(profile), "-p", str(port)], stdout=self.terminal, stderr=self.terminal,
            stdin=subprocess.DEVNULL, env=dict(os.environ, WARPSIGHT_TOKEN=TOKEN),
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.base = ""
        for _ in range(200):
            time.sleep(0.05)
            for word in self.printed().split():
                if word.startswith("http"):
                    self.base = word.partition("?")[0].rstrip("/")
            if self.base and "Ctrl-C" in self.printed():
                break
        for _ in range(200):
            if json.loads(self.ask("/api/profiles")[1])["profiles"][0]["state"] == "ready":
                return
            time.sleep(0.05)
        raise SystemExit("the viewer did not open the profile")

    def printed(self):
        self.terminal.seek(0)
        return self.terminal.read().decode("utf-8", "replace")

    def ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        if body is not None:
            headers["Content-Type"] = "text/plain"
        request = urllib.request.Request(self.base + path, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError as error:  # the viewer has ended
            return 0, json.dumps({"code": str(error)}).encode()

    def memory(self):
        """The memory of the viewer and its child processes."""
        total = 0
        processes = [self.process.pid]
        for task in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            try:
                processes += [int(child) for child in task.read_text().split()]
            except OSError:
                pass
        for process in processes:
            try:
                total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
            except (OSError, IndexError):
                pass
        return total


class Watch(threading.Thread):
    """Sends normal requests and measures the memory until it is stopped."""

    def __init__(self, viewer, path):
        super().__init__()
        self.viewer, self.path = viewer, path
        self.times, self.bad, self.memory, self.done = [], [], 0, threading.Event()

    def run(self):
        while not self.done.is_set():
            begin = time.monotonic()
            status = self.viewer.ask(self.path)[0]
            self.times.append(time.monotonic() - begin)
            if status != 200:
                self.bad.append(status)
            self.memory = max(self.memory, self.viewer.memory())
            time.sleep(0.02)


def send_all(viewer, name, failures):
    """Sends two hostile statements at a time, which is as many as run concurrently."""
    waiting = list(HOSTILE.items())
    lock = threading.Lock()

    def send():
        while True:
            with lock:
                if not waiting:
                    return
                what, sql = waiting.pop()
            begin = time.monotonic()
            status, body = viewer.ask(f"/api/profiles/{name}/sql", sql.encode())
            took = time.monotonic() - begin
            code = json.loads(body).get("code", "") if status != 200 else ""
            print(f"{what:30} {took:6.2f} s  {status} {code}", flush=True)
            if status not in ALLOWED or took > LONGEST_STATEMENT:
                failures.append(f"{what}: {status} after {took:.1f} s: {body[:200]}")

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def end_while_busy(viewer, name, failures):
    def endless():
        try:
            viewer.ask(f"/api/profiles/{name}/sql", HOSTILE["levenshtein"].encode())
        except OSError:
            pass

    threads = [threading.Thread(target=endless) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    begin = time.monotonic()
    viewer.process.send_signal(signal.SIGINT)
    try:
        code = viewer.process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        viewer.process.kill()
        code = viewer.process.wait()
    took = time.monotonic() - begin
    for thread in threads:
        thread.join()
    print(f"Ctrl-C with two endless statements: {took * 1000:.0f} ms, exit code {code}")
    if took > 1 or code != 0:
        failures.append("Ctrl-C")


def main():
    program = os.path.abspath(sys.argv[1])
    failures = []
    with tempfile.TemporaryDirectory(prefix="warpsight-sql-") as folder:
        trace = Path(folder) / "trace.json"
        events = [{"ph": "X", "cat": "kernel", "name": f"k{i % 7}", "pid": 0, "tid": 7, "ts": i * 10, "dur": 5}
                  for i in range(2000)]
        trace.write_text(json.dumps({"traceEvents": events}))
        profile = Path(folder) / "run.warpsight"
        subprocess.run([program, "import", trace, "-o", profile], check=True, stdout=subprocess.DEVNULL)
        viewer = Viewer(program, profile, folder)
        try:
            before = viewer.printed()
            watch = Watch(viewer, "/api/profiles/run/aggregations/default/dashboard")
            watch.start()
            send_all(viewer, "run", failures)
            watch.done.set()
            watch.join()
            times = sorted(watch.times)
            p99 = times[int(len(times) * 0.99)]
            print(f"{len(times)} honest answers meanwhile: p99 {p99 * 1000:.0f} ms, longest {times[-1] * 1000:.0f} ms; "
                  f"memory of all processes at most {watch.memory >> 20} MB")
            if watch.bad:
                failures.append(f"honest requests failed: {watch.bad[:10]}")
            if p99 > 1:
                failures.append("honest answers are late")
            if watch.memory > MOST_MEMORY:
                failures.append("too much memory")
            if viewer.printed() != before:
                failures.append("the terminal shows: " + viewer.printed()[len(before):][:300])
            if viewer.ask("/api/profiles/run/sql", b"SELECT 1")[0] != 200:
                failures.append("SQL does not work any more")
            if viewer.process.poll() is not None:
                failures.append(f"the viewer ended with {viewer.process.returncode}")
            else:
                end_while_busy(viewer, "run", failures)
        finally:
            if viewer.process.poll() is None:
                viewer.process.kill()
                viewer.process.wait()
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
