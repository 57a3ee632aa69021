#!/usr/bin/env bash
# Packs the built program with the libraries it needs, for a machine without them:
#   bench/capture/bundle.sh [BUILD_FOLDER] [OUTPUT.tar.xz]
# On that machine: tar xf OUTPUT.tar.xz && warpsight/warpsight profile -- …
set -euo pipefail
build=${1:-build}
output=${2:-$build/bundle.tar.xz}
command -v patchelf >/dev/null || { echo "bundle.sh needs patchelf" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/warpsight/lib"
strip -o "$folder/warpsight/warpsight" "$build/warpsight"
cp -r "$build/lib/." "$folder/warpsight/lib/"
# Everything except the C library, which must be that of the machine.
ldd "$build/warpsight" | awk '$3 ~ /^\// { print $3 }' |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libduckdb)\.so' | while read -r library; do
  cp -L "$library" "$folder/warpsight/lib/"
done
# The libraries find their own dependencies there, too; recorded programs are not affected.
patchelf --force-rpath --set-rpath '$ORIGIN/lib' "$folder/warpsight/warpsight"
tar -C "$folder" -c warpsight | xz -T0 -2 >"$output"
ls -la "$output"
