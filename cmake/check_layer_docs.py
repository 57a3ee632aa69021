#!/usr/bin/env python3
"""Checks that the folders of src/, the tables of check_layers.py, those of docs/architecture.md and
the one of src/README.md agree, and that paths below src/ that the docs name exist.

Usage: check_layer_docs.py [REPOSITORY]. Prints one line per difference and then exits with 1.
"""

import re
import sys
from pathlib import Path

from check_layers import ALLOWED, FORMATS, INSIDE

ARCHITECTURE = "docs/architecture.md"
README = "src/README.md"
# The row for all folders of a layer of formats except api/.
FORMAT = "<format>"

# Not viewer/src/ and the like. A path may lack its extension: `src/model/time_groups`.
PATH = re.compile(r"(?<![\w/.-])src/[\w/.-]*\w")
FOLDER = re.compile(r"^`([^`]+)`$")
IN_BRACKETS = re.compile(r"\([^)]*\)")


def expected_rows():
    """Folder below src/ -> the folders that it may include, in the order of check_layers.py."""
    rows = dict(ALLOWED)
    for layer in ALLOWED:
        for folder, allowed in INSIDE.get(layer, {}).items():
            rows[f"{layer}/{folder}"] = allowed
        if layer in FORMATS:
            rows[f"{layer}/api"] = []
            rows[f"{layer}/{FORMAT}"] = ["api"]
    return rows


def table_rows(path):
    """Yields the cells of every row of a Markdown file's tables whose first cell is a folder."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if folder := FOLDER.match(cells[0]):
                yield [folder[1]] + cells[1:]


def names_in(cell):
    """The folders that a cell lists: "model, base". A dash means none; text in brackets is ignored."""
    names = [name.strip() for name in IN_BRACKETS.sub("", cell).split(",")]
    return [name for name in names if name not in ("", "—")]


def documented_rows(root):
    """Folder below src/ -> the folders that docs/architecture.md says it may include."""
    return {cells[0].removeprefix("src/"): names_in(cells[-1])
            for cells in table_rows(root / ARCHITECTURE) if cells[0].startswith("src/")}


def existing_folders(src):
    """The folders of src/ and the non-empty folders in them."""
    for layer in sorted(path for path in src.iterdir() if path.is_dir()):
        for folder in [layer] + sorted(path for path in layer.iterdir() if path.is_dir()):
            if any(path.is_file() and "__pycache__" not in path.parts
                   for path in folder.rglob("*")):
                yield folder.relative_to(src).as_posix()


def row_of(folder):
    """The row that describes a folder of the tree."""
    layer, _, inner = folder.partition("/")
    return f"{layer}/{FORMAT}" if layer in FORMATS and inner not in ("", "api") else folder


def differences(name, found, expected):
    """Yields the differences of one list of rows from that of check_layers.py."""
    for folder in expected:
        if folder not in found:
            yield f"{name} does not list src/{folder}"
    for folder in found:
        if folder not in expected:
            yield f"{name} lists src/{folder}, which cmake/check_layers.py does not know"


def missing_paths(root):
    """Yields the paths below src/ in pages of the repository that do not exist."""
    for page in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), root / README]):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for path in PATH.findall(line):
                if not (root / path).exists() and not any(root.glob(path + ".*")):
                    yield f"{page.relative_to(root)}:{number}: there is no {path}"


def check(root):
    """All differences in the repository at `root`, as printable lines."""
    root = Path(root)
    expected = expected_rows()
    existing = list(existing_folders(root / "src"))
    rows_of_tree = {row_of(folder) for folder in existing}
    problems = [f"src/{folder} is in cmake/check_layers.py, but does not exist"
                for folder in expected if folder not in rows_of_tree]
    problems += [f"src/{folder} is not in cmake/check_layers.py"
                 for folder in existing if row_of(folder) not in expected]

    documented = documented_rows(root)
    problems += differences(ARCHITECTURE, documented, expected)
    for folder, allowed in expected.items():
        if folder in documented and set(documented[folder]) != set(allowed):
            problems.append(f"{ARCHITECTURE}: src/{folder} may include"
                            f" {', '.join(allowed) or 'nothing'}, not"
                            f" {', '.join(documented[folder]) or 'nothing'}")
    for layer, folders in INSIDE.items():
        order = [folder.removeprefix(f"{layer}/") for folder in documented
                 if folder.startswith(f"{layer}/")]
        if set(order) == set(folders) and order != list(folders):
            problems.append(f"{ARCHITECTURE}: the order in src/{layer} is {', '.join(folders)}")

    readme = [cells[0] for cells in table_rows(root / README)]
    problems += differences(README, readme, ALLOWED)
    return problems + list(missing_paths(root))


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
