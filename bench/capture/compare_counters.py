#!/usr/bin/env python3
"""Compares our hardware counters with Nsight Compute's: compare_counters.py COUNTERS.csv NCU.csv

COUNTERS.csv is made by read_counters.py, NCU.csv by
  ncu --csv --page raw --print-units base --print-kernel-base mangled --metrics ... PROGRAM
over the same program. Kernels are matched by name, grid, block and instance. Prints for each whether
both say the same about Tensor Cores and how far the bytes of DRAM differ, then the totals. Exits
with 1 where one kernel's Tensor Core use differs or nothing could be compared.
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


def matrix_instructions(values):
    """Instructions of matrix products; nothing where none were counted."""
    found = [values[name] for name in (f"{PREFIX}{op}.sum" for op in ADDED) if name in values]
    if not found:
        return values.get(f"{PREFIX}tensor.sum")
    return sum(found) - values.get(f"{PREFIX}tensor_op_hmma_type_hfma2.sum", 0)


def dram_bytes(values):
    parts = [values[name] for name in READ + WRITTEN if name in values]
    return sum(parts) if parts else None


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
        bytes_of = [dram_bytes(values) for values in (ours[key], ncu[key])]
        difference = None
        if None not in bytes_of and bytes_of[1] > 0:
            difference = abs(bytes_of[0] - bytes_of[1]) / bytes_of[1]
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
    sums = [sum(dram_bytes(row[side]) or 0 for row in rows) for side in (1, 2)]
    total = None if sums[1] == 0 else (sums[0] - sums[1]) / sums[1]
    print(f"DRAM bytes: ours {sums[0]:.0f}, ncu {sums[1]:.0f}: {percent(total)}")
    # Small transfers stay in the L2 cache or not by chance.
    for least in (0, 1e6, 1e7):
        large = [row[4] for row in rows if row[4] is not None and dram_bytes(row[2]) >= least]
        if large:
            print(f"  of {len(large)} kernels with at least {least / 1e6:.0f} MB: median difference "
                  f"{percent(median(large))}, largest {percent(max(large))}")
    sys.exit(1 if disagree else 0)


if __name__ == "__main__":
    main()
