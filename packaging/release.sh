#!/usr/bin/env bash
# Prepares a release of the current commit: checks it, builds its packages with their checksums, and prints the
# command that tags it. Tags and pushes nothing.
#   packaging/release.sh           # ./dev release
#   packaging/release.sh --check   # only the checks
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

die() { echo "[release] $*" >&2; exit 1; }

[[ -z $(git status --porcelain) ]] || die "there are changes that are not committed"
python3 -B cmake/check_version.py || die "the version is not the same everywhere"
version=$(sed -n 's/^project(warpsight VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
heading=$(grep -m1 '^## ' CHANGELOG.md)
[[ $heading =~ ^"## $version ("[0-9]{4}-[0-9]{2}-[0-9]{2}")"$ ]] ||
  die "CHANGELOG.md says '$heading'; a release has a date: '## $version ($(date +%F))'"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || die "the tag v$version exists already"
[[ ${1:-} != --check ]] || exit 0

./dev package all
folder=${WARPSIGHT_BUILD_DIR:-build}/packages
(cd "$folder" && sha256sum warpsight?"$version"* >SHA256SUMS && cat SHA256SUMS)
cat <<EOF
The packages of $version are in $folder. To release them, after \`sudo ./dev package test\`:
  git tag -a v$version -m "Warpsight $version" $(git rev-parse HEAD)
  git push origin v$version
EOF
