"""Printed figures, rounded and with a unit: each stands for all values that are printed like it."""

import math
import re
from dataclasses import dataclass

NUMBER = r"-?[\d,]+(?:\.\d+)?"
DURATION = rf"{NUMBER} (?:ns|µs|ms|s)\b"
SHARE = rf"[<>]?{NUMBER} %"
BYTES = rf"{NUMBER} (?:B|kB|MB|GB|TB)\b"

_SCALES = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9,
           "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "%": 1, "": 1}


@dataclass(frozen=True)
class Figure:
    """A printed figure, and the values between which it may lie: ns, bytes, percent or a count."""

    text: str
    low: float
    high: float

    def holds(self, value):
        """Whether `value` may be printed so. Rounding of binary fractions is within the slack."""
        if value is None:
            return False
        slack = 1e-9 * max(1.0, abs(value))
        return self.low - slack <= value <= self.high + slack

    def __str__(self):
        return self.text


def figure(text):
    """Parses a figure: "1.38 ms", "<0.1 %", "1,466"."""
    match = re.fullmatch(rf"([<>]?)({NUMBER})(?: ?([A-Za-zµ%]+))?", text)
    if match is None or (match[3] or "") not in _SCALES:
        raise ValueError(f"not a figure: {text!r}")
    scale = _SCALES[match[3] or ""]
    number = match[2].replace(",", "")
    decimals = len(number.partition(".")[2])
    value = float(number)
    half = 0.5 * 10.0 ** -decimals
    if match[1] == "<":  # less than what would round to the last digit, but more than 0
        return Figure(text, math.nextafter(0, 1), value * scale)
    if match[1] == ">":
        return Figure(text, value * scale, math.nextafter(100, 0))
    if match[3] == "%" and value in (0, 100):
        # 0 % and 100 % are exact: other values print as <0.1 or >99.9.
        return Figure(text, value, value)
    if not match[3] and decimals == 0:
        return Figure(text, value, value)  # counts are whole; nanoseconds may be means
    return Figure(text, (value - half) * scale, (value + half) * scale)


def rounded(text):
    """The figure of a number that was rounded to its last digit: "196" of 195.9."""
    number = text.replace(",", "")
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return Figure(text, float(number) - half, float(number) + half)


def first_figure(pattern, text):
    """The first figure in a text that matches the pattern, or None."""
    match = re.search(pattern, text)
    return figure(match[0]) if match else None
