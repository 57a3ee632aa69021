#!/usr/bin/env python3
"""Completes an installed tree with what its program needs from this system, so that it runs on another.

Usage: stage.py PREFIX [--deb]. PREFIX holds what `cmake --install` wrote: bin/warpsight, lib/warpsight, share.
- Libraries that the other system may not have are copied to lib/warpsight, where the program's RPATH finds
  them: all but the C library, or with --deb those whose names change between releases of Debian, so that
  one package serves several; Debian's own packages bring the others.
- Symbols that only a debugger needs are removed.
- The copyright files of the libraries' packages are put into share/doc/warpsight/licenses.
- With --deb also what Debian expects of a package: a copyright file, and the Python package where the
  system's Python looks for it.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from elf import C_LIBRARY, Elf, elf_files

AGENT = "libwarpsight_agent.so"
# C++ libraries and small C libraries that are named differently in every release, and DuckDB, which Debian
# does not have.
NEW_NAME_EACH_RELEASE = re.compile(r"^lib(absl_\w+|duckdb|fmt|hpdf|re2|simdjson|xlsxwriter)\b")
PYTHON_OF_DEBIAN = "lib/python3/dist-packages"
_LDD = re.compile(r"^\s*(\S+) => (\S+) \(0x", re.MULTILINE)


def libraries_of(program):
    """File name -> path of every library that this system would load for the program."""
    text = subprocess.run(["ldd", str(program)], check=True, stdout=subprocess.PIPE, text=True).stdout
    missing = re.findall(r"^\s*(\S+) => not found", text, re.MULTILINE)
    if missing:
        raise SystemExit(f"{program}: this system does not have {', '.join(missing)}")
    return {name: Path(path) for name, path in _LDD.findall(text)}


def copy_libraries(prefix, is_wanted):
    """Copies what the program and the copied libraries need, where is_wanted(name). Returns the sources."""
    known = libraries_of(prefix / "bin/warpsight")
    private = prefix / "lib/warpsight"
    copied, waiting, seen = [], [prefix / "bin/warpsight"], set()
    while waiting:
        for name in Elf(waiting.pop()).needed:
            if name in seen or C_LIBRARY.match(name) or not is_wanted(name):
                continue
            seen.add(name)
            target = private / name
            if not target.exists():
                shutil.copyfile(known[name].resolve(), target)
                copied.append(known[name])
            target.chmod(0o644)
            waiting.append(target)
    return copied


def strip(prefix):
    for path in elf_files(prefix):
        what = "--strip-all" if path.parent.name == "bin" else "--strip-unneeded"
        subprocess.run(["strip", what, "--remove-section=.comment", str(path)], check=True)


def package_of(library):
    """Debian's package that a library's file is from."""
    # Where /lib is a link to /usr/lib, packages know a file by either name.
    real = library.resolve()
    names = [str(real), str(real).removeprefix("/usr"), "/usr" + str(real)]
    for name in names:
        found = subprocess.run(["dpkg-query", "-S", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, check=False)
        if found.returncode == 0:
            return found.stdout.partition(":")[0]
    raise SystemExit(f"no package has {library}: its license is unknown")


def copy_licenses(prefix, libraries):
    folder = prefix / "share/doc/warpsight/licenses"
    for package in sorted({package_of(library) for library in libraries}):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path("/usr/share/doc", package, "copyright"), folder / package)


def add_debian_files(prefix):
    documents = prefix / "share/doc/warpsight"
    copyright_file = documents / "copyright"
    copyright_file.write_text(
        "Warpsight is licensed under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0.\n"
        "What other people made and the program holds: NOTICE, beside this file. Libraries beside the\n"
        "program: licenses/, beside this file.\n", encoding="utf-8")
    packages = prefix / PYTHON_OF_DEBIAN
    packages.mkdir(parents=True, exist_ok=True)
    (packages / "warpsight").symlink_to("../../warpsight/python/warpsight")


def complete(prefix, for_debian=False):
    wanted = NEW_NAME_EACH_RELEASE.match if for_debian else lambda name: True
    copied = copy_libraries(prefix, wanted)
    copy_licenses(prefix, copied)
    strip(prefix)
    if for_debian:
        add_debian_files(prefix)


if __name__ == "__main__":
    complete(Path(sys.argv[1]), "--deb" in sys.argv[2:])
