#!/usr/bin/env python3
"""Tests of the checks in release.sh, in repositories that are made here."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "CMakeLists.txt": "project(warpsight VERSION 1.2.3 LANGUAGES CXX)\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (2026-12-01)\n\n## 1.2.2 (2026-11-01)\n",
    "docs/api.md": '{"version": "1.2.3",\n',
    "viewer/package.json": "{}",
    "viewer/package-lock.json": "{}",
    "third_party/duckdb/package.json": "{}",
}
GIT = ("git", "-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "tag.gpgSign=false",
       "-c", "commit.gpgSign=false")


@unittest.skipUnless(shutil.which("git"), "needs git")
class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="warpsight-test-"))
        self.addCleanup(shutil.rmtree, self.root)
        for name in ("packaging/release.sh", "cmake/check_version.py"):
            (self.root / name).parent.mkdir(parents=True)
            shutil.copy(ROOT / name, self.root / name)
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def git(self, *arguments):
        subprocess.run([*GIT, *arguments], cwd=self.root, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "all")

    def checked(self):
        """(exit status, last line) of the checks."""
        done = subprocess.run([str(self.root / "packaging/release.sh"), "--check"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout.strip().rpartition("\n")[2]

    def test_a_commit_that_can_be_released(self):
        self.assertEqual((0, ""), self.checked())

    def test_changes_that_are_not_committed(self):
        self.write("docs/new.md", "")
        self.assertEqual((1, "[release] there are changes that are not committed"), self.checked())

    def test_versions_that_differ(self):
        self.write("docs/api.md", '{"version": "1.2.2",\n')
        self.commit()
        self.assertEqual((1, "[release] the version is not the same everywhere"), self.checked())

    def test_a_version_without_a_date(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 (unreleased)\n")
        self.commit()
        status, line = self.checked()
        self.assertEqual(1, status)
        self.assertIn("CHANGELOG.md says '## 1.2.3 (unreleased)'; a release has a date", line)

    def test_a_version_that_was_released(self):
        self.git("tag", "-a", "v1.2.3", "-m", "released")
        self.assertEqual((1, "[release] the tag v1.2.3 exists already"), self.checked())


if __name__ == "__main__":
    unittest.main()
