#!/usr/bin/env python3
"""Checks the subjects of commits that are not on the main branch yet (CONTRIBUTING.md, "Commits").

Usage: check_commits.py [FOLDER]. Commits on the main branch are never checked; without git or a main branch
there is nothing to check.
"""

import re
import subprocess
import sys

MAIN = ("origin/HEAD", "origin/main", "main")
LONGEST = 72
# Commits whose subjects git writes, or that disappear when they are squashed.
EXEMPT = re.compile(r'^(Revert "|Reapply "|(fixup|squash|amend)! )')


def git(folder, *arguments):
    """The output of git, or None if it fails."""
    try:
        run = subprocess.run(("git", "-C", folder) + arguments, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False, text=True)
    except OSError:
        return None
    return run.stdout if run.returncode == 0 else None


def new_commits(folder):
    """Name and subject of every commit that the main branch lacks."""
    for branch in MAIN:
        if git(folder, "rev-parse", "--verify", "--quiet", f"{branch}^{{commit}}") is not None:
            lines = git(folder, "log", "--no-merges", "--format=%h %s", f"{branch}..HEAD") or ""
            return [line.split(" ", 1) for line in lines.splitlines()]
    return []


def problem(subject):
    """Describes the problem of a subject, or returns None."""
    if EXEMPT.match(subject):
        return None
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, at most {LONGEST}"
    if subject.endswith("."):
        return "ends with a period"
    return None


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    found = False
    for name, subject in new_commits(folder):
        wrong = problem(subject)
        if wrong:
            print(f"{name} {subject}\n  {wrong}: `git commit --amend` or `git rebase -i` rewords it")
            found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
