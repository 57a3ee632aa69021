#!/usr/bin/env python3
"""Compares our hardware counters with Nsight Compute's.

    compare_counters.py COUNTERS.csv INSTRUCTIONS.csv [--bytes BYTES.csv]

COUNTERS.csv is made by read_counters.py, the others by
  ncu --csv --page raw --print-units base --print-kernel-base mangled --metrics ... PROGRAM
over the same program. Kernels are matched by name, grid, block and instance. Prints for each whether
both agree about Tensor Cores and by how much the bytes of DRAM differ, then the totals.

Bytes are compared for launches that the agent counted in one pass, with those of BYTES.csv, which was
also made in one pass: before a second pass a tool restores memory, and the L2 cache writes that back while
the kernel runs, up to the size of the cache. Without BYTES.csv, the bytes of all launches are compared.

Exits with 1 if the Tensor Core use of a kernel differs or was not counted; if the bytes read or the bytes
written differ by more than 5 %, in sum or for a kernel that moves more than fits in the cache; or if
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
    """The number of instructions of matrix products; None if they were not counted."""
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
    """The values of each launch, and the number of passes in which they were counted."""
    kernels, passes = defaultdict(dict), {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["kernel"], row["grid"], row["block"], int(row["instance"]))
            kernels[key][row["metric"]] = float(row["value"])
            passes[key] = int(row["passes"])
    return kernels, passes


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
            continue  # the row of units
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


def compare_bytes(pairs, what, names):
    """Prints by how much one kind of bytes differs; returns whether they are close enough."""
    pairs = [[one_of(side, names) for side in pair] for pair in pairs]
    pairs = [pair for pair in pairs if None not in pair]
    if not pairs:
        print(f"bytes {what}: not counted")
        return False
    sums = [sum(column) for column in zip(*pairs)]
    worst = [relative(*sums)]
    print(f"bytes {what}: ours {sums[0]:.0f}, ncu {sums[1]:.0f}: {percent(worst[0])}; a kernel's differ "
          f"by {max(abs(a - b) for a, b in pairs) / 1e6:.1f} MB at most")
    for least in (1e6, 1e7, CACHE):
        large = [relative(*pair) for pair in pairs if pair[1] >= least]
        if large:
            close = sum(difference <= CLOSE for difference in large)
            print(f"  of {len(large)} kernels with at least {least / 1e6:.0f} MB: {close} within "
                  f"{percent(CLOSE)}, median {percent(median(large))}, largest "
                  f"{percent(max(large))}")
            if least == CACHE:
                worst.append(max(large))
    return all(value is not None and value <= CLOSE for value in worst)


def report_bytes(ours, ncu, keys):
    print(f"\n{'kernel':60} {'grid':>14} {'#':>2} {'read ours':>12} {'ncu':>12} {'diff':>8} "
          f"{'written ours':>12} {'ncu':>12} {'diff':>8}")
    for key in keys:
        columns = []
        for names in (READ, WRITTEN):
            values = [one_of(side[key], names) for side in (ours, ncu)]
            columns += [f"{'-' if value is None else f'{value:.0f}':>12}" for value in values]
            columns.append(f"{percent(relative(*values)):>8}")
        print(f"{short(key[0]):60} {key[1]:>14} {key[3]:>2} {' '.join(columns)}")


def report_instructions(ours, ncu, keys):
    print(f"{'kernel':60} {'grid':>14} {'#':>2} {'matrix ours':>12} {'ncu':>12}")
    for key in keys:
        counts = [matrix_instructions(side[key]) for side in (ours, ncu)]
        print(f"{short(key[0]):60} {key[1]:>14} {key[3]:>2} {counts[0]:>12.0f} {counts[1]:>12.0f} "
              f"{'ok' if (counts[0] > 0) == (counts[1] > 0) else 'DIFF'}")


def compare_instructions(ours, ncu):
    """Prints a comparison of all kernels; returns whether both agree."""
    keys = sorted(key for key in ours.keys() & ncu.keys()
                  if None not in (matrix_instructions(ours[key]), matrix_instructions(ncu[key])))
    report_instructions(ours, ncu, keys)
    kinds = [{key[:3] for key in side} for side in (ours, ncu)]
    print(f"\nlaunches: ours {len(ours)}, ncu {len(ncu)}; kinds: ours {len(kinds[0])}, ncu {len(kinds[1])}")
    for name in sorted(short(key[0]) for key in kinds[0] - kinds[1]):
        print(f"  only ours: {name}")
    for name in sorted(short(key[0]) for key in kinds[1] - kinds[0]):
        print(f"  only ncu:  {name}")
    uncounted = kinds[0] & kinds[1] - {key[:3] for key in keys}
    for name in sorted(short(key[0]) for key in uncounted):
        print(f"  without instructions: {name}")
    counts = [[matrix_instructions(side[key]) for side in (ours, ncu)] for key in keys]
    agree = sum((a > 0) == (b > 0) for a, b in counts)
    print(f"Tensor Cores: {agree} of {len(counts)} kernels agree ({sum(b > 0 for _, b in counts)} use them)")
    print(f"  with the same number of matrix instructions: {sum(a == b for a, b in counts)}")
    return agree == len(counts) > 0 and not uncounted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("ncu")
    parser.add_argument("--bytes")
    options = parser.parse_args()
    (ours, passes), ncu = read_ours(options.ours), read_ncu(options.ncu)
    good = compare_instructions(ours, ncu)
    counted = read_ncu(options.bytes) if options.bytes else ncu
    keys = sorted(key for key in ours.keys() & counted.keys() if not options.bytes or passes[key] == 1)
    report_bytes(ours, counted, keys)
    print()
    pairs = [(ours[key], counted[key]) for key in keys]
    for what, names in (("read", READ), ("written", WRITTEN)):
        good = compare_bytes(pairs, what, names) and good
    sums = [sum(dram_bytes(side) or 0 for side in column) for column in zip(*pairs)]
    print(f"bytes read and written: {percent(relative(*sums)) if sums else '-'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
