"""Every report has the same content as JSON, as CSV, and in the viewer."""

import re

JSON = "--format json"


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None


def _same(text, value, kind):
    """Whether a cell of a CSV file equals the value in the JSON file."""
    if value is None:
        return text == ""
    if kind == "boolean":
        return text == ("1" if value else "0") or text == ("yes" if value else "no")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        read = _number(text)
        if read is None:
            return False
        decimals = len(text.partition(".")[2].partition("e")[0])
        scale = 10.0 ** int(text.partition("e")[2] or 0)
        return abs(read - value) <= (0.5001 * 10.0 ** -decimals * scale if "." in text
                                     else 0.5001 if isinstance(value, float) else 0)
    return text == value or _number(text) is not None and _number(text) == _number(value) or (
        _real(text, value))


def _real(text, value):
    """Compares cells of `summary`, whose column is text with rounded real numbers."""
    a, b = _number(text), _number(value)
    return a is not None and b is not None and abs(a - b) <= 0.0501


def check_tables(a, found):
    found.equal("tables", "reports", "--format csv", sorted(a.tables), JSON, sorted(a.reports))
    for name, report in a.reports.items():
        names = [column["name"] for column in report["columns"]]
        kinds = [column["type"] for column in report["columns"]]
        table = a.tables.get(name, [[]])
        found.equal("tables", f"columns of {name}", "--format csv", table[0], JSON, names)
        _compare(f"--format csv, {name}", table[1:], report["rows"], names, kinds,
                 lambda text, value, kind: _same(text, value, kind), found)
        answer = a.api["report " + name]
        found.equal("tables", f"columns of {name}", "the API",
                    [c["name"] for c in answer["columns"]],
                    JSON, names)
        found.equal("tables", f"number of rows of {name}", "the API", answer["total"], JSON,
                    len(report["rows"]))
        found.equal("tables", f"notes of {name}", "the API", answer["notes"], JSON, report["notes"])
        _compare(f"the API, {name}", answer["rows"], report["rows"][:len(answer["rows"])], names,
                 kinds, lambda one, other, kind: _equal(one, other), found)


def _equal(one, other):
    """Compares cells of `summary`, whose column is text with rounded real numbers in the viewer."""
    if isinstance(one, str) and isinstance(other, (int, float)):
        return _same(one, other, "text")
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one))
    return one == other


def _compare(place, rows, others, names, kinds, same, found):
    if not found.equal("tables", "number of rows", place, len(rows), JSON, len(others)):
        return
    for i, (row, other) in enumerate(zip(rows, others)):
        values = [other[name] for name in names]
        wrong = [k for k in range(len(names)) if not same(row[k], values[k], kinds[k])]
        k = wrong[0] if wrong else 0
        found.true("tables", f"{names[k]} of row {i + 1}" if wrong else f"row {i + 1}", place,
                   not wrong, f"{row[k]!r}, {JSON} {values[k]!r}")


# Columns whose values are parts of another column's value, so they cannot exceed it.
_PARTS = (("Busy (ns)", "Window (ns)"), ("TC GPU Time (ns)", "Total GPU Time (ns)"),
          ("Exposed (ns)", "Total Time (ns)"), ("Min GPU Time (ns)", "Max GPU Time (ns)"),
          ("Max GPU Time (ns)", "Total GPU Time (ns)"), ("GPU Busy (ns)", "Window (ns)"))


def check_percent(a, found):
    """Shares are between 0 and 100 %; parts are not larger than their whole."""
    for name, report in a.reports.items():
        percents = [c["name"] for c in report["columns"] if c["type"] == "percent"]
        columns = {c["name"] for c in report["columns"]}
        for i, row in enumerate(report["rows"]):
            for column in percents:
                value = row[column]
                # Compared with a peak, data in the cache may be faster than memory.
                limit = 100 if name not in ("roofline", "sol") else float("inf")
                found.true("shares", f"{column} of row {i + 1}", f"report {name}",
                           value is None or 0 <= value <= limit + 1e-6, value)
            for part, whole in _PARTS:
                if part in columns and whole in columns:
                    found.at_most("shares", f"{part} of row {i + 1}", f"report {name}", row[part],
                                  whole, row[whole])


def _sums_to_everything(report):
    """Columns of Nsight Systems' reports whose shares sum to 100 %."""
    return report["report"] in ("cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum",
                                "nvtx_sum") and report["rows"]


def check_sums(a, found):
    for name, report in a.reports.items():
        if not _sums_to_everything(report):
            continue
        shares = [row["Time (%)"] for row in report["rows"]]
        if any(row["Total Time (ns)"] for row in report["rows"]):
            # Each is rounded to one decimal, as Nsight Systems does.
            found.near("shares", "sum of the shares", f"report {name}",
                       None if None in shares else sum(shares), "everything", 100.0,
                       5e-4 * len(shares) + 1e-6)
    sums = {}
    for row in a.reports["nvprof"]["rows"]:
        if row["Time (%)"] is not None and re.search("GPU|API", row["Type"] or ""):
            sums.setdefault(row["Type"], []).append((row["Time (%)"], row["Time (ns)"]))
    for kind, rows in sums.items():
        if any(ns for _, ns in rows):
            found.near("shares", f"sum of the shares of {kind}", "report nvprof",
                       sum(share for share, _ in rows), "everything", 100.0)
