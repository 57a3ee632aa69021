#!/usr/bin/env bash
# Compares the agent's hardware counters with those of Nsight Compute, on a machine with a GPU:
#   counters.sh AGENT_LIBRARY [PYTHON [FOLDER]]
# AGENT_LIBRARY: build/lib/libwarpsight_agent.so; PYTHON: one with PyTorch; FOLDER: for the
# recordings. NCU names another ncu than that of the toolkit; COUNTED is the number of launches of
# each kernel to count. ncu runs twice: once for instructions, and once for bytes alone, which take
# only one pass. Before a second pass, the memory of a kernel is restored, which changes what the L2
# cache has to write.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
agent=$(readlink -f "$1")
python=${2:-python3}
folder=${3:-$(mktemp -d)}
ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
counted=${COUNTED:-3}
program=("$python" "$here/counters_program.py")

tensor=sm__inst_executed_pipe_tensor_op
bytes=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum
instructions=$bytes
for op in gmma hmma hmma_type_hfma2 imma dmma; do
  instructions+=,${tensor}_$op.sum
done

seconds() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(seconds)" 'BEGIN { printf "%.1f s\n", b - a }'; }

mkdir -p "$folder"
rm -f "$folder"/*.wscap
echo "== without"
start=$(seconds)
"${program[@]}" >"$folder/plain.log" 2>&1 || { cat "$folder/plain.log"; exit 1; }
since "$start"

echo "== agent"
start=$(seconds)
WARPSIGHT_CAPTURE=$folder WARPSIGHT_RUN=1 WARPSIGHT_OPTIONS=counters=$counted,nocompress \
  CUDA_INJECTION64_PATH=$agent timeout "${LIMIT:-240}" "${program[@]}" >"$folder/agent.log" 2>&1 ||
  echo "the program failed under the agent: exit code $?"
since "$start"
diff "$folder/plain.log" "$folder/agent.log" || echo "(the program printed something else)"
"$python" "$here/read_counters.py" "$folder"/*.wscap -o "$folder/counters.csv"

# ncu_run NAME METRICS OPTION...: like the agent, it does not change caches and clocks. All
# instances are profiled, so that they can be numbered.
ncu_run() {
  local name=$1 metrics=$2 start
  shift 2
  echo "== $name"
  start=$(seconds)
  "$ncu" --csv --page raw --print-units base --print-kernel-base mangled --cache-control none \
    --clock-control none --metrics "$metrics" "$@" "${program[@]}" >"$folder/$name.csv" \
    2>"$folder/$name.log" || { tail -5 "$folder/$name.csv" "$folder/$name.log"; exit 1; }
  since "$start"
}
ncu_run ncu_instructions "$instructions"
ncu_run ncu_bytes "$bytes" --replay-mode application

echo "== comparison"
"$python" "$here/compare_counters.py" "$folder/counters.csv" "$folder/ncu_instructions.csv" \
  --bytes "$folder/ncu_bytes.csv"
