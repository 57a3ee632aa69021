#!/usr/bin/env bash
# Records a PyTorch program with the tarball and the wheel, on a machine with a GPU:
#   packages.sh PACKAGES [PYTHON]
# PACKAGES: the folder that `./dev package` wrote; PYTHON: one with PyTorch. Prints a table, and fails where a
# package does not record the program's kernels, ops and marks, or reads them back differently.
set -euo pipefail

packages=$(readlink -f "$1")
python=${2:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program.py" <<'EOF'
import torch, warpsight
a = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
for i in range(10):
    warpsight.step(i)
    with warpsight.annotate("product"):
        b = (a @ a).relu()
torch.cuda.synchronize()
EOF
cat >"$folder/read.py" <<'EOF'
import sys, warpsight
with warpsight.open(sys.argv[1]) as profile:
    count = lambda table, name: profile.sql(
        f"SELECT count(*) AS n FROM {table} WHERE name LIKE '{name}'")[0]["n"]
    found = {"kernels": len(profile.table("kernels")), "aten::mm": count("ops", "aten::mm"),
             "marks": count("annotations", "product"), "metadata": profile.sql(
                 "SELECT k.text AS key, v.text AS value FROM metadata m JOIN strings k ON k.id = m.key_id "
                 "JOIN strings v ON v.id = m.value_id WHERE k.text = 'torch_ops'")}
    print(found)
    right = found["kernels"] >= 20 and found["aten::mm"] == 10 and found["marks"] == 10
    sys.exit(0 if right and profile.summary()["kernels"] == found["kernels"] else 1)
EOF

# check NAME PROGRAM PYTHON MODULES: records with the program, reads with the module.
check() {
  local name=$1 program=$2 python=$3 modules=$4 started=$SECONDS result=passed
  "$program" profile -q -o "$folder/$name.warpsight" -- "$python" "$folder/program.py" >&2 || result="FAILED to record"
  PYTHONPATH=$modules "$python" "$folder/read.py" "$folder/$name.warpsight" || result=FAILED
  printf '%-8s %4d s  %s\n' "$name" $((SECONDS - started)) "$result" >>"$folder/results"
}

mkdir "$folder/moved here"
tar -C "$folder/moved here" -xf "$packages"/warpsight-*.tar.xz
tree=$(echo "$folder/moved here"/warpsight-*)
check tarball "$tree/bin/warpsight" "$(command -v "$python")" "$tree/lib/warpsight/python"
"$python" -m venv --system-site-packages "$folder/environment"
"$folder/environment/bin/pip" install -q --no-index --no-deps "$packages"/warpsight-*.whl
check wheel "$folder/environment/bin/warpsight" "$folder/environment/bin/python" ""
cat "$folder/results"
! grep -q FAILED "$folder/results"
