# shellcheck shell=bash
# What ./dev needs from the system, and how it is installed. Sourced by ./dev, which brings say, die and
# have; tests give another os_release and fake commands.

: "${os_release:=/etc/os-release}"
[[ -v duckdb_headers ]] || duckdb_headers=(/usr/include/duckdb.h /usr/local/include/duckdb.h)
# OFF where a command only needs the program.
with_tests=ON
# ON where a command makes packages.
with_packaging=OFF
# What clang-format writes and what clang-tidy finds differ between versions. Both checks are made with
# this one, which is in Debian 12 and Ubuntu 24.04, and skipped where it is missing.
clang_version=14

# Who needs it (the program, only tests and the daily work, or only making packages); the command that shows that it is there, or
# - for what only packages know; its package in Debian and Ubuntu, Fedora, Arch, - where another has it.
# ccache is the program's, since a build that gets it later compiles everything once more.
needs='
program  g++        g++                gcc-c++                 gcc
program  cmake      cmake              cmake                   cmake
program  ninja      ninja-build        ninja-build             ninja
program  python3    python3            python3                 python
program  ccache     ccache             ccache                  ccache
program  node       nodejs             nodejs                  nodejs
program  npm        npm                npm                     npm
program  cmp        diffutils          diffutils               diffutils
program  find       findutils          findutils               findutils
program  -          fonts-dejavu-core  dejavu-sans-fonts       ttf-dejavu
program  -          libabsl-dev        abseil-cpp-devel        abseil-cpp
program  -          libcli11-dev       cli11-devel             cli11
program  -          libfmt-dev         fmt-devel               fmt
program  -          libhpdf-dev        libharu-devel           libharu
program  -          libisal-dev        isa-l-devel             isa-l
program  -          libprotozero-dev   protozero-devel         protozero
program  -          libre2-dev         re2-devel               re2
program  -          libsimdjson-dev    simdjson-devel          simdjson
program  -          libsqlite3-dev     sqlite-devel            sqlite
program  -          libtbb-dev         tbb-devel               onetbb
program  -          libxlsxwriter-dev  libxlsxwriter-devel     libxlsxwriter
program  -          libzstd-dev        libzstd-devel           zstd
program  -          -                  libzstd-static          -
program  -          -                  libstdc++-static        -
packages file       file               -                       -
packages -          dpkg-dev           -                       -
tests    git        git                git                     git
tests    groff      groff              groff                   groff
tests    zsh        zsh                zsh                     zsh
tests    fish       fish               fish                    fish
tests    mold       mold               mold                    mold
tests    clang++    clang              clang                   clang
tests    pdftotext  poppler-utils      poppler-utils           poppler
tests    -          libbenchmark-dev   google-benchmark-devel  benchmark
tests    -          libgmock-dev       gmock-devel             gtest
tests    -          libgtest-dev       gtest-devel             gtest
'

package_exists() { apt-cache show "$1" >/dev/null 2>&1; }

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "not root and no sudo; please run: $*"
  fi
}

# os_release_field NAME: such as ID or ID_LIKE.
os_release_field() { sed -n "s/^$1=//p" "$os_release" 2>/dev/null | tr -d "\"'"; }

# The family of the system, by what its packages are called: debian, fedora, arch, or nothing.
system_family() {
  local name
  for name in $(os_release_field ID) $(os_release_field ID_LIKE); do
    case $name in
      debian | ubuntu) echo debian; return ;;
      fedora | arch) echo "$name"; return ;;
    esac
  done
}

# package_installed FAMILY PACKAGE
package_installed() {
  case $1 in
    debian) [[ $(dpkg-query -W -f '${db:Status-Status}' "$2" 2>/dev/null) == installed ]] ;;
    fedora) rpm -q --whatprovides "$2" >/dev/null 2>&1 ;;
    arch) pacman -T "$2" >/dev/null 2>&1 ;;
  esac
}

# The browser for the viewer's tests; CHROMIUM names another. Nothing where there is none, or only a snap, which
# cannot be driven from outside: Ubuntu's chromium-browser is a script that starts one.
browser() {
  local path=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
  if [[ -x $path && $(readlink -f "$path") != *snap* ]] && ! head -c 2000 "$path" | grep -qa /snap/; then
    echo "$path"
  fi
}

# Whether Chromium is a package that can be driven from outside: Ubuntu has it only as a snap.
chromium_is_packaged() { [[ $1 != debian || $(os_release_field ID) == debian ]]; }

# missing_packages FAMILY: the packages to install, one per line.
missing_packages() {
  local family=$1 who command debian fedora arch package
  # shellcheck disable=SC2034  # read by name below
  while read -r who command debian fedora arch; do
    [[ $who == program || ( $who == tests && $with_tests == ON ) ||
      ( $who == packages && $with_packaging == ON ) ]] || continue
    package=${!family}  # the column of that name
    [[ $package != - ]] || continue
    if [[ $command == - ]]; then
      package_installed "$family" "$package" || echo "$package"
    else
      have "$command" || echo "$package"
    fi
  done <<<"$needs" | awk '!seen[$0]++'
  [[ $with_tests == ON ]] || return 0
  if [[ -z $(browser) ]] && chromium_is_packaged "$family"; then
    echo chromium
  fi
  if [[ $family == debian ]]; then
    missing_clang_packages
  elif ! can_fuzz; then
    echo compiler-rt
  fi
}

# Debian's and Ubuntu's packages whose names differ between releases; known once the package lists are.
missing_clang_packages() {
  local tool
  for tool in clang-format-$clang_version clang-tidy-$clang_version; do
    if ! have "$tool" && package_exists "$tool"; then
      echo "$tool"
    fi
  done
  if ! can_fuzz; then
    if package_exists libclang-rt-dev; then
      echo libclang-rt-dev
    else
      apt-cache depends clang 2>/dev/null |
        sed -n 's/.*Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p' | head -1
    fi
  fi
}

can_fuzz() {
  have clang++ && compgen -G "$(clang++ --print-resource-dir)/lib/*/libclang_rt.fuzzer*" >/dev/null
}

install_packages() {
  local family missing
  family=$(system_family)
  if [[ -z $family ]]; then
    say "unknown system: not looking for missing packages. Debian calls them:" \
      "$(awk -v tests="$with_tests" '$1 == "program" || ($1 == "tests" && tests == "ON") { if ($3 != "-") print $3 }' \
        <<<"$needs" | tr '\n' ' ')"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$family")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  case $family in
    debian)
      say "updating the package lists"
      as_root apt-get -qq update
      mapfile -t missing < <(missing_packages "$family")
      say "installing ${missing[*]}"
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        "${missing[@]}" >/dev/null
      ;;
    fedora)
      say "installing ${missing[*]}"
      as_root dnf -q install -y --setopt=install_weak_deps=False "${missing[@]}"
      ;;
    arch)
      # Arch only supports installing together with upgrading everything: not ours to start.
      die "packages are missing; please run: pacman -Syu --needed ${missing[*]}" \
        "(those that pacman does not know are in the AUR)"
      ;;
  esac
}

# Whether the system has a DuckDB that is new enough for cmake/FindDuckDB.cmake. An older one is not used.
system_duckdb() {
  local header minimum
  minimum=$(sed -n 's/^set(DuckDB_MINIMUM \(.*\))$/\1/p' cmake/FindDuckDB.cmake)
  for header in "${duckdb_headers[@]}"; do
    [[ -e $header ]] || continue
    python3 - "$minimum" 2>/dev/null <<'PYTHON'
import ctypes, sys
version = ctypes.CDLL("libduckdb.so").duckdb_library_version
version.restype = ctypes.c_char_p
numbers = lambda text: [int(part) for part in text.lstrip("v").split("-")[0].split(".")]
sys.exit(numbers(version().decode()) < numbers(sys.argv[1]))
PYTHON
    return
  done
  return 1
}
