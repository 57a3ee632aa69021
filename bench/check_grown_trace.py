#!/usr/bin/env python3
"""Checks that grow_trace repeated a trace correctly, using only the json module.

Usage: check_grown_trace.py TRACE GROWN COPIES. Compares every event of GROWN with the event of
TRACE that it repeats: only times, ids and step numbers may differ: times by exactly the
same number of nanoseconds in each copy; and ids so that two events of a copy have the same id exactly
if their originals do, and events of different copies never do.
"""

import gzip
import json
import sys
from decimal import Decimal

IDS = {
    "correlation": "correlation",
    "wait_on_cuda_event_record_corr_id": "correlation",
    "External id": "external",
    "external id": "external",
    "Sequence number": "sequence",
    "Ev Idx": "index",
    "Python id": "python",
    "Python parent id": "python",
    "Record function id": "record function",
}
ZERO_IS_NONE = ("correlation", "external", "record function")
STEP = "ProfilerStep#"


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        trace = json.load(file, parse_float=Decimal)
    return trace if isinstance(trace, list) else trace["traceEvents"]


def is_once(event):
    return (event["ph"] == "M" or event.get("cat") == "Trace"
            or (event["ph"] == "i" and event.get("s") == "g"))


def number(value):
    return int(value) if isinstance(value, (int, str)) and str(value).isdigit() else None


def decimals(time):
    return -Decimal(time).as_tuple().exponent


def take_apart(event):
    """The constant part of an event; its time; its ids as (space, id) in a fixed order."""
    event = dict(event)
    time = event.pop("ts")
    ids = []

    def take(space, value):
        if value is None or (value == 0 and space in ZERO_IS_NONE):
            return value
        ids.append((space, value))
        return "id"

    if event["ph"] in "stf":
        of_launch = event.get("cat") in ("ac2g", "async_cpu_to_gpu")
        event["id"] = take("correlation" if of_launch else "flow", event["id"])
    if event.get("name", "").startswith(STEP):
        ids.append(("step", int(event["name"][len(STEP):])))
        event["name"] = STEP
    args = event.get("args")
    if isinstance(args, dict):
        event["args"] = {key: take(IDS[key], number(value)) if key in IDS else value
                         for key, value in args.items()}
    return event, time, ids


def check_copy(seed, copy, shift, used):
    """Checks one copy and adds its ids to `used`; its times are `shift` later."""
    renamed = {}
    for original, event in zip(seed, copy):
        same, time, ids = take_apart(event)
        same_before, time_before, ids_before = original
        if same != same_before:
            return f"{same} should equal {same_before}"
        if time - time_before != shift:
            return f"time {time} is not {time_before} moved by {shift} us"
        if decimals(time) != decimals(time_before):
            return f"time {time} has other decimals than {time_before}"
        for (space, old), (_, new) in zip(ids_before, ids):
            if renamed.setdefault((space, old), new) != new:
                return f"{space} {old} became both {renamed[space, old]} and {new}"
    ids = {(space, new) for (space, _), new in renamed.items()}
    if len(ids) != len(renamed):
        return "two different ids became one"
    if ids & used:
        return f"ids of another copy: {sorted(ids & used)[:3]}"
    used |= ids
    return None


def first_problem(trace, grown, copies):
    once = [event for event in trace if is_once(event)]
    seed = [take_apart(event) for event in trace if not is_once(event)]
    if len(grown) != copies * len(seed) + len(once):
        return f"{len(grown)} events instead of {copies * len(seed) + len(once)}"
    if sum(is_once(event) for event in grown) != len(once):
        return "metadata or marks of the recording are repeated"
    begin = min(time for _, time, _ in seed)
    end = max(time + event.get("dur", 0) for event, time, _ in seed)
    used = set()
    last_shift = Decimal(-10**18)
    for k in range(copies):
        copy = grown[k * len(seed):(k + 1) * len(seed)]
        shift = copy[0]["ts"] - seed[0][1]
        if k == 0 and shift != 0:
            return "the first copy is moved"
        if shift - last_shift <= end - begin:
            return f"copy {k} overlaps copy {k - 1} in time"
        problem = check_copy(seed, copy, shift, used)
        if problem:
            return f"copy {k}: {problem}"
        last_shift = shift
    for before, after in zip(once, grown[copies * len(seed):]):
        for key, field in (("Trace", "dur"), ("Record Window End", "ts")):
            if key in (before.get("cat"), before["name"]):
                before = before | {field: before[field] + last_shift}
        if before != after:
            return f"{after} should be {before}"
    return None


def main():
    problem = first_problem(load(sys.argv[1]), load(sys.argv[2]), int(sys.argv[3]))
    if problem:
        print(f"{sys.argv[2]}: {problem}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
