"""Steps without the profiler: those that the recording timed in clean stretches."""

import re
from collections import defaultdict

from figures import DURATION, SHARE, figure
from pages import read_info

DASHBOARD, INFO, INFO_JSON, SQL = "the dashboard", "info", "info --format json", "SQL"
_FEWEST = 3
_TOO_VARIED = 10


def _largest_usual(values):
    def upper_median(numbers):
        return sorted(numbers)[len(numbers) // 2]
    median = upper_median(values)
    return median + max(5 * upper_median([abs(value - median) for value in values]), median // 5)


def _usual(steps):
    """Without the leading steps that take longer than the others."""
    if len(steps) < _FEWEST:
        return steps
    longest = _largest_usual([step["ns"] for step in steps])
    first = next((i for i, step in enumerate(steps) if step["ns"] <= longest), len(steps) - 1)
    return steps[min(first, len(steps) - 1):]


def _stretches(steps, state):
    """The number of steps and the time of each sequence of steps with that state."""
    found, inside = [], False
    for step in steps:
        if step["entry"] != state:
            inside = False
            continue
        if not inside:
            found.append([0, 0])
        inside = True
        found[-1][0] += 1
        found[-1][1] += step["ns"]
    return found


def _median(stretches):
    """The median of the means, each counted as often as it has steps."""
    means = sorted(time / count for count, time in stretches for _ in range(count))
    if len(means) < _FEWEST:
        return None
    return int((means[(len(means) - 1) // 2] + means[len(means) // 2]) / 2)


def _spread(steps, clean):
    means = [time / count for count, time in clean]
    if len(means) > 1:
        return int(min(means)), int(max(means))
    times = sorted(step["ns"] for step in steps if step["entry"] == 0)
    return times[(len(times) - 1) * 10 // 100], times[(len(times) - 1) * 90 // 100]


def _varies(low, high):
    return high > _TOO_VARIED * max(low, 1)


def _expected(rows):
    """The dashboard's values for one process."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["thread"], row["name"]].append(row)
    steps = _usual(sorted(max(groups.values(), key=len), key=lambda step: step["start"]))
    clean, recorded = _stretches(steps, 0), _stretches(steps, 1)
    values = {"step_ns": _median(clean), "low_ns": None, "high_ns": None,
              "steps": sum(count for count, _ in clean), "recorded_step_ns": _median(recorded),
              "recording_added_ns": None}
    if values["step_ns"] is None:
        return values
    values["low_ns"], values["high_ns"] = _spread(steps, clean)
    if values["recorded_step_ns"] is not None and not _varies(values["low_ns"], values["high_ns"]):
        values["recording_added_ns"] = values["recorded_step_ns"] - values["step_ns"]
    return values


def step_of_predictions(a, step):
    """The measured step that predictions start from, or None if they start from an estimate."""
    clean = a.api["dashboard"]["step"]["clean"]
    if clean is None or clean["step_ns"] is None or _varies(clean["low_ns"], clean["high_ns"]):
        return None
    recorded = clean["recorded_step_ns"] or clean["step_ns"]
    same_unit = max(recorded, step) <= 1.5 * min(recorded, step)
    return clean["step_ns"] if same_unit else round(step * clean["step_ns"] / recorded)


def check_clean_steps(a, screens, found):
    board = a.api["dashboard"]["step"]["clean"]
    for name, field in {"step_ns": "clean_step_ns", "steps": "clean_steps",
                        "recorded_step_ns": "recorded_step_ns",
                        "recording_added_ns": "recording_added_ns"}.items():
        found.equal("clean", field, DASHBOARD, board and board[name], INFO_JSON, a.info[field])
    if board is None:
        return
    rows = a.sql.get("timed step", [])
    if len({row["source"] for row in rows}) == 1:
        for name, value in _expected(rows).items():
            found.equal("clean", name, DASHBOARD, board[name], SQL, value)
    texts = {place: screen.paragraph("Step").partition("Step without the profiler ")[2]
             for place, screen in screens.items()}
    texts[INFO] = read_info(a.info_text).get("without the profiler", "")
    for place, text in texts.items():
        _check_text(board, place, text, found)


def _check_text(board, place, text, found):
    match = re.match(rf"({DURATION}) \(({DURATION}) to ({DURATION}) over ([\d,]+) clean step", text)
    found.equal("clean", "whether the step without the profiler is stated", place,
                match is not None, DASHBOARD, board["step_ns"] is not None)
    if match:
        for name, printed in zip(("step_ns", "low_ns", "high_ns", "steps"), match.groups()):
            found.prints("clean", name, place, figure(printed), DASHBOARD, board[name])
    match = re.search(rf"recording adds ({DURATION}) \(({SHARE})\)", text)
    added = board["recording_added_ns"]
    found.equal("clean", "whether it is stated what recording adds", place, match is not None,
                DASHBOARD, added is not None and added > 0)
    if match and added:
        found.prints("clean", "recording_added_ns", place, figure(match[1]), DASHBOARD, added)
        found.prints("clean", "share of what recording adds", place, figure(match[2]), DASHBOARD,
                     100 * added / board["step_ns"])
