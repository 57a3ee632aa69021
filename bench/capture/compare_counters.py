#!/usr/bin/env python3
"""Compares our hardware counters with Nsight Compute's: compare_counters.py COUNTERS.csv NCU.csv

COUNTERS.csv is made by read_counters.py, NCU.csv by
  ncu --csv --page raw --print-units base --print-kernel-base mangled --metrics ... PROGRAM
over the same program. Kernels are matched by name, grid, block and instance. Prints for each whether
both say the same about Tensor Cores and how far the bytes of DRAM differ, then the totals.

What is read and what is written are told apart: while a kernel runs the L2 cache also writes back
what ran before it left there, so written bytes depend on how a tool prepares a measurement, by up
to the size of the cache. Exits with 1 where one kernel's Tensor Core use differs, where the bytes
read differ by more than 5 % in sum or for a kernel that reads more than the cache holds, or where
nothing could be compared.
"""

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from statistics import median

PREFIX = "sm__inst_executed_pipe_"
ADDED = ["tensor_op_gmma", "tensor_op_hmma", "tensor_op_imma", "tensor_op_dmma",
         "tensor_subpipe_hmma", "tensor_subpipe_imma", "tensor_subpipe_dmma", "tc"]
READ = ["dram__bytes_read.sum", "dram__bytes_op_read.sum"]
WRITTEN = ["dram__bytes_write.sum", "dram__bytes_op_write.sum"]
CLOSE = 0.05
CACHE = 60e6  # bytes; as much L2 cache as the whole GH100 chip has


def matrix_instructions(values):
    """Instructions of matrix products; nothing where none were counted."""
    found = [values[name] for name in (f"{PREFIX}{op}.sum" for op in ADDED) if name in values]
    if not found:
        return values.get(f"{PREFIX}tensor.sum")
    return sum(found) - values.get(f"{PREFIX}tensor_op_hmma_type_hfma2.sum", 0)


def one_of(values, names):
    return next((values[name] for name in names if name in values), None)


def dram_bytes(values):
    parts = [one_of(values, READ), one_of(values, WRITTEN)]
    return None if None in parts else sum(parts)


def relative(ours, ncu):
    return None if ours is None or not ncu else abs(ours - ncu) / ncu


def read_ours(path):
    kernels = defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["kernel"], row["grid"], row["block"], int(row["instance"]))
            kernels[key][row["metric"]] = float(row["value"])
    return kernels


def dimensions(text):
    return "x".join(re.findall(r"\d+", text))


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def read_ncu(path):
    with open(path, newline="", errors="replace") as file:
        lines = [line for line in file if line.startswith('"')]
    kernels, instances = {}, Counter()
    for row in csv.DictReader(lines):
        if not row.get("ID"):
            continue  # the units
        kernel = (row["Kernel Name"], dimensions(row["Grid Size"]), dimensions(row["Block Size"]))
        values = {name: number(text) for name, text in row.items() if name and "__" in name}
        kernels[(*kernel, instances[kernel])] = {
            name: value for name, value in values.items() if value is not None}
        instances[kernel] += 1
    return kernels


def short(name, width=60):
    name = re.sub(r"^_ZN?\d*", "", name)
    return name if len(name) <= width else name[:width - 1] + "…"


def percent(value):
    return "-" if value is None else f"{100 * value:.1f}%"


def compare_bytes(rows, what, names):
    """Prints how far one kind of bytes differs. Returns the relative difference of the sums and, of
    kernels beyond the cache's size, the largest."""
    pairs = [[one_of(row[side], names) for side in (1, 2)] for row in rows]
    pairs = [pair for pair in pairs if None not in pair]
    if not pairs:
        print(f"bytes {what}: not counted")
        return None, None
    sums = [sum(column) for column in zip(*pairs)]
    total = relative(*sums)
    print(f"bytes {what}: ours {sums[0]:.0f}, ncu {sums[1]:.0f}: {percent(total)}; a kernel's differ "
          f"by {max(abs(a - b) for a, b in pairs) / 1e6:.1f} MB at most")
    largest = None
    for least in (1e6, 1e7, CACHE):
        large = [relative(*pair) for pair in pairs if pair[1] >= least]
        if large:
            close = sum(difference <= CLOSE for difference in large)
            largest = max(large) if least == CACHE else None
            print(f"  of {len(large)} kernels with at least {least / 1e6:.0f} MB: {close} within "
                  f"{percent(CLOSE)}, median {percent(median(large))}, largest "
                  f"{percent(max(large))}")
    return total, largest


def report(rows):
    print(f"{'kernel':60} {'grid':>14} {'#':>2} {'matrix ours':>12} {'ncu':>12} {'':4} "
          f"{'DRAM ours':>12} {'ncu':>12} {'diff':>8}")
    for key, ours, theirs, agree, difference in rows:
        matrix = [matrix_instructions(values) for values in (ours, theirs)]
        dram = [dram_bytes(values) for values in (ours, theirs)]
        text = [f"{'-' if value is None else f'{value:.0f}':>12}" for value in (*matrix, *dram)]
        print(f"{short(key[0]):60} {key[1]:>14} {key[3]:>2} {text[0]} {text[1]} "
              f"{'ok' if agree else 'DIFF':4} {text[2]} {text[3]} {percent(difference):>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("ncu")
    options = parser.parse_args()
    ours, ncu = read_ours(options.ours), read_ncu(options.ncu)
    rows = []
    for key in sorted(ours.keys() & ncu.keys()):
        matrix = [matrix_instructions(values) for values in (ours[key], ncu[key])]
        agree = None not in matrix and (matrix[0] > 0) == (matrix[1] > 0)
        difference = relative(dram_bytes(ours[key]), dram_bytes(ncu[key]))
        rows.append((key, ours[key], ncu[key], agree, difference))
    report(rows)

    print(f"\nkernels: ours {len(ours)}, ncu {len(ncu)}, compared {len(rows)}")
    kinds = [{key[:3] for key in side} for side in (ours, ncu)]
    for name in sorted(short(key[0]) for key in kinds[0] - kinds[1]):
        print(f"  only ours: {name}")
    for name in sorted(short(key[0]) for key in kinds[1] - kinds[0]):
        print(f"  only ncu:  {name}")
    if not rows:
        sys.exit("nothing could be compared")
    disagree = sum(not row[3] for row in rows)
    use = sum((matrix_instructions(row[2]) or 0) > 0 for row in rows)
    print(f"Tensor Cores: {len(rows) - disagree} of {len(rows)} kernels agree ({use} use them)")
    counted = [[matrix_instructions(row[side]) for side in (1, 2)] for row in rows]
    print(f"  with the same number of matrix instructions: {sum(a == b for a, b in counted)}")
    sums = [sum(dram_bytes(row[side]) or 0 for row in rows) for side in (1, 2)]
    print(f"bytes of DRAM: ours {sums[0]:.0f}, ncu {sums[1]:.0f}: {percent(relative(*sums))}")
    read, largest_read = compare_bytes(rows, "read", READ)
    compare_bytes(rows, "written", WRITTEN)
    far = any(value is not None and value > CLOSE for value in (read, largest_read))
    sys.exit(1 if disagree or far else 0)


if __name__ == "__main__":
    main()
