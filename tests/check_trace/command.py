"""Looks for contradictions in Warpsight's output for recordings (docs/testing.md).

Usage: check_trace [--program PATH] [--jobs N] [-v] [--shared] FILE...

FILE is a recording, a saved profile or a folder: one run of several ranks, or separate
recordings. Exits with 0 if everything agrees, 1 if something does not, 2 if it cannot be checked,
and 77 if the folder of other projects' recordings does not exist.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from checks import check
from program import Failed, Program, built_program

# Sources, tables and notes that lie beside recordings.
_NOT_RECORDINGS = {".md", ".csv", ".txt", ".yaml", ".png", ".py", ".parquet"}

EXIT_FINE, EXIT_VIOLATIONS, EXIT_USAGE, EXIT_SKIPPED = 0, 1, 2, 77

# Recordings of other projects, beside the repository; tests/test_traces.h finds the same.
_SHARED = ("traces/public", "serving", "ranks/*.json.gz")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="check-trace", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE",
                        help="a recording, a saved profile or a folder")
    parser.add_argument("--program", type=Path, help="the program (default: the built one)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="how many of its commands run at a time")
    parser.add_argument("-v", "--verbose", action="store_true",
                        help="print how often each identity was checked")
    parser.add_argument("--shared", action="store_true",
                        help="other projects' recordings: those of ../shared, or of the folder "
                        "WARPSIGHT_SHARED names")
    arguments = parser.parse_args()
    if not arguments.files and not arguments.shared:
        parser.error("name a recording, a profile or a folder")
    return arguments


def shared_recordings():
    repository = Path(__file__).resolve().parents[2]
    folder = Path(os.environ.get("WARPSIGHT_SHARED") or repository.parent / "shared")
    return [path for pattern in _SHARED for path in sorted(folder.glob(pattern))]


class Run:
    """Checks recordings one after the other and sums up the results."""

    def __init__(self, program, arguments):
        self._program = program
        self._verbose = arguments.verbose
        self.recordings = self.statements = self.violations = self.unreadable = 0

    def check_path(self, path, named=True):
        """`named`: by the user. Other paths were found in folders, which may contain other files."""
        if path.is_dir():
            self._check_folder(path)
            return
        if not named and (path.suffix in _NOT_RECORDINGS or path.name.startswith(".")):
            return
        error = self._try(path)
        if error is None:
            return
        if named:
            self.unreadable += 1
        print(f"{path}: not checked: {error.splitlines()[0]}")

    def _check_folder(self, folder):
        """Checks a folder as one run of several ranks if the program reads it so."""
        entries = sorted(folder.iterdir())
        recordings = [e for e in entries if e.is_file() and e.suffix not in _NOT_RECORDINGS]
        if len(recordings) > 1 and self._try(folder) is None:
            entries = [e for e in entries if e.is_dir()]
        for entry in entries:
            self.check_path(entry, named=False)

    def _try(self, path):
        """Checks a recording; returns None, or the reason why it cannot be checked."""
        with tempfile.TemporaryDirectory(prefix="check_trace_") as folder:
            profile = path
            try:
                if path.suffix != ".warpsight":
                    profile = Path(folder) / "profile.warpsight"
                    self._program.import_trace(path, profile)
                answers = self._program.ask(str(path), path, profile, Path(folder))
            except Failed as error:
                return str(error)
            self._report(path, check(answers))
        return None

    def _report(self, path, found):
        self.recordings += 1
        statements = sum(found.checked.values())
        self.statements += statements
        self.violations += len(found.violations)
        for line in found.violations:
            print(f"{path}: {line}")
        agree = f"{statements} statements agree" if not found.violations else (
            f"{len(found.violations)} of {statements} statements do not agree")
        print(f"{path}: {agree}")
        if self._verbose:
            print("  " + ", ".join(f"{name} {count}" for name, count in sorted(
                found.checked.items())))
        sys.stdout.flush()


def main():
    arguments = parse_arguments()
    program = arguments.program or built_program()
    run = Run(Program(program, arguments.jobs), arguments)
    shared = shared_recordings() if arguments.shared else []
    if arguments.shared and not shared:
        print("skipped: the folder of other projects' recordings does not exist")
        return EXIT_SKIPPED
    for path in [*map(Path, arguments.files), *shared]:
        if not path.exists():
            print(f"{path}: there is no such file", file=sys.stderr)
            return EXIT_USAGE
        run.check_path(path)
    print(f"{run.recordings} recordings, {run.statements} statements, {run.violations} of them do "
          "not agree")
    if run.violations:
        return EXIT_VIOLATIONS
    return EXIT_USAGE if run.unreadable or not run.recordings else EXIT_FINE
