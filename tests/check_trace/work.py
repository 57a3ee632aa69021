"""Ops, kernels and Tensor Cores."""

import json
import math
import re
from collections import defaultdict

from figures import DURATION, NUMBER, SHARE, figure, first_figure
from pages import fits
from times import DASHBOARD, INFO, INFO_JSON, SQL, SUMMARY, number, read_line, summary_of

_UNASSOCIATED = "unassociated_"


def op_kinds(a):
    """Ops of report `detail` by type and direction: their times, number and Tensor Core use."""
    kinds = defaultdict(lambda: {"gpu": 0, "cpu": 0, "ops": 0, "calls": 0, "uses": set()})
    for row in a.reports["detail"]["rows"]:
        # Calls outside all ops are shown under this name, without the number that distinguishes
        # them.
        type_ = row["Op Type"]
        if (row["Op Name"] or "").startswith(_UNASSOCIATED):
            type_ = _UNASSOCIATED + type_
        kind = kinds[type_, row["Direction"] or ""]
        kind["gpu"] += row["Total GPU Time (ns)"] or 0
        kind["cpu"] += row["Total CPU Time (ns)"] or 0
        kind["ops"] += 1
        kind["calls"] += row["No. Calls"]
        kind["uses"].add(row["Using TC"])
    return dict(kinds)


def check_ops(a, ledger, screens, found):
    kinds = op_kinds(a)
    gpu = sum(kind["gpu"] for kind in kinds.values())
    cpu = sum(kind["cpu"] for kind in kinds.values())
    on_gpu = bool(ledger.recorded_work and gpu)
    time, all_time = ("gpu", gpu) if on_gpu else ("cpu", cpu)
    steps = ledger.gpu_steps if on_gpu else ledger.host_steps
    for place, screen in screens.items():
        table = screen.ops
        if table.by:
            found.equal("ops", "what ops are ranked by", place, table.by, "report detail",
                        f"{time.upper()} time")
        elif not on_gpu:
            found.true("ops", "a recording without GPU work lists its top CPU ops", place, not cpu,
                       f"no ops; report detail has {cpu} ns on the CPU")
        _check_table("ops", table, kinds, time, all_time, steps, place, found)
    _check_top_ops(a, kinds, time, all_time, found)
    totals = summary_of(a)
    for name, value in (("GPU", gpu), ("CPU", cpu)):
        said = number(totals["All Ops", f"All ops: {name} Time"])
        if said is not None:
            found.equal("ops", f"{name} time of all ops", SUMMARY, said, "report detail", value)
    for name in ("GPU Time", "CPU Time", "# Ops"):
        parts = [number(value) or 0 for (section, line), value in totals.items()
                 if section == "All Ops" and line.endswith(": " + name)
                 and not line.startswith("All ops:")]
        found.equal("ops", f"{name} of the parts of all ops", SUMMARY, sum(parts), SUMMARY,
                    number(totals["All Ops", f"All ops: {name}"]) or 0)
    types = {row["Op Type"]: row["Total GPU Time (ns)"] or 0
             for row in a.reports["op_type"]["rows"]}
    found.equal("ops", "GPU time of all ops", "report op_type", sum(types.values()),
                "report detail",
                gpu)


def check_samples(a, ledger, found):
    """Tokens are not samples: of an embedding's indices only the first dimension counts."""
    types = {row["Op Type"] for row in a.reports["op_shapes"]["rows"]}
    attention = any("attention" in name or "attn" in name for name in types)
    for row in a.reports["op_shapes"]["rows"]:
        if row["Op Type"] != "embedding" or not row["Input Shapes"]:
            continue
        shapes = json.loads(row["Input Shapes"])
        indices = shapes[1] if len(shapes) > 1 and isinstance(shapes[1], list) else []
        if len(indices) == 2 and min(indices) > 1 or len(indices) == 1 and attention:
            tokens = math.prod(indices)
            found.true("rate", f"{tokens} tokens are not samples", "SQL",
                       tokens < 2 or ledger.batch_size != tokens, ledger.batch_size)


def _check_table(identity, table, kinds, time, all_time, steps, place, found):
    """The rows of a table on the one screen are the largest, with correct shares and times."""
    if not table.by:
        return
    words = {f"{name}, {way}" if way else name: kind for (name, way), kind in kinds.items()}
    plain = {name: kind for (name, _), kind in kinds.items()}
    for row in table.rows:
        name, separator, way = row.name.rpartition(", ")
        candidates = [(key, kind) for key, kind in words.items()
                      if fits(row.name, key) or (separator and key.endswith(", " + way)
                                                 and fits(name, key[:-len(way) - 2]))]
        candidates += [(key, kind) for key, kind in plain.items() if fits(row.name, key)]
        if not found.true(identity, "a row of the table", place, candidates, row):
            continue
        right = [kind for _, kind in candidates
                 if row.share.holds(100 * kind[time] / all_time)
                 and row.time.holds(kind[time] / steps)]
        kind = (right or [candidates[0][1]])[0]
        found.prints(identity, f"share of {row.name}", place, row.share, "report detail",
                     100 * kind[time] / all_time)
        found.prints(identity, f"time of {row.name} in a step", place, row.time, "report detail",
                     kind[time] / steps)
        # A kind of op uses Tensor Cores if one of its ops does.
        if row.tensor_cores and len(kind["uses"]) == 1 and None not in kind["uses"]:
            known = "yes" if True in kind["uses"] else "no"
            found.true("tensor-cores", f"Tensor Cores in {row.name}", place,
                       row.tensor_cores in (known, "unknown"), f"{row.tensor_cores}, report detail "
                       f"{known}")
    found.at_most(identity, "sum of the shares", place, sum(row.share.low for row in table.rows),
                  "everything", 100)
    ordered = [row.time.high for row in table.rows]
    found.true(identity, "the largest come first", place, ordered == sorted(ordered, reverse=True),
               ", ".join(str(row) for row in table.rows))
    found.equal(identity, "rows", place, len(table.rows), place, table.shown)
    some = sum(1 for kind in kinds.values() if kind[time])
    found.equal(identity, "how many there are", place, table.total, "report detail", some)
    if table.shown == table.total and table.rows:
        high = sum(row.share.high for row in table.rows)
        found.true(identity, "shares of all rows sum to 100 %", place, high >= 100 - 1e-6,
                   f"{high:.2f} %")


def _check_top_ops(a, kinds, time, all_time, found):
    rows = a.api["dashboard"]["top_ops"]
    if not all_time:
        found.true("ops", "the largest ops", DASHBOARD, not rows, rows[:1])
        return
    found.true("ops", "the largest ops", DASHBOARD, rows, "none")
    field = f"{time}_ns"
    times = [row.get(field) for row in rows]
    found.true("ops", "the largest come first", DASHBOARD,
               None not in times and times == sorted(times, reverse=True), times)
    best = max(kinds.values(), key=lambda kind: kind[time])
    if times:
        found.equal("ops", "the largest type of ops", DASHBOARD, times[0], "report detail",
                    best[time])
    for row in rows:
        kind = kinds.get((row["type"], row["direction"]))
        title = f"{row['type']} {row['direction']}".strip()
        if not found.true("ops", "a type of ops", DASHBOARD, kind, title):
            continue
        for name in ("gpu", "cpu"):
            if time == name or row.get(f"{name}_ns") is not None:
                found.equal("ops", f"{name.upper()} time of {title}", DASHBOARD,
                            row.get(f"{name}_ns"), "report detail", kind[name])
        found.near("ops", f"share of {title}", DASHBOARD, row["share_percent"], "report detail",
                   100 * kind[time] / all_time)
        found.equal("ops", f"number of {title}", DASHBOARD, row["ops"], "report detail",
                    kind["ops"])
        found.equal("ops", f"calls of {title}", DASHBOARD, row["calls"], "report detail",
                    kind["calls"])


def check_kernels(a, ledger, screens, found):
    """Kernels of the analyzed steps: their number and time, by name and by class."""
    rows = a.sql.get("kernels", [])
    copies = a.sql["copies"][0]
    kernel_time = sum(row["ns"] for row in rows)
    count = sum(row["count"] for row in rows)
    on_cores = sum(row["ns"] for row in rows if row["tensor_cores"] is True)
    known = ledger.recorded_work
    parts = a.api["dashboard"]["kernels"]
    totals = summary_of(a)
    for id_, name, ns, number_ in [
            ("all", "All kernels", kernel_time + copies["ns"], count + copies["count"]),
            ("tensor_cores", "Kernels using TC", on_cores,
             sum(row["count"] for row in rows if row["tensor_cores"] is True)),
            ("memory", "Memory", copies["ns"], copies["count"])]:
        ns, number_ = (ns, number_) if known else (None, None)
        found.equal("kernels", f"time of kernels, {name}", DASHBOARD, parts[id_]["gpu_ns"], SQL, ns)
        found.equal("kernels", f"number of kernels, {name}", DASHBOARD, parts[id_]["count"], SQL,
                    number_)
        found.equal("kernels", f"time of kernels, {name}", SUMMARY,
                    number(totals["All Kernels", f"{name}: GPU Time"]), SQL, ns)
        found.equal("kernels", f"number of kernels, {name}", SUMMARY,
                    number(totals["All Kernels", f"{name}: Runs"]), SQL, number_)
    if known:
        found.equal("kernels", "time of other kernels", DASHBOARD, parts["other"]["gpu_ns"], SQL,
                    kernel_time - on_cores)
        found.equal("kernels", "number of other kernels", DASHBOARD, parts["other"]["count"], SQL,
                    sum(row["count"] for row in rows if row["tensor_cores"] is not True))
    per_kernel = a.reports["kernel"]["rows"]
    found.equal("kernels", "GPU time of everything", "report kernel",
                sum(row["Total GPU Time (ns)"] for row in per_kernel), SQL,
                kernel_time + copies["ns"])
    named = {}
    for row in rows:
        key = (row["name"], "")
        kind = named.setdefault((key[0], str(row["tensor_cores"])), {"gpu": 0, "uses": set()})
        kind["gpu"] += row["ns"]
        kind["uses"].add(row["tensor_cores"])
    for place, screen in screens.items():
        table = screen.kernels
        if not kernel_time:
            found.true("kernels", "kernels", place, not table.rows, table.rows[:1])
            continue
        _check_kernel_table(table, named, kernel_time, ledger.gpu_steps, place, found)
        found.equal("kernels", "different kernels", place, table.total, SQL, len(named))
        found.equal("kernels", "rows", place, len(table.rows), place, table.shown)
    _check_recorded(a, ledger, found)


def _check_kernel_table(table, named, all_time, steps, place, found):
    words = {"True": "yes", "False": "no", "None": "unknown"}
    for row in table.rows:
        candidates = [(name, word, kind) for (name, word), kind in named.items()
                      if fits(row.name, name)]
        if not found.true("kernels", "a row of the table", place, candidates, row):
            continue
        right = [one for one in candidates if row.share.holds(100 * one[2]["gpu"] / all_time)
                 and row.time.holds(one[2]["gpu"] / steps)]
        _, word, kind = (right or candidates)[0]
        found.prints("kernels", f"share of {row.name}", place, row.share, SQL,
                     100 * kind["gpu"] / all_time)
        found.prints("kernels", f"time of {row.name} in a step", place, row.time, SQL,
                     kind["gpu"] / steps)
        said = {words[w] for _, w, k in (right or candidates)}
        found.true("tensor-cores", f"Tensor Cores in {row.name}", place, row.tensor_cores in said,
                   f"{row.tensor_cores}, SQL {'/'.join(sorted(said))}")
    found.at_most("kernels", "sum of the shares", place, sum(row.share.low for row in table.rows),
                  "everything", 100)
    ordered = [row.time.high for row in table.rows]
    found.true("kernels", "the largest come first", place, ordered == sorted(ordered, reverse=True),
               ", ".join(str(row) for row in table.rows))


def _check_recorded(a, ledger, found):
    """Kernels of the whole recording, in `info`."""
    recorded = a.sql["recorded"][0]
    found.prints("kernels", "events", INFO, first_figure(NUMBER, read_line(a, "events")), INFO_JSON,
                 a.info["events"])
    found.equal("kernels", "copies and memsets", INFO_JSON, a.info["memcpys"] + a.info["memsets"],
                INFO_JSON, a.info["copies"])
    if not ledger.recorded_work:
        return
    counts = re.findall(NUMBER, read_line(a, "copies, memsets").replace(", ", " "))
    found.equal("kernels", "copies and memsets", INFO, [figure(c).low for c in counts], INFO_JSON,
                [a.info["memcpys"], a.info["memsets"]])
    found.equal("kernels", "copies and memsets of the recording", INFO_JSON, a.info["copies"], SQL,
                a.sql["recorded copies"][0]["count"])
    found.equal("kernels", "time in which a GPU was busy", INFO_JSON, a.info["gpu_busy_ns"], SQL,
                recorded["busy"])
    found.equal("kernels", "from the first to the last GPU work", INFO_JSON, a.info["gpu_span_ns"],
                SQL, recorded["stop"] - recorded["start"])
    found.equal("kernels", "kernels of the recording", INFO_JSON, a.info["kernels"], SQL,
                recorded["count"])
    found.equal("kernels", "time of the kernels of the recording", INFO_JSON,
                a.info["kernel_sum_ns"], SQL, recorded["ns"])
    line = read_line(a, "kernels")
    match = re.match(rf"([\d,]+) taking ({DURATION})", line)
    if found.true("kernels", "kernels of the recording", INFO, match, line):
        found.prints("kernels", "kernels of the recording", INFO, figure(match[1]), SQL,
                     recorded["count"])
        found.prints("kernels", "time of the kernels of the recording", INFO, figure(match[2]), SQL,
                     recorded["ns"])
    found.prints("kernels", "GPU time without an op", INFO,
                 first_figure(DURATION, read_line(a, "without an op")), INFO_JSON,
                 a.info["unassociated_gpu_ns"])
    found.prints("kernels", "time in which a GPU was busy", INFO,
                 first_figure(DURATION, read_line(a, "GPU busy")), INFO_JSON, a.info["gpu_busy_ns"])
    found.at_most("kernels", "time in which a GPU was busy", INFO_JSON, a.info["gpu_busy_ns"],
                  "the recording on all used GPUs",
                  a.info["gpu_span_ns"] * len(ledger.used_devices))


def check_tensor_cores(a, ledger, screens, found):
    board = a.api["dashboard"]["tensor_cores"]
    efficiency = board["percent"]
    eligible, on_cores = board["eligible_ns"], board["eligible_on_tensor_cores_ns"]
    if not ledger.recorded_work:
        found.equal("tensor-cores", "time in eligible ops without GPU work", DASHBOARD, eligible,
                    "the recording", None)
    else:
        found.near("tensor-cores", "Tensor Core kernel efficiency", DASHBOARD, efficiency,
                   DASHBOARD,
                   100 * on_cores / eligible if eligible else None)
    numbers = {entry["id"]: entry["value"] for entry in a.api["dashboard"]["summary"]}
    for place, value in [(SUMMARY, number(summary_of(a)["Time", "Tensor Core Kernel Efficiency"])),
                         ("the dashboard's summary", numbers["tensor_core_efficiency"])]:
        found.near("tensor-cores", "Tensor Core kernel efficiency", place, value, DASHBOARD,
                   efficiency)
    for place, screen in screens.items():
        _check_sentence(a, ledger, screen, place, efficiency, eligible, on_cores, found)
    _check_report(a, eligible, on_cores, found)
    _check_classes(a, found)
    _check_advice(a, ledger, eligible, on_cores, found)


def _check_sentence(a, ledger, screen, place, efficiency, eligible, on_cores, found):
    unknown_ns = a.api["dashboard"]["tensor_cores"]["unknown_ns"]
    text = screen.paragraph("Tensor Cores")
    if not text:
        found.true("tensor-cores", "a sentence about Tensor Cores", place, not ledger.recorded_work
                   or not a.sql.get("kernels"), "none")
        return
    rows = a.sql.get("kernels", [])
    kernels = sum(row["ns"] for row in rows)
    printed = re.match(rf"({SHARE})(?: \(measured\))? of the kernel time in eligible ops", text)
    if printed:
        found.prints("tensor-cores", "Tensor Core kernel efficiency", place, figure(printed[1]),
                     DASHBOARD, efficiency)
    elif re.match(r"None(?: \(measured\))? of the kernel time in eligible ops", text):
        found.equal("tensor-cores", "Tensor Core kernel efficiency", place, 0, DASHBOARD,
                    efficiency)
    elif efficiency is not None:
        unknown = sum(row["ns"] for row in rows if row["tensor_cores"] is None)
        found.true("tensor-cores", "Tensor Core kernel efficiency", place,
                   on_cores == 0 and unknown > 0, repr(text))
    match = re.search(rf"hold (?:only )?({SHARE}) of (?:the|all) kernel time", text)
    if efficiency is not None and kernels:
        found.prints("tensor-cores", "share of eligible ops in the kernel time", place,
                     figure(match[1]) if match else None, DASHBOARD, 100 * eligible / kernels)
    match = re.search(rf"^({SHARE}) of the kernel time uses them", text)
    if match and kernels:
        found.prints("tensor-cores", "kernel time on Tensor Cores", place, figure(match[1]), SQL,
                     100 * sum(r["ns"] for r in rows if r["tensor_cores"] is True) / kernels)
    if "No kernel is known to use them" in text:
        found.true("tensor-cores", "no kernel uses Tensor Cores", place,
                   not any(row["tensor_cores"] is True for row in rows),
                   "so, beside kernels that do")
    if "no op to be of a kind that could" in text:
        listed = a.reports["tensor_core"]["rows"]
        found.true("tensor-cores", "no op could use Tensor Cores", place, not listed,
                   f"so; report tensor_core lists {len(listed)}")
    for pattern, rest in (("Without them", (eligible or 0) - (on_cores or 0) - (unknown_ns or 0)),
                          ("Not known", unknown_ns)):
        match = re.search(rf"{pattern}: ({DURATION}) per step", text)
        if match:
            found.prints("tensor-cores", f"{pattern}, in a step", place, figure(match[1]),
                         DASHBOARD,
                         rest / ledger.gpu_steps)
    match = re.search(rf"In other ops ({DURATION}) per step use them, ({SHARE}) of all kernel",
                      text)
    if match:
        other = sum(r["ns"] for r in rows if r["tensor_cores"] is True) - (on_cores or 0)
        found.prints("tensor-cores", "Tensor Cores in other ops", place, figure(match[1]), SQL,
                     other / ledger.gpu_steps)
        found.prints("tensor-cores", "Tensor Cores in other ops", place, figure(match[2]), SQL,
                     100 * other / kernels)


def _check_report(a, eligible, on_cores, found):
    place = "report tensor_core"
    rows = a.reports["tensor_core"]["rows"]
    if not a.sql["recorded"][0]["count"]:
        for row in rows:
            if row["Total GPU Time (ns)"] is not None:
                kinds = {r["family"] for r in a.sql.get("kernels", [])}
                found.true("missing", f"GPU time of {row['Op ID']}", place, bool(kinds) or
                           bool(a.sql["recorded copies"][0]["count"]), row["Total GPU Time (ns)"])
        return
    cores = sum(row["TC GPU Time (ns)"] for row in rows)
    kernels = sum(row["ns"] for row in a.sql.get("kernels", []) if row["tensor_cores"] is True)
    found.equal("tensor-cores", "time of kernels on Tensor Cores", place, cores, SQL, kernels)
    found.at_most("tensor-cores", "time of Tensor Core kernels in eligible ops", DASHBOARD,
                  on_cores,
                  place, cores)
    found.at_most("tensor-cores", "kernel time in eligible ops", DASHBOARD, eligible, place,
                  sum(row["Total GPU Time (ns)"] for row in rows))
    found.at_most("tensor-cores", "kernel time in eligible ops of which it is not known", DASHBOARD,
                  a.api["dashboard"]["tensor_cores"]["unknown_ns"], place,
                  sum(row["Unknown GPU Time (ns)"] for row in rows))
    uses = {row["Op ID"]: row["Using TC"] for row in a.reports["detail"]["rows"]}
    for row in rows:
        name = row["Op ID"]
        parts = row["TC GPU Time (ns)"] + row["Non-TC GPU Time (ns)"] + row["Unknown GPU Time (ns)"]
        found.equal("tensor-cores", f"parts of {name}", place, parts, place,
                    row["Total GPU Time (ns)"])
        if row["TC GPU Time (ns)"]:
            found.equal("tensor-cores", f"{name} uses Tensor Cores", place, row["Uses TC"], place,
                        True)
        if row["Uses TC"] is not None and uses.get(name) is not None:
            found.equal("tensor-cores", f"{name} uses Tensor Cores", place, row["Uses TC"],
                        "report detail", uses[name])
        share = row["TC Utilization (%)"]
        if share is not None:
            found.near("tensor-cores", f"share of Tensor Cores in {name}", place, share, place,
                       100 * row["TC GPU Time (ns)"] / row["Total GPU Time (ns)"])
    # An unknown use must not be called "no".
    unknown = {row["name"] for row in a.sql.get("kernels", []) if row["tensor_cores"] is None}
    for row in a.reports["kernel"]["rows"]:
        if row["Kernel Name"] in unknown and row["Uses TC"] is not None:
            others = {r["tensor_cores"] for r in a.sql["kernels"]
                      if r["name"] == row["Kernel Name"]}
            found.true("tensor-cores", f"{row['Kernel Name']} uses Tensor Cores", "report kernel",
                       row["Uses TC"] in others, f"{row['Uses TC']}, SQL that it is not known")


def _check_classes(a, found):
    """Counters override names: a kernel that executed matrix instructions uses Tensor Cores."""
    for row in a.sql.get("class", []):
        if row["measured"]:
            found.equal("tensor-cores", f"{row['name'][:60]} uses Tensor Cores",
                        "SQL, kernel_classes", row["tensor_cores"], "its counters",
                        (row["count"] or 0) > 0)
    sources = {row["Long Kernel Name"]: row["TC Source"] for row in a.reports["kernel"]["rows"]}
    for row in a.sql.get("class", []):
        source = sources.get(row["name"])
        if source is not None:
            found.equal("tensor-cores", f"who says whether {row['name'][:60]} uses Tensor Cores",
                        "report kernel", source == "measured", "SQL, measured",
                        bool(row["measured"]))


def _check_advice(a, ledger, eligible, on_cores, found):
    """Advice about products off Tensor Cores covers at most the time of such products."""
    if eligible is None:
        return
    limits = {"tf32": eligible - on_cores, "tensor-core-alignment": eligible,
              "mixed-precision": eligible}
    for finding in a.advise_all["findings"]:
        limit = limits.get(finding["rule"])
        match = re.match(rf"({DURATION})", finding["problem"])
        if limit is None or match is None:
            continue
        place = f"the advice {finding['rule']}"
        # The time is a sum over all GPUs of a process.
        found.at_most("tensor-cores", "time of products that could be faster", place,
                      figure(match[1]).low, DASHBOARD, limit / ledger.host_steps)
        found.true("tensor-cores", "time of products that could be faster", place,
                   figure(match[1]).low > 0, match[1])
