#!/usr/bin/env python3
"""Fifty clients use the viewer while others attack it.

viewer_under_attack.py PROGRAM [--seconds N] [--clients N]

Hostile clients without the token open hundreds of connections and send heads byte by byte, bodies that never
end, guesses of the token and garbage. Hostile clients with the token send compressed bombs, SQL statements that
never end, floods of aggregations, and requests for large answers that they never read. Shown: every honest request
is answered, 99 % of them within a second; the memory of the viewer and its children stays flat; Ctrl-C in the
middle of it ends the viewer within a second and leaves no process behind.
"""

import argparse
import gzip
import http.client
import multiprocessing
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "tests/data/h200/gpt2_bf16.pt.trace.json.gz"
PATIENCE_S = 60
P99_LIMIT_S = 1.0
STOP_LIMIT_S = 1.0
# How much more memory the second half may take than the first, with room for noise of the
# allocator.
GROWTH_LIMIT = 1.15
GROWTH_NOISE = 48 << 20
HALF_OPEN = 500
ENDLESS_SQL = "SELECT count(*) FROM range(100000000000) a, range(1000) b WHERE a.range * b.range = -1"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Viewer:
    def __init__(self, program, profile):
        self.token = secrets.token_hex(16)
        self.port = free_port()
        environment = os.environ | {"WARPSIGHT_TOKEN": self.token}
        self.process = subprocess.Popen([program, "view", profile, "-p", str(self.port)], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"/api/profiles/{Path(profile).stem}"
        deadline = time.monotonic() + PATIENCE_S
        while self.get(self.base)[0] != 200:
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit("the viewer does not become ready")
            time.sleep(0.05)

    def get(self, path):
        try:
            connection = http.client.HTTPConnection("localhost", self.port, timeout=PATIENCE_S)
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""

    def processes(self):
        """The process ids of the viewer and its children."""
        found, waiting = [], [self.process.pid]
        while waiting:
            process = waiting.pop()
            found.append(process)
            for task in Path(f"/proc/{process}/task").glob("*/children"):
                try:
                    waiting += [int(child) for child in task.read_text().split()]
                except OSError:
                    pass
        return found

    def memory(self):
        total = 0
        for process in self.processes():
            try:
                for line in Path(f"/proc/{process}/status").read_text().splitlines():
                    if line.startswith("VmRSS"):
                        total += int(line.split()[1]) * 1024
            except OSError:
                pass
        return total


# Hostile clients: each runs until `end` in a separate process, and may fail in any way.

def ask(port, token, method, path, body=None, headers=None, timeout=15):
    connection = http.client.HTTPConnection("localhost", port, timeout=timeout)
    connection.request(method, path, body, {"Authorization": f"Bearer {token}"} | (headers or {}))
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def half_open(port, token, base, end):
    """Hundreds of connections that send their heads and bodies byte by byte."""
    starts = [b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"", b"POST /login HTTP/1.1\r\nHost: localhost\r\n"
              b"Content-Length: 60000\r\n\r\n", b"\r\n"]
    connections = []
    while time.time() < end.value:
        while len(connections) < HALF_OPEN:
            connection = socket.create_connection(("127.0.0.1", port), timeout=5)
            connection.setblocking(False)
            connection.send(random.choice(starts))
            connections.append(connection)
        for connection in list(connections):
            try:
                connection.send(b"x")
            except OSError:
                connection.close()
                connections.remove(connection)
        time.sleep(0.5)


def guess(port, token, base, end):
    """Wrong tokens, garbage and pages of other sites."""
    while time.time() < end.value:
        ask(port, secrets.token_hex(16), "GET", base)
        ask(port, token, "GET", "/" + base, headers={"Sec-Fetch-Site": "cross-site"})
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(os.urandom(random.randrange(1, 60000)))
        time.sleep(0.02)


def bombs(port, token, base, end):
    """Bodies that become a thousand times larger."""
    zeros = bytes(60 << 20)
    bodies = {"gzip": gzip.compress(zeros), "deflate": zlib.compress(zeros), "br": os.urandom(809)}
    while time.time() < end.value:
        for encoding, body in bodies.items():
            ask(port, token, "POST", f"{base}/sql", body, {"Content-Encoding": encoding})
        time.sleep(0.05)


def endless_queries(port, token, base, end):
    while time.time() < end.value:
        ask(port, token, "POST", f"{base}/sql", ENDLESS_SQL)
        time.sleep(0.05)


def aggregations(port, token, base, end):
    number = 0
    while time.time() < end.value:
        number += 1
        fields = f"start={number % 4}&stop={number % 5 + 3}&key_op=x{number}" if number % 3 else \
            f"start={number % 3}&stop={number % 4}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        ask(port, token, "POST", f"{base}/aggregations", fields, headers)
        ask(port, token, "GET", f"{base}/aggregations/{number % 3}-3/dashboard")
        time.sleep(0.01)


def never_read(port, token, base, end):
    """Requests large responses and does not read them."""
    head = (f"GET {base}/aggregations/default/reports/iteration?limit=all HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\n\r\n").encode()
    connections = []
    while time.time() < end.value:
        connection = socket.create_connection(("127.0.0.1", port), timeout=5)
        connection.sendall(head)
        connections.append(connection)
        if len(connections) > 60:
            connections.pop(0).close()
        time.sleep(0.2)


def hostile(attack, *arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end = arguments[-1]
    while time.time() < end.value:
        try:
            attack(*arguments)
        except (OSError, http.client.HTTPException):
            time.sleep(0.02)


def start_attack(viewer, end):
    started = []
    for attack, count in [(half_open, 1), (guess, 1), (bombs, 1), (endless_queries, 3), (aggregations, 1),
                          (never_read, 1)]:
        for _ in range(count):
            process = multiprocessing.Process(
                target=hostile, args=(attack, viewer.port, viewer.token, viewer.base, end), daemon=True)
            process.start()
            started.append(process)
    return started


class Client(threading.Thread):
    """Sends the requests of a browser until it is stopped."""

    def __init__(self, viewer, number, end):
        super().__init__(daemon=True)
        self.viewer, self.end = viewer, end
        self.chance = random.Random(number)
        self.times, self.problems, self.reconnects = [], [], 0
        self.connection = None

    def paths(self):
        base = f"{self.viewer.base}/aggregations/default"
        return ["/api/profiles", "/", self.viewer.base, f"{base}/dashboard", f"{base}/advice",
                f"{base}/reports/detail?limit=25", f"{base}/reports/kernel?limit=25&search=gemm",
                f"{base}/timeline", f"{base}/timeline/tiles/{self.chance.randrange(4)}/0",
                f"{base}/timeline/search?q=linear"]

    def run(self):
        while time.time() < self.end:
            path = self.chance.choice(self.paths())
            begin = time.perf_counter()
            status = self.ask(path)
            took = time.perf_counter() - begin
            if time.time() > self.end:
                return
            self.times.append(took)
            if status != 200:
                self.problems.append(f"{path}: {status}")
            time.sleep(self.chance.uniform(0.05, 0.25))

    def ask(self, path):
        for attempt in range(3):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("localhost", self.viewer.port, timeout=20)
                self.connection.request("GET", path, headers={
                    "Authorization": f"Bearer {self.viewer.token}", "Accept-Encoding": "gzip"})
                answer = self.connection.getresponse()
                answer.read()
                return answer.status
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                self.reconnects += 1
                problem = error
        return repr(problem)


def watch(viewer, seconds):
    samples = []
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        samples.append(viewer.memory())
        time.sleep(0.5)
    return samples


def stop(viewer):
    """Sends Ctrl-C; returns the seconds until the end, the exit code, and remaining processes."""
    children = viewer.processes()[1:]
    begin = time.monotonic()
    viewer.process.send_signal(signal.SIGINT)
    try:
        code = viewer.process.wait(30)
    except subprocess.TimeoutExpired:
        viewer.process.kill()
        return 30.0, None, children
    took = time.monotonic() - begin
    time.sleep(0.2)
    return took, code, [child for child in children if Path(f"/proc/{child}").exists()]


def megabytes(size):
    return f"{size / (1 << 20):,.0f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        profile = f"{folder}/run.warpsight"
        subprocess.run([options.program, "import", TRACE, "-o", profile], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        viewer = Viewer(options.program, profile)
        attackers = []
        try:
            return measure(viewer, options, attackers)
        finally:
            for process in attackers:
                process.kill()
            if viewer.process.poll() is None:
                viewer.process.kill()


def measure(viewer, options, attackers):
    end = multiprocessing.Value("d", time.time() + options.seconds + 40)
    attackers += start_attack(viewer, end)
    clients = [Client(viewer, i, time.time() + options.seconds) for i in range(options.clients)]
    for client in clients:
        client.start()
    samples = watch(viewer, options.seconds)
    for client in clients:
        client.join(30)
    took, code, left = stop(viewer)

    times = [t for client in clients for t in client.times]
    problems = [problem for client in clients for problem in client.problems]
    half = len(samples) // 2
    early, late = max(samples[half // 4:half]), max(samples[half:])
    p99 = percentile(times, 0.99)
    every = max(1, len(samples) // 12)
    print(f"{len(times):,} honest requests of {options.clients} clients in {options.seconds:.0f} s, "
          f"load average {os.getloadavg()[0]:.1f}")
    print(f"answers: p50 {1000 * percentile(times, 0.5):.0f} ms, p99 {1000 * p99:.0f} ms, "
          f"worst {1000 * max(times):.0f} ms")
    print(f"not answered with 200: {len(problems)} {sorted(set(problems))[:5]}; reconnected "
          f"{sum(client.reconnects for client in clients)} times")
    print("memory:", " ".join(megabytes(size) for size in samples[::every]))
    print(f"  most in the first half {megabytes(early)}, in the second {megabytes(late)}")
    print(f"Ctrl-C: ended after {1000 * took:.0f} ms with exit code {code}, processes left: {left}")
    good = {
        f"p99 below {P99_LIMIT_S:.0f} s": p99 < P99_LIMIT_S,
        "every honest request answered": not problems,
        "memory flat": late < early * GROWTH_LIMIT + GROWTH_NOISE,
        f"Ctrl-C within {STOP_LIMIT_S:.0f} s": took < STOP_LIMIT_S and code == 0 and not left,
    }
    for what, holds in good.items():
        print(f"{'ok' if holds else 'FAILED'}: {what}")
    return 0 if all(good.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
