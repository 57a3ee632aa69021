#!/usr/bin/env python3
"""Measures the viewer on a profile of three million events, and under the load of fifty clients.

A real trace is grown to 1 GB and imported (as in run.py). Then the server is started and gets the viewer's
requests from a browser (viewer_browser.mjs), without one, and from wrk. Ends with a line per
requirement, and exit code 1 if one failed. Described in docs/benchmarks.md.
"""

import argparse
import gzip
import http.client
import json
import os
import random
import secrets
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run  # noqa: E402

ROOT = run.ROOT
MEGABYTES = 1000
PORT = 8950
PATIENCE_S = 60
TILES = 500
LOAD_S = 30
CLIENTS = 50


class Server:
    """`warpsight view` on a profile, for the length of a `with`."""

    def __init__(self, program, profile):
        self.command = [str(program), "view", str(profile), "-p", str(PORT)]
        self.token = secrets.token_hex(16)
        self.authorization = {"Authorization": f"Bearer {self.token}"}

    def __enter__(self):
        self.began = time.perf_counter()
        environment = os.environ | {"WARPSIGHT_TOKEN": self.token}
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True,
                                        env=environment)
        self.url = self.process.stdout.readline().strip()
        while not self.url.startswith("http"):  # "port 8950 is taken; using 8951"
            self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.split(":")[2].strip("/"))
        self.connection = http.client.HTTPConnection("localhost", self.port, timeout=PATIENCE_S)
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.process.terminate()
        self.process.wait(10)

    def ask(self, path, method="GET", body=None, headers=None):
        """The response and its time in ms."""
        headers = {"Accept-Encoding": "gzip"} | self.authorization | (headers or {})
        try:
            self.connection.request("HEAD", "/", headers=self.authorization)  # which the server has closed after some idling
            self.connection.getresponse().read()
        except (http.client.RemoteDisconnected, ConnectionError):
            self.connection.close()
        begin = time.perf_counter()
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        data = response.read()
        took = 1000 * (time.perf_counter() - begin)
        if response.status >= 400 and response.status != 409:
            run.fail(f"{path}: {response.status} {data[:200]!r}")
        if response.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        return data, took

    def json(self, path, **more):
        return json.loads(self.ask(path, **more)[0])

    def memory(self, what):
        """Resident bytes: the current VmRSS, or the maximum VmHWM."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(what):
                return int(line.split()[1]) * 1024
        return 0

    def wait_until_ready(self):
        """Waits until the profile is open; returns the seconds since the start."""
        while time.perf_counter() - self.began < PATIENCE_S:
            profile = self.json("/api/profiles")["profiles"][0]
            if profile["state"] == "ready":
                self.profile = f"/api/profiles/{profile['id']}"
                self.id = profile["id"]
                return time.perf_counter() - self.began
            time.sleep(0.005)
        run.fail("the server does not become ready")


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def report_requests(server, base):
    """Pages of every report, as the viewer requests them: first, last, searched, and sorted and
    filtered by every column."""
    for report in server.json("/api/reports")["reports"]:
        path = f"{base}/reports/{report['id']}"
        total = server.json(f"{path}?limit=1")["total"]
        yield f"{path}?limit=25"
        yield f"{path}?limit=100&offset={max(0, total - 100)}"
        yield f"{path}?limit=25&search=linear"
        yield f"{path}?limit=25&search=123"
        for column in report["columns"]:
            name = quote(column["name"])
            yield f"{path}?limit=25&sort={name}&order=desc"
            yield f"{path}?limit=25&sort={name}&offset={max(0, total - 25)}"
            yield f"{path}?limit=25&f.{name}={'a' if column['type'] == 'text' else '1..'}"


def measure_tables(server, base):
    cold = {}
    for report in server.json("/api/reports")["reports"]:
        cold[report["id"]] = server.ask(f"{base}/reports/{report['id']}?limit=25")[1]
    warm = {}
    for path in report_requests(server, base):
        warm[path] = min(server.ask(path)[1] for _ in range(3))
    return cold, warm


def measure_tiles(server, base):
    timeline = server.json(f"{base}/timeline")
    chance = random.Random(7)
    times = []
    for _ in range(TILES):
        level = chance.randint(0, timeline["max_level"])
        length = timeline["span"] / 2**level
        index = chance.randrange(max(1, int(timeline["end"] / length)))
        times.append(server.ask(f"{base}/timeline/tiles/{level}/{index}?v={timeline['stamp']}")[1])
    return times


def measure_aggregation(server, fields):
    """Polls an aggregation; returns the seconds from the request until it is ready."""
    begin = time.perf_counter()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    made = server.json(f"{server.profile}/aggregations", method="POST", body=fields,
                       headers=headers)
    while made["state"] == "computing":
        time.sleep(0.01)
        made = server.json(f"{server.profile}/aggregations/{quote(made['id'], safe='')}")
    if made["state"] != "ready":
        run.fail(f"aggregation {fields}: {made['error']}")
    took = time.perf_counter() - begin
    server.ask(f"{server.profile}/aggregations/{quote(made['id'], safe='')}/dashboard")
    return took


LOAD_SCRIPT = """
local paths = {{ {paths} }}
local next = 0
request = function()
  next = next % #paths + 1
  return wrk.format("GET", paths[next], {{["Host"] = "localhost", ["Accept-Encoding"] = "gzip",
                                        ["Authorization"] = "{authorization}"}})
end
done = function(summary, latency, requests)
  io.write(string.format("RESULT %d %d %d %d %d %d %f\\n", summary.requests, summary.errors.connect,
    summary.errors.read, summary.errors.write, summary.errors.status, summary.errors.timeout,
    latency:percentile(99) / 1000))
end
"""


def measure_load(server, base, folder, seconds):
    """Requests a second, errors and the 99th percentile in ms of many clients at once."""
    timeline = server.json(f"{base}/timeline")
    paths = [f"{base}/dashboard", f"{base}/advice", f"{base}/reports/detail?limit=25",
             f"{base}/reports/kernel?limit=25&search=gemm", f"{base}/timeline",
             f"{base}/reports/iteration?limit=25&offset=1000",
             f"{base}/timeline/search?q=linear", f"{base}/timeline/events/gpu:1000"]
    chance = random.Random(11)
    for level in range(0, timeline["max_level"], 2):
        index = chance.randrange(max(1, int(timeline["end"] / (timeline["span"] / 2**level))))
        paths.append(f"{base}/timeline/tiles/{level}/{index}")
    script = folder / "load.lua"
    script.write_text(LOAD_SCRIPT.format(paths=", ".join(f'"{path}"' for path in paths),
                                         authorization=server.authorization["Authorization"]))
    output = run.output_of(["wrk", "-t2", f"-c{CLIENTS}", f"-d{seconds}s", "-s", script,
                            f"http://127.0.0.1:{server.port}/"])
    line = next(line for line in output.splitlines() if line.startswith("RESULT"))
    requests, *errors = [int(float(word)) for word in line.split()[1:7]]
    kinds = ["connect", "read", "write", "status", "timeout"]
    return {"requests_per_s": requests / seconds, "errors": sum(errors),
            "error_kinds": {kind: n for kind, n in zip(kinds, errors) if n},
            "p99_ms": float(line.split()[7])}


def measure_browser(server):
    """First paint of the dashboard and frames of the timeline, in headless Chromium."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium:
        run.say("no Chromium: what the browser shows is not measured")
        return None
    return json.loads(run.output_of(
        ["node", ROOT / "bench/viewer_browser.mjs", chromium, server.url, server.id, server.token]))


def requirements(found):
    """(what, target, measured, whether it is met) for each requirement."""
    lines = [
        ("server ready", "< 2 s", f"{found['ready_s']:.2f} s", found["ready_s"] < 2),
        ("table page, kept in memory: worst of all", "< 100 ms",
         f"{found['table_worst_ms']:.0f} ms (p95 {found['table_p95_ms']:.1f} ms, "
         f"{found['table_pages']} pages)", found["table_worst_ms"] < 100),
        ("table page, first time after the start: worst", "< 100 ms",
         f"{found['table_first_ms']:.0f} ms", found["table_first_ms"] < 100),
        ("timeline tile, 95th percentile", "< 30 ms", f"{found['tile_p95_ms']:.1f} ms",
         found["tile_p95_ms"] < 30),
        ("re-aggregation, other range", "< 1 s", f"{found['range_s']:.2f} s", found["range_s"] < 1),
        ("re-aggregation, other key op", "< 1 s", f"{found['key_op_s']:.2f} s",
         found["key_op_s"] < 1),
        ("server memory at most", "< 1 GB", f"{found['peak_bytes'] / 1e9:.2f} GB",
         found["peak_bytes"] < 1e9),
    ]
    if browser := found.get("browser"):
        lines.insert(1, ("first dashboard paint", "< 1 s", f"{browser['paint_ms'] / 1000:.2f} s",
                         browser["paint_ms"] < 1000))
        lines.insert(5, ("zoom and pan", "≥ 30 frames/s", f"{browser['frames_per_s']:.0f} frames/s",
                         browser["frames_per_s"] >= 30))
    for load in found.get("load", []):
        grown = load["memory_after"] / load["memory_before"] - 1
        kinds = "".join(f"{kind}: {n}, " for kind, n in load["error_kinds"].items())
        lines.append((f"{CLIENTS} clients for {load['seconds']} s: errors", "0",
                      f"{load['errors']} ({kinds}{load['requests_per_s']:,.0f} requests/s, "
                      f"p99 {load['p99_ms']:.0f} ms)", load["errors"] == 0))
        lines.append(("  growth of memory", "< 5 %", f"{100 * grown:+.1f} %", grown < 0.05))
    return lines


def parse_arguments():
    build = ROOT / os.environ.get("WARPSIGHT_BUILD_DIR", "build")
    parser = argparse.ArgumentParser(description="Measures the viewer on a large profile.")
    parser.add_argument("--size", type=int, default=MEGABYTES, metavar="MB", help="of the trace")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers, too")
    parser.add_argument("--no-load", action="store_true", help="leave the fifty clients out")
    parser.add_argument("--trace", type=Path, default=run.TRACE, help=argparse.SUPPRESS)
    parser.add_argument("--program", type=Path, default=build / "warpsight", help=argparse.SUPPRESS)
    parser.add_argument("--grow", type=Path, default=build / "bench/grow_trace",
                        help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, default=build / "bench-data", help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_server(options, profile):
    found = {}
    with Server(options.program, profile) as server:
        found["ready_s"] = server.wait_until_ready()
        base = f"{server.profile}/aggregations/default"
        run.say("tables")
        cold, warm = measure_tables(server, base)
        found["table_first_ms"] = max(cold.values())
        found["table_first"] = max(cold, key=cold.get)
        found["table_worst_ms"] = max(warm.values())
        found["table_worst"] = max(warm, key=warm.get)
        found["table_median_ms"] = statistics.median(warm.values())
        found["table_p95_ms"] = percentile(list(warm.values()), 0.95)
        found["table_pages"] = len(warm)
        run.say("tiles")
        tiles = measure_tiles(server, base)
        found["tile_p95_ms"] = percentile(tiles, 0.95)
        found["tile_worst_ms"] = max(tiles)
        run.say("re-aggregation")
        found["range_s"] = measure_aggregation(server, "start=3&stop=40")
        found["key_op_s"] = measure_aggregation(server, "key_op=aten::cross_entropy_loss")
        run.say("the browser")
        if browser := measure_browser(server):
            found["browser"] = browser
        if not options.no_load:
            found["load"] = measure_twice(server, base, options.data)
        found["peak_bytes"] = server.memory("VmHWM")
    return found


def measure_twice(server, base, folder):
    if not shutil.which("wrk"):
        run.say("wrk is missing (package wrk): the load is not measured")
        return []
    measure_load(server, base, folder, 3)  # so that threads and caches are warm
    loads = []
    for _ in range(2):
        run.say(f"{CLIENTS} clients")
        before = server.memory("VmRSS")
        load = measure_load(server, base, folder, LOAD_S)
        loads.append(load | {"seconds": LOAD_S, "memory_before": before,
                             "memory_after": server.memory("VmRSS")})
    return loads


def main():
    options = parse_arguments()
    options.data.mkdir(parents=True, exist_ok=True)
    run.use_two_cores()
    grown = run.grow(options, options.size)
    if not grown.profile.exists():
        run.say("importing")
        run.output_of(run.import_command(options, grown.path, grown.profile))
    run.read_once(grown.profile)
    found = measure_server(options, grown.profile)
    found |= {"events": grown.events, "load_average": os.getloadavg()[0]}
    lines = requirements(found)
    print(f"{grown.events:,} events, 2 cores, {run.cpu_name()}, "
          f"load average {found['load_average']:.1f}\n")
    print(run.table(["what", "target", "measured", ""],
                    [[what, target, measured, "ok" if ok else "MISSED"]
                     for what, target, measured, ok in lines]))
    print(f"\nslowest first page: {found['table_first']}; slowest page: {found['table_worst']}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(ok for *_, ok in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
