"""Grows an XPlane profile of JAX or TensorFlow by repeating the events of each line at later times; their
names are not repeated. Correlation and group ids differ from copy to copy.
Messages and fields: tsl/profiler/protobuf/xplane.proto."""

import gzip

PLANE_LINE, PLANE_STAT_NAME = 3, 5
LINE_TIMESTAMP, LINE_EVENT = 3, 4
EVENT_NAME, EVENT_OFFSET, EVENT_DURATION, EVENT_STAT = 1, 2, 3, 4
STAT_NAME, STAT_UNSIGNED, STAT_SIGNED = 1, 3, 4
RENUMBERED = {"correlation_id", "group_id"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def as_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """(number, value, whole field) of each field; value is a number or bytes."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        yield key >> 3, value, data[begin:at]


def message(number, body):
    return as_varint(number << 3 | 2) + as_varint(len(body)) + body


def number_field(number, value):
    return as_varint(number << 3) + as_varint(value)


def only(data, number, default=0):
    return next((value for n, value, _ in fields(data) if n == number), default)


class Line:
    """The fields of a line, and its events, split where a number must change."""

    def __init__(self, data, renumbered):
        self.head, self.timestamp, self.events, self.end_ns = b"", 0, [], 0
        for number, value, whole in fields(data):
            if number == LINE_EVENT:
                self.events.append(self.cut(value, renumbered))
                end = only(value, EVENT_OFFSET) + only(value, EVENT_DURATION)
                self.end_ns = max(self.end_ns, end // 1000)
            else:
                self.head += whole
            if number == LINE_TIMESTAMP:
                self.timestamp = value
        self.end_ns += self.timestamp

    @staticmethod
    def cut(event, renumbered):
        """The name, the offset, the other fields, and the (stat, field, id) taken out of them."""
        name, offset, rest, ids = b"", 0, b"", []
        for number, value, whole in fields(event):
            stat = only(value, STAT_NAME) if number == EVENT_STAT else 0
            found = [(n, v) for n, v, _ in fields(value)
                     if n in (STAT_UNSIGNED, STAT_SIGNED)] if stat in renumbered else []
            if found:
                ids.append((stat, *found[0]))
            elif number == EVENT_NAME:
                name = whole
            elif number == EVENT_OFFSET:
                offset = value
            else:
                rest += whole
        return name, offset, rest, ids

    def copy(self, moved_ns, moved_ids):
        """The events, moved."""
        parts = []
        for name, offset, rest, ids in self.events:
            stats = b"".join(
                message(EVENT_STAT, number_field(STAT_NAME, stat) + number_field(n, v + moved_ids))
                for stat, n, v in ids)
            offset = number_field(EVENT_OFFSET, offset + moved_ns * 1000)
            parts.append(message(LINE_EVENT, name + offset + rest + stats))
        return b"".join(parts)

    def largest_id(self):
        return max((v for *_, ids in self.events for _, _, v in ids), default=0)


def grow(source, target, megabytes):
    """Returns the number of copies."""
    opener = gzip.open if str(source).endswith(".gz") else open
    with opener(source, "rb") as file:
        data = file.read()
    planes, others, size = [], b"", 0
    for number, value, whole in fields(data):
        if number != 1:
            others += whole
            continue
        names = {only(entry, 1): only(only(entry, 2, b""), 2, b"").decode()
                 for n, entry, _ in fields(value) if n == PLANE_STAT_NAME}
        renumbered = {key for key, name in names.items() if name in RENUMBERED}
        lines = [Line(line, renumbered) for n, line, _ in fields(value) if n == PLANE_LINE]
        size += sum(len(whole) for n, _, whole in fields(value) if n == PLANE_LINE)
        head = b"".join(whole for n, _, whole in fields(value) if n != PLANE_LINE)
        planes.append((head, lines))
    timed = [line for _, lines in planes for line in lines if line.events]
    begin = min(line.timestamp for line in timed)
    length = max(line.end_ns for line in timed) - begin + 1_000_000
    ids = max(line.largest_id() for line in timed) + 1
    copies = max(1, round(megabytes * 1e6 / size))
    with open(target, "wb") as out:
        for head, lines in planes:
            body = [head]
            for line in lines:
                events = b"".join(line.copy(k * length, k * ids) for k in range(copies))
                body.append(message(PLANE_LINE, line.head + events))
            out.write(message(1, b"".join(body)))
        out.write(others)
    return copies
