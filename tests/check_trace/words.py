"""The words: one name for each concept, and missing values instead of 0 for unknown ones."""

import re

from ledger import CAUSES
from pages import joined
from times import DASHBOARD, INFO, INFO_JSON, SUMMARY, number, read_line, summary_of

# Other names of concepts, and the right names.
_OTHER_NAMES = {
    r"\bsynchronis\w*": "synchronization",
    r"\b(?:normalis|optimis|initialis|serialis|vectoris|parallelis|quantis|summaris|minimis|"
    r"maximis|utilis|recognis|organis|analys(?=e[sd]?\b|ing\b))\w*": "American spelling",
    r"\b(?:colour|behaviour|neighbour|licence)\w*": "American spelling",
    r"\bwaits? for communication\b": "waiting for another rank",
    r"\b(?:input|data|loader)[- ]stall\w*\b": "waiting for data",
    r"\bcpu[- ]bound launching\b": "host work before the launch",
    r"\blaunch overhead\b": "launch latency",
    r"\b(?:aggregated|profiled) iterations\b": "analyzed steps",
    r"\band process\b(?!es)": "per process",
    r"\b1 \w+ing calls\b": "a singular",
    r"\b0\.0+ (?:ns|µs|ms|s)\b": "a figure that says something",
    r"\bnan\b|\binf\b": "a number",
}


def _prose(a, screens):
    """Sentences of the program, without names that come from the recording."""
    for place, screen in screens.items():
        for label in ("Step", "Most time", "Tensor Cores", "Trust", "Look further"):
            yield f"{place}, {label}", screen.paragraph(label)
        for label in ("GPU idle", "Ops", "Kernels", "Change first", "Worth trying"):
            yield f"{place}, {label}", joined(screen.sections.get(label, [])[:1])
    for finding in a.advise_all["findings"]:
        for field in ("problem", "recommendation", "assumes"):
            yield f"advise, {finding['rule']}, {field}", finding[field]
    for skipped in a.advise_all["skipped"]:
        yield f"advise, {skipped['rule']}", skipped["because"]
    for name, report in a.reports.items():
        yield f"report {name}", report["title"]
        for column in report["columns"]:
            yield f"report {name}, a column", f"{column['name']}: {column['doc']}"
        for note in report["notes"]:
            yield f"report {name}, a note", note
    board = a.api["dashboard"]
    for entry in board["summary"]:
        yield "the dashboard's summary", f"{entry['name']} {entry['unit']}: {entry['doc']}"
    for entry in board["guidance"]:
        yield "the dashboard's guidance", entry["text"]
    yield DASHBOARD, board["verdict"]["reason"]
    for limit in board["trust"]["limits"]:
        yield DASHBOARD, limit["text"]


# Columns and lines with DLProf's names.
_OTHERS_NAMES = ("Aggregated Iterations", "Profiled Iterations")


def check_names(a, screens, found):
    for place, text in _prose(a, screens):
        for name in _OTHERS_NAMES:
            text = text.replace(name, "")
        for pattern, right in _OTHER_NAMES.items():
            # Names in the program's own text only: those of kernels and paths are left out.
            match = re.search(pattern, text, re.IGNORECASE)
            word = match[0] if match else ""
            found.true("words", f"{word!r} in place of {right}", place, not match,
                       repr(text[max(0, match.start() - 40):match.end() + 20]) if match else "")
    found.equal("words", "names of idle causes", "report gaps",
                sorted({row["Cause"] for row in a.reports["gaps"]["rows"]} - set(CAUSES)),
                "docs/metrics.md", [])


def check_trust(a, screens, found):
    sentence = a.api["dashboard"]["trust"]["sentence"]
    words = " ".join(sentence.split())
    for place, screen in screens.items():
        found.equal("trust", "the sentence", place, screen.paragraph("Trust"), DASHBOARD, words)
    found.equal("trust", "the sentence", "report trust", a.reports["trust"]["notes"][:1], DASHBOARD,
                [sentence])
    limits = a.api["dashboard"]["trust"]["limits"]
    for limit in limits:
        found.true("trust", f"the limit {limit['code']}", DASHBOARD, limit["text"] in sentence,
                   sentence)
    known = [row for row in a.reports["trust"]["rows"] if row["Share (%)"] is not None]
    for row in known:
        found.near("trust", row["What"], "report trust", row["Share (%)"], "its counts",
                   100 * row["Count"] / row["Of"] if row["Of"] else None)


def check_missing(a, ledger, screens, found):
    """Values that were not recorded are missing, not 0."""
    if ledger.recorded_work:
        return
    for name in ("kernel_sum_ns", "gpu_busy_ns", "gpu_span_ns", "gpu_utilization",
                 "unassociated_gpu_ns"):
        found.equal("missing", f"{name} without GPU work", INFO_JSON, a.info[name], "the recording",
                    None)
    for name in ("GPU busy", "GPU utilization", "without an op"):
        found.equal("missing", f"{name} without GPU work", INFO, read_line(a, name),
                    "the recording", "not available")
    board = a.api["dashboard"]
    found.equal("missing", "idle time without GPU work", DASHBOARD, board["idle"]["ns"],
                "the recording", None)
    summary = summary_of(a)
    for section, name in [("Time", "GPU Utilization"), ("Time", "GPU Idle"),
                          ("Time", "Tensor Core Kernel Efficiency"),
                          ("All Kernels", "All kernels: GPU Time"),
                          ("All Ops", "All ops: GPU Time")]:
        found.equal("missing", f"{name} without GPU work", SUMMARY, number(summary[section, name]),
                    "the recording", None)
    for place, screen in screens.items():
        idle = "GPU idle" in screen.sections or "Kernels" in screen.sections
        found.true("missing", "GPUs without GPU work", place, not idle, "how they were used")
        said = re.search(r"(?:never|not) idle", screen.text)
        found.true("missing", "GPUs without GPU work", place, not said, said and said[0])
    for row in a.reports["gpus"]["rows"]:
        numbers = [row["Busy (ns)"], row["Utilization (%)"], row["Kernels"]]
        found.equal("missing", "use of a GPU without GPU work", "report gpus", numbers,
                    "the recording", [None, None, None])


def check_hints(a, screens, found):
    """The reports that the one screen names exist."""
    for place, screen in screens.items():
        for name in re.findall(r"--report (\w+)", screen.text):
            found.true("layout", "a report to look further", place, name in a.reports, name)


def check_layout(a, screens, found):
    """No line is wider than the page; both widths, and recording and profile, agree."""
    for place, width in (("the one screen", 100), ("the one screen at 160 columns", 120)):
        for line in screens[place].text.splitlines():
            found.at_most("layout", "width of a line", f"{place}: {line[:50]!r}", len(line),
                          "its columns", width)
    lines = a.direct.splitlines()[1:]
    found.true("layout", "the same of the recording and of the saved profile", "report",
               lines == a.screens[100].splitlines()[1:],
               _first_difference(lines, a.screens[100].splitlines()[1:]))


def _first_difference(lines, others):
    for line, other in zip(lines, others):
        if line != other:
            return f"{line!r} and {other!r}"
    return f"{len(lines)} and {len(others)} lines"


def check_per_step(a, ledger, screens, step, found):
    """No part of a step takes longer than the step."""
    if step is None:
        return
    for place, screen in screens.items():
        for table in (screen.ops, screen.kernels):
            # On the CPU, several threads work at the same time.
            if table.by != "GPU time" and table is screen.ops:
                continue
            for row in table.rows:
                found.at_most("per-step", f"{row.name} in a step", place, row.time.low, "the step",
                              step)
        for row in screen.causes:
            found.at_most("per-step", f"{row.name} in a step", place, row.time.low, "the step",
                          step)

