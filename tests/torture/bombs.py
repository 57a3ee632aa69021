#!/usr/bin/env python3
"""Hostile trace files: bombs, collisions, endless names, files that change while they are read.

Checks that a small file never takes disproportionate memory or time, that a file truncated while it
is read never ends the program with a signal, and that Ctrl-C ends reading within a second.

    bombs.py PROGRAM
"""
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

MEGABYTE = 1 << 20
# What a run may take at most. Bombs unpack to gigabytes.
MOST_MEMORY = 3 * 1024 * MEGABYTE
MOST_SECONDS = 300

failures = []


def check(good, what):
    print(("ok    " if good else "FAIL  ") + what, flush=True)
    if not good:
        failures.append(what)


class Run:
    """One run of the program: exit code, CPU time, peak memory and output."""

    def __init__(self, program, arguments):
        started = time.monotonic()
        with tempfile.TemporaryFile() as output:
            child = subprocess.Popen([program] + arguments, stdout=output, stderr=output,
                                     stdin=subprocess.DEVNULL)
            timer = threading.Timer(MOST_SECONDS, child.kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            self.text = output.read().decode("utf-8", "replace")
        self.code = child.returncode
        self.seconds = time.monotonic() - started
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024

    def __str__(self):
        return (f"exit {self.code}, {self.cpu:.1f} s CPU, {self.seconds:.1f} s, "
                f"{self.memory // MEGABYTE} MB")


def gzip_repeated(path, head, piece, unpacked, tail=b""):
    """Writes a gzip file of many members that decompresses to about `unpacked` bytes."""
    block = piece * max(1, 16 * MEGABYTE // len(piece))
    member = gzip.compress(block, 9)
    with open(path, "wb") as out:
        out.write(gzip.compress(head))
        for _ in range(unpacked // len(block)):
            out.write(member)
        out.write(gzip.compress(tail))


def test_bombs(program, folder):
    size = 4 << 30  # 4 MB packed
    cases = {
        "spaces.json.gz": (b'{"traceEvents":[{"ph":"X","ts":1,"dur":1},', b" ", b"]}"),
        "string.json.gz": (b'{"traceEvents":[{"ph":"X","ts":1,"name":"', b"x", b'"}]}'),
        "nested.json.gz": (b'{"traceEvents":[{"ph":"X","ts":1,"args":', b"[", b""),
        "empty_records.json.gz": (b'{"traceEvents":[{"ph":"X","ts":1,"dur":1}', b",{}", b"]}"),
        "records.json.gz": (b'{"traceEvents":[{"ph":"X","ts":1,"dur":1}',
                            b',{"ph":"X","ts":1,"dur":1}', b"]}"),
        "head.json.gz": (b'{"traceEvents_later":"', b"x", b'","traceEvents":[]}'),
        "database.sqlite.gz": (b"SQLite format 3\0" + b"\x10\x00\x01\x01\x00\x40\x20\x20", b"\0", b""),
        "planes.xplane.pb.gz": (b"\n\xff\xff\xff\xff\x0f\x12\x0b/host:CPU\x00\x00", b"\0", b""),
        "recording.wscap.gz": (b"WSPTCAP1" + b"\0" * 56, b"\0", b""),
        "rows.csv.gz": (b'"Start","Duration","Name"\ns,s,\n', b"1,1,k\n", b""),
        "layers.json.gz": (b'[{"count":1},', b'{"name":"a","averageMs":1},', b"{}]"),
    }
    for name, (head, piece, tail) in cases.items():
        path = os.path.join(folder, name)
        gzip_repeated(path, head, piece, size, tail)
        run = Run(program, ["import", path, "-o", os.path.join(folder, "out.warpsight")])
        check(run.code in (0, 1) and run.memory < MOST_MEMORY and run.cpu < MOST_SECONDS / 2,
              f"{name} of {os.path.getsize(path) // MEGABYTE} MB: {run}")
        if run.code == 1:
            check(name in run.text, f"{name}: the error names it: {run.text.strip()[-160:]}")
        os.remove(path)


def kernel(index, **fields):
    args = {"device": 0, "stream": 7, "correlation": index}
    args.update(fields.pop("args", {}))
    record = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10 * index + 3,
              "dur": 2, "args": args}
    record.update(fields)
    return record


def call(index, **fields):
    record = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
              "ts": 10 * index + 1, "dur": 1, "args": {"correlation": index}}
    record.update(fields)
    return record


def op(index, **fields):
    record = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10 * index,
              "dur": 4, "args": {"External id": index}}
    record.update(fields)
    return record


def write_trace(path, records):
    with open(path, "w") as out:
        out.write('{"traceEvents":[')
        for i, record in enumerate(records):
            out.write((",\n" if i else "") + json.dumps(record))
        out.write("]}")


def many(kind, count):
    """Records that differ in one property."""
    for i in range(count):
        if kind == "kernel names":
            yield kernel(i, name=f"void at::native::vectorized_elementwise_kernel<4, F{i}<float>>(int)")
        elif kind == "streams":
            yield kernel(i, args={"stream": i})
        elif kind == "threads":
            yield from (kernel(i), call(i, tid=1000 + i), op(i, tid=1000 + i))
        elif kind == "processes":
            yield from (kernel(i), call(i, pid=1000 + i), op(i, pid=1000 + i))
        elif kind == "iterations":
            yield from (kernel(i), call(i), op(i),
                        {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1,
                         "tid": 1, "ts": 10 * i, "dur": 9})
        elif kind == "shapes":
            yield from (kernel(i), call(i),
                        op(i, args={"Input Dims": [[i, i + 1]], "Input type": ["float"]}))
        elif kind == "launch shapes":
            yield kernel(i, args={"grid": [i + 1, 1, 1], "block": [128, 1, 1]})
        elif kind == "op names":
            yield from (kernel(i), call(i), op(i, name=f"aten::op{i}"))
        elif kind == "levels":
            yield {"ph": "X", "cat": "cpu_op", "name": f"op{i % 100}", "pid": 1, "tid": 1, "ts": i,
                   "dur": 2 * (count - i) + 1}
        elif kind == "launches with one id":
            yield from (kernel(i, args={"correlation": 5}), call(i, args={"correlation": 5}))
        elif kind == "open ranges":
            yield {"ph": "B", "name": f"x{i}", "pid": 1, "tid": 1, "ts": i}


def test_growth(program, folder):
    """Time must grow in proportion to the size."""
    few, factor = 5_000, 8
    for kind in ("kernel names", "streams", "threads", "processes", "iterations", "shapes",
                 "launch shapes", "op names", "levels", "open ranges", "launches with one id"):
        times = []
        for count in (few, few * factor):
            path = os.path.join(folder, "many.json")
            write_trace(path, many(kind, count))
            run = Run(program, ["import", path, "-o", os.path.join(folder, f"{count}.warpsight")])
            os.remove(path)
            if run.code != 0:
                check(False, f"{count} {kind}: {run}: {run.text.strip()[-200:]}")
            times.append(run.cpu)
        # Starting takes about 0.1 s, whatever is read.
        check(times[1] < 2 * factor * max(times[0], 0.15),
              f"{few * factor} {kind}: {times[1]:.1f} s CPU, {few}: {times[0]:.1f} s")
    path = os.path.join(folder, "devices.json")
    write_trace(path, (kernel(i, pid=i, args={"device": i}) for i in range(40_000)))
    run = Run(program, ["import", path, "-o", os.path.join(folder, "devices.warpsight")])
    check(run.code == 1 and "GPUs" in run.text, f"40,000 GPUs: {run}: {run.text.strip()[-120:]}")


def test_million_names(program, folder):
    path = os.path.join(folder, "names.json")
    write_trace(path, many("kernel names", 1_000_000))
    run = Run(program, ["import", path, "-o", os.path.join(folder, "names.warpsight")])
    check(run.code == 0 and run.cpu < 25, f"a million kernel names: {run}")
    os.remove(path)


def fold(a, b):
    product = a * b
    return (product ^ (product >> 64)) & ((1 << 64) - 1)


def colliding_names(count):
    """Names with the same multiply-fold hash for its usual constants: after 16 fixed characters, 8
    printable ones make a factor zero, so that the next 8, which differ, do not affect the hash."""
    seed0, seed1 = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
    start = fold(32 ^ seed0, seed1)
    for i in range(1_000_000):
        prefix = f"k{i:015d}".encode()
        first, second = (int.from_bytes(part, "little") for part in (prefix[:8], prefix[8:]))
        state = fold(first ^ seed0 ^ start, second ^ seed1)
        zero = (seed0 ^ state).to_bytes(8, "little")
        if all(32 <= byte < 127 and byte not in b'"\\' for byte in zero):
            return [(prefix + zero).decode() + f"{n:08d}" for n in range(count)]
    return []


def test_collisions(program, folder):
    """The seed of the hash is secret: names chosen for the public constants must not collide."""
    count = 30_000
    for kind, names in (("colliding", colliding_names(count)),
                        ("ordinary", [f"kernel_{i:025d}" for i in range(count)])):
        path = os.path.join(folder, "collisions.json")
        write_trace(path, (kernel(i, name=name) for i, name in enumerate(names)))
        run = Run(program, ["import", path, "-o", os.path.join(folder, f"{kind}.warpsight")])
        check(len(names) == count and run.code == 0 and run.cpu < 4, f"{count} {kind} names: {run}")


def write_database(path, rows):
    """Writes an export of Nsight Systems with `count` kernels."""
    import sqlite3
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
        " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
        " demangledName INTEGER, shortName INTEGER);"
        "INSERT INTO StringIds VALUES(1, 'kernel');")
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?,?,0,1,7,?,0,1,1)",
                         ((1000 + 10 * i, 1005 + 10 * i, i) for i in range(rows)))
    database.commit()
    database.close()


def test_cut_while_read(program, folder, kind):
    """Truncates a file again and again while it is read."""
    path, whole = os.path.join(folder, "cut." + kind), os.path.join(folder, "whole." + kind)
    if kind == "json":
        with open(whole, "w") as out:
            out.write('{"traceEvents":[' + '{"ph":"X","name":"a","ts":1,"dur":1},\n' * 1_000_000)
    else:
        write_database(whole, 1_000_000)
    output = os.path.join(folder, "cut.warpsight")
    shutil.copy(whole, path)
    full = Run(program, ["import", path, "-o", output])
    codes = {}
    for attempt in range(12):
        shutil.copy(whole, path)
        if os.path.exists(output):
            os.remove(output)
        cutter = threading.Timer(full.seconds * attempt / 16, lambda: os.truncate(path, 4096))
        cutter.start()
        run = Run(program, ["import", path, "-o", output])
        cutter.join()
        codes[run.code] = codes.get(run.code, 0) + 1
        if run.code == 1 and path not in run.text:
            check(False, f"the error does not name the file: {run.text.strip()[-200:]}")
    check(set(codes) <= {0, 1}, f"a {kind} file truncated while it is read: exit codes {codes}")


def test_pipe(program, folder):
    path = os.path.join(folder, "pipe")
    os.mkfifo(path)
    child = subprocess.Popen([program, "report", path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    time.sleep(1)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    seconds = time.monotonic() - started
    check(seconds < 1, f"Ctrl-C while waiting for a pipe's writer: {seconds:.2f} s, "
                       f"exit {child.returncode}")


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="warpsight-bombs-") as folder:
        test_pipe(program, folder)
        test_collisions(program, folder)
        test_growth(program, folder)
        test_cut_while_read(program, folder, "json")
        test_cut_while_read(program, folder, "sqlite")
        test_million_names(program, folder)
        test_bombs(program, folder)
    print(f"{len(failures)} failed" if failures else "all good")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
