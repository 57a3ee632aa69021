"""The contradictions, and the number of comparisons."""

from collections import Counter


def shown(value):
    if value is None:
        return "nothing"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


class Findings:
    """Collects the violations of one recording, and counts what was compared."""

    def __init__(self):
        self.violations = []
        self.checked = Counter()

    def _judge(self, fine, identity, line):
        self.checked[identity] += 1
        if fine:
            return True
        self.violations.append(f"{identity}: {line}")
        return False

    def equal(self, identity, what, place, value, other_place, other):
        """Two places must have the same value."""
        return self._judge(value == other, identity,
                           f"{what}: {place} says {shown(value)}, {other_place} {shown(other)}")

    def near(self, identity, what, place, value, other_place, other, slack=1e-6):
        """Two places must have the same value except for rounding, or both none."""
        if value is None or other is None:
            fine = value is other
        else:
            fine = abs(value - other) <= slack * max(1.0, abs(value), abs(other))
        return self._judge(fine, identity,
                           f"{what}: {place} says {shown(value)}, {other_place} {shown(other)}")

    def prints(self, identity, what, place, printed, other_place, value):
        """A printed, rounded figure must stand for that value; both may be missing."""
        fine = value is None if printed is None else printed.holds(value)
        return self._judge(fine, identity,
                           f"{what}: {place} says {shown(printed)}, {other_place} {shown(value)}")

    def at_most(self, identity, what, place, value, other_place, limit, slack=0):
        if value is None or limit is None:
            return True
        return self._judge(value <= limit + slack, identity,
                           f"{what}: {place} says {shown(value)}, more than {shown(limit)} of "
                           f"{other_place}")

    def true(self, identity, what, place, fine, said):
        """Any other condition."""
        return self._judge(bool(fine), identity, f"{what}: {place} says {said}")
