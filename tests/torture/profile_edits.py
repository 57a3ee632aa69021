#!/usr/bin/env python3
"""Hostile profiles end in a message or in reports, never in a crash.

Imports every bundled trace with PROGRAM and gives the saved profiles to the program `profile_edits`,
which changes copies of them with random SQL and then loads and uses them: every report, the timeline,
advice, what-if and every export. `profile_edits` of a sanitizer build is best. The default is the one
beside PROGRAM; WARPSIGHT_PROFILE_EDITS names another. WARPSIGHT_TORTURE_SECONDS limits the time (1800);
WARPSIGHT_TORTURE_ROUNDS the rounds for each profile (default 1000); WARPSIGHT_TORTURE_SEED is the first
seed (default: of the day).
"""
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile

SUFFIXES = (".json", ".json.gz", ".wscap", ".pb", ".sqlite", ".nvprof", ".csv")
FOLDERS = ("data/h200", "data/jax", "data/capture", "data/stretches", "data/pairs", "data/pairs_extra", "fuzz/seeds")


def bundled_traces(tests):
    for folder in FOLDERS:
        for path in sorted((tests / folder).rglob("*")):
            if path.is_file() and path.name.endswith(SUFFIXES):
                yield path


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    edits = pathlib.Path(os.environ.get("WARPSIGHT_PROFILE_EDITS", program.parent / "profile_edits"))
    if not edits.exists():
        print(f"skipped: there is no {edits}")
        return 77
    seconds = os.environ.get("WARPSIGHT_TORTURE_SECONDS", "1800")
    rounds = os.environ.get("WARPSIGHT_TORTURE_ROUNDS", "1000")
    seed = os.environ.get("WARPSIGHT_TORTURE_SEED", str(datetime.date.today().toordinal() * 100_000))
    with tempfile.TemporaryDirectory() as folder:
        profiles = []
        for number, trace in enumerate(bundled_traces(pathlib.Path(__file__).resolve().parent.parent)):
            profile = os.path.join(folder, f"{number}_{trace.name.split('.')[0]}.warpsight")
            run = subprocess.run([program, "import", trace, "-o", profile], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, timeout=300, check=False)
            if run.returncode == 0:
                profiles.append(profile)
        print(f"{len(profiles)} profiles, seed {seed}, at most {seconds} s", flush=True)
        if len(profiles) < 10:
            print("too few traces could be imported")
            return 1
        kept = tempfile.mkdtemp(prefix="profile-edits-")
        run = subprocess.run([edits, "--rounds", rounds, "--seconds", seconds, "--seed", seed,
                              "--folder", kept, *profiles], check=False)
        if run.returncode != 0:
            log = os.path.join(kept, "log")
            if os.path.exists(log):
                print(open(log, errors="replace").read()[-5000:])
            return 1
        subprocess.run(["rm", "-rf", kept], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
