"""Predictions: the same findings everywhere, each with the ratio of its two steps as factor."""

import re

from clean_steps import step_of_predictions
from figures import DURATION, SHARE, figure
from pages import fits, joined, read_advice, read_brief
from times import DASHBOARD, SQL

TEXT, BRIEF = "advise", "advise --brief"
JSON, JSON_ALL = "advise --format json", "advise --all --format json"
API = "the advice of the API"

# The share of the step that a finding must save to be shown without --all; docs/advice.md.
_MIN_SHOWN_SAVING = 0.02


def check_advice(a, ledger, screens, step, found):
    _check_numbers(a, step, found)
    _check_first(a, found)
    _check_same_everywhere(a, found)
    text, brief = read_advice(a.advise_text), read_brief(a.advise_brief)
    for place, page in ((TEXT, text), (BRIEF, brief)):
        _check_page(a, page, place, step, found)
    _check_ranges(a, text, found)
    _check_rest(a, text, found)
    for place, screen in screens.items():
        _check_screen(a, screen, place, found)
    _check_evidence(a, ledger, step, found)


def _check_numbers(a, step, found):
    """Each finding by itself."""
    advice = a.advise_all
    unprofiled = advice["unprofiled_step_ns"]
    clean = step_of_predictions(a, step)
    if clean is None:
        found.at_most("speed-ups", "the step without the profiler", JSON_ALL, unprofiled,
                      "the step with it", step)
    else:
        found.near("speed-ups", "the step without the profiler", JSON_ALL, unprofiled, DASHBOARD,
                   clean, 1e-6 + 2 / max(1, clean))
    for finding in advice["findings"]:
        _check_range(a, finding, found)
        if not finding["predicts"]:
            found.true("speed-ups", f"{finding['rule']} promises nothing", JSON_ALL,
                       finding["predicted_step_ns"] is None
                       and (finding["saving_ns"] is None or a.info["iteration_source"] == "none")
                       and finding["predicted_speedup"] is None,
                       f"{finding['predicted_step_ns']} ns, {finding['predicted_speedup']}x")
            continue
        _check_factor(finding["rule"], unprofiled, finding["predicted_step_ns"],
                      finding["predicted_speedup"], JSON_ALL, found)
        found.equal("speed-ups", f"saving of {finding['rule']}", JSON_ALL, finding["saving_ns"],
                    JSON_ALL, unprofiled - finding["predicted_step_ns"])
    if advice["combined_step_ns"] is not None:
        _check_factor("all together", unprofiled, advice["combined_step_ns"],
                      advice["combined_speedup"], JSON_ALL, found)


def _check_range(a, finding, found):
    """The range of a speed-up contains it; without steps, there is no speed-up."""
    values = [finding[f"predicted_{name}"] for name in ("low", "speedup", "high")]
    if not finding["predicts"]:
        found.true("speed-ups", f"{finding['rule']} has no range", JSON_ALL,
                   values == [None] * 3, values)
        return
    found.true("speed-ups", f"the range of {finding['rule']} contains the prediction", JSON_ALL,
               1 <= values[0] <= values[1] <= values[2], values)
    found.true("speed-ups", f"{finding['rule']} promises nothing without steps", JSON_ALL,
               a.info["iteration_source"] != "none", values[1])


def _check_first(a, found):
    """What comes first is not uncertain if anything certain is worth showing."""
    # A larger batch changes the training itself, so it comes last.
    certain = [f["rule"] for f in a.advise["findings"] if f["predicts"]
               and f["confidence"] != "low" and f["rule"] != "small-batch"]
    if certain and a.advise["findings"][0]["predicts"]:
        found.true("advice", "the first finding is certain", JSON,
                   a.advise["findings"][0]["confidence"] != "low",
                   f"{a.advise['findings'][0]['rule']} before {certain[0]}")


def _check_factor(what, unprofiled, predicted, factor, place, found):
    found.true("speed-ups", f"{what} takes time", place, predicted > 0, predicted)
    found.at_most("speed-ups", f"{what}, predicted step", place, predicted,
                  "the step that it starts from", unprofiled)
    found.near("speed-ups", f"{what}, factor", place, factor, "its two steps",
               unprofiled / predicted if predicted else None, 1e-4 + 1 / max(1, predicted))


def _key(finding):
    """The properties of a finding that all its forms have."""
    return (finding["rule"], finding["problem"], finding["recommendation"], finding["confidence"],
            finding["predicted_step_ns"] if finding["predicts"] else None,
            finding["saving_ns"] if finding["predicts"] else None)


def _check_same_everywhere(a, found):
    everything = [_key(finding) for finding in a.advise_all["findings"]]
    found.equal("advice", "all findings", API, [_key(f) for f in a.api["advice"]["findings"]],
                JSON_ALL, everything)
    found.true("advice", "findings above the threshold", JSON,
               [key for key in everything if key in [_key(f) for f in a.advise["findings"]]]
               == [_key(f) for f in a.advise["findings"]], "others, or in another order")
    for finding in a.advise_all["findings"]:
        if finding["predicts"]:
            shown = any(f["rule"] == finding["rule"] for f in a.advise["findings"])
            worth = finding["saving_ns"] >= _MIN_SHOWN_SAVING * a.advise_all["unprofiled_step_ns"]
            found.equal("advice", f"{finding['rule']} is above the threshold", JSON, shown, JSON_ALL,
                        worth)
    for field in ("unprofiled_step_ns", "combined_step_ns", "combined_speedup", "replay_step_ns"):
        found.equal("advice", field, API, a.api["advice"][field], JSON_ALL, a.advise_all[field])
        found.equal("advice", field, JSON, a.advise[field], JSON_ALL, a.advise_all[field])
    board = a.api["dashboard"]
    found.equal("advice", "number of findings", DASHBOARD, board["advice_total"], JSON_ALL,
                len(everything))
    found.equal("speed-ups", "the step without the profiler", DASHBOARD,
                board["step"]["unprofiled_ns"], JSON, a.advise["unprofiled_step_ns"])
    for said, finding in zip(board["advice"], a.advise["findings"]):
        found.near("speed-ups", f"factor of {said['rule']}", DASHBOARD, said["speedup"], JSON,
                   finding["predicted_speedup"], 1e-4)
    shown = [(f["rule"], f["problem"], f["recommendation"], f["confidence"], f["predicted_step_ns"],
              f["saving_ns"]) for f in board["advice"]]
    found.equal("advice", "the best findings", DASHBOARD, shown, JSON,
                [_key(f) for f in a.advise["findings"]][:len(shown)])
    found.equal("advice", "how many of the best findings", DASHBOARD, len(shown), JSON,
                min(5, len(a.advise["findings"])))
    rows = [(row["Rule"], row["Problem"], row["Recommendation"], row["Confidence"],
             row["Predicted Step (ns)"], row["Saving (ns)"])
            for row in a.reports["expert_systems"]["rows"]]
    found.equal("advice", "findings", "report expert_systems", rows, JSON,
                [_key(f) for f in a.advise["findings"]])


def _matches(promise, finding, unprofiled, place, found):
    what = f"{promise.rule}"
    found.equal("advice", f"{what} predicts no gain", place, promise.without_gain, JSON,
                not finding["predicts"])
    if promise.without_gain or not finding["predicts"]:
        return
    found.prints("speed-ups", f"factor of {what}", place, promise.speedup, JSON,
                 unprofiled / finding["predicted_step_ns"])
    found.prints("speed-ups", f"predicted step of {what}", place, promise.step, JSON,
                 finding["predicted_step_ns"])
    if promise.start is not None:
        found.prints("speed-ups", f"step that {what} starts from", place, promise.start, JSON,
                     unprofiled)


def _check_promises(a, promises, findings, place, found):
    found.equal("advice", "findings in their order", place, [p.rule for p in promises], JSON,
                [f["rule"] for f in findings])
    for promise, finding in zip(promises, findings):
        if promise.rule != finding["rule"]:
            continue
        _matches(promise, finding, a.advise["unprofiled_step_ns"], place, found)
        if promise.problem:
            found.true("advice", f"problem of {promise.rule}", place,
                       fits(promise.problem, " ".join(finding["problem"].split())), promise.problem)
    ranks = [promise.rank for promise in promises]
    found.true("advice", "numbers of the findings", place, ranks == list(range(1, len(ranks) + 1)),
               ranks)


def _check_page(a, page, place, step, found):
    found.prints("step", "length of a step", place, page.measured, SQL, step)
    replayed, unprofiled = a.advise["replay_step_ns"], a.advise["unprofiled_step_ns"]
    found.prints("speed-ups", "the step as it is replayed", place, page.replayed, JSON, replayed)
    found.prints("speed-ups", "the step without the profiler", place, page.unprofiled, JSON,
                 unprofiled)
    _check_promises(a, page.promises, a.advise["findings"], place, found)
    if page.together is not None:
        rules = [f["rule"] for f in a.advise_all["findings"] if f["combined"]]
        found.equal("advice", "findings that go together", place, page.together_rules, JSON_ALL,
                    rules)
        found.prints("speed-ups", "the step that all together start from", place,
                     page.together.start, JSON, unprofiled)
        found.prints("speed-ups", "the step of all together", place, page.together.step, JSON,
                     a.advise["combined_step_ns"])
        found.prints("speed-ups", "factor of all together", place, page.together.speedup, JSON,
                     unprofiled / a.advise["combined_step_ns"])


def _check_ranges(a, page, found):
    predicted = [f for f in a.advise["findings"] if f["predicts"]]
    found.equal("speed-ups", "findings with a range", TEXT, len(page.ranges), JSON, len(predicted))
    for printed, finding in zip(page.ranges, predicted):
        for figure_, name in zip(printed, ("predicted_low", "predicted_high")):
            found.prints("speed-ups", f"{name} of {finding['rule']}", TEXT, figure_, JSON,
                         finding[name])


def _check_rest(a, page, found):
    hidden = len(a.advise_all["findings"]) - len(a.advise["findings"])
    found.equal("advice", "findings that are not shown", TEXT, page.small, JSON, hidden)
    found.equal("advice", "rules that could not run", TEXT, page.could_not_run, JSON_ALL,
                len(a.advise_all["skipped"]))


def _check_screen(a, screen, place, found):
    findings = a.advise["findings"]
    _check_promises(a, screen.promises, findings[:len(screen.promises)], place, found)
    found.equal("advice", "findings", place, len(screen.promises) + screen.more_findings, JSON,
                len(findings))
    if findings:
        first = findings[0]
        found.equal("advice", "the first finding is called uncertain", place, screen.uncertain, JSON,
                    first["predicts"] and first["confidence"] == "low")
    unprofiled = a.advise["unprofiled_step_ns"]
    if screen.unprofiled is not None:
        found.prints("speed-ups", "the step without the profiler", place, screen.unprofiled, JSON,
                     unprofiled)
    for promise in screen.promises:
        if not promise.without_gain:
            starts = [f for f in (promise.start, screen.unprofiled, screen.step) if f is not None]
            found.true("speed-ups", f"the step that {promise.rule} starts from is shown", place,
                       any(start.holds(unprofiled) for start in starts),
                       f"{', '.join(map(str, starts))}, not {unprofiled} ns")


def _check_evidence(a, ledger, step, found):
    """No figure of a step exceeds the step; counts in words are those of the evidence."""
    for finding in a.advise_all["findings"]:
        place = f"the evidence of {finding['rule']}"
        for evidence in finding["evidence"]:
            if re.match(r"iteration \d+:", evidence["text"]):
                continue  # the length of that iteration
            found.at_most("per-step", repr(evidence["text"][:60]), place,
                          evidence["time_ns_per_step"], "the step", step, 1)
        for time in re.findall(rf"({DURATION}) per step", finding["problem"]):
            found.at_most("per-step", "time per step", f"the advice {finding['rule']}",
                          figure(time).low, "the step", step)
        _check_counts(finding, ledger, a, found)


def _check_counts(finding, ledger, a, found):
    problem, rule = finding["problem"], finding["rule"]
    match = re.match(r"The CPU launches ([\d,]+) kernels and copies per step", problem)
    if match:
        count = int(match[1].replace(",", ""))
        each = a.api["dashboard"]["kernels"]["all"]["count"] / ledger.host_steps
        found.true("advice", "kernels and copies of a step", f"the advice {rule}",
                   abs(count - each) <= 1, f"{count}, the dashboard {each:.1f}")
        counts = [e["count_per_step"] for e in finding["evidence"] if "one by one" in e["text"]]
        found.true("advice", "kernels and copies of a step", f"the advice {rule}",
                   counts in ([], [count]), f"{count}, its evidence {counts}")
        match = re.search(rf"host work before the launch and launch latency take ({SHARE})",
                          problem)
        if match:
            found.prints("advice", "host work before the launch and launch latency",
                         f"the advice {rule}", figure(match[1]), SQL,
                         ledger.share(ledger.of("host work before the launch")
                                      + ledger.of("launch latency")))
    match = re.match(rf"Waiting for data takes ({SHARE})", problem)
    if match:
        found.prints("advice", "waiting for data", f"the advice {rule}", figure(match[1]), SQL,
                     ledger.share(ledger.of("waiting for data")))
    match = re.match(r"The CPU stops (once|[\d,]+ times) per step", problem)
    each = ledger.synchronizations / ledger.host_steps
    counts = [e["count_per_step"] for e in finding["evidence"] if "host synchron" in e["text"]]
    if match:
        counts.append(1 if match[1] == "once" else int(match[1].split()[0].replace(",", "")))
    for count in counts:
        found.true("synchronizations", "host synchronizations of a step", f"the advice {rule}",
                   count is None or abs(count - each) < 1, f"{count}, SQL {each:.1f}")


def check_what_if(a, ledger, step, found):
    """`whatif` without edits covers the same steps as the advice."""
    replayed = a.advise["replay_step_ns"] is not None
    found.equal("what-if", "whether the step can be replayed", "whatif", bool(a.what_if), JSON,
                replayed)
    if not a.what_if or not replayed:
        return
    place = "whatif --format json"
    found.equal("what-if", "length of a step", place, a.what_if["step_ns"], SQL, step)
    found.equal("what-if", "the step as it is replayed", place, a.what_if["replay_step_ns"], JSON,
                a.advise["replay_step_ns"])
    if a.what_if["without_profiler"]:
        found.equal("what-if", "the step without the profiler", place, a.what_if["current_step_ns"],
                    JSON, a.advise["unprofiled_step_ns"])
    found.equal("what-if", "a step without edits", place, a.what_if["predicted_step_ns"], place,
                a.what_if["current_step_ns"])
    for name, parts in a.what_if["critical_path_ns"].items():
        length = a.what_if["current_step_ns" if name == "current" else "predicted_step_ns"]
        found.equal("what-if", f"parts of the {name} critical path", place, sum(parts.values()),
                    place, length)
    text = joined(a.what_if_text.splitlines())
    for pattern, what, value in [
            (rf"({DURATION}) measured", "length of a step", step),
            (rf"({DURATION}) replayed", "the step as it is replayed", a.what_if["replay_step_ns"]),
            (rf"({DURATION}) (?:without the profiler|in steady state)", "the step as it would be",
             a.what_if["current_step_ns"])]:
        match = re.search(pattern, text)
        found.prints("what-if", what, "whatif", figure(match[1]) if match else None, place, value)


def check_guidance(a, ledger, found):
    """The dashboard's sentences about where to look next."""
    place = "the dashboard's guidance"
    board = a.api["dashboard"]
    for entry in board["guidance"]:
        text = entry["text"]
        match = re.match(rf"The GPU is idle for ({SHARE}) of the time, mostly (.+) \(({SHARE})\); "
                         rf".* lasts ({DURATION})", text)
        if match:
            found.prints("guidance", "share of idle time", place, figure(match[1]), SQL,
                         ledger.share(ledger.idle))
            found.prints("guidance", match[2], place, figure(match[3]), SQL,
                         ledger.share(ledger.of(match[2])))
            longest = {row["Cause"]: row["Max (ns)"] for row in a.reports["gaps"]["rows"]}
            found.prints("guidance", "the longest stretch", place, figure(match[4]), "report gaps",
                         longest.get(match[2]))
        match = re.match(rf"Of all types of ops, (.+?)(?: \((\S+|data loading)\))? takes the most "
                         rf"GPU time, ({SHARE}) of it", text)
        if match and board["top_ops"]:
            top = board["top_ops"][0]
            found.equal("guidance", "the largest type of ops", place, match[1], DASHBOARD,
                        top["type"])
            found.prints("guidance", "share of the largest type of ops", place, figure(match[3]),
                         DASHBOARD, top["share_percent"])
        match = re.match(rf"Kernels run ({SHARE}) of the time on the least used GPU and ({SHARE})",
                         text)
        if match:
            shares = [gpu["percent"] for gpu in board["gpu_utilization"]["gpus"]]
            found.prints("guidance", "the least used GPU", place, figure(match[1]), DASHBOARD,
                         min(shares))
            found.prints("guidance", "the most used GPU", place, figure(match[2]), DASHBOARD,
                         max(shares))
        match = re.match(r"Start with this advice: ([a-z0-9-]+), predicted ([\d.]+)x faster, "
                         rf"({DURATION}) per step instead of ({DURATION})", text)
        if match and board["advice"]:
            best = board["advice"][0]
            found.equal("guidance", "the finding to read first", place, match[1], DASHBOARD,
                        best["rule"])
            found.prints("guidance", "the predicted step", place, figure(match[3]), DASHBOARD,
                         best["predicted_step_ns"])
            found.prints("guidance", "the step without the profiler", place, figure(match[4]),
                         "advise --format json", a.advise["unprofiled_step_ns"])
        match = re.match(rf"Iterations vary: their standard deviation is ({DURATION}), and number "
                         rf"(\d+) takes ({DURATION})", text)
        if match:
            found.prints("guidance", "spread of the steps", place, figure(match[1]), DASHBOARD,
                         board["step"]["deviation_ns"])
            rows = [row for row in a.reports["steps"]["rows"] if row["Aggregated"]]
            windows = [row["Window (ns)"] for row in rows if row["Iteration"] == int(match[2])]
            longest = max((row["Window (ns)"] for row in rows), default=None)
            found.prints("guidance", "the longest step", place, figure(match[3]), "report steps",
                         max(windows, default=None))
            found.equal("guidance", "the longest step", "report steps", max(windows, default=None),
                        "report steps", longest)
        match = re.match(rf"Exposed communication takes ({SHARE})", text)
        if match:
            found.prints("guidance", "exposed communication", place, figure(match[1]), SQL,
                         ledger.share(ledger.of("exposed communication")))
        match = re.match(rf"({SHARE}) of the kernel time in eligible ops does not use "
                         rf"Tensor Cores: ({DURATION}) per step", text)
        if match:
            cores = board["tensor_cores"]
            off = 100 - 100 * cores["eligible_on_tensor_cores_ns"] / cores["eligible_ns"]
            found.at_most("guidance", "kernel time off Tensor Cores", place, figure(match[1]).low,
                          DASHBOARD, off)
        for time in re.findall(rf"({DURATION}) (?:per step|each)", text):
            found.at_most("per-step", "time per step", place, figure(time).low, "the step",
                          board["step"]["average_ns"])
