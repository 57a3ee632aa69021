"""GPUs: which are counted, how busy they were, and their communication."""

import re

from figures import DURATION, SHARE, figure
from ledger import BUSY, KERNEL_ENTRIES
from times import DASHBOARD, INFO, INFO_JSON, SQL, SUMMARY, number, read_line, summary_of


def check_gpus(a, ledger, screens, found):
    board = a.api["dashboard"]
    used = {(ledger.devices[d]["rank"], ledger.devices[d]["ordinal"]): d for d in ledger.gpus}
    counted = len(ledger.gpus) if ledger.recorded_work else 0
    found.equal("gpus", "GPUs that the numbers are about", DASHBOARD, board["gpus"], SQL, counted)
    listed = board["gpu_utilization"]["gpus"]
    found.equal("gpus", "GPUs with a utilization", DASHBOARD, len(listed), DASHBOARD, board["gpus"])
    for place, screen in screens.items():
        _check_machine(screen, place, counted, found)
    _check_devices(a, found)
    rows = a.reports["gpus"]["rows"]
    keys = [(row["Rank"], row["GPU"]) for row in rows]
    if ledger.identifies_gpus():
        found.true("gpus", "every GPU once", "report gpus", len(set(keys)) == len(keys), keys)
    working = [key for key, row in zip(keys, rows) if row["Busy (ns)"]]
    found.equal("gpus", "GPUs that worked", "report gpus", len(working), SQL, counted)
    _check_unused(a, ledger, working, counted, found)
    _check_utilization(a, ledger, used, found)


def _check_machine(screen, place, counted, found):
    """The line at the top: "8 × Tesla V100", followed by the rank."""
    machine = screen.machine.split(" · ")[0]
    if not machine or machine.startswith("rank "):
        numbered = 0
    else:
        numbered = sum(int(part.split(" × ")[0]) if " × " in part else 1
                       for part in machine.split(", "))
    found.equal("gpus", "GPUs on top of the page", place, numbered, SQL, counted)


def _check_devices(a, found):
    """No GPU is listed twice, such as with its number in the metadata and its real one."""
    devices = [(d["rank"], d["ordinal"]) for d in a.info["devices"]]
    if all(rank is not None for rank, _ in devices) or a.info["files"] == 1:
        found.true("gpus", "every GPU once", INFO_JSON, len(set(devices)) == len(devices), devices)


def _check_unused(a, ledger, working, counted, found):
    """Unused GPUs did nothing, and used and unused GPUs together are all GPUs."""
    for finding in a.advise_all["findings"]:
        if finding["rule"] != "gpu-unused":
            continue
        place = "the advice gpu-unused"
        match = re.match(r"(?:The program sees (\d+) GPUs and used (\d+) of them|"
                         r"(\d+) of the (\d+) GPUs)", finding["problem"])
        if not found.true("gpus", "counts of GPUs", place, match, finding["problem"]):
            continue
        seen = int(match[1] or match[4])
        unused = seen - int(match[2]) if match[1] else int(match[3])
        found.equal("gpus", "used and unused GPUs", place, unused + len(ledger.used_devices), place,
                    seen)
        numbers = [int(n) for e in finding["evidence"]
                   for n in re.findall(r"^GPU (\d+)", e["text"])]
        found.at_most("gpus", "unused GPUs that are listed", place, len(numbers),
                      "those that its problem counts", unused)
        ordinals = {ordinal for _, ordinal in working}
        both = sorted(ordinals & set(numbers))
        found.true("gpus", "no GPU is used and unused", place, not both, both)
    for note in a.reports["gpus"]["notes"]:
        match = re.match(r"(\d+) more GPU", note)
        if match:
            found.equal("gpus", "GPUs that are listed and left out", "report gpus",
                        counted + int(match[1]), SQL, len(ledger.devices))


def _check_utilization(a, ledger, used, found):
    board = a.api["dashboard"]["gpu_utilization"]
    summary = summary_of(a)
    known = ledger.recorded_work and ledger.capacity and ledger.gpus
    kernels = ledger.share(ledger.kernel_busy) if known else None
    everything = ledger.share(ledger.busy) if known else None
    found.near("utilization", "GPU utilization", DASHBOARD, board["percent"], SQL, kernels)
    found.near("utilization", "GPU utilization with copies", DASHBOARD,
               board["with_copies_percent"],
               SQL, everything)
    ratio = a.info["gpu_utilization"]
    found.near("utilization", "GPU utilization", INFO_JSON, None if ratio is None else 100 * ratio,
               SQL, kernels, 1e-4)
    found.near("utilization", "GPU utilization", SUMMARY,
               number(summary["Time", "GPU Utilization"]), SQL, kernels)
    found.near("utilization", "GPU utilization with copies", SUMMARY,
               number(summary["Time", "GPU Utilization With Copies"]), SQL, everything)
    numbers = {entry["id"]: entry["value"] for entry in a.api["dashboard"]["summary"]}
    found.near("utilization", "GPU utilization", "the dashboard's summary",
               numbers["gpu_utilization"], SQL, kernels)
    match = re.fullmatch(SHARE, read_line(a, "GPU utilization"))
    found.prints("utilization", "GPU utilization", INFO, figure(match[0]) if match else None, SQL,
                 kernels)
    if not known or not ledger.identifies_gpus():
        return
    shown = {entry["gpu"]: entry["percent"] for entry in board["gpus"]}
    for row in a.reports["gpus"]["rows"]:
        device = used.get((row["Rank"], row["GPU"]))
        if device is None:
            continue
        title = f"GPU {row['GPU']}"
        if row["Rank"] is not None:
            title = title if title in shown else f"rank {row['Rank']} {title}"
        _check_one(row, title, ledger, device, shown, found)


def _check_one(row, title, ledger, device, shown, found):
    entries, window = ledger.gpu_entries[device], ledger.window[device]
    place = f"report gpus, {title}"
    kernels = sum(entries.get(entry, 0) for entry in KERNEL_ENTRIES)
    busy = sum(entries.get(entry, 0) for entry in BUSY)
    share = 100 * kernels / window if window else None
    found.near("utilization", "GPU utilization", place, row["Utilization (%)"], SQL, share)
    found.near("utilization", "GPU utilization", f"the dashboard, {title}", shown.get(title), SQL,
               share)
    found.near("utilization", "GPU utilization with copies", place,
               row["Utilization With Copies (%)"], SQL, 100 * busy / window if window else None)
    found.equal("utilization", "busy time", place, row["Busy (ns)"], SQL, busy)
    found.at_most("utilization", "busy time", place, row["Busy (ns)"], "its window", window)


def check_communication(a, ledger, screens, found):
    """Communication exists only if collectives ran, and is the same everywhere."""
    exposed = ledger.of("exposed communication")
    hidden = ledger.of("hidden communication")
    collectives = sum(row["count"] for row in a.sql.get("kernels", [])
                      if row["family"] == "collective")
    report = a.reports["communication"]
    if not collectives:
        waiting = ledger.of("waiting for another rank")
        # Work of the previous step that still runs in this window counts here, too.
        found.true("communication", "communication without collectives", "report communication",
                   not report["rows"], report["rows"][:1])
        found.equal("communication", "waiting for another rank without collectives", SQL, waiting,
                    "the kernels", 0)
        for place, screen in screens.items():
            found.true("communication", "a verdict without collectives", place,
                       screen.headline not in ("Exposed communication", "Waiting for another rank"),
                       screen.headline)
        rules = [f["rule"] for f in a.advise_all["findings"]]
        found.true("communication", "advice without collectives", "advise",
                   "exposed-communication" not in rules or exposed, "exposed-communication")
    rows = a.reports["gpus"]["rows"]
    sums = {name: sum(row[name] or 0 for row in rows)
            for name in ("Communication (ns)", "Exposed Communication (ns)")}
    found.equal("communication", "exposed communication", "report gpus",
                sums["Exposed Communication (ns)"], SQL, exposed)
    found.equal("communication", "communication", "report gpus", sums["Communication (ns)"], SQL,
                exposed + hidden)
    for row in rows:
        found.near("communication", f"overlap of GPU {row['GPU']}", "report gpus",
                   row["Communication Overlap (%)"], "report gpus",
                   100 - 100 * row["Exposed Communication (ns)"] / row["Communication (ns)"]
                   if row["Communication (ns)"] else None)
    for row in report["rows"]:
        found.at_most("communication", f"exposed time of {row['Name']}", "report communication",
                      row["Exposed (ns)"], "its time", row["Total Time (ns)"])
        found.at_most("communication", f"exposed time of {row['Name']}", "report communication",
                      row["Exposed (ns)"], SQL, exposed)
    _check_notes(report, exposed, hidden, found)
    _check_advice(a, ledger, exposed, hidden, found)


def _check_notes(report, exposed, hidden, found):
    for note in report["notes"]:
        match = re.match(rf"Communication takes ({DURATION}) .*: ({SHARE}) of it overlaps .*, "
                         rf"({DURATION}) is exposed", note)
        if match is None:
            continue
        place = "a note of report communication"
        found.prints("communication", "communication", place, figure(match[1]), SQL,
                     exposed + hidden)
        found.prints("communication", "overlap", place, figure(match[2]), SQL,
                     100 * hidden / (exposed + hidden) if exposed + hidden else None)
        found.prints("communication", "exposed communication", place, figure(match[3]), SQL,
                     exposed)


def _check_advice(a, ledger, exposed, hidden, found):
    for finding in a.advise_all["findings"]:
        if finding["rule"] != "exposed-communication":
            continue
        place = "the advice exposed-communication"
        match = re.match(rf"Exposed communication takes ({SHARE}) of the GPUs?'s? time; ({SHARE}) of "
                         "all communication is hidden", finding["problem"])
        if found.true("communication", "shares", place, match, finding["problem"]):
            found.prints("communication", "exposed communication", place, figure(match[1]), SQL,
                         ledger.share(exposed))
            found.prints("communication", "hidden communication", place, figure(match[2]), SQL,
                         100 * hidden / (exposed + hidden) if exposed + hidden else None)
