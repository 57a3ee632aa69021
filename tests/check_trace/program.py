"""Runs the built program and keeps its output for people and for scripts for one recording."""

import csv
import io
import json
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path

# The tables and the view of docs/schema.md from which the numbers of all pages come, in one result.
_SQL = """
WITH range AS (SELECT first, last FROM aggregations)
SELECT 'aggregation' AS query, a.first, a.last, a.source, a.batch_size, e.text AS name
  FROM aggregations a JOIN strings e ON e.id = a.explanation_id
UNION ALL BY NAME
SELECT 'device' AS query, d.rowid AS device, d.source_id AS source, d.ordinal, s.rank,
       (SELECT count(*) FROM gpu_activities g JOIN streams t ON t.rowid = g.stream_id
         WHERE t.device_id = d.rowid) AS count
  FROM devices d JOIN sources s ON s.rowid = d.source_id
UNION ALL BY NAME
SELECT 'total' AS query, source_id AS source, device_id AS device, entry, ns FROM ledger_totals
UNION ALL BY NAME
SELECT 'iteration' AS query, source_id AS source, number, start_ns AS start, end_ns AS stop,
       window_start_ns AS window_start, window_end_ns AS window_stop, synchronizations
  FROM iterations
UNION ALL BY NAME
SELECT 'window' AS query, i.source_id AS source, i.number, w.device_id AS device,
       w.start_ns AS start, w.end_ns AS stop
  FROM gpu_windows w JOIN iterations i ON i.rowid = w.iteration_id
UNION ALL BY NAME
SELECT 'entry' AS query, i.source_id AS source, i.number, l.device_id AS device, l.entry, l.ns
  FROM ledger l JOIN iterations i ON i.rowid = l.iteration_id
UNION ALL BY NAME
SELECT 'clean stretch' AS query, source_id AS source, start_ns AS start,
       start_ns + duration_ns AS stop
  FROM clean_stretches
UNION ALL BY NAME
SELECT 'timed step' AS query, p.source_id AS source, s.thread_id AS thread, b.text AS name,
       s.start_ns AS start, s.duration_ns AS ns, s.state AS entry
  FROM step_times s JOIN threads t ON t.rowid = s.thread_id
  JOIN processes p ON p.rowid = t.process_id JOIN strings b ON b.id = s.boundary_id
UNION ALL BY NAME
SELECT 'accounting' AS query, rank, device AS ordinal, iteration AS number, entry AS name, ns,
       window_ns AS stop, aggregated
  FROM accounting
UNION ALL BY NAME
SELECT 'kernels' AS query, short_name AS name, family, tensor_cores, sum(duration_ns) AS ns,
       count(*) AS count
  FROM kernels WHERE iteration BETWEEN (SELECT first FROM range) AND (SELECT last FROM range)
  GROUP BY ALL
UNION ALL BY NAME
SELECT 'copies' AS query, coalesce(sum(duration_ns), 0)::BIGINT AS ns, count(*) AS count
  FROM (SELECT duration_ns, iteration FROM copies UNION ALL
        SELECT duration_ns, iteration FROM memsets)
  WHERE iteration BETWEEN (SELECT first FROM range) AND (SELECT last FROM range)
UNION ALL BY NAME
SELECT 'recorded' AS query, coalesce(sum(duration_ns), 0)::BIGINT AS ns, count(*) AS count,
       (SELECT min(start_ns) FROM gpu_activities) AS start,
       (SELECT max(start_ns + duration_ns) FROM gpu_activities) AS stop,
       (SELECT coalesce(sum(greatest(0, stop - greatest(start, before))), 0)::BIGINT
          FROM (SELECT g.start_ns AS start, g.start_ns + g.duration_ns AS stop,
                       coalesce(max(g.start_ns + g.duration_ns) OVER (
                           PARTITION BY t.device_id ORDER BY g.start_ns
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
                  FROM gpu_activities g JOIN streams t ON t.rowid = g.stream_id)) AS busy
  FROM kernels
UNION ALL BY NAME
SELECT 'recorded copies' AS query, count(*) AS count
  FROM (SELECT id FROM copies UNION ALL SELECT id FROM memsets)
UNION ALL BY NAME
SELECT 'class' AS query, k.name, k.short_name AS short_name, k.tensor_cores,
       k.tensor_cores_measured AS measured, max(c.tensor_instructions) AS count
  FROM kernel_classes k LEFT JOIN counters c ON c.name = k.name
  GROUP BY ALL
"""

# The viewer's responses to compare, besides the dashboard and the advice. Tables with a row per
# kernel that ran are left out: the same code writes all tables.
_MOST_ROWS = 500

_ENDED_IN_SECONDS = 30


class Failed(Exception):
    """The program failed."""


@dataclass
class Answers:
    """All output for one recording, as it was printed."""

    name: str
    direct: str = ""  # the one screen of the recording itself, not of the saved profile
    screens: dict = field(default_factory=dict)  # by width
    info_text: str = ""
    info: dict = field(default_factory=dict)
    advise_text: str = ""
    advise_brief: str = ""
    advise: dict = field(default_factory=dict)
    advise_all: dict = field(default_factory=dict)
    what_if: dict = field(default_factory=dict)  # without edits; empty without GPU work
    what_if_text: str = ""
    reports: dict = field(default_factory=dict)  # by id, of --format json
    tables: dict = field(default_factory=dict)  # by id, of --format csv: rows, the names first
    texts: dict = field(default_factory=dict)  # "summary" and "all", as text
    sql: dict = field(default_factory=dict)  # rows by query
    api: dict = field(default_factory=dict)  # by the path after …/aggregations/default/


class Program:
    """The program under test."""

    def __init__(self, path, jobs):
        self._path = str(path)
        self._jobs = jobs

    def import_trace(self, trace, profile):
        self._run("import", trace, "-o", profile)

    def ask(self, name, trace, profile, folder):
        """All output for a saved profile, and for the recording `trace` (or the profile itself)."""
        answers = Answers(name)
        out = folder / "reports"
        with ThreadPoolExecutor(self._jobs) as pool:
            waiting = [
                pool.submit(self._ask_viewer, profile, answers),
                pool.submit(self._set, answers, "direct", "report", trace),
                pool.submit(self._set_screen, answers, 100, profile),
                pool.submit(self._set_screen, answers, 160, profile),
                pool.submit(self._set, answers, "info_text", "info", profile),
                pool.submit(self._set_json, answers, "info", "info", profile, "--format", "json"),
                pool.submit(self._set, answers, "advise_text", "advise", profile),
                pool.submit(self._set, answers, "advise_brief", "advise", profile, "--brief"),
                pool.submit(self._set_json, answers, "advise", "advise", profile, "--format",
                            "json"),
                pool.submit(self._set_json, answers, "advise_all", "advise", profile, "--all",
                            "--format", "json"),
                pool.submit(self._set_what_if, answers, profile),
                pool.submit(self._set_reports, answers, profile),
                pool.submit(self._set_tables, answers, profile, out),
                pool.submit(self._set_texts, answers, profile),
                pool.submit(self._set_sql, answers, profile),
            ]
            for one in waiting:
                one.result()
        return answers

    def _run(self, *arguments):
        command = [self._path, *map(str, arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
            raise Failed(f"{arguments[0]}: {said}")
        return done.stdout.decode(errors="replace")

    def _set(self, answers, what, *arguments):
        setattr(answers, what, self._run(*arguments))

    def _set_json(self, answers, what, *arguments):
        setattr(answers, what, json.loads(self._run(*arguments)))

    def _set_what_if(self, answers, profile):
        """`whatif` without edits, which is an error for a recording without GPU work."""
        try:
            text = self._run("whatif", profile)
        except Failed:
            return
        answers.what_if_text = text
        self._set_json(answers, "what_if", "whatif", profile, "--format", "json")

    def _set_reports(self, answers, profile):
        reports = json.loads(self._run("report", profile, "--report", "all", "--format", "json"))
        answers.reports = {report["report"]: report for report in reports}

    def _set_tables(self, answers, profile, folder):
        self._run("report", profile, "--report", "all", "--format", "csv", "-o", folder)
        for path in folder.glob("*.csv"):
            text = path.read_text(encoding="utf-8", errors="replace")
            answers.tables[path.stem] = list(csv.reader(io.StringIO(text)))

    def _set_texts(self, answers, profile):
        for names in ("summary", "all"):
            answers.texts[names] = self._run("report", profile, "--report", names)

    def _set_sql(self, answers, profile):
        rows = json.loads(self._run("query", profile, _SQL, "--format", "json"))
        for row in rows:
            answers.sql.setdefault(row["query"], []).append(row)

    def _set_screen(self, answers, width, profile):
        """The one screen as a terminal of that width shows it, without colors."""
        master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        environment = dict(os.environ, NO_COLOR="1", TERM="xterm")
        child = subprocess.Popen([self._path, "report", str(profile)], env=environment,
                                 stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL)
        os.close(slave)
        chunks = []
        try:
            while chunk := os.read(master, 1 << 16):
                chunks.append(chunk)
        except OSError:  # the other end is closed
            pass
        finally:
            os.close(master)
        if child.wait() != 0:
            raise Failed(f"report {profile} on a terminal: exit code {child.returncode}")
        text = b"".join(chunks).decode(errors="replace").replace("\r\n", "\n")
        answers.screens[width] = text

    def _ask_viewer(self, profile, answers):
        with Viewer(self._path, profile) as viewer:
            base = viewer.profile_address()
            aggregation = base + "/aggregations/default"
            answers.api["aggregation"] = viewer.get(aggregation)
            answers.api["dashboard"] = viewer.get(aggregation + "/dashboard")
            answers.api["advice"] = viewer.get(aggregation + "/advice")
            for report in viewer.get("/api/reports")["reports"]:
                answer = viewer.get(f"{aggregation}/reports/{report['id']}?limit={_MOST_ROWS}")
                answers.api["report " + report["id"]] = answer


class Viewer:
    """`warpsight view` on loopback, ended by the signal of Ctrl-C."""

    def __init__(self, program, profile):
        # A random port for each, so that concurrent servers do not compete for one.
        port = random.randint(20000, 60000)
        self._child = subprocess.Popen([program, "view", str(profile), "-p", str(port)],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)

    def __enter__(self):
        try:
            self._read_address()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._child.send_signal(signal.SIGINT)
        try:
            self._child.wait(_ENDED_IN_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child.stdout.close()

    def _read_address(self):
        """The address is printed with the token that every request needs."""
        printed = b""
        pattern = re.compile(rb"(http://localhost:\d+)/\?token=(\S+)\n")
        until = time.monotonic() + _ENDED_IN_SECONDS
        while not (match := pattern.search(printed)):
            ready, _, _ = select.select([self._child.stdout], [], [], until - time.monotonic())
            chunk = os.read(self._child.stdout.fileno(), 4096) if ready else b""
            if not chunk:
                raise Failed("view printed no address: " + printed.decode(errors="replace"))
            printed += chunk
        self._url, self._token = match[1].decode(), match[2].decode()

    def get(self, path):
        request = urllib.request.Request(self._url + path,
                                         headers={"Authorization": "Bearer " + self._token})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_ENDED_IN_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Failed(f"{path}: {error.code} {error.read().decode(errors='replace')}") from None

    def profile_address(self):
        until = time.monotonic() + _ENDED_IN_SECONDS
        while True:
            profile = self.get("/api/profiles")["profiles"][0]
            if profile["state"] == "ready":
                return "/api/profiles/" + urllib.parse.quote(profile["id"], safe="")
            if profile["state"] == "failed" or time.monotonic() > until:
                raise Failed(f"view: {profile['error'] or 'the profile does not get ready'}")
            time.sleep(0.02)


def built_program():
    """The program of this working tree."""
    build = os.environ.get("WARPSIGHT_BUILD_DIR", "build")
    path = Path(__file__).resolve().parents[2] / build / "warpsight"
    if not path.exists():
        sys.exit(f"{path} is missing: run ./dev build, or name another with --program")
    return path
