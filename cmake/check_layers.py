#!/usr/bin/env python3
"""Checks that includes in src/ follow the tables in docs/architecture.md and form no cycle between
folders, and that only the intended places open libraries and print texts.

Usage: check_layers.py [REPOSITORY]. Prints one line per problem and then exits with 1.
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
    "profiles": ["analysis", "store", "importers/api", "model", "base"],
    "exporters": ["analysis", "store", "model", "base"],
    "server": ["profiles", "analysis", "store", "importers/api", "model", "base"],
    "mcp": ["profiles", "analysis", "store", "model", "base"],
    "cli": ["mcp", "server", "exporters", "profiles", "analysis", "store", "importers", "model", "wire",
            "base"],
}

# Layer -> its folders, in the order of the data flow -> the other folders that each may include.
# Files directly in the layer may include all of its folders.
INSIDE = {
    "agent": {
        "core": [],
        "driver": [],
        "cuda_abi": [],
        "cupti": ["cuda_abi", "driver", "core"],
        "counters": ["cupti", "cuda_abi", "driver", "core"],
        "nvtx": ["cuda_abi", "core"],
    },
    "analysis": {
        "text": [],
        "facts": ["text"],
        "kernels": ["facts", "text"],
        "iterations": ["kernels", "facts", "text"],
        "accounting": ["iterations", "kernels", "facts", "text"],
        "roofline": ["accounting", "iterations", "kernels", "facts", "text"],
        "whatif": ["accounting", "iterations", "kernels", "facts", "text"],
        "advice": ["whatif", "roofline", "accounting", "iterations", "kernels", "facts", "text"],
        "rules": ["advice", "whatif", "roofline", "accounting", "iterations", "kernels", "facts",
                  "text"],
        "aggregation": ["roofline", "accounting", "iterations", "kernels", "facts", "text"],
        "reporting": ["aggregation", "accounting", "text"],
        "report_parts": ["reporting", "aggregation", "roofline", "accounting", "iterations",
                         "kernels", "facts", "text"],
        "screens": ["report_parts", "reporting", "aggregation", "advice", "whatif", "roofline",
                    "accounting", "iterations", "kernels", "facts", "text"],
        "reports": ["screens", "report_parts", "reporting", "aggregation", "advice", "whatif",
                    "roofline", "accounting", "iterations", "kernels", "facts", "text"],
        "timeline": ["accounting", "iterations", "kernels", "facts", "text"],
        "testing": ["aggregation", "roofline", "accounting", "iterations", "kernels", "facts",
                    "text"],
    },
    "server": {
        "export": [],
        "tools": [],
    },
    "mcp": {
        "protocol": [],
        "tools": ["protocol"],
    },
    "cli": {
        "help": [],
        "terminal": [],
        "capture": ["terminal"],
    },
}

# Shared by the tests of all folders; only tests may include it.
TESTING = "testing"

# Layers with one folder per format. These folders are independent of each other, but share api/.
FORMATS = ("importers", "exporters")

# Outside headers that only some folders may include.
OUTSIDE = {
    "duckdb.h": ["store"],
    "simdjson.h": ["importers", "mcp/protocol"],
    "CLI/": ["cli/command_line.cc"],
    "xlsxwriter.h": ["server/export"],
    "hpdf.h": ["server/export"],
    "sqlite3.h": ["importers", "exporters"],
    "protozero/": ["importers", "exporters"],
    # Keys come from files, whose authors must not know the hash: model/hash_map.h seeds it. The
    # agent reads no files, and the keys of connections are our own numbers.
    "absl/container/flat_hash_": ["model/hash_map.h"],
    "absl/container/node_hash_": ["model/hash_map.h"],
    "unordered_": ["agent", "server/connections.h", "base/string_pool_test.cc"],
}
# base uses only the standard library, fmt and ISA-L.
NOT_IN_BASE = ("absl/", "tbb/", "oneapi/", "re2/", "zstd.h")

# The agent opens CUPTI; the command line checks whether there is a driver.
DLOPEN_PLACES = ("agent/driver", "cli/capture/driver_library.cc")

# Names from traces and files reach a terminal only through the console, which makes them printable.
PRINT_PLACES = ("cli/terminal/console.cc", "cli/terminal/progress_bar.cc", "base/check.h",
                "server/tools")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
DLOPEN = re.compile(r"\bdlm?open\s*\(")
PRINT = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(fmt::v?print|v?f?printf|f?puts|perror)\s*\(")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def within(path, folder):
    """Whether a path below src/ lies in a folder below src/."""
    return path == folder or path.startswith(folder + "/")


def is_test(source):
    """Whether a file belongs to a separate program on top of the library."""
    return source.endswith(("_test.cc", "_bench.cc"))


def is_product(source):
    """Whether a file below src/ may print only through the console."""
    return not is_test(source) and not any(within(source, place) for place in PRINT_PLACES)


def folder_in(layer, path):
    """The folder of a layer that a file lies in; empty for files in the layer itself."""
    parts = Path(path).parts
    return parts[1] if len(parts) > 2 and parts[0] == layer else ""


def inside_problem(layer, source, target):
    """Why the file `source` may not include the file `target` of the same layer, or None."""
    own, other = folder_in(layer, source), folder_in(layer, target)
    if own == other:
        return None
    if layer in FORMATS:
        allowed = ["api"] if own != "api" else []
    else:
        folders = INSIDE.get(layer, {})
        for folder in (own, other):
            if folder and folder not in folders:
                return (f"src/{layer}/{folder} is not in the table of folders:"
                        " add it to cmake/check_layers.py")
        allowed = folders[own] if own else [folder for folder in folders if folder != TESTING]
        if is_test(source) and TESTING in folders:
            allowed = allowed + [TESTING]
    if other in allowed:
        return None
    name = "/".join(filter(None, (layer, other)))
    allowed = ", ".join(f"{layer}/{folder}" for folder in [own] + allowed if folder)
    return f"{'/'.join(filter(None, (layer, own)))} -> {name} (allowed: {allowed})"


def edge_problem(source, target):
    """Why the file `source` may not include the file `target` (both below src/), or None."""
    layer = source.split("/")[0]
    if layer not in ALLOWED:
        return f"src/{layer} is not in the table of layers: add it to cmake/check_layers.py"
    if within(target, layer):
        return inside_problem(layer, source, target)
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
        return f"base -> {header} (allowed: the standard library, fmt, ISA-L)"
    return None


def code_lines(path):
    """Yields (line number, line) of a source file without its comments."""
    text = COMMENT.sub(lambda match: "\n" * match.group().count("\n"),
                       path.read_text(encoding="utf-8", errors="replace"))
    return enumerate(text.splitlines(), 1)


def check_file(src, path):
    """Yields (line number, problem) for one file."""
    source = path.relative_to(src).as_posix()
    for number, line in code_lines(path):
        if DLOPEN.search(line) and not any(within(source, place) for place in DLOPEN_PLACES):
            yield number, f"dlopen outside {', '.join(DLOPEN_PLACES)}"
        if is_product(source) and PRINT.search(line):
            yield number, ("printing outside src/cli/terminal/console.h:"
                           " names must be made printable there")
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


def sources(src):
    """The source files in the folders of src/."""
    return [path for path in sorted(src.rglob("*"))
            if path.suffix in (".h", ".cc") and path.relative_to(src).parent.parts]


def inclusions(src):
    """Yields (source, line number, header) for what the library's files include of src/. Tests are
    left out: nothing includes them."""
    layers = {path.name for path in src.iterdir() if path.is_dir()}
    for path in sources(src):
        source = path.relative_to(src).as_posix()
        if is_test(source):
            continue
        for number, line in code_lines(path):
            include = INCLUDE.match(line)
            if include and "/" in include[2] and include[2].split("/")[0] in layers:
                yield source, number, include[2]


def shortest_cycle(edges, start):
    """The folders of a shortest way from `start` back to it, or None."""
    came_from = {}
    todo = [start]
    for folder in todo:
        for target in sorted(edges.get(folder, ())):
            if target == start:
                way = [folder]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return way[::-1]
            if target not in came_from:
                came_from[target] = folder
                todo.append(target)
    return None


def cycles(src):
    """Yields a line for each cycle of includes between folders, whatever the tables allow: between
    layers, between the folders in them, and so on down. Of cycles with an edge in common only a
    shortest."""
    included = list(inclusions(src))
    depths = max((source.count("/") for source, _, _ in included), default=0)
    reported = set()
    for depth in range(1, depths + 1):
        edges = {}
        for source, number, header in included:
            own, other = ("/".join(Path(path).parent.parts[:depth]) for path in (source, header))
            if own != other:
                edges.setdefault(own, {}).setdefault(other, f"{source}:{number}")
        found = filter(None, (shortest_cycle(edges, start) for start in sorted(edges)))
        for cycle in sorted(found, key=len):
            steps = list(zip(cycle, cycle[1:] + cycle[:1]))
            if reported.isdisjoint(steps):
                places = ", ".join(f"src/{edges[own][other]}" for own, other in steps)
                yield f"cycle between folders: {' -> '.join(cycle + cycle[:1])} ({places})"
                reported.update(steps)


def check(root):
    """All problems in the repository at `root`, as printable lines."""
    src = Path(root) / "src"
    problems = []
    for path in sources(src):
        for number, problem in check_file(src, path):
            problems.append(f"{path.relative_to(root)}:{number}: wrong layer: {problem}")
    return problems + list(cycles(src))


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
