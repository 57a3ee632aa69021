#!/usr/bin/env python3
"""Sums the results of a test run, and ends with the line `N passed, N failed, N skipped`.

Usage: test_summary.py STEPS [BUILD_FOLDER|JUNIT_FILE...]. STEPS has a line `pass|fail|skip<TAB>name<TAB>why`
for each check that is not a ctest run. Each BUILD_FOLDER contains ctest.xml of a ctest run, and in
test_results/ the results of its GoogleTest programs: the cases inside one ctest test. A JUNIT_FILE is the
result of another runner: Vitest, Playwright. Exits with 1 when anything failed or nothing ran.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


class Tally:
    def __init__(self):
        self.counts = {"pass": 0, "fail": 0, "skip": 0}
        self.lines = {"fail": [], "skip": []}

    def add(self, outcome, name, why=""):
        self.counts[outcome] += 1
        if outcome != "pass":
            first = why.strip().splitlines()[0] if why.strip() else ""
            self.lines[outcome].append(f"{name}: {first}" if first else name)


def gtest_cases(path):
    """Yields (outcome, name, why) for each case in a GoogleTest XML file."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f'{case.get("classname")}.{case.get("name")}'
        failure, skipped = case.find("failure"), case.find("skipped")
        if failure is not None:
            yield "fail", name, failure.get("message", "")
        elif case.get("status") == "notrun":
            yield "skip", name, "disabled"
        elif skipped is not None:
            # GoogleTest puts the location on the first line and the message after it.
            lines = skipped.get("message", "").strip().splitlines()
            yield "skip", name, " ".join(lines[1:] or lines)
        else:
            yield "pass", name, ""


def add_ctest_run(tally, build):
    label = build.name
    report = build / "ctest.xml"
    if not report.exists():
        tally.add("fail", f"[{label}] ctest", "it wrote no report")
        return
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        name = f'[{label}] {test.get("name")}'
        ok = test.get("status") == "run"
        skipped = test.find("skipped")
        if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
            # The program itself reported that it cannot run here.
            tally.add("skip", name, "it says that it cannot run here")
            continue
        cases = []
        results = build / "test_results" / f'{test.get("name")}.xml'
        if results.exists():
            try:
                cases = list(gtest_cases(results))
            except ElementTree.ParseError:
                ok = False
        for outcome, case, why in cases:
            tally.add(outcome, f"[{label}] {case}", why)
        if not results.exists() and ok:
            tally.add("pass", name)
        elif not ok and not any(outcome == "fail" for outcome, _, _ in cases):
            # It crashed, timed out, or a sanitizer reported an error after its last case.
            failure = test.find("failure")
            tally.add("fail", name, failure.get("message", "") if failure is not None else "did not run")


def first_message(element):
    return element.get("message") or (element.text or "").strip()


def add_junit_file(tally, path):
    """Adds the cases that Vitest or Playwright wrote."""
    label = path.stem
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        tally.add("fail", f"[{label}]", "it wrote no report")
        return
    cases = list(root.iter("testcase"))
    if not cases:
        tally.add("fail", f"[{label}]", "it ran no test")
    for case in cases:
        name = f'[{label}] {case.get("classname")}: {case.get("name")}'
        problem = case.find("failure")
        if problem is None:
            problem = case.find("error")
        skipped = case.find("skipped")
        if problem is not None:
            tally.add("fail", name, first_message(problem))
        elif skipped is not None:
            # Playwright puts the reason into the properties.
            reasons = [p.get("value") for p in case.iter("property") if p.get("name") == "skip"]
            tally.add("skip", name, " ".join(filter(None, reasons)) or first_message(skipped))
        else:
            tally.add("pass", name)


def main():
    tally = Tally()
    steps = Path(sys.argv[1])
    for line in steps.read_text().splitlines():
        tally.add(*line.split("\t"))
    for run in map(Path, sys.argv[2:]):
        if run.suffix == ".xml":
            add_junit_file(tally, run)
        else:
            add_ctest_run(tally, run)
    for outcome, title in (("skip", "skipped"), ("fail", "FAILED")):
        for line in tally.lines[outcome]:
            print(f"  {title}  {line}")
    counts = tally.counts
    print(f'{counts["pass"]} passed, {counts["fail"]} failed, {counts["skip"]} skipped')
    return 1 if counts["fail"] or not counts["pass"] else 0


if __name__ == "__main__":
    sys.exit(main())
