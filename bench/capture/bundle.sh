#!/usr/bin/env bash
# Packs the built program with the libraries it needs, for a machine that has none of them:
#   bench/capture/bundle.sh [BUILD_FOLDER] [OUTPUT.tar.xz]
# There: tar xf OUTPUT.tar.xz && warpsight/warpsight profile -- …
set -euo pipefail
build=${1:-build}
output=${2:-$build/bundle.tar.xz}
command -v patchelf >/dev/null || { echo "bundle.sh needs patchelf" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/warpsight/lib"
strip -o "$folder/warpsight/warpsight" "$build/warpsight"
cp -r "$build/lib/." "$folder/warpsight/lib/"
# Everything but the C library, which must be the machine's own.
ldd "$build/warpsight" | awk '$3 ~ /^\// { print $3 }' |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libduckdb)\.so' | while read -r library; do
  cp -L "$library" "$folder/warpsight/lib/"
done
# The libraries' own dependencies are found there too; programs that are recorded see nothing of it.
patchelf --force-rpath --set-rpath '$ORIGIN/lib' "$folder/warpsight/warpsight"
tar -C "$folder" -c warpsight | xz -T0 -2 >"$output"
ls -la "$output"
