#!/usr/bin/env python3
"""Tests of tidy.py, with a tool that writes down which files it is given."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import tidy

TOOL = """#!/bin/sh
[ "$1" = --version ] && { echo 14; exit 0; }
for file; do :; done
echo "$file" >> "%s"
! grep -q WRONG "$file"
"""


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.build = self.root / "build"
        for name in ("src", "build"):
            (self.root / name).mkdir()
        self.write(".clang-tidy", "")
        self.looked = self.root / "looked"
        self.tool = self.root / "tool"
        self.tool.write_text(TOOL % self.looked)
        self.tool.chmod(0o755)
        self.enter(mock.patch.object(tidy, "ROOT", self.root))
        self.enter(mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.root / "cache")}))

    def enter(self, context):
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def write(self, name, text):
        (self.root / name).write_text(text)

    def commands(self, *entries):
        self.write("build/compile_commands.json", json.dumps(
            [{"file": str(self.root / file), "directory": str(self.build), "command": f"c++ {options}"}
             for file, options in entries]))

    def run_tidy(self, *parts):
        """The exit code, and the names of the files that clang-tidy checked."""
        self.looked.write_text("")
        arguments = ["tidy.py", str(self.tool), str(self.build), *parts]
        with mock.patch("sys.argv", arguments), contextlib.redirect_stdout(io.StringIO()):
            code = tidy.main()
        return code, sorted(Path(line).name for line in self.looked.read_text().splitlines())

    def test_clean_files_are_looked_at_once(self):
        self.write("src/a.cc", '#include "a.h"\n')
        self.write("src/a.h", "int a;\n")
        self.write("src/b.cc", "int b;\n")
        self.commands(("src/a.cc", ""), ("src/b.cc", ""))
        self.assertEqual(self.run_tidy(), (0, ["a.cc", "b.cc"]))
        self.assertEqual(self.run_tidy(), (0, []))
        self.write("src/a.h", "long a;\n")
        self.assertEqual(self.run_tidy(), (0, ["a.cc"]))

    def test_files_with_problems_are_looked_at_again(self):
        self.write("src/a.cc", "WRONG\n")
        self.commands(("src/a.cc", ""))
        self.assertEqual(self.run_tidy(), (1, ["a.cc"]))
        self.assertEqual(self.run_tidy(), (1, ["a.cc"]))

    def test_files_of_several_targets_are_remembered(self):
        self.write("src/a.cc", "int a;\n")
        self.commands(("src/a.cc", "-DONE"), ("src/a.cc", "-DTWO"))
        self.assertEqual(self.run_tidy(), (0, ["a.cc"]))
        self.assertEqual(self.run_tidy(), (0, []))
        self.commands(("src/a.cc", "-DONE"), ("src/a.cc", "-DTHREE"))
        self.assertEqual(self.run_tidy(), (0, ["a.cc"]))

    def test_what_is_compiled_for_thread_sanitizer_is_left_out(self):
        self.write("src/a.cc", "int a;\n")
        self.commands(("src/a.cc", "-O3"), ("src/a.cc", "-O3 -fsanitize=thread"))
        self.assertEqual(self.run_tidy(), (0, ["a.cc"]))
        given = json.loads((self.build / "tidy" / "compile_commands.json").read_text())
        self.assertEqual([entry["command"] for entry in given], ["c++ -O3"])

    def test_tests_only_where_they_are_named(self):
        self.write("src/a_test.cc", "int a;\n")
        self.commands(("src/a_test.cc", ""))
        self.assertEqual(self.run_tidy(), (0, []))
        self.assertEqual(self.run_tidy("a_test"), (0, ["a_test.cc"]))


if __name__ == "__main__":
    unittest.main()
