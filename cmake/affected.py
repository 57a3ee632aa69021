#!/usr/bin/env python3
"""Finds the tests that a change can affect, for `./dev check`.

Usage: affected.py BASE. The change is the difference from the commit BASE, including untracked
files. Prints lines of a word and its value:

  source PATH     a changed C++ file
  viewer PATH     a changed file of the viewer
  exclude REGEX   the ctest tests that need not run
  filter FILTER   the cases of the other tests to run, as GoogleTest's --gtest_filter
  left TEXT       what only `./dev test` runs

All quick tests run after any change. A slow test runs only if the code that it tests changed:
SLOW_TESTS and SLOW_SUITES list it. Sanitizers, fuzzers and the tests in Chromium are left to
`./dev test`.
"""

import subprocess
import sys

CPP = (".h", ".cc", ".cpp", ".cuh", ".cu")
# The files on which the whole build depends.
BUILD = ("CMakeLists.txt", "cmake/", "third_party/")

# The ctest tests that take more than about 10 s -> the code that they test.
SLOW_TESTS = {
    "agent_load": ("src/agent/", "src/wire/", "src/base/", "tests/agent_load/"),
    "agent_load_tsan": ("src/agent/", "src/wire/", "src/base/", "tests/agent_load/"),
    "store_test": ("src/store/", "src/model/", "src/base/"),
    "python_test": ("python/", "src/agent/interface.h", "src/wire/"),
    "check_trace_test": ("tests/check_trace/",),
    "check_trace_bundled": (),
    "check_trace_shared": (),
}

# The slow suites of integration_test -> the code that they test.
SLOW_SUITES = {
    "SavedProfile": ("src/store/", "src/model/", "tests/saved_profile_test.cc"),
    "TorchProgramTest": ("python/", "src/agent/", "src/importers/capture/", "tests/torch_program"),
    "OutputSafety": ("src/base/", "src/cli/", "tests/output_safety_test.cc"),
    "ProfileEditsTest": ("src/store/", "tests/fuzz/", "tests/profile_edits_test.cc"),
    "ApiSqlTest": ("src/store/", "src/server/", "tests/api_sql_test.cc"),
    "BadInput": ("src/importers/", "src/base/", "tests/bad_input_test.cc"),
    "OfflinePageTest": ("src/server/", "viewer/", "tests/offline_page_test.cc"),
    "RecordingFilesTest": ("src/agent/", "tests/recording_files_test.cc", "tests/files_program.py"),
    "ProfileTest": ("src/cli/capture/", "src/cli/profile_command.cc", "src/agent/", "python/",
                    "tests/profile_program_test.cc"),
    "ExportTables": ("src/exporters/", "src/store/", "tests/export"),
    "ExportProgram": ("src/exporters/", "src/cli/", "tests/export"),
    "HostileNames": ("src/base/", "src/importers/", "tests/hostile_names_test.cc"),
}


def git(*arguments):
    run = subprocess.run(("git",) + arguments, stdout=subprocess.PIPE, check=True, text=True)
    return [line for line in run.stdout.split("\0") if line]


def changed_files(base):
    return sorted(set(git("diff", "--name-only", "-z", "--diff-filter=d", base) +
                      git("ls-files", "-z", "--others", "--exclude-standard")))


def chosen(slow, changed):
    """The names among `slow` that a change of these files can affect, and the others."""
    touched = [name for name, places in slow.items()
               if any(path.startswith(places) for path in changed if places)]
    return touched, [name for name in slow if name not in touched]


def main():
    changed = changed_files(sys.argv[1])
    for path in changed:
        if path.endswith(CPP):
            print("source", path)
        if path.startswith("viewer/"):
            print("viewer", path)
    everything = any(path.startswith(BUILD) for path in changed)
    tests, other_tests = (list(SLOW_TESTS), []) if everything else chosen(SLOW_TESTS, changed)
    suites, other_suites = (list(SLOW_SUITES), []) if everything else chosen(SLOW_SUITES, changed)
    print("exclude", f"^({'|'.join(other_tests)})(_[0-9]+_of_[0-9]+)?$")
    print("filter", "*-" + ":".join(f"*{name}.*" for name in other_suites) if other_suites else "*")
    if other_tests or other_suites:
        print("left", ", ".join(other_tests + other_suites))
    return 0


if __name__ == "__main__":
    sys.exit(main())
