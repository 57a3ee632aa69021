#!/usr/bin/env python3
"""Checks the structure of packages without installing them.

Usage: check.py PACKAGE…, or check.py --build BUILD_FOLDER for the program of a build and what it injects. Prints one
line per problem and then exits with 1. What each file promises and how it is checked:
- programs find their libraries relative to themselves, and nowhere else before the system;
- all libraries that a file needs are beside the program, or with a .deb in the packages it depends on;
- the agent and others that recorded programs load need only the C library and show only their interface;
- no file of a tarball needs a newer C library than NEWEST_GLIBC, and none of a wheel a newer one than its name says;
- a wheel's RECORD has every file with its digest; a tarball has one folder, and what is in it belongs to root.
"""

import csv
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import elf
import wheel

# That of Debian 12, on which packages are built.
NEWEST_GLIBC = "2.36"
# That of Ubuntu 22.04, of which images for training are made: a program in one can be given the agent.
NEWEST_GLIBC_OF_INJECTED = "2.35"
MOST_BYTES = 40_000_000
PROGRAM = "bin/warpsight"
AGENT = "lib/warpsight/libwarpsight_agent.so"
# In the folder of the agent: what recorded programs load.
INJECTED = "libwarpsight_*.so"
# What recorded Python programs load, with libraries that are theirs.
IN_PROGRAMS = "lib/warpsight/python"
TREE_FILES = (PROGRAM, AGENT, "lib/warpsight/libduckdb.so", "lib/warpsight/python/sitecustomize.py",
              "lib/warpsight/python/warpsight/__init__.py")
DOCUMENTS = ("share/doc/warpsight/LICENSE", "share/doc/warpsight/NOTICE", "share/man/man1/warpsight.1.gz",
             "share/bash-completion/completions/warpsight")
DESKTOP = ("share/applications/warpsight.desktop", "share/mime/packages/warpsight.xml",
           "share/icons/hicolor/scalable/apps/warpsight.svg")
INTERFACE = re.compile(r"^(warpsight_\w+|InitializeInjection|InitializeInjectionNvtx2)$")
WHEEL_NAME = re.compile(r"^warpsight-([0-9.]+)-(py3-none-manylinux_(\d+)_(\d+)_(\w+))\.whl$")


def search_path_problems(file, root):
    for folder in dict.fromkeys(file.search_path):
        if not re.match(r"\$ORIGIN(/|$)", folder):
            yield f"{file.path.relative_to(root)} searches libraries in '{folder}', not relative to itself"
    if file.has_runpath:
        yield f"{file.path.relative_to(root)} has a RUNPATH, which does not serve its libraries' own needs"


def injected_problems(folder):
    """Of the libraries that recorded programs load."""
    for path in sorted(folder.glob(INJECTED)):
        file = elf.Elf(path)
        others = [name for name in file.needed if not elf.C_LIBRARY.match(name)]
        if others:
            yield f"{path.name} brings {', '.join(others)} into recorded programs"
        exported = file.exported()
        shown = [name for name in exported if not INTERFACE.match(name)]
        if shown:
            yield f"{path.name} shows {', '.join(shown)} to recorded programs"
        if len(shown) == len(exported):
            yield f"{path.name} does not show its interface"


def glibc_problems(files, root):
    for file in files:
        glibc = file.newest("GLIBC") or "0"
        newest = NEWEST_GLIBC_OF_INJECTED if file.path.match(INJECTED) else NEWEST_GLIBC
        if elf.version_key(glibc) > elf.version_key(newest):
            yield f"{file.path.relative_to(root)} needs glibc {glibc}, newer than {newest}"


def tree_problems(root, files=TREE_FILES, depends=False):
    """Of an installed tree; `depends` if other packages bring what is not in it, also the C library."""
    missing = [name for name in files if not (root / name).is_file()]
    if missing:
        return [f"{name} is missing" for name in missing]
    problems = []
    beside = {path.name for path in (root / "lib/warpsight").iterdir()}
    found = [elf.Elf(path) for path in elf.elf_files(root)]
    for file in found:
        problems += search_path_problems(file, root)
        if not (depends or file.path.is_relative_to(root / IN_PROGRAMS)):
            problems += [f"{file.path.relative_to(root)} needs {name}, which is not beside the program"
                         for name in file.needed if not (elf.C_LIBRARY.match(name) or name in beside)]
    if not depends:
        problems += glibc_problems(found, root)
    problems += injected_problems(root / "lib/warpsight")
    program = elf.Elf(root / PROGRAM)
    if "$ORIGIN/../lib/warpsight" not in program.search_path:
        problems.append("the program does not search its libraries in ../lib/warpsight")
    if not (root / PROGRAM).stat().st_mode & 0o100:
        problems.append("the program is not executable")
    return problems


def size_problems(path):
    size = path.stat().st_size
    return [f"{size} bytes, at most {MOST_BYTES} are allowed"] if size > MOST_BYTES else []


def check_tarball(path):
    problems = size_problems(path)
    with tempfile.TemporaryDirectory() as place, tarfile.open(path) as archive:
        members = archive.getmembers()
        tops = {member.name.split("/")[0] for member in members}
        if tops != {path.name.removesuffix(".tar.xz")}:
            return [f"it has the folders {', '.join(sorted(tops))}, not one of its own name"]
        problems += [f"{member.name} belongs to the user {member.uid} and the group {member.gid}" for member in members
                     if (member.uid, member.gid) != (0, 0)]
        problems += [f"{member.name} is neither a file nor a folder" for member in members
                     if not (member.isfile() or member.isdir())]
        if problems:
            return problems
        archive.extractall(place)
        return tree_problems(Path(place) / tops.pop(), TREE_FILES + DOCUMENTS + DESKTOP)


def record_problems(archive, info):
    """Of the wheel's RECORD: it lists all files, and they are what it says."""
    names = set(archive.namelist())
    rows = list(csv.reader(io.StringIO(archive.read(f"{info}/RECORD").decode())))
    listed = {row[0] for row in rows}
    yield from (f"RECORD lacks {name}" for name in sorted(names - listed))
    yield from (f"RECORD names {name}, which is missing" for name in sorted(listed - names))
    for name, digest, size in rows:
        if name not in names or name == f"{info}/RECORD":
            continue
        content = archive.read(name)
        if digest != wheel.digest_of(content) or int(size) != len(content):
            yield f"RECORD has another digest or size than {name}"


def check_wheel(path):
    name = WHEEL_NAME.match(path.name)
    if not name:
        return ["its name is not that of a wheel"]
    version, tag = name[1], name[2]
    info = f"warpsight-{version}.dist-info"
    problems = size_problems(path)
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(path) as archive:
        problems += record_problems(archive, info)
        if f"Version: {version}\n" not in archive.read(f"{info}/METADATA").decode():
            problems.append("METADATA and the name have different versions")
        if f"Tag: {tag}\n" not in archive.read(f"{info}/WHEEL").decode():
            problems.append("WHEEL and the name have different tags")
        if problems:
            return problems
        for entry in archive.infolist():
            target = Path(archive.extract(entry, place))
            target.chmod(entry.external_attr >> 16)
        root = Path(place) / wheel.BUNDLE
        needed = elf.newest_glibc([elf.Elf(file) for file in elf.elf_files(place)])
        if needed != f"{name[3]}.{name[4]}":
            problems.append(f"it needs glibc {needed}, but its name says {name[3]}.{name[4]}")
        if not (Path(place) / "warpsight/__init__.py").is_file():
            problems.append("the module warpsight is missing")
        return problems + tree_problems(root)


def check_deb(path):
    fields = subprocess.run(["dpkg-deb", "-f", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    field = dict(re.findall(r"^(\w[\w-]*): (.*)$", fields, re.MULTILINE))
    problems = size_problems(path)
    if path.name != f"{field.get('Package')}_{field.get('Version')}_{field.get('Architecture')}.deb":
        problems.append("its name is not that of its control file")
    depends = {part.split()[0] for part in field.get("Depends", "").split(", ") if part}
    if "libc6" not in depends:
        problems.append("it does not depend on the C library")
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["dpkg-deb", "-x", str(path), place], check=True)
        prefix = Path(place) / "usr"
        own = {found.name for found in (prefix / "share/doc/warpsight/licenses").iterdir()}
        problems += [f"it depends on {name}, whose library it brings" for name in sorted(depends & own)]
        link = prefix / "lib/python3/dist-packages/warpsight"
        if not (link.is_symlink() and (link / "__init__.py").is_file()):
            problems.append("the system's Python does not find the module warpsight")
        return problems + tree_problems(
            prefix, TREE_FILES + DOCUMENTS + DESKTOP + ("share/doc/warpsight/copyright",), depends=True)


def check_build(build):
    """Of a build: what holds for packages before they are made."""
    files = [elf.Elf(path) for path in (build / "warpsight", *sorted((build / "lib").glob(INJECTED)))]
    problems = [problem for file in files for problem in search_path_problems(file, build)]
    return problems + list(injected_problems(build / "lib"))


CHECKS = {"deb": check_deb, "tarball": check_tarball, "wheel": check_wheel}
_SUFFIXES = {".deb": check_deb, ".xz": check_tarball, ".whl": check_wheel}


def main():
    if sys.argv[1:2] == ["--build"]:
        problems = check_build(Path(sys.argv[2]))
    else:
        problems = [f"{path}: {problem}" for path in map(Path, sys.argv[1:])
                    for problem in _SUFFIXES[path.suffix](path)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
