"""Turns ncu's CSV (raw page) into a table of kernels and the matrix instructions each executed.

Usage: summarize_counters.py NCU.csv... > tensor_cores.csv
HFMA2 instructions run on the pipe of the matrix instructions and are counted among hmma by the hardware;
compilers use them for plain constants, so they are subtracted.
"""

import csv
import sys

PREFIX = "sm__inst_executed_pipe_tensor_op_"
METRICS = {"hmma": PREFIX + "hmma.sum", "gmma": PREFIX + "gmma.sum", "imma": PREFIX + "imma.sum",
           "dmma": PREFIX + "dmma.sum", "hfma2": PREFIX + "hmma_type_hfma2.sum", "time": "gpu__time_duration.sum"}


def number(text):
    return float(text.replace(",", "")) if text else 0.0


def main():
    kernels = {}
    for path in sys.argv[1:]:
        with open(path, newline="") as file:
            lines = [line for line in file if line.startswith('"')]
        reader = csv.DictReader(lines)
        for row in reader:
            if not row["ID"]:  # the row of units
                continue
            values = {key: number(row.get(name, "")) for key, name in METRICS.items()}
            entry = kernels.setdefault(row["Kernel Name"], dict.fromkeys(["launches", *METRICS], 0))
            entry["launches"] += 1
            for key, value in values.items():
                entry[key] += value
    out = csv.writer(sys.stdout)
    out.writerow(["uses_tensor_cores", "launches", "hmma", "gmma", "imma", "dmma", "time_ns", "kernel_name"])
    for name in sorted(kernels):
        k = kernels[name]
        k["hmma"] -= k["hfma2"]
        uses = int(k["hmma"] + k["gmma"] + k["imma"] + k["dmma"] > 0)
        out.writerow([uses, k["launches"], *(int(k[m]) for m in ("hmma", "gmma", "imma", "dmma", "time")), name])


if __name__ == "__main__":
    main()
