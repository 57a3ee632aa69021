#!/usr/bin/env bash
# Measures all numbers of docs/overhead.md about recording, on a machine with a GPU, as tables:
#   measure.sh WARPSIGHT [PYTHON [FOLDER [ROUNDS]]]
# WARPSIGHT: build/warpsight, with its lib folder beside it; PYTHON: one with PyTorch (and JAX, for
# one of the checks); FOLDER: for the recordings. PARTS lists the parts to run: overhead stretches
# check counters.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
warpsight=$(readlink -f "$1")
python=${2:-python3}
folder=${3:-$(mktemp -d)}
rounds=${4:-3}
parts=${PARTS:-overhead stretches check counters}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
failed=0

mkdir -p "$folder"
"$nvcc" -O2 -std=c++17 -arch=native "$here/launches.cu" -o "$folder/launches"
# The hook for PyTorch's ops is compiled during the first recording; the measurements below do not
# include that.
"$warpsight" profile --quiet -o "$folder/first.warpsight" -- "$python" -c 'import torch; torch.ones(1).cuda()'

for part in $parts; do
  case $part in
    overhead)
      "$python" "$here/overhead.py" --warpsight "$warpsight" --python "$python" --rounds "$rounds" \
        --launches "$folder/launches" --keep "$folder/overhead" || failed=1 ;;
    stretches)
      "$python" "$here/stretches.py" --warpsight "$warpsight" --python "$python" --rounds "$rounds" \
        --keep "$folder/stretches" || failed=1 ;;
    check)
      "$python" "$here/check.py" --warpsight "$warpsight" --python "$python" \
        --launches "$folder/launches" || failed=1 ;;
    counters)
      "$here/counters.sh" "$(dirname "$warpsight")/lib/libwarpsight_agent.so" "$python" \
        "$folder/counters" || failed=1 ;;
    *) echo "measure.sh: no part is called $part" >&2; exit 2 ;;
  esac
done
exit $failed
