#!/usr/bin/env python3
"""Writes the hardware counters of a recording as CSV: read_counters.py CAPTURE... [-o COUNTERS.csv]

Reads the files that the agent writes (src/wire) and writes a line for each kernel and metric:
kernel, grid, block, instance, metric, value, passes. Facts, gaps and problems go to the standard error.
"""

import argparse
import csv
import struct
import subprocess
import sys
from pathlib import Path

FILE_HEADER = struct.Struct("<QIIQq")
FRAME_HEADER = struct.Struct("<IHHIIqqII")
FRAME_MAGIC = 0xF5A3571C
COMPRESSED = 0x8000
STRINGS, RECORDS, END = 1, 2, 3
GAP, FACT, COUNTER = 13, 15, 16


def decompress(data):
    try:
        import zstandard
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    except ImportError:
        pass
    try:
        from compression import zstd
        return zstd.decompress(data)
    except ImportError:
        pass
    try:
        return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout
    except FileNotFoundError:
        sys.exit("this needs the command zstd or Python's zstandard, or a recording made with "
                 "WARPSIGHT_OPTIONS=counters,nocompress")


class Varints:
    def __init__(self, data):
        self.data, self.at = data, 0

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def signed(self):
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def text(self):
        size = self.unsigned()
        self.at += size
        return self.data[self.at - size:self.at].decode(errors="replace")


def rows_of(payload, count):
    reader = Varints(payload)
    columns = []
    for _ in range(reader.unsigned()):
        value, column = 0, []
        for _ in range(count):
            value += reader.signed()
            column.append(value)
        columns.append(column)
    return list(zip(*columns))


def read_capture(path):
    """The records of each kind, their texts, and whether the file is complete."""
    data = Path(path).read_bytes()
    at, texts, records, ended = FILE_HEADER.size, {0: ""}, {}, False
    while at + FRAME_HEADER.size <= len(data):
        magic, kind, record, length, _, _, _, rows, _ = FRAME_HEADER.unpack_from(data, at)
        if magic != FRAME_MAGIC:
            print(f"{path}: damaged at byte {at}", file=sys.stderr)
            break
        payload = data[at + FRAME_HEADER.size:at + FRAME_HEADER.size + length]
        at += FRAME_HEADER.size + length
        if len(payload) < length:
            break
        if kind & COMPRESSED:
            payload = decompress(payload)
        kind &= ~COMPRESSED
        if kind == STRINGS:
            reader = Varints(payload)
            first = reader.unsigned()
            for i in range(rows):
                texts[first + i] = reader.text()
        elif kind == RECORDS:
            records.setdefault(record, []).extend(rows_of(payload, rows))
        elif kind == END:
            ended = True
    return records, texts, ended


def tell(path, records, texts, ended):
    print(f"{path}: {'whole' if ended else 'cut off'}", file=sys.stderr)
    for _, key, value in records.get(FACT, []):
        print(f"  {texts[key]}: {texts[value]}", file=sys.stderr)
    for _, _, _, lost, reason in records.get(GAP, []):
        print(f"  gap ({lost}): {texts[reason]}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("captures", nargs="+", help="*.wscap")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    out = open(options.output, "w", newline="") if options.output else sys.stdout
    writer = csv.writer(out)
    writer.writerow(["kernel", "grid", "block", "instance", "metric", "value", "passes"])
    for path in options.captures:
        records, texts, ended = read_capture(path)
        tell(path, records, texts, ended)
        for row in records.get(COUNTER, []):
            _, name, gx, gy, gz, bx, by, bz, instance, metric, micros = row[:11]
            writer.writerow([texts[name], f"{gx}x{gy}x{gz}", f"{bx}x{by}x{bz}", instance,
                             texts[metric], micros / 1e6, row[11] if len(row) > 11 else 0])


if __name__ == "__main__":
    main()
