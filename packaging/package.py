#!/usr/bin/env python3
"""Makes packages of a finished build, prints what they need of a system, and checks them.

Usage: package.py BUILD_FOLDER OUTPUT_FOLDER [deb|tarball|wheel|all]. `./dev package` calls it.
Earlier packages of the same kind are removed from the output folder. The time in files is SOURCE_DATE_EPOCH,
otherwise that of the last commit.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import check
import elf
import stage
import wheel

REPOSITORY = Path(__file__).resolve().parent.parent
# The kinds of packages, and what all versions of one are called.
PATTERNS = {"deb": "warpsight_*.deb", "tarball": "warpsight-*.tar.xz", "wheel": "warpsight-*.whl"}
KINDS = tuple(PATTERNS)


def say(text):
    print(f"[package] {text}", flush=True)


def source_epoch():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    git = subprocess.run(["git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False) if shutil.which("git") else None
    if git and git.returncode == 0:
        return int(git.stdout)
    return int((REPOSITORY / "CMakeLists.txt").stat().st_mtime)  # sources without a history


def built_version(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.+)$", cache, re.MULTILINE).group(1)


def make_tree(build, tree):
    subprocess.run(["cmake", "--install", str(build), "--prefix", str(tree)], check=True,
                   stdout=subprocess.DEVNULL)
    stage.complete(tree)


def write_tarball(tree, folder, version, epoch):
    name = f"warpsight-{version}-linux-{platform.machine()}"
    path = folder / f"{name}.tar.xz"

    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = epoch
        return member

    with tarfile.open(path, "w:xz", preset=9) as archive:
        archive.add(tree, name, filter=plain)  # in the order of names
    return path


def write_deb(build, folder, epoch):
    for tool in ("dpkg-shlibdeps", "file"):
        if not shutil.which(tool):
            sys.exit(f"[package] {tool} was not found: apt-get install dpkg-dev file")
    with tempfile.TemporaryDirectory(prefix="warpsight-deb-") as place:
        done = subprocess.run(["cpack", "-G", "DEB", "--config", str(build / "CPackConfig.cmake"), "-B", place],
                              env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        made = list(Path(place).glob("*.deb"))
        if done.returncode != 0 or len(made) != 1:
            sys.exit(f"{done.stdout}\n[package] CPack made no .deb")
        return Path(shutil.move(made[0], folder / made[0].name))


def make(kinds, build, output):
    """Returns (kind, path, seconds) of each package."""
    version, epoch = built_version(build), source_epoch()
    made = []
    with tempfile.TemporaryDirectory(prefix="warpsight-package-") as place:
        tree = Path(place) / "tree"
        make_tree(build, tree)
        files = [elf.Elf(path) for path in elf.elf_files(tree)]
        print("\n".join(elf.table(files, tree)), flush=True)
        glibc = elf.newest_glibc(files)
        say(f"together they need glibc {glibc}")
        if kinds != ["deb"] and elf.version_key(glibc) > elf.version_key(check.NEWEST_GLIBC):
            sys.exit(f"[package] this is newer than {check.NEWEST_GLIBC}: build the tarball and the wheel on Debian 12")
        tag = wheel.wheel_tag(glibc, platform.machine())
        writers = {"deb": lambda: write_deb(build, output, epoch),
                   "tarball": lambda: write_tarball(tree, output, version, epoch),
                   "wheel": lambda: wheel.write_wheel(tree, output, version, tag, epoch)}
        for kind in kinds:
            say(f"writing the {kind}")
            for earlier in output.glob(PATTERNS[kind]):
                earlier.unlink()
            started = time.monotonic()
            made.append((kind, writers[kind](), time.monotonic() - started))
    return made


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in [[], ["all"], *([kind] for kind in KINDS)]:
        sys.exit(__doc__)
    build, output = Path(sys.argv[1]), Path(sys.argv[2])
    kinds = KINDS if sys.argv[3:] in ([], ["all"]) else sys.argv[3:]
    output.mkdir(parents=True, exist_ok=True)
    failed = False
    for kind, path, seconds in make(kinds, build, output):
        problems = check.CHECKS[kind](path)
        for problem in problems:
            print(f"{path.name}: {problem}")
        failed = failed or bool(problems)
        say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, made in {seconds:.0f} s, "
            + (f"{len(problems)} problems" if problems else "its structure is right"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
