"""Steps, their length, spread and rate; where their time went; the verdict; why GPUs were idle."""

import re

from figures import DURATION, SHARE, figure
from ledger import BUSY, CAUSES, ENTRIES, GPU_ENTRIES, HOST_ENTRIES, VERDICT_IDS
from pages import joined, read_info

SCREEN = "the one screen"
INFO = "info"
INFO_JSON = "info --format json"
SUMMARY = "report summary"
DASHBOARD = "the dashboard"
SQL = "SQL"


def summary_of(answers):
    """The values of the report `summary` by section and name."""
    values = {}
    for row in answers.reports["summary"]["rows"]:
        values[row["Section"], row["Name"]] = row["Value"]
    return values


def number(value):
    """A value of the summary as a number, from a column of texts and numbers."""
    if value is None or isinstance(value, (int, float)):
        return value
    try:
        return float(value)
    except ValueError:
        return None


def check_steps(a, ledger, screens, found):
    summary = summary_of(a)
    board = a.api["dashboard"]
    numbers = {entry["id"]: entry["value"] for entry in board["summary"]}
    aggregation = a.api["aggregation"]
    places = [
        ("iterations of the recording", ledger.total,
         [(INFO_JSON, a.info["iterations"]), (DASHBOARD, board["iterations"]["total"]),
          ("the dashboard's summary", numbers["total_iterations"]),
          (SUMMARY, number(summary["Iterations", "Total Iterations"])),
          ("the aggregation", aggregation["iterations"])]),
        ("first analyzed iteration", ledger.first,
         [(INFO_JSON, a.info["first_iteration"]), (DASHBOARD, board["iterations"]["first"]),
          ("the dashboard's summary", numbers["start_iteration"]),
          (SUMMARY, number(summary["Iterations", "Start Iteration"])),
          ("the aggregation", aggregation["start"])]),
        ("last analyzed iteration", ledger.last,
         [(INFO_JSON, a.info["last_iteration"]), (DASHBOARD, board["iterations"]["last"]),
          ("the dashboard's summary", numbers["stop_iteration"]),
          (SUMMARY, number(summary["Iterations", "Stop Iteration"])),
          ("the aggregation", aggregation["stop"])]),
        ("analyzed iterations", ledger.iterations,
         [("the dashboard's summary", numbers["profiled_iterations"]),
          (SUMMARY, number(summary["Iterations", "Aggregated Iterations"]))]),
        ("how the iterations were found", ledger.explanation,
         [(DASHBOARD, board["iterations"]["explanation"]),
          (SUMMARY, summary["Iterations", "Explanation"]),
          ("the aggregation", aggregation["explanation"])]),
        ("samples of a step", ledger.batch_size,
         [(DASHBOARD, board["step"]["batch_size"]),
          ("the aggregation", aggregation["batch_size"])]),
        ("the way in which iterations were found", a.info["iteration_source"],
         [(DASHBOARD, board["iterations"]["source"]), ("the aggregation", aggregation["source"]),
          (SUMMARY, summary["Iterations", "Found By"])]),
    ]
    for what, value, others in places:
        for place, other in others:
            found.equal("iterations", what, place, other, SQL, value)
    words = " ".join(ledger.explanation.split())
    for place, screen in screens.items():
        said = " ".join(screen.paragraph("Step").split())
        found.true("iterations", "how the iterations were found", place, words in said, repr(said))
    info = " ".join(read_line(a, "iterations").split())
    found.equal("iterations", "how the iterations were found", INFO, info, SQL, words)
    count = re.match(r"(\d+) iterations?\b", words)
    if count:
        found.equal("iterations", "number in the explanation", "the explanation", int(count[1]),
                    SQL,
                    ledger.total)


def read_line(a, name):
    return read_info(a.info_text).get(name, "")


def check_length(a, ledger, screens, found):
    """The step: wall clock / iterations, and its rate and spread."""
    summary = summary_of(a)
    board = a.api["dashboard"]
    numbers = {entry["id"]: entry["value"] for entry in board["summary"]}
    lengths = [ledger.window[d] for d in ledger.gpus]
    # Sources without GPU work count with the work of their processes.
    sources = {ledger.devices[d]["source"] for d in ledger.gpus}
    lengths += [length for s, length in ledger.host_windows.items() if s not in sources]
    wall = max(lengths, default=0) or None
    step = wall // ledger.iterations if wall else None
    for place, value in [(INFO_JSON, a.info["wall_ns"]), ("the dashboard's summary",
                                                          numbers["wall_clock"]),
                         (SUMMARY, number(summary["Time", "Wall Clock Time"]))]:
        found.equal("step", "wall clock", place, value, SQL, wall)
    for place, value in [(INFO_JSON, a.info["average_iteration_ns"]),
                         (DASHBOARD, board["step"]["average_ns"]),
                         ("the dashboard's summary", numbers["average_iteration"]),
                         (SUMMARY, number(summary["Iterations", "Average Iteration Time"])),
                         ("advise --format json", a.advise["step_ns"]),
                         ("the advice of the API", a.api["advice"]["step_ns"])]:
        found.equal("step", "length of a step", place, value, SQL, step)
    for place, screen in screens.items():
        found.prints("step", "length of a step", place, screen.step, SQL, step)
    found.prints("step", "length of a step", INFO, duration_in(read_line(a, "average iteration")),
                 SQL, step)
    _check_spread(a, ledger, screens, summary, board, found)
    _check_rate(ledger, step, screens, board, numbers, found)
    return step


def duration_in(text):
    match = re.search(DURATION, text)
    return figure(match[0]) if match else None


def _check_spread(a, ledger, screens, summary, board, found):
    spread = board["step"]["deviation_ns"]
    found.equal("spread", "spread of the steps", SUMMARY,
                number(summary["Iterations", "Iteration Time Standard Deviation"]), DASHBOARD, spread)
    found.true("spread", "one step has no spread", DASHBOARD,
               spread is None or ledger.iterations > 1,
               f"± {spread} ns of {ledger.iterations} analyzed step")
    for place, screen in screens.items():
        printed = screen.deviation
        found.prints("spread", "spread of the steps", place, printed, DASHBOARD, spread or None)
        found.true("spread", "no spread of nothing", place, printed is None or printed.high > 0,
                   f"± {printed}")
    found.true("spread", "no spread of nothing", "advise", "± 0 ns" not in a.advise_text, "± 0 ns")


def _check_rate(ledger, step, screens, board, numbers, found):
    samples = ledger.batch_size
    rate = 1e9 * samples / step if samples is not None and step else None
    found.near("rate", "samples per second", DASHBOARD, board["step"]["samples_per_second"], SQL,
               rate)
    for place, screen in screens.items():
        found.prints("rate", "samples per second", place, screen.rate, SQL, rate)
    throughput = rate if rate is not None else 1e9 / step if step else None
    found.near("rate", "throughput", "the dashboard's summary", numbers["throughput"], SQL,
               throughput)
    # A serving step states its number of sequences; it has more tokens.
    match = re.search(r"; ([\d,]+) sequences?\)", ledger.explanation)
    if match and ledger.iterations == ledger.total:
        sequences = int(match[1].replace(",", ""))
        found.at_most("rate", "samples of a step", SQL, samples,
                      "the sequences that its explanation "
                      "counts", sequences)


def _check_host(a, ledger, summary, found):
    """The time of the launching threads, which is shown beside the GPU's."""
    window = sum(ledger.host_windows.values())
    host = {entry: ledger.of(entry) for entry in HOST_ENTRIES}
    found.equal("shares", "sum of what the launching threads did, and their time", SQL,
                sum(host.values()), SQL, window)
    board = {entry["name"]: entry["ns"] for entry in a.api["dashboard"]["host"]}
    for entry, ns in host.items():
        places = [(INFO_JSON, a.info["host_ns"].get(entry)), (DASHBOARD, board.get(entry))]
        if ledger.gpus:  # else they are the breakdown
            places.append((SUMMARY, number(summary["Launching Threads, All Processes", entry])))
        for place, value in places:
            found.equal("shares", f"{entry} of the launching threads", place, value, SQL, ns)


def check_shares(a, ledger, screens, found):
    """The split of the time, everywhere."""
    summary = summary_of(a)
    board = a.api["dashboard"]
    resources = {entry["name"]: entry for entry in board["resources"]}
    found.equal("shares", "parts of the time", DASHBOARD, tuple(resources), SQL, ledger.view)
    found.equal("shares", "parts of the time", INFO_JSON, tuple(a.info["breakdown_ns"]), SQL,
                ledger.view)
    total = sum(ledger.of(entry) for entry in ledger.view)
    found.equal("shares", "sum of the parts, and the time", SQL, total, SQL, ledger.capacity)
    found.equal("shares", "sum of the parts, and the time", INFO_JSON,
                sum(a.info["breakdown_ns"].values()), SQL, ledger.capacity)
    _check_host(a, ledger, summary, found)
    if ledger.capacity:
        percents = [entry["percent"] for entry in board["resources"]]
        found.near("shares", "sum of the shares", DASHBOARD,
                   None if None in percents else sum(percents), "everything", 100.0)
    for entry in ledger.view:
        ns = ledger.of(entry)
        share = ledger.share(ns)
        part = resources.get(entry, {"ns": None, "percent": None})
        found.equal("shares", entry, DASHBOARD, part["ns"], SQL, ns)
        found.near("shares", entry, DASHBOARD, part["percent"], SQL, share)
        found.equal("shares", entry, INFO_JSON, a.info["breakdown_ns"].get(entry), SQL, ns)
        found.equal("shares", entry, SUMMARY,
                    number(summary.get(("Resource Breakdown, All GPUs", entry))), SQL, ns)
        if ledger.capacity:
            found.near("shares", entry, SUMMARY,
                       number(summary.get(("Resource Breakdown", entry))), SQL, share)
        for place, screen in screens.items():
            _check_legend(entry, share, place, screen, found)
    _check_summary_text(a, ledger, found)
    for place, screen in screens.items():
        _check_bar(ledger, place, screen, found)
    _check_steps_report(a, ledger, found)
    _check_accounting_view(a, ledger, found)


def _check_legend(entry, share, place, screen, found):
    if entry in screen.legend:
        found.prints("shares", entry, f"the legend of {place}", screen.legend[entry][1], SQL, share)
    else:
        found.true("shares", f"{entry} is worth no place", f"the legend of {place}",
                   share is None or share < 0.05, f"nothing of {share} %")


def _check_summary_text(a, ledger, found):
    """The text of `summary` contains the shares, too."""
    if not ledger.capacity:
        return
    section = a.texts["summary"].partition("Resource Breakdown\n")[2].partition("\n\n")[0]
    for line in section.splitlines():
        match = re.fullmatch(rf"  (.+?)\s+({SHARE})", line)
        if match and match[1] in ledger.view:
            found.prints("shares", match[1], "report summary as text", figure(match[2]), SQL,
                         ledger.share(ledger.of(match[1])))


def _check_bar(ledger, place, screen, found):
    """The bar has the number of marks for each share, plus or minus one at each end."""
    if not screen.bar or not ledger.capacity:
        return
    for entry, (mark, _) in screen.legend.items():
        wanted = len(screen.bar) * ledger.of(entry) / ledger.capacity
        drawn = screen.bar.count(mark)
        found.true("shares", f"bar of {entry}", place, abs(drawn - wanted) <= 1.01,
                   f"{drawn} of {len(screen.bar)} marks for {wanted:.1f}")


def _column_of(entry):
    return " ".join(word.upper() if word.lower() in ("i/o", "cuda", "gpu") else word.capitalize()
                    for word in entry.split()) + " (ns)"


def _is_clean(a, end, start):
    """Whether the program ran without being recorded between two windows."""
    return any(max(end, stretch["start"]) < min(start, stretch["stop"])
               for stretch in a.sql.get("clean stretch", []))


def _check_steps_report(a, ledger, found):
    """Report `steps`: the parts of a row sum to its window, and the rows to the range."""
    place = "report steps"
    sums = dict.fromkeys(ledger.view, 0)
    ends = {}
    for row in a.reports["steps"]["rows"]:
        gpu = row["GPU"] is not None
        view = GPU_ENTRIES if gpu else HOST_ENTRIES
        parts = {entry: row[_column_of(entry)] for entry in view}
        step = f"step {row['Iteration']}" + (f" of GPU {row['GPU']}" if gpu else "")
        found.equal("windows", f"parts of {step}, and its window", place,
                    sum(part or 0 for part in parts.values()), place, row["Window (ns)"])
        aggregated = ledger.first <= row["Iteration"] <= ledger.last
        found.equal("windows", f"{step} is analyzed", place, row["Aggregated"], SQL, aggregated)
        if gpu:
            found.equal("windows", f"busy time of {step}", place, row["GPU Busy (ns)"], place,
                        sum(parts[entry] for entry in BUSY))
            key = (row["GPU"], row["Rank"])
            start = row["Window Start (ns)"]
            if key in ends and ledger.identifies_gpus() and not _is_clean(a, ends[key], start):
                found.equal("windows", f"the window of {step} begins where the last ended", place,
                            start, place, ends[key])
            ends[key] = start + row["Window (ns)"]
        if aggregated and gpu == bool(ledger.gpus):
            for entry in sums:
                sums[entry] += parts[entry] or 0
    for entry, ns in sums.items():
        found.equal("windows", f"{entry} in all analyzed steps", place, ns, SQL, ledger.of(entry))
    if ledger.gpus:
        rows = a.reports["steps"]["rows"]
        kernels = sum(row["Kernels"] or 0 for row in rows if row["Aggregated"])
        found.equal("windows", "kernels in all analyzed steps", place, kernels, SQL,
                    sum(row["count"] for row in a.sql.get("kernels", [])))


def _check_accounting_view(a, ledger, found):
    """The view `accounting`: the entries of every step and GPU sum to its window."""
    sums = {}
    used = {(d["rank"], d["ordinal"]) for n, d in ledger.devices.items() if n in ledger.gpus}
    totals = dict.fromkeys(ledger.view, 0)
    for row in a.sql.get("accounting", []):
        name = row["name"]
        gpu = row["ordinal"] is not None
        if gpu == (name in HOST_ENTRIES):
            found.true("windows", "entries of a GPU and of a process", "the view accounting", False,
                       f"{name} of {'a GPU' if gpu else 'a process'}")
        if name in ENTRIES[12:14]:
            continue  # hidden time is not part of the sum
        key = (row["rank"], row["ordinal"], row["number"], row["stop"])
        sums[key] = sums.get(key, 0) + row["ns"]
        counts = (row["rank"], row["ordinal"]) in used if gpu else not ledger.gpus
        if row["aggregated"] and counts and name in totals:
            totals[name] += row["ns"]
    for (rank, ordinal, iteration, window), ns in sums.items():
        several = ledger.sources > 1 and rank is None  # files without a rank share a key
        if not several:
            found.equal("windows", f"entries of step {iteration} of {ordinal}, and its window",
                        "the view accounting", ns, "the view accounting", window)
    if len(used) == len(ledger.gpus):
        for name, ns in totals.items():
            found.equal("windows", f"{name} in all analyzed steps", "the view accounting", ns, SQL,
                        ledger.of(name))


def check_verdict(a, ledger, screens, found):
    """The verdict is the largest displayed group, with the same words everywhere."""
    board = a.api["dashboard"]["verdict"]
    summary = summary_of(a)
    group = board["group"]
    for place, value in [(INFO_JSON, a.info["verdict_group"]),
                         (SUMMARY, summary["Time", "Verdict"])]:
        found.equal("verdict", "the verdict", place, value, DASHBOARD, group)
    found.equal("verdict", "the verdict's id", INFO_JSON, a.info["verdict"], DASHBOARD, board["id"])
    found.equal("verdict", "the verdict's id", DASHBOARD, board["id"], "docs/metrics.md",
                VERDICT_IDS.get(group))
    headline = group[0].upper() + group[1:]
    found.equal("verdict", "the verdict's headline", DASHBOARD, board["headline"], DASHBOARD,
                headline)
    reason = board["reason"]
    for place, value in [(INFO_JSON, a.info["verdict_reason"]),
                         (SUMMARY, summary["Time", "Reason"])]:
        found.equal("verdict", "the verdict's reason", place, value, DASHBOARD, reason)
    words = " ".join(reason.split())
    for place, screen in screens.items():
        found.equal("verdict", "the verdict", place, screen.headline, DASHBOARD, headline)
        found.equal("verdict", "the verdict's reason", place, screen.reason, DASHBOARD, words)
    found.equal("verdict", "the verdict", INFO, " ".join(read_line(a, "verdict").split()),
                DASHBOARD,
                f"{group}: {words}")
    if ledger.capacity:
        _check_reason(group, reason, ledger, found)


def _check_reason(group, reason, ledger, found):
    groups = ledger.groups()
    largest = max(groups, key=groups.get)
    found.equal("verdict", "the largest group", DASHBOARD, groups.get(group), SQL, groups[largest])
    named = [(group, re.match(SHARE, reason))]
    for name in groups:
        named.append((name, re.search(rf", {re.escape(name)} ({SHARE})", reason)))
    shares = []
    for name, match in named:
        if match is None:
            continue
        printed = figure(re.search(SHARE, match[0])[0])
        shares.append((match.start(), groups.get(name, 0)))
        found.prints("verdict", f"share of {name}", "the verdict's reason", printed, SQL,
                     ledger.share(groups.get(name, 0)))
    found.equal("verdict", "shares that the reason names", "the verdict's reason", len(shares),
                "the verdict's reason", len(re.findall(SHARE, reason)))
    ordered = [ns for _, ns in sorted(shares)]
    found.true("verdict", "the largest groups come first", "the verdict's reason",
               ordered == sorted(ordered, reverse=True), repr(reason))
    match = re.search(r"([\d,]+) host synchronizations", reason)
    if match:
        each = ledger.synchronizations / ledger.host_steps
        found.true("synchronizations", "host synchronizations of a step", "the verdict's reason",
                   abs(int(match[1].replace(",", "")) - each) <= 0.5 + 1e-9, f"{match[1]}, SQL "
                   f"{each:.2f}")


def check_idle(a, ledger, screens, found):
    """The causes of idle time are the idle part of the split."""
    board = a.api["dashboard"]["idle"]
    idle = ledger.idle if ledger.gpus else None
    found.equal("idle", "idle time", DASHBOARD, board["ns"], SQL, idle)
    share = ledger.share(idle) if idle is not None else None
    found.near("idle", "share of idle time", DASHBOARD, board["percent"], SQL, share)
    found.near("idle", "share of idle time", SUMMARY, number(summary_of(a)["Time", "GPU Idle"]),
               SQL,
               share)
    causes = {entry["name"]: entry for entry in board["causes"]}
    found.equal("idle", "causes", DASHBOARD, tuple(causes), SQL, CAUSES)
    found.equal("idle", "causes", INFO_JSON, tuple(a.info["idle_ns"] or ()), SQL,
                CAUSES if ledger.gpus else ())
    for name in CAUSES:
        ns = ledger.of(name) if ledger.gpus else None
        cause = causes.get(name, {"ns": None, "percent": None})
        found.equal("idle", name, DASHBOARD, cause["ns"], SQL, ns)
        found.near("idle", name, DASHBOARD, cause["percent"], SQL,
                   None if ns is None else ledger.share(ns))
        found.equal("idle", name, INFO_JSON, (a.info["idle_ns"] or {}).get(name), SQL, ns)
    _check_gaps(a, ledger, found)
    for place, screen in screens.items():
        _check_idle_list(ledger, place, screen, found)


def _check_gaps(a, ledger, found):
    place = "report gaps"
    rows = a.reports["gaps"]["rows"]
    named = {row["Cause"]: row for row in rows}
    found.equal("idle", "one row for each cause", place, len(rows), place, len(named))
    for cause in CAUSES:
        ns = named[cause]["Total (ns)"] if cause in named else 0
        found.equal("idle", cause, place, ns, SQL, ledger.of(cause) if ledger.gpus else 0)
    for row in rows:
        cause = row["Cause"]
        found.true("idle", "name of a cause", place, cause in CAUSES, cause)
        found.near("idle", f"{cause}, share of the idle time", place, row["Idle (%)"], SQL,
                   100 * row["Total (ns)"] / ledger.idle if ledger.idle else None)
        found.near("idle", f"{cause}, share of the time", place, row["Wall (%)"], SQL,
                   ledger.share(row["Total (ns)"]))
        found.near("idle", f"{cause}, mean", place, row["Avg (ns)"], place,
                   row["Total (ns)"] / row["Count"])
        found.at_most("idle", f"{cause}, longest", place, row["Max (ns)"], "their sum",
                      row["Total (ns)"])
        found.at_most("idle", f"{cause}, mean", place, row["Avg (ns)"], "the longest",
                      row["Max (ns)"], 1e-6)
    for note in a.reports["gaps"]["notes"]:
        match = re.search(rf"ran nothing for ({DURATION}) of ({DURATION}) \(({SHARE})\)", note)
        if match:
            found.prints("idle", "idle time", f"a note of {place}", figure(match[1]), SQL,
                         ledger.idle)
            found.prints("idle", "time that is split", f"a note of {place}", figure(match[2]), SQL,
                         ledger.capacity)
            found.prints("idle", "share of idle time", f"a note of {place}", figure(match[3]), SQL,
                         ledger.share(ledger.idle))
        match = re.match(r"In iterations? (\d+)(?: to (\d+))?\b", note)
        if match:
            found.equal("iterations", "iterations that a note is about", f"a note of {place}",
                        (int(match[1]), int(match[2] or match[1])), SQL,
                        (ledger.first, ledger.last))
        match = re.search(r"waited for the GPU ([\d,]+) time", note)
        if match:
            calls = 1 if match[1] == "one" else int(match[1].replace(",", ""))
            found.equal("synchronizations", "host synchronizations in all analyzed steps",
                        f"a note of {place}", calls, SQL, ledger.synchronizations)


def _check_idle_list(ledger, place, screen, found):
    if screen.idle is None:
        share = ledger.share(ledger.idle) if ledger.gpus else None
        found.true("idle", "idle GPUs are worth a place", place, share is None or share < 5.0,
                   f"nothing of {share} %")
        return
    found.prints("idle", "share of idle time", place, screen.idle, SQL, ledger.share(ledger.idle))
    if screen.idle_gpus is not None:
        found.equal("gpus", "GPUs that idle time is averaged over", place, screen.idle_gpus, SQL,
                    len(ledger.gpus))
    times = []
    for row in screen.causes:
        ns = ledger.of(row.name)
        times.append(ns)
        found.true("idle", "name of a cause", place, row.name in CAUSES, row.name)
        found.prints("idle", row.name, place, row.share, SQL, ledger.share(ns))
        found.prints("idle", f"{row.name} of a step", place, row.time, SQL, ns / ledger.gpu_steps)
    found.true("idle", "the largest cause comes first", place, times == sorted(times, reverse=True),
               joined(str(row) for row in screen.causes))
    largest = max(ledger.of(cause) for cause in CAUSES)
    found.equal("idle", "the largest cause", place, times[0] if times else None, SQL, largest)
