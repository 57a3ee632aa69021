#!/usr/bin/env python3
"""Keeps NOTICE up to date: it names all third-party code that becomes part of the program.

Usage: notice.py [--write] [ROOT]. Without --write it compares, and prints the differences:
- the npm packages that the viewer's page is made of, with version and license, against
  viewer/package-lock.json;
- the libraries of cmake/Dependencies.cmake: each has a line in NOTICE's first table.
--write writes the part about the npm packages again, with the texts of their licenses from
viewer/node_modules (`./dev setup`). What is above it is written by hand.
"""

import json
import re
import sys
from pathlib import Path

LOCK = "viewer/package-lock.json"
MARKER = "## The viewer's packages\n"
INTRODUCTION = """
Written by `cmake/notice.py --write`. The page that the program holds, and that `warpsight export --html`
writes, is made of these packages and of Warpsight's own code.

"""
HEADING = re.compile(r"^### (\S+) (\S+) \((.+)\)$", re.MULTILINE)
LICENSE_FILE = re.compile(r"^(LICENSE|LICENCE|COPYING|NOTICE)(\.(md|txt))?$", re.IGNORECASE)  # words:ok
LIBRARY = re.compile(r"^\s*warpsight_(?:find_(?:package|library)|missing)\((\w+) .*?\b([\w-]+)\)$", re.MULTILINE)
# Needed by tests only.
TEST_LIBRARIES = {"GTest", "benchmark"}
# The text of this license is in LICENSE; other files also describe other contents of the packages.
APACHE = "Apache-2.0"


def page_packages(lock):
    """The packages of the page, as {path in node_modules: entry}: the viewer's dependencies, and
    their dependencies. They are found like node finds them, from the innermost folder outward."""
    packages = lock["packages"]
    found, waiting = {}, [("", name) for name in packages[""].get("dependencies", {})]
    while waiting:
        place, name = waiting.pop()
        while (path := f"{place}/node_modules/{name}".lstrip("/")) not in packages:
            place = place.rpartition("/node_modules/")[0]
        if path in found:
            continue
        found[path] = packages[path]
        waiting += [(path, inner) for inner in packages[path].get("dependencies", {})]
    return dict(sorted(found.items()))


def name_of(path):
    return path.rpartition("node_modules/")[2]


def check(root):
    """The problems of NOTICE, as lines."""
    notice = (root / "NOTICE").read_text(encoding="utf-8")
    by_hand, _, generated = notice.partition(MARKER)
    lock = json.loads((root / LOCK).read_text(encoding="utf-8"))
    wanted = {(name_of(path), entry["version"], entry["license"])
              for path, entry in page_packages(lock).items()}
    stated = set(HEADING.findall(generated))
    problems = [f"NOTICE lacks {name} {version} ({license}), which the viewer's page holds: "
                "run cmake/notice.py --write" for name, version, license in sorted(wanted - stated)]
    problems += [f"NOTICE names {name} {version} ({license}), which is not in {LOCK}: "
                 "run cmake/notice.py --write" for name, version, license in sorted(stated - wanted)]
    libraries = LIBRARY.findall((root / "cmake/Dependencies.cmake").read_text(encoding="utf-8"))
    for library in sorted({name for name, _ in libraries} - TEST_LIBRARIES):
        if not re.search(rf"^\| {re.escape(library)}\b", by_hand, re.MULTILINE | re.IGNORECASE):
            problems.append(f"NOTICE's table lacks {library}, which cmake/Dependencies.cmake finds")
    return problems


def license_texts(folder, license_name):
    """The texts that a package's license requires to be passed on."""
    texts = []
    for path in sorted(folder.iterdir()) + sorted(folder.glob("licenses/*")):
        if not path.is_file() or not (LICENSE_FILE.match(path.name) or path.parent.name == "licenses"):
            continue
        text = path.read_text(encoding="utf-8").strip()
        if license_name == APACHE and path.name == "LICENSE":
            text = "The license's text is in LICENSE, beside this file."
        texts.append(text)
    if not texts:
        sys.exit(f"{folder} has no text of its license")
    return texts


def write(root):
    lock = json.loads((root / LOCK).read_text(encoding="utf-8"))
    by_hand = (root / "NOTICE").read_text(encoding="utf-8").partition(MARKER)[0]
    parts = []
    for path, entry in page_packages(lock).items():
        folder = root / "viewer" / path
        if not folder.is_dir():
            sys.exit(f"{folder} is missing: run ./dev setup")
        installed = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        if installed["version"] != entry["version"]:
            sys.exit(f"{folder} is version {installed['version']}, not {entry['version']}: run ./dev setup")
        heading = f"### {name_of(path)} {entry['version']} ({entry['license']})"
        quoted = ["\n".join(f"    {line}".rstrip() for line in text.splitlines())
                  for text in license_texts(folder, entry["license"])]
        parts.append("\n\n".join([heading, *quoted]))
    (root / "NOTICE").write_text(by_hand + MARKER + INTRODUCTION + "\n\n".join(parts) + "\n",
                                 encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    writes = "--write" in arguments
    places = [argument for argument in arguments if argument != "--write"]
    root = Path(places[0]) if places else Path(__file__).resolve().parent.parent
    if writes:
        write(root)
    problems = check(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
