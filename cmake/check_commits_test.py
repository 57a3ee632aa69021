#!/usr/bin/env python3
"""Tests of check_commits.py."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_commits

PROGRAM = Path(__file__).resolve().parent / "check_commits.py"
LONG = "x: " + "a" * 70


class SubjectTest(unittest.TestCase):
    def test_subjects(self):
        self.assertIsNone(check_commits.problem("importers: accept Kineto traces that are a bare array"))
        self.assertIsNone(check_commits.problem("a" * 72))
        self.assertEqual("73 characters, at most 72", check_commits.problem("a" * 73))
        self.assertEqual("ends with a period", check_commits.problem("Fix it."))

    def test_subjects_that_git_writes(self):
        self.assertIsNone(check_commits.problem(f'Revert "{LONG}"'))
        self.assertIsNone(check_commits.problem(f"fixup! {LONG}"))
        self.assertIsNotNone(check_commits.problem(f"Reverted {LONG}"))


class BranchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit(LONG)

    def git(self, *arguments):
        identity = {f"GIT_{role}_{what}": "test@localhost" for role in ("AUTHOR", "COMMITTER")
                    for what in ("NAME", "EMAIL")}
        subprocess.run(("git", "-C", self.folder) + arguments, check=True, stdout=subprocess.DEVNULL,
                       env={"PATH": os.environ["PATH"], "HOME": self.folder, **identity})

    def commit(self, subject):
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)

    def check(self):
        run = subprocess.run((sys.executable, PROGRAM, self.folder), stdout=subprocess.PIPE, text=True,
                             check=False)
        return run.returncode, run.stdout

    def test_the_main_branch_is_not_checked(self):
        self.assertEqual((0, ""), self.check())

    def test_commits_of_a_branch(self):
        self.git("switch", "--quiet", "-c", "work")
        self.commit("x: say why")
        self.assertEqual((0, ""), self.check())
        self.commit(LONG)
        status, output = self.check()
        self.assertEqual(1, status)
        self.assertIn(f"{LONG}\n  73 characters, at most 72", output)
        self.assertEqual(1, output.count("characters"))

    def test_merges_are_not_checked(self):
        self.git("switch", "--quiet", "-c", "work")
        self.commit("x: one")
        self.git("switch", "--quiet", "-c", "other", "main")
        self.commit("x: two")
        self.git("merge", "--quiet", "--no-ff", "-m", LONG, "work")
        self.assertEqual((0, ""), self.check())

    def test_without_a_main_branch(self):
        self.git("branch", "-m", "trunk")
        self.commit(LONG)
        self.assertEqual((0, ""), self.check())

    def test_without_git(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual([], check_commits.new_commits(empty))


if __name__ == "__main__":
    unittest.main()
