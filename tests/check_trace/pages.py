"""Parses the pages for people: the one screen, `info`, `advise`."""

import re
from dataclasses import dataclass, field

from figures import DURATION, NUMBER, SHARE, figure, first_figure, rounded

_MARGIN = 14
_BAR_MARKS = "█▓▚▒▤▥▦░▧▨▩·"
_EIGHTHS = "█▏▎▍▌▋▊▉"


class Unreadable(Exception):
    """A page does not look as it should."""


@dataclass
class Row:
    """A row of a table with a share and a time: an idle cause, an op, a kernel."""

    name: str
    share: object
    time: object
    tensor_cores: str = ""

    def __str__(self):
        return f"{self.name} {self.share} {self.time} {self.tensor_cores}".rstrip()

    def fits(self, name):
        """Whether the printed name, which may be shortened, stands for `name`."""
        return fits(self.name, name)


def fits(printed, name):
    """Whether a printed name, perhaps shortened and without namespaces, stands for `name`."""
    own, bracket, arguments = name.partition("<")
    names = (name, own.rpartition("::")[2] + bracket + arguments)
    head, cut, tail = printed.partition("…")
    if not cut:
        return printed in names
    return any(one.startswith(head) and one.endswith(tail) for one in names)


@dataclass
class Promise:
    """The prediction of a finding, as a page prints it."""

    rank: int
    rule: str
    speedup: object = None
    start: object = None  # the step that the speed-up starts from
    step: object = None
    without_gain: bool = False
    problem: str = ""  # may be truncated


@dataclass
class Table:
    """A table of ops or kernels on the one screen."""

    by: str = ""  # "GPU time"
    shown: int = 0
    total: int = 0
    rows: list = field(default_factory=list)


@dataclass
class Screen:
    """The one screen of `warpsight report`."""

    text: str
    name: str = ""
    machine: str = ""
    sections: dict = field(default_factory=dict)  # lines by label
    step: object = None
    deviation: object = None
    unprofiled: object = None
    rate: object = None
    headline: str = ""
    reason: str = ""
    bar: str = ""
    legend: dict = field(default_factory=dict)  # mark and share by name
    idle: object = None
    idle_gpus: object = None
    causes: list = field(default_factory=list)
    promises: list = field(default_factory=list)
    uncertain: bool = False  # the first of them has low confidence
    more_findings: int = 0
    ops: Table = field(default_factory=Table)
    kernels: Table = field(default_factory=Table)

    def paragraph(self, label):
        return joined(self.sections.get(label, []))


def joined(lines):
    return " ".join(line.strip() for line in lines)


def _sections(text):
    """Lines by label; lines before the first label are left out."""
    sections = {}
    label = None
    for line in text.splitlines():
        if not line.strip():
            continue
        head = line[:_MARGIN].strip()
        if head:
            label = head
            sections[label] = []
        if label is not None:
            sections[label].append(line[_MARGIN:])
    return sections


def _is_bar(line):
    return len(line) >= 40 and set(line) <= set(_BAR_MARKS)


def _parse_step(screen):
    text = screen.paragraph("Step")
    match = re.match(rf"({DURATION})", text)
    screen.step = figure(match[1]) if match else None
    match = re.match(rf"{DURATION} ± ({DURATION})", text)
    screen.deviation = figure(match[1]) if match else None
    match = re.search(rf"about ({DURATION}) without the profiler", text)
    screen.unprofiled = figure(match[1]) if match else None
    match = re.search(rf"({NUMBER}) samples/s", text)
    screen.rate = rounded(match[1]) if match else None


def _parse_verdict(screen):
    lines = screen.sections.get("Most time", [])
    bar = next((i for i, line in enumerate(lines) if _is_bar(line)), len(lines))
    words = joined(lines[:bar])
    screen.headline, _, screen.reason = words.partition(": ")
    if bar == len(lines):
        return
    screen.bar = lines[bar]
    for entry in re.split(r"\s{3,}", "   ".join(lines[bar + 1:]).strip()):
        match = re.fullmatch(rf"(.) (.+) ({SHARE})", entry)
        if match is None:
            raise Unreadable(f"the one screen's legend has the entry {entry!r}")
        screen.legend[match[2]] = (match[1], figure(match[3]))


def _row(line):
    """A row of a table: name, bar, share, time, and a word about Tensor Cores."""
    match = re.fullmatch(rf"(.*?)\s+(?:[{_EIGHTHS}]+\s+)?({SHARE})\s+({DURATION})"
                         r"(?:\s+(yes|no|unknown))?", line.rstrip())
    if match is None:
        raise Unreadable(f"the one screen has the row {line!r}")
    return Row(match[1].strip(), figure(match[2]), figure(match[3]), match[4] or "")


def _parse_idle(screen):
    lines = screen.sections.get("GPU idle")
    if lines is None:
        return
    screen.idle = first_figure(SHARE, lines[0])
    match = re.search(r"(\d+) GPUs", lines[0])
    screen.idle_gpus = int(match[1]) if match else None
    screen.causes = [_row(line) for line in lines[1:]]


def _promise(rank, rule, words):
    if words == "no gain predicted" or re.fullmatch(rf"saves {DURATION} of the recording", words):
        return Promise(rank, rule, without_gain=True)
    match = re.fullmatch(rf"({NUMBER})x faster · ({DURATION}) → ({DURATION})", words)
    if match:
        return Promise(rank, rule, rounded(match[1]), figure(match[2]), figure(match[3]))
    match = re.fullmatch(rf"({NUMBER})x faster, ({DURATION})", words)
    if match:
        return Promise(rank, rule, rounded(match[1]), None, figure(match[2]))
    raise Unreadable(f"a finding promises {words!r}")


def _promises(lines):
    """Findings in two lines each: a number, a rule and a prediction; then the problem."""
    promises = []
    before = None
    for line in lines:
        match = re.fullmatch(r"(\d+)  (\S+)\s{2,}(\S.*)", line)
        if match:
            promises.append(_promise(int(match[1]), match[2], match[3].strip()))
        elif before and line.startswith("   "):
            promises[-1].problem = line.strip()
        before = match
    return promises


def _parse_findings(screen):
    screen.uncertain = "Worth trying" in screen.sections
    lines = screen.sections.get("Worth trying" if screen.uncertain else "Change first", [])
    screen.promises = _promises(lines)
    match = re.search(r"and (\d+) more", lines[-1]) if lines else None
    screen.more_findings = int(match[1]) if match else 0


def _parse_table(lines):
    table = Table()
    for line in lines:
        head = re.match(r"by (GPU time|CPU time)(?: of \d+ GPUs)?(?:, top (\d+) of (\d+))?\s+share",
                        line)
        if head:
            table.by = head[1]
            table.shown, table.total = int(head[2] or 0), int(head[3] or 0)
        elif table.by:
            table.rows.append(_row(line))
    if table.by and not table.total:
        table.shown = table.total = len(table.rows)
    return table


def read_screen(text):
    screen = Screen(text)
    lines = text.splitlines()
    screen.name, _, screen.machine = (lines[0] if lines else "").partition("  ")
    screen.machine = screen.machine.strip()
    screen.sections = _sections("\n".join(lines[1:]))
    for label in ("Step", "Most time", "Ops", "Trust", "Look further"):
        if label not in screen.sections:
            raise Unreadable(f"the one screen has no line {label!r}")
    _parse_step(screen)
    _parse_verdict(screen)
    _parse_idle(screen)
    _parse_findings(screen)
    screen.ops = _parse_table(screen.sections["Ops"])
    screen.kernels = _parse_table(screen.sections.get("Kernels", []))
    return screen


def read_info(text):
    """The lines of `info` by their names."""
    lines = {}
    for line in text.splitlines():
        name, _, value = line.partition("  ")
        lines[name] = value.strip() if value else line[22:].strip()
    return lines


@dataclass
class Advice:
    """The page of `advise`."""

    measured: object = None
    replayed: object = None
    unprofiled: object = None
    promises: list = field(default_factory=list)
    ranges: list = field(default_factory=list)  # of the predicted speed-ups
    together: object = None
    together_rules: list = field(default_factory=list)
    small: int = 0
    could_not_run: int = 0
    step_text: str = ""


def _read_step_sentence(text, advice):
    match = re.match(rf"({DURATION}) measured", text)
    advice.measured = figure(match[1]) if match else None
    match = re.search(rf"({DURATION}) replayed", text)
    advice.replayed = figure(match[1]) if match else None
    match = re.search(rf"({DURATION}) without the profiler", text)
    advice.unprofiled = figure(match[1]) if match else None


def read_advice(text):
    advice = Advice()
    advice.promises = _promises(text.splitlines())
    advice.ranges = [
        (rounded(low), rounded(high)) for low, high in
        re.findall(rf"(?m)^Range +({NUMBER})x to ({NUMBER})x faster in 80 % of measured changes$", text)]
    sections = _sections("\n".join(text.splitlines()[1:]))
    advice.step_text = joined(sections.get("Step", []))
    _read_step_sentence(advice.step_text, advice)
    together = joined(sections.get("Together", []))
    match = re.fullmatch(rf"(.+ → {DURATION}) with (.+)", together)
    if match:
        advice.together = _promise(0, "together", match[1])
        advice.together_rules = match[2].split(", ")
    hidden = joined(sections.get("Not shown", []))
    match = re.search(r"(\d+) findings? that would save less", hidden)
    advice.small = int(match[1]) if match else 0
    match = re.search(r"(\d+) rules? that could not run", hidden)
    advice.could_not_run = int(match[1]) if match else 0
    return advice


def read_brief(text):
    advice = Advice()
    sections = _sections("\n".join(text.splitlines()[1:]))
    advice.step_text = joined(sections.get("Step", []))
    _read_step_sentence(advice.step_text, advice)
    advice.promises = _promises(sections.get("Advice", []))
    return advice

