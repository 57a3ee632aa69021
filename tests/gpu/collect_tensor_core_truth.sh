#!/usr/bin/env bash
# Counts the matrix instructions of many kernels with the hardware's counters, to check how kernel names
# are classified. Needs a GPU, PyTorch and ncu with access to the counters. Writes tensor_cores.csv.
# $WORKLOAD_SECONDS, if set, limits the time of one workload.
# Usage: collect_tensor_core_truth.sh FOLDER [WORKLOAD…]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
prefix=sm__inst_executed_pipe_tensor_op
metrics=gpu__time_duration.sum
for op in hmma gmma imma dmma hmma_type_hfma2; do metrics+=,${prefix}_$op.sum; done
ncu --target-processes application-only --clock-control none --cache-control none --replay-mode kernel \
  --metrics "$metrics" --csv --page raw --print-units base --kernel-name-base demangled \
  --log-file "$out/ncu.csv" \
  python3 "$here/tensor_core_workloads.py" "$@"
python3 "$here/summarize_counters.py" "$out/ncu.csv" > "$out/tensor_cores.csv"
wc -l "$out/tensor_cores.csv"
