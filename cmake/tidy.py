#!/usr/bin/env python3
"""Runs clang-tidy on the files of a compilation database, and only on changed ones.

Usage: tidy.py CLANG_TIDY BUILD_FOLDER [PATH_PART...]. A file that was clean is remembered by a hash of
everything its result depends on in this repository: the file, the headers it includes, its command,
.clang-tidy and the tool's version. All clones share these records, as they share the compiler
cache: they are kept in the user's cache folder for 30 days. With PATH_PARTs, only files whose paths contain
one of them are checked. Tests and benchmarks are left out unless named: they would double the
time, and are not installed.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# GCC's precompiled headers, which clang cannot read. Without them, each file must include what it
# uses.
PRECOMPILED = re.compile(r" -Winvalid-pch| -include \S+/cmake_pch\.hxx")
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
FOLDERS = ("src", "python", "tests", "bench")
REMEMBERED_SECONDS = 30 * 24 * 3600


def included_files(path, seen):
    """Adds the path to `seen`, and the repository's files that it includes, directly or indirectly."""
    if path in seen:
        return
    seen.add(path)
    for name in INCLUDE.findall(path.read_bytes()):
        for start in (ROOT / "src", ROOT / "python", ROOT, path.parent):
            header = start / name.decode(errors="replace")
            if header.is_file():
                included_files(header, seen)
                break


def result_key(commands, path, common):
    files = set()
    included_files(path, files)
    key = hashlib.sha256(common)
    for command in commands:
        key.update(command.replace(str(ROOT), ".").encode())
    for file in sorted(files):
        key.update(str(file.relative_to(ROOT)).encode())
        key.update(hashlib.sha256(file.read_bytes()).digest())
    return key.hexdigest()


def clean_files_folder():
    """The folder that remembers clean files by their keys."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "warpsight" / "tidy"
    folder.mkdir(parents=True, exist_ok=True)
    oldest = time.time() - REMEMBERED_SECONDS
    for file in folder.iterdir():
        if file.stat().st_mtime < oldest:
            file.unlink(missing_ok=True)
    return folder


def read_commands(build):
    """The build's compile commands in a form that clang accepts; clang-tidy checks a file once per command."""
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        entry["command"] = PRECOMPILED.sub("", entry["command"])
    # The agent is compiled a second time, to be watched by ThreadSanitizer.
    return [entry for entry in entries if "-fsanitize=thread" not in entry["command"]]


def commands_by_file(entries):
    files = {}
    for entry in entries:
        files.setdefault(Path(entry["file"]), []).append(entry["command"])
    return files


def write_commands(folder, entries):
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(entries))


def run_tidy(tool, commands, path):
    # The commands have warning options of GCC that clang does not know.
    return subprocess.run(
        [tool, "--quiet", "-p", str(commands), "--extra-arg=-Wno-unknown-warning-option",
         "--extra-arg=-Wno-error", str(path)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def main():
    tool = sys.argv[1]
    build = Path(sys.argv[2]).resolve()
    parts = sys.argv[3:]
    version = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    clean = clean_files_folder()

    todo = {}
    total = 0
    entries = read_commands(build)
    commands = build / "tidy"
    write_commands(commands, entries)
    for path, its_commands in commands_by_file(entries).items():
        if not path.is_relative_to(ROOT) or path.is_relative_to(build) or not path.exists():
            continue
        relative = path.relative_to(ROOT)
        if relative.parts[0] not in FOLDERS:
            continue
        if parts and not any(part in str(relative) for part in parts):
            continue
        if not parts and relative.stem.endswith(("_test", "_bench")):
            continue
        total += 1
        key = result_key(its_commands, path, common)
        if (clean / key).exists():
            (clean / key).touch()
        else:
            todo[path] = key

    start = time.monotonic()
    failed = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = {pool.submit(run_tidy, tool, commands, path): path for path in todo}
        for done, future in enumerate(as_completed(runs), 1):
            path, result = runs[future], future.result()
            if result.returncode == 0:
                (clean / todo[path]).touch()
            else:
                failed.append(path)
                errors = [] if result.stdout else [result.stderr]
                print("\n".join([result.stdout.strip()] + errors), flush=True)
            if sys.stdout.isatty():
                print(f"\r[tidy] {done}/{len(todo)} ", end="", flush=True)
    if sys.stdout.isatty() and todo:
        print()
    print(f"[tidy] {total} files, {len(todo)} checked in {time.monotonic() - start:.0f} s, "
          f"{len(failed)} with problems")
    for path in failed:
        print(f"[tidy] {path.relative_to(ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
