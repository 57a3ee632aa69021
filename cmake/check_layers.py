#!/usr/bin/env python3
"""Checks that includes in src/ follow the table in docs/architecture.md, and that libraries are opened
and texts printed only where that is meant to happen.

Usage: check_layers.py [REPOSITORY]. Prints one line per wrong edge and then exits with 1.
"""

import re
import sys
from pathlib import Path

# Folder -> the folders it may include, besides itself.
ALLOWED = {
    "base": [],
    "wire": ["base"],
    "agent": ["wire", "base"],
    "model": ["base"],
    "importers": ["model", "wire", "base"],
    "analysis": ["model", "base"],
    "store": ["model", "base"],
    "exporters": ["analysis", "store", "model", "base"],
    "server": ["analysis", "store", "importers/api", "model", "base"],
    "cli": ["server", "exporters", "analysis", "store", "importers", "model", "wire", "base"],
}

# Layers of one folder per format, which know nothing of each other but share api/.
FORMATS = ("importers", "exporters")

# Outside headers that belong to some folders only.
OUTSIDE = {
    "duckdb.h": ["store"],
    "simdjson.h": ["importers"],
    "CLI/": ["cli"],
    "xlsxwriter.h": ["server/export"],
    "hpdf.h": ["server/export"],
    "sqlite3.h": ["importers", "exporters"],
    "protozero/": ["importers", "exporters"],
}
# base stands on the standard library and fmt alone.
NOT_IN_BASE = ("absl/", "tbb/", "oneapi/", "re2/", "isa-l", "zstd.h")

# The agent opens CUPTI; the command line looks whether there is a driver at all.
DLOPEN_PLACES = ("agent/driver", "cli/capture/driver_library.cc")

# Names from traces and files reach a terminal only through the console, which makes them printable.
PRINT_PLACES = ("cli/terminal/console.cc", "cli/terminal/progress_bar.cc", "base/check.h", "server/tools")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
DLOPEN = re.compile(r"\bdlm?open\s*\(")
PRINT = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(fmt::v?print|v?f?printf|f?puts|perror)\s*\(")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def within(path, folder):
    """Whether a path below src/ lies in a folder below src/."""
    return path == folder or path.startswith(folder + "/")


def is_product(source):
    """Whether a file below src/ may print only through the console."""
    test = source.endswith(("_test.cc", "_bench.cc"))
    return not test and not any(within(source, place) for place in PRINT_PLACES)


def edge_problem(source, target):
    """Why the file `source` may not include the file `target` (both below src/), or None."""
    layer = source.split("/")[0]
    if layer not in ALLOWED:
        return f"src/{layer} is not in the table of layers: add it to cmake/check_layers.py"
    if within(target, layer):
        source_part, target_part = Path(source).parts[1], Path(target).parts[1]
        if layer in FORMATS and target_part not in (source_part, "api"):
            return (f"{layer}/{source_part} -> {layer}/{target_part}"
                    f" (allowed: {layer}/{source_part}, {layer}/api)")
        return None
    if any(within(target, allowed) for allowed in ALLOWED[layer]):
        return None
    allowed = ", ".join([layer] + ALLOWED[layer])
    return f"{layer} -> {Path(target).parent.as_posix()} (allowed: {allowed})"


def outside_problem(source, header):
    """Why the file `source` may not include the outside header `header`, or None."""
    layer = source.split("/")[0]
    for prefix, layers in OUTSIDE.items():
        if header.startswith(prefix) and not any(within(source, part) for part in layers):
            return f"{layer} -> {header} (only in: {', '.join(layers)})"
    if layer == "base" and header.startswith(NOT_IN_BASE):
        return f"base -> {header} (allowed: the standard library, fmt)"
    return None


def check_file(src, path):
    """Yields (line number, problem) for one file."""
    source = path.relative_to(src).as_posix()
    text = COMMENT.sub(lambda match: "\n" * match.group().count("\n"),
                       path.read_text(encoding="utf-8", errors="replace"))
    for number, line in enumerate(text.splitlines(), 1):
        if DLOPEN.search(line) and not any(within(source, place) for place in DLOPEN_PLACES):
            yield number, f"dlopen outside {', '.join(DLOPEN_PLACES)}"
        if is_product(source) and PRINT.search(line):
            yield number, "printing outside src/cli/terminal/console.h: names must be made printable there"
        include = INCLUDE.match(line)
        if not include:
            continue
        quote, header = include.groups()
        problem = None
        if header.split("/")[0] in ALLOWED:
            problem = edge_problem(source, header)
        elif quote == '"' and (path.parent / header).is_file():
            full = (path.parent / header).resolve().relative_to(src.resolve())
            problem = f'write this include from src/: "{full.as_posix()}"'
        else:
            problem = outside_problem(source, header)
        if problem:
            yield number, problem


def check(root):
    """All problems in the repository at `root`, as printable lines."""
    src = Path(root) / "src"
    problems = []
    for path in sorted(src.rglob("*")):
        if path.suffix in (".h", ".cc") and path.relative_to(src).parent.parts:
            for number, problem in check_file(src, path):
                problems.append(f"{path.relative_to(root)}:{number}: wrong layer: {problem}")
    return problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
