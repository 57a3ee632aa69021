#!/usr/bin/env python3
"""Checks that only CMakeLists.txt has Warpsight's version, and that the copies for readers agree with it: the
first heading of CHANGELOG.md, and the response in docs/api.md.

Usage: check_version.py [ROOT]
"""

import json
import re
import sys
from pathlib import Path

PROJECT = re.compile(r"^project\(warpsight VERSION (\d+\.\d+\.\d+)\b", re.MULTILINE)
REPEATED = {
    "CHANGELOG.md": re.compile(r"^## (\d+\.\d+\.\d+)\b", re.MULTILINE),
    "docs/api.md": re.compile(r'^\{"version": "([^"]*)"', re.MULTILINE),
}
# npm needs no version for packages that are not published.
WITHOUT = ("viewer/package.json", "viewer/package-lock.json", "third_party/duckdb/package.json")


def check(root):
    version = PROJECT.search((root / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    problems = []
    for path, pattern in REPEATED.items():
        found = pattern.search((root / path).read_text(encoding="utf-8"))
        stated = found.group(1) if found else "no version"
        if stated != version:
            problems.append(f"{path} says {stated}, CMakeLists.txt {version}")
    for path in WITHOUT:
        content = json.loads((root / path).read_text(encoding="utf-8"))
        if "version" in content or "version" in content.get("packages", {}).get("", {}):
            problems.append(f"{path} has a version; CMakeLists.txt has Warpsight's")
    return problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
